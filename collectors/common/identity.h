// SPDX-License-Identifier: GPL-2.0-or-later
// From the names of this boot ("mlx5_0", "ens1f0") to entities that do not rename (core/facts/value.h).
//
//   device   pci-ADDRESS of its PCI function, pci-ADDRESS#sf.N of a sub-function (several share one function); without a PCI
//            function guid-NODE_GUID; without a GUID that says anything (unreadable or zero) name-NAME
//   netdev   the same of its parent, then /dev_port (0 where the driver gives none); without a PCI function name-IFNAME
//
// Should two still come to the same id (a bond's device and its own, representors of virtual functions, IPoIB children), the first
// by name keeps it and the others get '#' and what tells them apart: the port name the switch driver gives, else their name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

// Where a device sits: its PCI function, and which sub-function of it ("sf.4").
struct PciPlace {
    std::string address;
    std::string part;
};

// From a real path such as /sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/mlx5_core.sf.4/net/en0. Devices behind a USB
// controller do not belong to its PCI function.
[[nodiscard]] std::optional<PciPlace> pci_place(std::string_view path);
// The PCI functions on the way, from the root port to the last one.
[[nodiscard]] std::vector<std::string> pci_path(std::string_view path);

[[nodiscard]] Entity pci_entity(std::string_view address);
[[nodiscard]] Entity numa_entity(std::int64_t node);

// What a subsystem shows below `path`. A directory that is absent beside those of other subsystems (`siblings`) is one the kernel does
// not have: no names. A source without the siblings says nothing: not_collected. Whatever else is in the way stays an Error.
[[nodiscard]] Result<std::vector<std::string>> list_subsystem(const Host& host, std::string_view path,
                                                              std::string_view siblings);

struct RdmaDevice {
    std::string name;  // mlx5_0
    std::string path;  // /sys/class/infiniband/mlx5_0
    Entity entity;
    Result<std::string> pci;            // address; of a soft device: of the netdev below it
    Result<bool> soft;                  // software on top of a netdev: no parent device
    std::optional<std::string> parent;  // netdev below a soft device
    std::string lane;                   // for reads that ask its driver or firmware
};

inline constexpr std::string_view kInfiniband = "/sys/class/infiniband";
inline constexpr std::string_view kNet = "/sys/class/net";

// Sorted by name. No directory means that ib_core is not loaded: an empty list.
[[nodiscard]] Result<std::vector<RdmaDevice>> rdma_devices(const Host& host);
[[nodiscard]] Result<std::vector<int>> port_numbers(const Host& host, const RdmaDevice& device);
[[nodiscard]] Entity port_entity(const RdmaDevice& device, int number);

struct Netdev {
    std::string name;  // ens1f0
    std::string path;  // /sys/class/net/ens1f0
    Entity entity;
    Result<std::string> pci;  // address; an Error where there is no PCI function
    std::string lane;
};

// All of them, sorted by name. Every kernel has some: no directory means that the source lacks it.
[[nodiscard]] Result<std::vector<Netdev>> netdevs(const Host& host);
// Those that carry RDMA or may: with a PCI function, bonds, VLANs, bridges, and whatever a soft device sits on. Container plumbing
// (veth, tun and their like) comes and goes by the hundred and is left out.
[[nodiscard]] Result<std::vector<Netdev>> rdma_netdevs(const Host& host);

// Finds netdevs among thousands. `netdevs` must outlive it and stay as it is.
class NetdevIndex {
public:
    explicit NetdevIndex(const std::vector<Netdev>& netdevs);
    [[nodiscard]] const Netdev* named(std::string_view name) const;
    [[nodiscard]] const Netdev* with_id(std::string_view id) const;

private:
    std::unordered_map<std::string_view, const Netdev*> by_name_, by_id_;
};

// The netdev a port sends through: what RDMA netlink says, else the GID table, else the netdev below a soft device, else the one
// with the same PCI function and the number of the port.
[[nodiscard]] Result<Entity> netdev_of_port(const Host& host, const RdmaDevice& device, int number,
                                            const NetdevIndex& netdevs);

}  // namespace rd::collectors
