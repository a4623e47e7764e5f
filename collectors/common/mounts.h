// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of /etc/fstab and /proc/self/mounts: what is to be mounted, and what is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/host/host.h"

namespace rd::collectors {

// What of /etc/fstab concerns file systems over a network: passwords may stand in the file itself.
inline constexpr std::string_view kFstab = "config.mounts/etc/fstab";

struct Mount {
    std::string source;  // server:/export, //server/share
    std::string where;
    std::string type;     // nfs4
    std::string options;  // rw,proto=rdma,port=20049

    // Whether the options have `word` itself ("rdma", "proto=rdma").
    [[nodiscard]] bool has(std::string_view word) const;
};

// Comments and empty lines are left out; anything else that is no such line is an Error that names the file.
[[nodiscard]] Result<std::vector<Mount>> parse_mounts(std::string_view file, std::string_view text);
[[nodiscard]] Result<std::vector<Mount>> read_mounts(const Host& host, const std::string& file);

// The places of those for which `wanted` holds, as one fact can hold them: "/a /b", "none".
template <class Wanted>
[[nodiscard]] std::string places(const std::vector<Mount>& mounts, Wanted wanted);

// Of words in the order they came, each once, cut where there are very many: "none" without any.
[[nodiscard]] std::string listed(std::vector<std::string> words);

template <class Wanted>
std::string places(const std::vector<Mount>& mounts, Wanted wanted) {
    std::vector<std::string> found;
    for (const Mount& mount : mounts) {
        if (wanted(mount)) found.push_back(mount.where);
    }
    return listed(std::move(found));
}

}  // namespace rd::collectors
