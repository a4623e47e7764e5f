// SPDX-License-Identifier: GPL-2.0-or-later
// Who may open an RDMA device, and whether an IOMMU translates what it does with memory.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "collectors/common/uverbs.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "rdma_cm_node", Type::boolean, Nature::config, "",
     "Programs can use the connection manager: /dev/infiniband/rdma_cm exists"},
    {Kind::device, "uverbs", Type::text, Nature::config, "",
     "Its node in /dev/infiniband (uverbs0): /sys/class/infiniband_verbs/uverbsN/ibdev"},
    {Kind::device, "uverbs_mode", Type::text, Nature::config, "",
     "Who may open that node (0666): mode of /dev/infiniband/uverbsN"},
    {Kind::device, "uverbs_root_only", Type::boolean, Nature::config, "",
     "Nobody but root may open it for reading and writing: mode and group of /dev/infiniband/uverbsN"},
    {Kind::device, "iommu", Type::text, Nature::config, "",
     "What the IOMMU does for its PCI function: identity (nothing), DMA-FQ or DMA (translates): iommu_groups/N/type"},
};

constexpr const FactSpec& kManager = row(kFacts, Kind::host, "rdma_cm_node");
constexpr const FactSpec& kUverbs = row(kFacts, Kind::device, "uverbs");
constexpr const FactSpec& kMode = row(kFacts, Kind::device, "uverbs_mode");
constexpr const FactSpec& kRootOnly = row(kFacts, Kind::device, "uverbs_root_only");
constexpr const FactSpec& kIommu = row(kFacts, Kind::device, "iommu");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kNodes = "infiniband.nodes";

struct Node {
    std::string name;
    Entity device;
};

// Nobody but root: not everybody, no group other than root's, and no other owner.
void put_mode(const Record& record, const Node& node, Facts& out) {
    const std::string mode = record.get("mode").value_or(std::string());
    const auto rights = [&](std::size_t at) {
        return mode.size() == 4 && mode[at] >= '0' && mode[at] <= '7' ? mode[at] - '0' : -1;
    };
    if (rights(2) < 0 || rights(3) < 0) {
        const Gap gap{GapClass::error, fmt::format("{}: {}: not a mode: '{}'", kNodes, node.name, printable(mode)), {}};
        out.gap(node.device, kMode, gap);
        return out.gap(node.device, kRootOnly, gap);
    }
    constexpr int kReadWrite = 6;
    const bool everybody = (rights(3) & kReadWrite) == kReadWrite;
    const bool group = (rights(2) & kReadWrite) == kReadWrite && record.get("gid") != "0";
    const bool owner = record.get("uid") != "0";
    out.put(node.device, kMode, mode);
    out.put(node.device, kRootOnly, !everybody && !group && !owner);
}

void decode_nodes(const std::vector<Node>& nodes, const std::vector<Cover>& covers, std::string_view text, Facts& out) {
    const auto records = parse_records(text);
    if (!records) {
        return gap_all(covers,
                       gap_from({records.error().code, fmt::format("{}: {}", kNodes, records.error().what), {}}), out);
    }
    const auto find = [&](std::string_view name) {
        return std::find_if(records->begin(), records->end(),
                            [&](const Record& record) { return record.get("name") == name; });
    };
    out.put(kHost, kManager, find("rdma_cm") != records->end());
    for (const Node& node : nodes) {
        const auto record = find(node.name);
        if (record != records->end()) {
            put_mode(*record, node, out);
            continue;
        }
        const Gap gap = not_offered(fmt::format("{}: no {} in /dev/infiniband", kNodes, node.name));
        out.gap(node.device, kMode, gap);
        out.gap(node.device, kRootOnly, gap);
    }
}

void plan_nodes(std::vector<Node> nodes, Plan& plan) {
    std::vector<Cover> covers{{kHost, &kManager}};
    for (const Node& node : nodes) {
        covers.push_back({node.device, &kMode});
        covers.push_back({node.device, &kRootOnly});
    }
    plan.decode(std::string(kNodes), covers, [nodes = std::move(nodes), covers](std::string_view text, Facts& out) {
        decode_nodes(nodes, covers, text, out);
    });
}

void plan_iommu(const Host& host, const RdmaDevice& device, Plan& plan) {
    if (!device.pci) return plan.gap(device.entity, kIommu, gap_from(device.pci.error()));
    const std::string path = fmt::format("/sys/bus/pci/devices/{}/iommu_group", *device.pci);
    const auto group = host.link(path);
    if (!group && group.error().code == Errc::not_found) {
        return plan.gap(device.entity, kIommu, not_offered(path + ": the function is behind no IOMMU"));
    }
    if (!group) return plan.gap(device.entity, kIommu, gap_from(group.error()));
    plan.read(fmt::format("/sys/kernel/iommu_groups/{}/type", group->substr(group->rfind('/') + 1)), device.entity,
              kIommu, as_label);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kVerbsClass));
    const auto devices = rdma_devices(host);
    if (!devices) plan.kind_gap(Kind::device, gap_from(devices.error()));
    // No listing beside those of other subsystems: ib_uverbs is not loaded.
    const auto uverbs = uverbs_nodes(host, list_subsystem(host, kVerbsClass, "/sys/class"));
    std::vector<Node> nodes;
    for (const RdmaDevice& device : devices.value_or(std::vector<RdmaDevice>{})) {
        plan_iommu(host, device, plan);
        const auto gaps = [&](const Error& error) {
            for (const FactSpec* spec : {&kUverbs, &kMode, &kRootOnly}) plan.gap(device.entity, *spec, gap_from(error));
        };
        if (!uverbs) {
            gaps(uverbs.error());
            continue;
        }
        const auto node = uverbs->find(device.name);
        if (node == uverbs->end()) {
            gaps({Errc::not_supported, fmt::format("{}: no node of {}", kVerbsClass, device.name), {}});
            continue;
        }
        plan.put(device.entity, kUverbs, node->second);
        nodes.push_back({node->second, device.entity});
    }
    plan_nodes(std::move(nodes), plan);
}

}  // namespace

extern const Collector access;
constinit const Collector access{"access", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
