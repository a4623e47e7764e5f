// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/host/file_handle.h"
#include "core/host/root.h"

namespace rd {
namespace {

constexpr std::size_t kMaxNames = 200'000;

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Free {
    void operator()(char* text) const { std::free(text); }
};

std::optional<std::string> read_link(int directory, const char* path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(directory, path, target.data(), target.size());
    if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
}

// The kernel's own name of an open file.
std::optional<std::string> path_of(int fd) {
    return read_link(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str());
}

// `place` as an absolute path within the tree.
Result<std::string> within(const Root& root, int place, std::string_view path) {
    const auto top = path_of(root.directory());
    const auto found = path_of(place);
    if (!top || !found) return tl::unexpected<Error>(file_error(ENOENT, path));
    if (*top == "/") return *found;
    if (found->compare(0, top->size(), *top) != 0) return tl::unexpected<Error>(file_error(EXDEV, path));
    return found->size() == top->size() ? "/" : found->substr(top->size());
}

// A copy of a part of a host often has the link and not what it points to. Its name still tells, such as the PCI
// address behind a device link.
Result<std::string> dangling(const Root& root, const std::string& path) {
    const Descriptor place(root.open(path, O_PATH | O_NOFOLLOW));
    const auto target = place ? read_link(place.get(), "") : std::nullopt;
    if (!target) return tl::unexpected<Error>(file_error(ENOENT, path));
    auto directory = within(root, place.get(), path);
    if (!directory) return directory;
    // "/.." is "/": an absolute path cannot climb out when it is cleaned.
    return (std::filesystem::path(*directory).parent_path() / *target).lexically_normal().string();
}

// Why there is no listing. A name that is there and is no directory, or leads to what a copy does not have, must not pass for one
// that the kernel does not have: nothing would be missing then.
Error no_listing(const Root& root, int errnum, const std::string& path) {
    if (errnum == ENOTDIR && Descriptor(root.open(path, O_PATH))) return {Errc::io, path + ": is not a directory", {}};
    if (errnum == ENOENT && root.is_copy() && Descriptor(root.open(path, O_PATH | O_NOFOLLOW))) {
        return {Errc::not_collected, path + ": a link to what this copy does not have",
                "copy what it leads to as well"};
    }
    return file_error(errnum, path);
}

}  // namespace

Files::Files() : root_(std::make_shared<Root>()) {}

Files::Files(Descriptor directory, bool copied) : root_(std::make_shared<Root>(std::move(directory), copied)) {}

std::unique_ptr<Handle> Files::open(std::string_view path) const {
    return std::make_unique<FileHandle>(root_, std::string(path));
}

Result<std::vector<std::string>> Files::list(std::string_view path) const {
    Descriptor place(root_->open(std::string(path), O_RDONLY | O_DIRECTORY));
    if (!place) return tl::unexpected<Error>(no_listing(*root_, -place.get(), std::string(path)));
    const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(place.get()));
    if (!directory) return tl::unexpected<Error>(file_error(errno, path));
    static_cast<void>(place.release());  // closedir closes it
    std::vector<std::string> names;
    for (errno = 0; const dirent* const entry = ::readdir(directory.get()); errno = 0) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (names.size() == kMaxNames) {
            return fail(Errc::limit, std::string(path) + ": more than 200,000 names in the directory");
        }
        names.emplace_back(name);
    }
    if (errno != 0) return tl::unexpected<Error>(file_error(errno, path));
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::string> Files::link(std::string_view path) const {
    const std::string name(path);
    if (root_->is_tree()) {
        const Descriptor place(root_->open(name, O_PATH));
        if (place) return within(*root_, place.get(), path);
        if (place.get() == -ENOENT) return dangling(*root_, name);
        return tl::unexpected<Error>(file_error(-place.get(), path));
    }
    if (name.find('\0') != std::string::npos) return tl::unexpected<Error>(file_error(ENOENT, path));
    const std::unique_ptr<char, Free> target(::realpath(name.c_str(), nullptr));
    if (!target) return tl::unexpected<Error>(file_error(errno, path));
    return std::string(target.get());
}

Error file_error(int errnum, std::string_view path) {
    Error error = error_from_errno(errnum, path);
    if (error.code == Errc::no_privilege) error.remedy = "run as root";
    return error;
}

}  // namespace rd
