// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/live.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "core/base/text.h"
#include "core/host/files.h"
#include "core/host/identity.h"
#include "core/host/namespaces.h"
#include "core/host/settings.h"
#include "core/host/subjects.h"

namespace rd {
namespace {

std::int64_t nanoseconds_of(clockid_t clock) {
    timespec at{};
    ::clock_gettime(clock, &at);  // cannot fail for the two clocks that are asked
    return static_cast<std::int64_t>(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
}

tl::unexpected<Error> no_path(std::string_view name) {
    return fail(Errc::bad_input, std::string(name) + ": not an absolute path");
}

class LiveHost final : public Host {
public:
    LiveHost() : identity_(identity_of(files_)) {
        identity_.source = "live";
        take_own_names();
    }
    LiveHost(Descriptor directory, const std::string& root)
        : files_(std::move(directory), false),
          namespaces_(std::make_shared<Namespaces>(files_, root)),
          identity_(identity_of(files_)) {
        const std::string own_hostname = identity_.hostname;
        take_own_names();
        identity_.source = "live, files below " + root;
        // The kernel gives every process the name of its own namespace, whichever /proc is read.
        Buffer buffer;
        const bool told = files_.open("/etc/hostname")->read(buffer) && !trim(buffer.text()).empty();
        identity_.hostname = told ? std::string(trim(buffer.text())) : own_hostname;
    }

    std::unique_ptr<Handle> open(std::string_view name) const override {
        auto handle = is_subject(name)
                          ? open_filtered([this](std::string_view path) { return files_.open(path); }, name)
                          : files_.open(name);
        if (!handle) handle = open_subject(name);
        return namespaces_ ? guarded(namespaces_, name, std::move(handle)) : std::move(handle);
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        if (is_subject(path)) return no_path(path);
        if (auto refused = namespaces_ ? namespaces_->refused(path) : std::nullopt) {
            return tl::unexpected<Error>(std::move(*refused));
        }
        return files_.list(path);
    }
    Result<std::string> link(std::string_view path) const override {
        if (is_subject(path)) return no_path(path);
        return files_.link(path);
    }
    Result<> write(std::string_view name, std::string_view text) override;

    Stamp now() const override { return current_stamp(); }
    const HostIdentity& identity() const override { return identity_; }
    bool advance(std::chrono::nanoseconds interval) override {
        std::this_thread::sleep_for(interval);
        return true;
    }

private:
    void take_own_names() {
        utsname names{};
        if (::uname(&names) != 0) return;
        identity_.hostname = names.nodename;
        identity_.kernel = names.release;
        identity_.machine = names.machine;
    }

    Files files_;
    std::shared_ptr<Namespaces> namespaces_;  // only where files lie below a root
    HostIdentity identity_;
};

// One write() call, because a kernel attribute takes the text of one call as the whole value.
Result<> LiveHost::write(std::string_view name, std::string_view text) {
    if (is_subject(name)) return fail(Errc::not_supported, std::string(name) + ": cannot be written as text");
    const std::string path(name);
    if (namespaces_)
        return fail(Errc::not_supported, path + ": nothing is changed from within a container",
                    "change it on the host itself");
    if (path.find('\0') != std::string::npos) return tl::unexpected<Error>(file_error(ENOENT, path));
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return tl::unexpected<Error>(file_error(errno, path));
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0) return tl::unexpected<Error>(file_error(errno, path));
    if (static_cast<std::size_t>(written) != text.size()) {
        return fail(Errc::io, path + ": only " + std::to_string(written) + " of " + std::to_string(text.size()) +
                                  " bytes were taken");
    }
    return {};
}

}  // namespace

Stamp current_stamp() { return {nanoseconds_of(CLOCK_BOOTTIME), nanoseconds_of(CLOCK_REALTIME)}; }

Result<std::unique_ptr<Host>> rooted_host(const std::string& root) {
    return open_tree(root, "name the directory below which /sys and /proc of the host are mounted")
        .map([&](Descriptor directory) -> std::unique_ptr<Host> {
            return std::make_unique<LiveHost>(std::move(directory), root);
        });
}

std::unique_ptr<Host> live_host() { return std::make_unique<LiveHost>(); }

}  // namespace rd
