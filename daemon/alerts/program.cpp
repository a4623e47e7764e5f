// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <string_view>

#include "core/host/descriptor.h"

namespace rd::daemon {
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

// Before `rest`: where the path goes on there.
void put_before(std::deque<std::string>& rest, std::string_view path) {
    auto place = rest.begin();
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view name = path.substr(0, end);
        if (!name.empty() && name != ".") place = std::next(rest.insert(place, std::string(name)));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
}

Result<> is_ours(const std::string& place, const struct stat& status) {
    if (status.st_uid == 0 || status.st_uid == ::geteuid()) return {};
    return fail(Errc::bad_input,
                fmt::format("{}: belongs to uid {}, who could have it run what they like", place, status.st_uid),
                fmt::format("chown -h root {}", place));
}

Result<> is_closed(const std::string& place, const struct stat& status) {
    const bool sticky_directory = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if ((status.st_mode & kOthersWrite) == 0 || sticky_directory) return {};
    return fail(Errc::bad_input, fmt::format("{}: others may change it (mode {:o})", place, status.st_mode & 07777),
                fmt::format("chmod go-w {}", place));
}

Result<> is_directory(const std::string& place, const struct stat& status) {
    if (!S_ISDIR(status.st_mode)) return tl::unexpected(error_from_errno(ENOTDIR, place));
    return is_closed(place, status);
}

Result<> is_program(const std::string& place, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) {
        return fail(Errc::bad_input, fmt::format("{}: not a program, but another kind of file", place),
                    "name the program itself");
    }
    if (auto closed = is_closed(place, status); !closed) return closed;
    if (::faccessat(AT_FDCWD, place.c_str(), X_OK, AT_EACCESS) != 0) {
        return fail(Errc::bad_input, fmt::format("{}: not a program that may be run", place),
                    fmt::format("chmod a+x {}", place));
    }
    return {};
}

Error not_there(std::string_view place) {
    Error error = error_from_errno(errno, place);
    if (error.code == Errc::not_found) error.remedy = "put the program there, or take the key out";
    if (error.code == Errc::no_privilege)
        error.remedy = "let the user the daemon runs as enter the directories on the way";
    return error;
}

}  // namespace

Result<> check_program(const std::string& path) {
    if (!path.starts_with('/')) return fail(Errc::bad_input, path + ": not an absolute path", "begin it with /");
    std::deque<std::string> rest;
    put_before(rest, path);
    std::string place = "/";
    for (int links = 0; links <= kMostLinks;) {
        struct stat status {};
        // By names and not by descriptors held open: what has been looked at so far cannot be renamed by others.
        if (::lstat(place.c_str(), &status) != 0) return tl::unexpected(not_there(place));
        if (auto ours = is_ours(place, status); !ours) return ours;
        if (S_ISLNK(status.st_mode)) {
            std::array<char, PATH_MAX> target{};
            const ssize_t length = ::readlink(place.c_str(), target.data(), target.size());
            if (length < 0) return tl::unexpected(error_from_errno(errno, place));
            const std::string_view to(target.data(), static_cast<std::size_t>(length));
            put_before(rest, to);
            place.resize(to.starts_with('/') ? 0 : place.rfind('/'));
            if (place.empty()) place = "/";
            ++links;
        } else if (rest.empty()) {
            return is_program(place, status);
        } else if (auto directory = is_directory(place, status); !directory) {
            return directory;
        }
        if (rest.empty())
            return fail(Errc::bad_input, path + ": not a program, but a directory", "name the program itself");
        const std::string name = std::move(rest.front());
        rest.pop_front();
        if (name == "..") {
            place.resize(std::max<std::size_t>(place.rfind('/'), 1));
        } else {
            place += (place.ends_with('/') ? "" : "/") + name;
        }
    }
    return tl::unexpected(error_from_errno(ELOOP, path));
}

}  // namespace rd::daemon
