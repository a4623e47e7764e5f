// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that hold a context of an RDMA device: from the kernel's own table of contexts (netlink RES_CTX_GET, Linux 5.14), because
// the open files of others are only visible to root. Where the kernel has no such table: those that hold queue pairs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/common/identity.h"
#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

struct RdmaProcess {
    std::int64_t pid = 0;
    Entity entity;
    Result<std::string> status;       // text of /proc/PID/status
    std::vector<RdmaDevice> devices;  // by id, at least one
};

struct RdmaProcesses {
    std::vector<RdmaProcess> found;
    std::optional<Gap> gap;  // the contexts of some device could not be listed
};

// Those that were still there when they were looked at, without the process that looks.
[[nodiscard]] RdmaProcesses rdma_processes(const Host& host);

// The rest of the line "KEY:…" of a /proc status file.
[[nodiscard]] Result<std::string_view> status_field(std::string_view status, std::string_view key);

}  // namespace rd::collectors
