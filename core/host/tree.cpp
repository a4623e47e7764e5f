// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>

#include <cerrno>

#include "core/host/identity.h"
#include "core/host/live.h"
#include "core/host/settings.h"
#include "core/host/subjects.h"

namespace rd {
namespace {

Error only_files(std::string_view name, const std::string& source) {
    return {Errc::not_collected, std::string(name) + ": this source holds only files: " + source,
            "record the host with `rdmadoctor record DIR`, which keeps the kernel's answers too"};
}

class FailedHandle final : public Handle {
public:
    explicit FailedHandle(Error error) : error_(std::move(error)) {}
    Result<> read(Buffer&) override { return tl::unexpected<Error>(error_); }

private:
    Error error_;
};

class TreeHost : public Host {
public:
    TreeHost(Descriptor directory, std::string source)
        : files_(std::move(directory)), identity_(identity_of(files_)), stamp_(current_stamp()) {
        identity_.source = std::move(source);
    }

    std::unique_ptr<Handle> open(std::string_view name) const override {
        if (!is_subject(name)) return files_.open(name);
        auto handle = open_filtered([this](std::string_view path) { return files_.open(path); }, name);
        return handle ? std::move(handle) : std::make_unique<FailedHandle>(only_files(name, identity_.source));
    }
    Result<std::vector<std::string>> list(std::string_view path) const override {
        if (is_subject(path)) return tl::unexpected<Error>(only_files(path, identity_.source));
        return files_.list(path);
    }
    Result<std::string> link(std::string_view path) const override {
        if (is_subject(path)) return tl::unexpected<Error>(only_files(path, identity_.source));
        return files_.link(path);
    }
    Result<> write(std::string_view name, std::string_view) override {
        return fail(Errc::not_supported, std::string(name) + ": a directory of files is not the host",
                    "change it on the host itself");
    }
    Stamp now() const override { return stamp_; }  // one moment: nothing in a copy moves
    const HostIdentity& identity() const override { return identity_; }
    bool advance(std::chrono::nanoseconds) override { return false; }

private:
    Files files_;
    HostIdentity identity_;
    Stamp stamp_;
};

// The files are read anew each time, and may have changed.
class WatchedTree final : public TreeHost {
public:
    using TreeHost::TreeHost;
    Stamp now() const override { return current_stamp(); }
};

}  // namespace

Result<Descriptor> open_tree(const std::string& root, const std::string& remedy) {
    Descriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return tl::unexpected<Error>(file_error(errno, root));
    if (::faccessat(directory.get(), "sys", F_OK, 0) != 0 && ::faccessat(directory.get(), "proc", F_OK, 0) != 0) {
        return fail(Errc::bad_input, root + ": has neither sys/ nor proc/ below it", remedy);
    }
    return directory;
}

Result<std::unique_ptr<Host>> tree_host(const std::string& root) {
    return open_tree(root, "name the directory that holds the copies of /sys and /proc")
        .map([&](Descriptor directory) -> std::unique_ptr<Host> {
            return std::make_unique<TreeHost>(std::move(directory), root);
        });
}

Result<std::unique_ptr<Host>> watched_tree(const std::string& root) {
    return open_tree(root, "name the directory that has sys/ and proc/")
        .map([&](Descriptor directory) -> std::unique_ptr<Host> {
            return std::make_unique<WatchedTree>(std::move(directory), root);
        });
}

}  // namespace rd
