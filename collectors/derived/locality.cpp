// SPDX-License-Identifier: GPL-2.0-or-later
// What lies on which NUMA node: data that crosses the link between sockets on its way from an SSD to an adapter costs both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec count_row(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::integer, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    count_row(Kind::host, "numa_nodes", "NUMA nodes that have CPUs"),
    count_row(Kind::numa, "adapters", "RDMA devices on the node; software counts where its interface is"),
    count_row(Kind::numa, "ssds", "Local SSDs (NVMe by PCI Express) on the node"),
    {Kind::device, "node_unknown", Type::boolean, Nature::config, "",
     "The firmware of the host does not say its NUMA node, though there are several"},
    count_row(Kind::device, "ssds_local", "Local SSDs on its NUMA node"),
    count_row(Kind::device, "ssds_remote", "Local SSDs on other NUMA nodes"),
};
constexpr const FactSpec& kNodes = row(kFacts, Kind::host, "numa_nodes");
constexpr const FactSpec& kAdapters = row(kFacts, Kind::numa, "adapters");
constexpr const FactSpec& kSsds = row(kFacts, Kind::numa, "ssds");
constexpr const FactSpec& kUnknown = row(kFacts, Kind::device, "node_unknown");
constexpr const FactSpec& kLocal = row(kFacts, Kind::device, "ssds_local");
constexpr const FactSpec& kRemote = row(kFacts, Kind::device, "ssds_remote");

constexpr std::array<std::string_view, 6> kReads{"numa.cpu_count",        "device.pci", "pci.numa",
                                                 "host.nvme_controllers", "nvme.numa",  "nvme.transport"};

const Entity kHost{Kind::host, ""};

// The reason why something is not known, unless the firmware does not say: that is an answer.
std::optional<Gap> trouble(const Snapshot& snapshot, const Entity& entity, std::string_view fact) {
    const Reading& reading = snapshot.get(entity, fact);
    if (reading || reading.error().kind == GapClass::not_offered) return std::nullopt;
    return needs(snapshot, entity, fact);
}

Known<std::int64_t> nodes_with_cpus(const Snapshot& snapshot) {
    if (const Gap* gap = snapshot.kind_gap(Kind::numa)) return tl::unexpected<Gap>(*gap);
    const auto nodes = snapshot.entities(Kind::numa);
    if (nodes.empty()) return 1;  // a kernel without NUMA
    std::int64_t count = 0;
    for (const Entity& node : nodes) {
        const auto cpus = snapshot.integer(node, "cpu_count");
        if (!cpus) return tl::unexpected<Gap>(needs(snapshot, node, "cpu_count"));
        count += *cpus > 0;
    }
    return count;
}

struct Ssds {
    std::map<Entity, std::int64_t> by_node;
    std::int64_t all = 0;
    std::optional<Gap> uncounted, unplaced;  // not all of them are known, or where one of them is
};

Ssds count_ssds(const Snapshot& snapshot) {
    Ssds ssds;
    if (!snapshot.integer(kHost, "nvme_controllers")) ssds.uncounted = needs(snapshot, kHost, "nvme_controllers");
    for (const Entity& nvme : snapshot.entities(Kind::nvme)) {
        const auto transport = snapshot.text(nvme, "transport");
        if (!transport) ssds.uncounted = needs(snapshot, nvme, "transport");
        if (transport != "pcie") continue;
        ++ssds.all;
        const auto node = snapshot.reference(nvme, "numa");
        if (node) {
            ++ssds.by_node[*node];
        } else {
            ssds.unplaced = needs(snapshot, nvme, "numa");
        }
    }
    return ssds;
}

void put(Snapshot& snapshot, const Entity& entity, const FactSpec& spec, std::int64_t count,
         const std::optional<Gap>& gap) {
    if (gap) return snapshot.gap(entity, spec, *gap);
    snapshot.put(entity, spec, count);
}

void derive_device(Snapshot& snapshot, const Entity& device, const Known<std::int64_t>& nodes, const Ssds& ssds,
                   std::map<Entity, std::int64_t>& adapters, std::optional<Gap>& adapters_gap) {
    const auto pci = snapshot.reference(device, "pci");
    const auto node = pci ? snapshot.reference(*pci, "numa") : std::nullopt;
    const auto problem = !pci ? trouble(snapshot, device, "pci") : trouble(snapshot, *pci, "numa");
    if (node) ++adapters[*node];
    if (!node && problem) adapters_gap = problem;

    if (!nodes) {
        snapshot.gap(device, kUnknown, nodes.error());
    } else if (!node && problem) {
        snapshot.gap(device, kUnknown, *problem);
    } else {
        snapshot.put(device, kUnknown, *nodes > 1 && pci.has_value() && !node.has_value());
    }

    std::optional<Gap> gap = ssds.uncounted;
    const bool all_near = nodes && *nodes < 2;
    if (!gap && !all_near) gap = ssds.unplaced;
    if (!node && !all_near) gap = !pci ? needs(snapshot, device, "pci") : needs(snapshot, *pci, "numa");
    const auto found = node ? ssds.by_node.find(*node) : ssds.by_node.end();
    const std::int64_t local = all_near ? ssds.all : found == ssds.by_node.end() ? 0 : found->second;
    put(snapshot, device, kLocal, local, gap);
    put(snapshot, device, kRemote, ssds.all - local, gap);
}

void derive(const Site&, Snapshot& snapshot) {
    const auto nodes = nodes_with_cpus(snapshot);
    put(snapshot, kHost, kNodes, nodes.value_or(0), nodes ? std::nullopt : std::optional(nodes.error()));
    const Ssds ssds = count_ssds(snapshot);
    std::map<Entity, std::int64_t> adapters;
    std::optional<Gap> adapters_gap;
    if (const Gap* gap = snapshot.kind_gap(Kind::device)) adapters_gap = *gap;
    for (const Entity& device : snapshot.entities(Kind::device)) {
        derive_device(snapshot, device, nodes, ssds, adapters, adapters_gap);
    }
    for (const Entity& node : snapshot.entities(Kind::numa)) {
        put(snapshot, node, kAdapters, adapters[node], adapters_gap);
        const auto found = ssds.by_node.find(node);
        put(snapshot, node, kSsds, found == ssds.by_node.end() ? 0 : found->second,
            ssds.uncounted ? ssds.uncounted : ssds.unplaced);
    }
}

}  // namespace

extern const Derivation locality;
constinit const Derivation locality{"locality", kFacts, kReads, derive};

}  // namespace rd::collectors
