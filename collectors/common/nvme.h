// SPDX-License-Identifier: GPL-2.0-or-later
// Controllers of NVMe, local and over fabrics, as entities that do not rename: NQN of the subsystem, then the address of the path. Should
// two be alike in both, the later ones by name get '#' and their name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

inline constexpr std::string_view kNvme = "/sys/class/nvme";

struct NvmeController {
    std::string name;  // nvme0
    std::string path;  // /sys/class/nvme/nvme0
    Entity entity;
    Result<std::string> subsystem;  // NQN
    Result<std::string> address;    // 0000:21:00.0, or traddr=10.0.0.2,trsvcid=4420
};

// Sorted by name. No directory: no NVMe on this host.
[[nodiscard]] Result<std::vector<NvmeController>> nvme_controllers(const Host& host);

}  // namespace rd::collectors
