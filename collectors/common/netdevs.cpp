// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/identity.h"
#include "core/base/records.h"

namespace rd::collectors {
namespace {

constexpr std::array<std::string_view, 10> kPlumbing{"veth",  "tun", "dummy", "vcan",   "ifb",
                                                     "vxlan", "sit", "gre",   "ip6tnl", "wireguard"};

// What rtnetlink calls the kind of each virtual interface; nothing where it does not answer.
std::map<std::string, std::string> kinds(const Host& host) {
    std::map<std::string, std::string> found;
    const auto text = host.read("rtnl.link");
    if (!text) return found;
    for (const Record& record : parse_records(*text).value_or(std::vector<Record>{})) {
        const auto name = record.get("ifname");
        const auto kind = record.get("kind");
        if (name && kind) found.emplace(*name, *kind);
    }
    return found;
}

std::set<Entity> under_soft_devices(const Host& host, const std::vector<Netdev>& all) {
    const NetdevIndex index(all);
    std::set<Entity> found;
    for (const RdmaDevice& device : rdma_devices(host).value_or(std::vector<RdmaDevice>{})) {
        if (!device.soft.value_or(false)) continue;
        for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
            if (const auto netdev = netdev_of_port(host, device, number, index)) found.insert(*netdev);
        }
    }
    return found;
}

}  // namespace

Result<std::vector<Netdev>> rdma_netdevs(const Host& host) {
    auto all = netdevs(host);
    if (!all) return all;
    const auto kind_of = kinds(host);
    const auto soft = under_soft_devices(host, *all);
    std::erase_if(*all, [&](const Netdev& netdev) {
        if (netdev.pci || soft.contains(netdev.entity)) return false;
        const auto kind = kind_of.find(netdev.name);
        return netdev.name == "lo" || (kind != kind_of.end() &&
                                       std::find(kPlumbing.begin(), kPlumbing.end(), kind->second) != kPlumbing.end());
    });
    return all;
}

}  // namespace rd::collectors
