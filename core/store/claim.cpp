// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace rd::store {

Result<Claim> Claim::take(const std::string& path) {
    struct stat is {};
    // A device, a directory, a pipe: sqlite would lay its other files beside it.
    if (::lstat(path.c_str(), &is) == 0 && !S_ISREG(is.st_mode))
        return fail(Errc::io, path + ": not a regular file", "name a file of its own for the store ([store] path)");
    const int lock = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    Claim claim(path, lock);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fail(Errc::timed_out, path + ": another rdmadoctord writes this store",
                    "end it, or give this one another file ([store] path)");
    return claim;
}

Claim::Claim(Claim&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      device_(other.device_),
      inode_(other.inode_) {}

Claim& Claim::operator=(Claim&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    return *this;
}

Claim::~Claim() {
    if (lock_ >= 0) ::close(lock_);
}

void Claim::remember() {
    struct stat is {};
    if (::stat(path_.c_str(), &is) != 0) return;
    device_ = is.st_dev;
    inode_ = is.st_ino;
}

Result<> Claim::check() const {
    struct stat is {};
    if (::stat(path_.c_str(), &is) == 0 && is.st_dev == device_ && is.st_ino == inode_) return {};
    return fail(Errc::not_found, path_ + ": was removed or replaced while it was written: what it had is lost",
                "leave the file to rdmadoctord; it begins a new one");
}

}  // namespace rd::store
