// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace rd {
namespace {

constexpr rlim_t kSpareDescriptors = 64;

int keep_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const rlim_t most = std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max());
    return most > kSpareDescriptors ? static_cast<int>(most - kSpareDescriptors) : 0;
}

int open_beneath(int directory, const char* path, int flags) {
    open_how how{};
    how.flags = static_cast<__u64>(flags);
    how.resolve = RESOLVE_IN_ROOT;
    const long fd = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
    return fd < 0 ? -errno : static_cast<int>(fd);
}

// A copied tree may come from anywhere, and opening a device node can act on this machine.
int refuse_device(int directory, const char* path) {
    const Descriptor place(open_beneath(directory, path, O_PATH | O_CLOEXEC));
    if (!place) return 0;  // the opening that follows says why
    struct stat status {};
    if (::fstat(place.get(), &status) != 0) return -errno;
    return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? -EACCES : 0;
}

}  // namespace

Root::Root() : keep_below_(keep_limit()) {}

Root::Root(Descriptor directory, bool copied)
    : directory_(std::move(directory)), copied_(copied), keep_below_(keep_limit()) {}

int Root::open(const std::string& path, int flags) const {
    if (path.find('\0') != std::string::npos) return -ENOENT;
    flags |= O_CLOEXEC;
    if ((flags & O_PATH) == 0) flags |= O_NONBLOCK | O_NOCTTY;
    if (!is_tree()) {
        const int fd = ::open(path.c_str(), flags);
        return fd < 0 ? -errno : fd;
    }
    if ((flags & (O_PATH | O_DIRECTORY)) == 0) {
        if (const int refused = refuse_device(directory(), path.c_str()); refused != 0) return refused;
    }
    return open_beneath(directory(), path.c_str(), flags);
}

}  // namespace rd
