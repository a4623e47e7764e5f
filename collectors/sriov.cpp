// SPDX-License-Identifier: GPL-2.0-or-later
// Virtual functions and sub-functions: how many virtual functions an interface's PCI function has given out, and which interfaces
// are sub-functions (whether one is a virtual function itself is pci.is_vf).
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    number("vfs", "Virtual functions in use of its PCI function: file device/sriov_numvfs"),
    number("vfs_max", "Virtual functions its PCI function can have: file device/sriov_totalvfs"),
    number("subfunction", "Number of the sub-function the interface is (mlx5_core.sf.4): link /sys/class/net/IF"),
};
constexpr Source kFiles[] = {
    {"sriov_numvfs", row(kFacts, Kind::netdev, "vfs"), as_counter},
    {"sriov_totalvfs", row(kFacts, Kind::netdev, "vfs_max"), as_counter},
};

Result<Value> subfunction_of(const Host& host, const Netdev& netdev) {
    const std::string link = netdev.path + "/device";
    const auto path = host.link(link);
    if (!path && path.error().code != Errc::not_found) return tl::unexpected<Error>(path.error());
    const auto place = path ? pci_place(*path) : std::nullopt;
    constexpr std::string_view kPrefix = "sf.";
    if (!place || !place->part.starts_with(kPrefix)) {
        return fail(Errc::not_supported, link + ": not a sub-function");
    }
    auto value = as_counter(std::string_view(place->part).substr(kPrefix.size()));
    if (!value) value.error().what = link + ": " + value.error().what;
    return value;
}

void plan_netdev(const Host& host, const Netdev& netdev, Plan& plan) {
    plan.set(netdev.entity, row(kFacts, Kind::netdev, "subfunction"), subfunction_of(host, netdev));
    const std::string folder = netdev.path + "/device";
    for (const Source& file : kFiles) {
        const std::string name = fmt::format("{}/{}", folder, file.name);
        if (netdev.pci) {
            plan.read(name, netdev.entity, file.spec, file.parser);
        } else {
            plan.gap(netdev.entity, file.spec, gap_from(netdev.pci.error()));
        }
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) plan_netdev(host, netdev, plan);
}

}  // namespace

extern const Collector sriov;
constinit const Collector sriov{"sriov", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
