// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/nodes.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "core/base/records.h"

namespace rd {
namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Result<std::string> list_nodes(const std::string& directory, std::string_view object) {
    const std::unique_ptr<DIR, CloseDirectory> opened(::opendir(directory.c_str()));
    if (!opened) return tl::unexpected<Error>(error_from_errno(errno, object));
    std::vector<std::string> found;
    for (errno = 0; const dirent* const entry = ::readdir(opened.get()); errno = 0) {
        struct stat status {};
        if (::fstatat(::dirfd(opened.get()), entry->d_name, &status, 0) != 0 || !S_ISCHR(status.st_mode)) continue;
        Record record;
        record.set("name", std::string_view(entry->d_name));
        record.set("mode", fmt::format("{:04o}", status.st_mode & 07777U));
        record.set("uid", std::uint64_t{status.st_uid});
        record.set("gid", std::uint64_t{status.st_gid});
        found.push_back(record.text());
    }
    if (errno != 0) return tl::unexpected<Error>(error_from_errno(errno, object));
    std::sort(found.begin(), found.end());
    return fmt::format("{}", fmt::join(found, ""));
}

Result<std::string> read_infiniband_nodes(const std::string&, std::string_view object) {
    return list_nodes("/dev/infiniband", object);
}

}  // namespace rd
