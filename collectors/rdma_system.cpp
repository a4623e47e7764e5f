// SPDX-License-Identifier: GPL-2.0-or-later
// How the RDMA subsystem is set up as a whole: in which network namespace we are, whether devices belong to one, and whether user
// space has the files to open them.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "collectors/common/uverbs.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "rdma_netns", Type::text, Nature::config, "",
     "shared: every network namespace sees all RDMA devices; exclusive: each belongs to one: netlink SYS_GET"},
    {Kind::host, "initial_netns", Type::boolean, Nature::config, "",
     "We are in the initial network namespace, not in a container's: only there is sysctl net.core.netdev_max_backlog"},
    {Kind::host, "devices_elsewhere", Type::integer, Nature::gauge, "",
     "RDMA devices that other network namespaces have and this one does not: those of /sys/class/infiniband_verbs, "
     "which shows all, "
     "that are not in /sys/class/infiniband"},
    {Kind::device, "uverbs_node", Type::boolean, Nature::config, "",
     "/dev/infiniband has its character device (uverbs0), so that a process here can open it"},
};

const Entity kHost{Kind::host, ""};
constexpr const FactSpec& kInitial = row(kFacts, Kind::host, "initial_netns");
constexpr const FactSpec& kElsewhere = row(kFacts, Kind::host, "devices_elsewhere");
constexpr const FactSpec& kNode = row(kFacts, Kind::device, "uverbs_node");
constexpr Source kSystem[] = {
    {"netns", row(kFacts, Kind::host, "rdma_netns"), as_label},
};

constexpr std::string_view kNodes = "/dev/infiniband";

// net_core_table of the kernel is registered for the initial network namespace only, somaxconn for every one.
Result<Value> in_initial_namespace(const Host& host) {
    constexpr std::string_view kOnlyThere = "/proc/sys/net/core/netdev_max_backlog";
    const auto text = host.read(kOnlyThere);
    if (text) return Value(true);
    if (text.error().code == Errc::not_found && host.read("/proc/sys/net/core/somaxconn")) return Value(false);
    return tl::unexpected<Error>(text.error());
}

// A folder that is missing is an answer only where /dev itself is there to see.
Result<std::vector<std::string>> nodes(const Host& host) {
    auto entries = host.list(kNodes);
    if (entries || entries.error().code != Errc::not_found) return entries;
    if (host.list("/dev")) return std::vector<std::string>{};
    return fail(Errc::not_collected, entries.error().what);
}

Result<Value> has_node(const RdmaDevice& device, const Result<UverbsNodes>& names,
                       const Result<std::vector<std::string>>& there) {
    if (!names) return tl::unexpected<Error>(names.error());
    const auto found = names->find(device.name);
    if (found == names->end()) {
        return fail(
            Errc::not_supported,
            fmt::format("{}: none is for {}: ib_uverbs is not loaded, or does not serve it", kVerbsClass, device.name));
    }
    if (!there) return tl::unexpected<Error>(there.error());
    return Value(std::find(there->begin(), there->end(), found->second) != there->end());
}

Result<Value> elsewhere(const std::vector<RdmaDevice>& devices, const Result<UverbsNodes>& names) {
    if (!names) return tl::unexpected<Error>(names.error());
    const auto here = [&](const auto& name) {
        return std::any_of(devices.begin(), devices.end(),
                           [&](const RdmaDevice& device) { return device.name == name.first; });
    };
    return Value(static_cast<std::int64_t>(names->size()) - std::count_if(names->begin(), names->end(), here));
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    decode_fields(plan, "rdma.system", kHost, kSystem, "this kernel does not say it");
    plan.set(kHost, kInitial, in_initial_namespace(host));
    const auto devices = rdma_devices(host);
    if (!devices) {
        plan.gap(kHost, kElsewhere, gap_from(devices.error()));
        return plan.kind_gap(Kind::device, gap_from(devices.error()));
    }
    const auto names = uverbs_nodes(host, host.list(kVerbsClass));
    plan.set(kHost, kElsewhere, elsewhere(*devices, names));
    if (devices->empty()) return;
    const auto there = nodes(host);
    for (const RdmaDevice& device : *devices) plan.set(device.entity, kNode, has_node(device, names, there));
}

}  // namespace

extern const Collector rdma_system;
constinit const Collector rdma_system{"rdma_system", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
