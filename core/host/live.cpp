// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/live.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "core/host/files.h"
#include "core/host/identity.h"
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
        utsname names{};
        if (::uname(&names) != 0) return;
        identity_.hostname = names.nodename;
        identity_.kernel = names.release;
        identity_.machine = names.machine;
    }

    std::unique_ptr<Handle> open(std::string_view name) const override {
        return is_subject(name) ? open_subject(name) : files_.open(name);
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        if (is_subject(path)) return no_path(path);
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
    Files files_;
    HostIdentity identity_;
};

// One write() call, because a kernel attribute takes the text of one call as the whole value.
Result<> LiveHost::write(std::string_view name, std::string_view text) {
    if (is_subject(name)) return fail(Errc::not_supported, std::string(name) + ": cannot be written as text");
    const std::string path(name);
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

std::unique_ptr<Host> live_host() { return std::make_unique<LiveHost>(); }

}  // namespace rd
