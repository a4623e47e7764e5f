// SPDX-License-Identifier: GPL-2.0-or-later
// One file has many names in sysfs. Collectors ask by class (/sys/class/net/eth2/mtu) and by PCI address; people paste what they
// found, such as /sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/net/eth2/mtu.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rd::ingest {

struct Canonical {
    std::string path;
    std::vector<std::pair<std::string, std::string>> links;  // what the name tells besides: path → target
};

[[nodiscard]] Canonical canonical_path(std::string_view path);

// "/sys/class/net/eth2/device/numa_node" → the class part and "numa_node"; nullopt: not a file of a device below a class.
struct BelowDevice {
    std::string link;  // "/sys/class/net/eth2/device"
    std::string rest;  // "/numa_node"
};
[[nodiscard]] std::optional<BelowDevice> below_device(std::string_view path);

}  // namespace rd::ingest
