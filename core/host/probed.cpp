// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/probed.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/host/bundle.h"
#include "core/host/replay.h"

namespace rd {
namespace {

constexpr const char* kRemedy = "systemctl start rdmadoctor-probe, which reads it as root; or run as root";

// What is taken; see the header for why counters are not.
bool is_taken(std::string_view name) {
    constexpr std::string_view kTaken[] = {"pci.config/", "ethtool.module/", "/sys/kernel/debug/"};
    const bool counts =
        name.starts_with("/sys/kernel/debug/mlx5/") && name.find("/commands/") != std::string_view::npos;
    return !counts && std::any_of(std::begin(kTaken), std::end(kTaken),
                                  [&](std::string_view prefix) { return name.starts_with(prefix); });
}

template <class Map>
void keep_taken(Map& map) {
    std::erase_if(map, [](const auto& entry) { return !is_taken(entry.first); });
}

// The newest bundle, as far as it is taken, for all handles and threads.
class Probe {
public:
    Probe(ProbeSource source, std::string boot_id) : source_(std::move(source)), boot_id_(std::move(boot_id)) {}

    using Answers = std::shared_ptr<const Moment>;
    // Or why there are none that hold now.
    Result<Answers> answers(Stamp now) {
        const std::lock_guard lock(mutex_);
        if (!looked_ns_ || now.boot_ns - *looked_ns_ >= source_.look_again.count()) {
            looked_ns_ = now.boot_ns;
            look();
        }
        if (!newest_) return newest_;
        const std::chrono::nanoseconds age(now.boot_ns - (*newest_)->stamp.boot_ns);
        if (age <= source_.most_age) return newest_;
        return fail(Errc::no_privilege, fmt::format("{} is {} old", source_.bundle,
                                                    print_duration(std::chrono::floor<std::chrono::minutes>(age))));
    }

private:
    using File = std::tuple<dev_t, ino_t, std::int64_t, std::int64_t>;

    void look() {
        struct stat is {};
        if (::stat(source_.bundle.c_str(), &is) != 0) {
            file_.reset();
            newest_ = tl::unexpected<Error>(error_from_errno(errno, source_.bundle));
            return;
        }
        const File file{is.st_dev, is.st_ino, is.st_mtim.tv_sec, is.st_mtim.tv_nsec};
        if (file_ == file) return;
        file_ = file;
        newest_ = load();
    }

    Result<Answers> load() const {
        auto bundle = load_bundle(source_.bundle);
        if (!bundle) return tl::unexpected<Error>(std::move(bundle.error()));
        if (bundle->identity.boot_id != boot_id_ || bundle->moments.empty())
            return fail(Errc::not_collected, source_.bundle + " is of another boot");
        auto moment = std::make_shared<Moment>(std::move(bundle->moments.back()));
        keep_taken(moment->reads);
        keep_taken(moment->links);
        keep_taken(moment->lists);
        return moment;
    }

    const ProbeSource source_;
    const std::string boot_id_;
    std::mutex mutex_;
    std::optional<std::int64_t> looked_ns_;
    std::optional<File> file_;
    Result<Answers> newest_ = nullptr;
};

// What a handle needs for as long as a thread may be stuck in it.
struct Shared {
    Shared(std::shared_ptr<Host> host, ProbeSource source)
        : inner(std::move(host)), probe(std::move(source), inner->identity().boot_id) {}
    std::shared_ptr<Host> inner;
    Probe probe;

    // `refused` for what the inner host refuses, or what `ask` finds in place of it.
    template <class T, class Ask>
    Result<T> instead(std::string_view name, Result<T> refused, Ask ask) {
        if (refused || refused.error().code != Errc::no_privilege || !is_taken(name)) return refused;
        Error& error = refused.error();
        const auto answers = probe.answers(inner->now());
        if (!answers) {
            error.what += "; " + answers.error().what;
            error.remedy = kRemedy;
            return refused;
        }
        Result<T> found = ask(**answers);
        // The probe has not asked for it, as for what has come since.
        if (found || found.error().code != Errc::not_collected) return found;
        error.remedy = kRemedy;
        return refused;
    }
};

class ProbedHandle final : public Handle {
public:
    ProbedHandle(std::shared_ptr<Shared> shared, std::string_view name)
        : shared_(std::move(shared)), inner_(shared_->inner->open(name)), name_(name) {}

    Result<> read(Buffer& into) override {
        return shared_->instead(name_, inner_->read(into),
                                [&](const Moment& probed) { return answer_read(probed, name_, into); });
    }

private:
    std::shared_ptr<Shared> shared_;
    std::unique_ptr<Handle> inner_;
    std::string name_;
};

class ProbedHost final : public Host {
public:
    ProbedHost(std::shared_ptr<Host> inner, ProbeSource source)
        : shared_(std::make_shared<Shared>(std::move(inner), std::move(source))) {}

    std::unique_ptr<Handle> open(std::string_view name) const override {
        if (!is_taken(name)) return shared_->inner->open(name);
        return std::make_unique<ProbedHandle>(shared_, name);
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        return shared_->instead(path, shared_->inner->list(path),
                                [&](const Moment& probed) { return answer_list(probed, path); });
    }
    Result<std::string> link(std::string_view path) const override {
        return shared_->instead(path, shared_->inner->link(path),
                                [&](const Moment& probed) { return answer_link(probed, path); });
    }
    Result<> write(std::string_view name, std::string_view text) override { return shared_->inner->write(name, text); }
    Stamp now() const override { return shared_->inner->now(); }
    const HostIdentity& identity() const override { return shared_->inner->identity(); }
    bool advance(std::chrono::nanoseconds interval) override { return shared_->inner->advance(interval); }

private:
    std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<Host> probed_host(std::shared_ptr<Host> inner, ProbeSource source) {
    return std::make_unique<ProbedHost>(std::move(inner), std::move(source));
}

}  // namespace rd
