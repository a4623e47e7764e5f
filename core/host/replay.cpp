// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/replay.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace rd {
namespace {

tl::unexpected<Error> absent(std::string_view name) {
    return fail(Errc::not_collected, std::string(name) + ": not in the bundle");
}

// Adds the first component below `prefix` (which ends in '/') of every key of a sorted map.
template <class Map>
void add_children(const Map& map, const std::string& prefix, std::vector<std::string>& out) {
    for (auto at = map.lower_bound(prefix); at != map.end() && at->first.compare(0, prefix.size(), prefix) == 0;) {
        const std::size_t slash = at->first.find('/', prefix.size());
        std::string name = at->first.substr(prefix.size(), slash - prefix.size());
        if (slash == std::string::npos) {
            ++at;
        } else {
            at = map.lower_bound(prefix + name + static_cast<char>('/' + 1));  // past all that lies below `name`
        }
        if (!name.empty()) out.push_back(std::move(name));
    }
}

// What a hand-written bundle says of a path in one line of `errors` holds for listing and following it too.
const Error* failed_read(const Moment& moment, std::string_view path) {
    const auto found = moment.reads.find(path);
    return found != moment.reads.end() && !found->second ? &found->second.error() : nullptr;
}

// Times that people read. The wall clock may have been set back while the host was recorded, or a manifest written by hand says it of
// some moments only: a later moment must not be told as an earlier one, nor as 1970. The boot clock knows how far they are apart.
void straighten_wall_times(std::vector<Moment>& moments) {
    for (std::size_t at = 1; at < moments.size(); ++at) {
        const Stamp& before = moments[at - 1].stamp;
        Stamp& now = moments[at].stamp;
        if (now.wall_ns == 0 && before.wall_ns != 0) now.wall_ns = before.wall_ns + (now.boot_ns - before.boot_ns);
    }
    for (std::size_t at = moments.size(); at-- > 1;) {
        Stamp& before = moments[at - 1].stamp;
        const Stamp& now = moments[at].stamp;
        if (before.wall_ns <= now.wall_ns && (before.wall_ns != 0 || now.wall_ns == 0)) continue;
        before.wall_ns = now.wall_ns - (now.boot_ns - before.boot_ns);
    }
}

struct Tape {
    Bundle bundle;
    std::atomic<std::size_t> current = 0;

    [[nodiscard]] const Moment& moment() const { return bundle.moments[current.load()]; }
};

class ReplayHandle final : public Handle {
public:
    ReplayHandle(std::shared_ptr<const Tape> tape, std::string_view name) : tape_(std::move(tape)), name_(name) {}
    Result<> read(Buffer& into) override { return answer_read(tape_->moment(), name_, into); }

private:
    std::shared_ptr<const Tape> tape_;
    std::string name_;
};

class ReplayHost final : public Host {
public:
    ReplayHost(Bundle bundle, std::string source) : tape_(std::make_shared<Tape>()) {
        tape_->bundle = std::move(bundle);
        if (tape_->bundle.moments.empty()) tape_->bundle.moments.emplace_back();
        straighten_wall_times(tape_->bundle.moments);
        tape_->bundle.identity.source = std::move(source);
    }

    std::unique_ptr<Handle> open(std::string_view name) const override {
        return std::make_unique<ReplayHandle>(tape_, name);
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        return answer_list(tape_->moment(), path);
    }
    Result<std::string> link(std::string_view path) const override { return answer_link(tape_->moment(), path); }
    Result<> write(std::string_view name, std::string_view) override {
        return fail(Errc::not_supported, std::string(name) + ": a recorded host cannot be changed",
                    "change it on the host itself");
    }
    Stamp now() const override { return tape_->moment().stamp; }
    const HostIdentity& identity() const override { return tape_->bundle.identity; }
    bool advance(std::chrono::nanoseconds) override {
        if (tape_->current.load() + 1 >= tape_->bundle.moments.size()) return false;
        ++tape_->current;
        return true;
    }

private:
    std::shared_ptr<Tape> tape_;
};

}  // namespace

Result<> answer_read(const Moment& moment, std::string_view name, Buffer& into) {
    const auto found = moment.reads.find(name);
    if (found == moment.reads.end()) return absent(name);
    if (!found->second) return tl::unexpected<Error>(found->second.error());
    into.assign(*found->second);
    return {};
}

Result<std::vector<std::string>> answer_list(const Moment& moment, std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (const auto found = moment.lists.find(path); found != moment.lists.end()) return found->second;
    std::vector<std::string> names;
    const std::string prefix = path == "/" ? "/" : std::string(path) + "/";
    add_children(moment.reads, prefix, names);
    add_children(moment.links, prefix, names);
    add_children(moment.lists, prefix, names);
    if (names.empty()) {
        if (const Error* const error = failed_read(moment, path)) return tl::unexpected<Error>(*error);
        return absent(path);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<std::string> answer_link(const Moment& moment, std::string_view path) {
    if (const auto found = moment.links.find(path); found != moment.links.end()) return found->second;
    if (const Error* const error = failed_read(moment, path)) return tl::unexpected<Error>(*error);
    return absent(path);
}

std::unique_ptr<Host> replay_host(Bundle bundle, std::string source) {
    return std::make_unique<ReplayHost>(std::move(bundle), std::move(source));
}

}  // namespace rd
