// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include "core/base/text.h"
#include "core/host/descriptor.h"

namespace rd::daemon {
namespace {

constexpr std::string_view kUnfinished = ".new";
constexpr std::size_t kDigits = 20;

struct Name {
    std::uint64_t number = 0;
    std::string_view fingerprint;
};

bool is_fingerprint(std::string_view text) {
    return text == Spool::kAll ||
           (text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

std::string name_of(std::uint64_t number, std::string_view fingerprint) {
    return fmt::format("{:0{}}-{}.json", number, kDigits, fingerprint);
}

// Anything else in the directory is not ours, and is left alone.
std::optional<Name> parse_name(std::string_view file) {
    if (!file.ends_with(".json") || file.size() < kDigits + 2 || file[kDigits] != '-') return std::nullopt;
    file.remove_suffix(std::string_view(".json").size());
    const auto number = parse_counter(file.substr(0, kDigits));
    const std::string_view fingerprint = file.substr(kDigits + 1);
    if (!number || file[0] == '-' || file[0] == '+' || !is_fingerprint(fingerprint)) return std::nullopt;
    return Name{static_cast<std::uint64_t>(*number), fingerprint};
}

Result<std::vector<std::string>> files_of(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
    if (!open) return tl::unexpected(error_from_errno(errno, directory));
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(open.get())) names.emplace_back(entry->d_name);
    std::ranges::sort(names);
    return names;
}

Result<> write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t wrote = ::write(fd, text.data(), text.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return tl::unexpected(error_from_errno(errno, path));
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return {};
}

}  // namespace

Result<> write_whole(const std::string& path, std::string_view text, bool durable) {
    const std::string unfinished = path + std::string(kUnfinished);
    {
        const Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640));
        if (!file) return tl::unexpected(error_from_errno(errno, unfinished));
        auto done = write_all(file.get(), text, unfinished);
        if (done && durable && ::fsync(file.get()) != 0) done = tl::unexpected(error_from_errno(errno, unfinished));
        if (!done) {
            (void)::unlink(unfinished.c_str());
            return done;
        }
    }
    if (::rename(unfinished.c_str(), path.c_str()) != 0) {
        const Error error = error_from_errno(errno, path);
        (void)::unlink(unfinished.c_str());
        return tl::unexpected(error);
    }
    if (!durable) return {};
    const Descriptor directory(::open(path.substr(0, path.rfind('/') + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.get()) != 0) return tl::unexpected(error_from_errno(errno, path));
    return {};
}

Result<std::string> read_whole(const std::string& path, std::size_t most) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return tl::unexpected(error_from_errno(errno, path));
    std::string text;
    for (;;) {
        const std::size_t had = text.size();
        text.resize(had + 65'536);
        const ssize_t got = ::read(file.get(), text.data() + had, 65'536);
        text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tl::unexpected(error_from_errno(errno, path));
        if (got == 0) return text;
        if (text.size() > most) return fail(Errc::limit, fmt::format("{}: larger than {} bytes", path, most));
    }
}

Result<Spool> Spool::open(std::string directory, Limits limits, Use use) {
    if (::mkdir(directory.c_str(), 0770) != 0 && errno != EEXIST)
        return tl::unexpected(error_from_errno(errno, directory));
    Spool spool(std::move(directory), limits);
    if (use == Use::write) {
        const auto names = files_of(spool.directory_);
        if (!names) return tl::unexpected(names.error());
        for (const std::string& name : *names) {
            std::string_view finished = name;
            if (!finished.ends_with(kUnfinished)) continue;
            finished.remove_suffix(kUnfinished.size());
            if (parse_name(finished)) (void)spool.remove(name);
        }
    }
    if (auto done = spool.scan(); !done) return tl::unexpected<Error>(std::move(done.error()));
    return spool;
}

Result<> Spool::scan() {
    const auto names = entries();
    if (!names) return tl::unexpected(names.error());
    held_.clear();
    bytes_ = 0;
    for (const std::string& name : *names) {
        struct stat status {};
        const auto parsed = parse_name(name);
        if (!parsed || ::stat((directory_ + "/" + name).c_str(), &status) != 0) continue;  // delivered at this moment
        const auto size = static_cast<std::uint64_t>(status.st_size);
        held_.emplace(parsed->number, Held{std::string(parsed->fingerprint), size});
        bytes_ += size;
        next_ = std::max(next_, parsed->number + 1);
    }
    return {};
}

bool Spool::fits(std::size_t more) const { return held_.size() < limits_.entries && bytes_ + more <= limits_.bytes; }

void Spool::drop(std::map<std::uint64_t, Held>::iterator entry) {
    (void)remove(name_of(entry->first, entry->second.fingerprint));
    bytes_ -= entry->second.bytes;
    held_.erase(entry);
}

void Spool::drop_one(std::string_view coming) {
    std::map<std::string_view, std::uint64_t> newest;
    for (const auto& [number, held] : held_) newest[held.fingerprint] = number;
    newest[coming] = next_;
    const auto superfluous =
        std::ranges::find_if(held_, [&](const auto& entry) { return newest[entry.second.fingerprint] != entry.first; });
    if (superfluous != held_.end()) return drop(superfluous);
    ++lost_;
    drop(held_.begin());
}

Result<> Spool::put(std::string_view fingerprint, std::string_view json) {
    if (!is_fingerprint(fingerprint)) return fail(Errc::bad_input, "spool: no fingerprint: " + printable(fingerprint));
    if (json.size() > std::min<std::uint64_t>(kMostEntry, limits_.bytes)) {
        return fail(Errc::limit, fmt::format("spool: an entry of {} bytes", json.size()));
    }
    if (fingerprint == kAll) {
        while (!held_.empty()) drop(held_.begin());
    }
    if (!fits(json.size())) {
        if (auto done = scan(); !done) return done;  // some may have been delivered meanwhile
        while (!held_.empty() && !fits(json.size())) drop_one(fingerprint);
    }
    const std::uint64_t number = next_++;
    if (auto done = write_whole(fmt::format("{}/{}", directory_, name_of(number, fingerprint)), json, false); !done) {
        ++lost_;
        return done;
    }
    held_.emplace(number, Held{std::string(fingerprint), json.size()});
    bytes_ += json.size();
    return {};
}

Result<std::vector<std::string>> Spool::entries() const {
    auto names = files_of(directory_);
    if (names) std::erase_if(*names, [](const std::string& name) { return !parse_name(name); });
    return names;
}

Result<std::string> Spool::read(const std::string& entry) const {
    return read_whole(directory_ + "/" + entry, kMostEntry);
}

Result<> Spool::remove(const std::string& entry) const {
    const std::string path = directory_ + "/" + entry;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return tl::unexpected(error_from_errno(errno, path));
    return {};
}

}  // namespace rd::daemon
