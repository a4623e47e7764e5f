// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/file_handle.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "core/host/files.h"
#include "core/host/root.h"

namespace rd {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kFirstCapacity = 4096;  // a sysfs attribute is never larger than a page
constexpr std::chrono::milliseconds kPatience{1000};

// File systems that the kernel answers itself. Their descriptors follow the object, and fail when it is gone.
bool is_kernel_file(int fd) {
    constexpr std::array<long, 7> kMagic{SYSFS_MAGIC,      PROC_SUPER_MAGIC,    DEBUGFS_MAGIC, TRACEFS_MAGIC,
                                         SECURITYFS_MAGIC, CGROUP2_SUPER_MAGIC, 0x62656570 /* configfs */};
    struct statfs system {};
    if (::fstatfs(fd, &system) != 0) return false;
    return std::find(kMagic.begin(), kMagic.end(), static_cast<long>(system.f_type)) != kMagic.end();
}

// Room for more behind `filled` bytes, which are kept. False when the answer has become too large.
bool make_room(Buffer& buffer, std::size_t filled) {
    if (filled < buffer.capacity()) return true;
    if (filled > kMaxAnswer) return false;
    Buffer larger;
    std::copy_n(buffer.reserve(0), filled, larger.reserve(std::min(filled * 4, kMaxAnswer + 1)));
    buffer = std::move(larger);
    return true;
}

// pread without the C library's cancellation point, which costs a tenth of a small read in a program with threads. Nobody here
// cancels a thread: one that is stuck in the kernel could not be cancelled anyway.
ssize_t read_at(int fd, char* to, std::size_t space, std::size_t offset) {
    return ::syscall(SYS_pread64, fd, to, space, static_cast<off_t>(offset));
}

int read_whole(int fd, bool short_is_end, Buffer& into) {
    into.reserve(kFirstCapacity);
    for (std::size_t filled = 0;;) {
        const std::size_t space = into.capacity() - filled;
        const ssize_t got = read_at(fd, into.reserve(0) + filled, space, filled);
        if (got < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        filled += static_cast<std::size_t>(got);
        if (filled > kMaxAnswer) return EFBIG;
        if (got == 0 || (short_is_end && static_cast<std::size_t>(got) < space)) {
            into.resize(filled);
            return 0;
        }
        if (!make_room(into, filled)) return EFBIG;
    }
}

// Until the writer closes. What has not ended in time is no answer: a part of it could be taken for the whole.
int read_waiting(int fd, Buffer& into) {
    into.reserve(kFirstCapacity);
    const auto deadline = steady_clock::now() + kPatience;
    for (std::size_t filled = 0;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return filled == 0 ? ETIMEDOUT : ETIME;
        pollfd ready{fd, POLLIN, 0};
        const int count = ::poll(&ready, 1, static_cast<int>(left.count()));
        if (count < 0 && errno != EINTR) return errno;
        if (count <= 0) continue;
        const ssize_t got = ::read(fd, into.reserve(0) + filled, into.capacity() - filled);
        if (got < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            return errno;
        }
        filled += static_cast<std::size_t>(got);
        if (got == 0) {
            into.resize(filled);
            return 0;
        }
        if (filled > kMaxAnswer || !make_room(into, filled)) return EFBIG;
    }
}

// ESRCH: the process behind a file of /proc has ended.
bool object_gone(int errnum) { return errnum == ENODEV || errnum == ESTALE || errnum == ENOENT || errnum == ESRCH; }

}  // namespace

FileHandle::FileHandle(std::shared_ptr<const Root> root, std::string path)
    : root_(std::move(root)), path_(std::move(path)) {}

Result<> FileHandle::read(Buffer& into) {
    const bool kept = static_cast<bool>(file_);
    int error = kept ? 0 : reopen();
    if (error == 0) error = read_open(into);
    if (kept && object_gone(error)) {  // the device went away; another may have come under its name
        error = reopen();
        if (error == 0) error = read_open(into);
    }
    const bool keep = (kind_ == Kind::attribute || kind_ == Kind::stream) && !object_gone(error);
    if (!keep || !root_->may_keep(file_.get())) file_.reset();
    if (error == 0) return {};
    into.resize(0);
    return tl::unexpected<Error>(describe(error));
}

int FileHandle::reopen() {
    file_ = Descriptor(root_->open(path_, O_RDONLY));
    if (!file_) return -file_.get();
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) {
        file_.reset();
        return EISDIR;
    }
    if (!S_ISREG(status.st_mode)) {
        kind_ = Kind::waiting;
        is_fifo_ = S_ISFIFO(status.st_mode);
    } else if (!root_->is_copy() && !is_kernel_file(file_.get())) {
        kind_ = Kind::plain;
    } else {
        kind_ = status.st_size > 0 ? Kind::attribute : Kind::stream;
    }
    return 0;
}

int FileHandle::read_open(Buffer& into) const {
    if (kind_ == Kind::waiting) return read_waiting(file_.get(), into);
    return read_whole(file_.get(), kind_ != Kind::stream, into);
}

Error FileHandle::describe(int errnum) const {
    if (errnum == EFBIG) return {Errc::limit, path_ + ": is larger than 8 MiB", {}};
    if (kind_ == Kind::waiting && (errnum == ETIMEDOUT || errnum == ETIME)) {
        const std::string_view missing =
            errnum == ETIMEDOUT ? ": no data within 1 s (" : ": no end of data within 1 s (";
        return {Errc::timed_out, path_ + std::string(missing) + (is_fifo_ ? "FIFO)" : "device)"), {}};
    }
    return file_error(errnum, path_);
}

}  // namespace rd
