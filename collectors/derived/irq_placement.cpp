// SPDX-License-Identifier: GPL-2.0-or-later
// Where the completion vectors of a device fire: near it or far, spread or on one CPU. The kernel spreads them over the near CPUs first
// and then over the others, so some far ones are ordinary; none near, or most on one CPU, is somebody's setting.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec count_row(std::string_view name, std::string_view doc) {
    return {Kind::device, name, Type::integer, Nature::config, "vectors", doc};
}

constexpr FactSpec kFacts[] = {
    reference(Kind::irq, "numa", Kind::numa, "NUMA node of the CPUs it fires on; a gap when they lie on several"),
    {Kind::irq, "cpu", Type::integer, Nature::config, "", "The CPU it fires on; a gap when there are several"},
    {Kind::irq, "remote", Type::boolean, Nature::config, "", "No CPU it fires on is on the NUMA node of its device"},
    count_row("vectors", "Completion vectors of its PCI function that are in use"),
    count_row("vectors_remote", "Those of them that fire on other NUMA nodes only"),
    count_row("vectors_busiest_cpu", "Most of them that fire on one and the same CPU"),
    {Kind::device, "near_cpus", Type::integer, Nature::config, "CPUs",
     "CPUs its vectors can be spread over without leaving its NUMA node: local_cpulist of its PCI function"},
};
constexpr const FactSpec& kNuma = row(kFacts, Kind::irq, "numa");
constexpr const FactSpec& kCpu = row(kFacts, Kind::irq, "cpu");
constexpr const FactSpec& kRemote = row(kFacts, Kind::irq, "remote");
constexpr const FactSpec& kVectors = row(kFacts, Kind::device, "vectors");
constexpr const FactSpec& kVectorsRemote = row(kFacts, Kind::device, "vectors_remote");
constexpr const FactSpec& kBusiest = row(kFacts, Kind::device, "vectors_busiest_cpu");
constexpr const FactSpec& kNearCpus = row(kFacts, Kind::device, "near_cpus");

constexpr std::array<std::string_view, 8> kReads{"irq.device", "irq.completion", "irq.effective", "irq.affinity",
                                                 "device.pci", "pci.numa",       "numa.cpus",     "pci.local_cpus"};

// CPU → node.
std::map<int, Entity> nodes_by_cpu(const Snapshot& snapshot) {
    std::map<int, Entity> nodes;
    for (const Entity& node : snapshot.entities(Kind::numa)) {
        const auto cpus = parse_cpulist(snapshot.text(node, "cpus").value_or(std::string()));
        if (!cpus) continue;
        for (const int cpu : *cpus) nodes.emplace(cpu, node);
    }
    return nodes;
}

// Where it does fire; architectures that do not say fire on what they may.
Known<std::vector<int>> cpus_of(const Snapshot& snapshot, const Entity& irq) {
    auto text = snapshot.text(irq, "effective");
    if (!text) text = snapshot.text(irq, "affinity");
    if (!text) return tl::unexpected<Gap>(needs(snapshot, irq, "effective"));
    auto cpus = parse_cpulist(*text);
    if (!cpus || cpus->empty())
        return tl::unexpected<Gap>(Gap{GapClass::error, "irq.effective: not a list of CPUs", {}});
    return *cpus;
}

struct Placement {
    std::int64_t vectors = 0, remote = 0;
    std::map<int, std::int64_t> by_cpu;
    std::optional<Gap> unplaced, undecided;  // a vector whose CPU, or whose distance, is not known
};

Known<Entity> node_of_device(const Snapshot& snapshot, const Entity& device) {
    const auto pci = snapshot.reference(device, "pci");
    if (!pci) return tl::unexpected<Gap>(needs(snapshot, device, "pci"));
    const auto node = snapshot.reference(*pci, "numa");
    if (!node) return tl::unexpected<Gap>(needs(snapshot, *pci, "numa"));
    return *node;
}

Known<bool> is_remote(const Snapshot& snapshot, const Entity& device, const std::vector<int>& cpus,
                      const std::map<int, Entity>& nodes) {
    if (snapshot.entities(Kind::numa).size() < 2) return false;
    const auto own = node_of_device(snapshot, device);
    if (!own) return tl::unexpected<Gap>(own.error());
    for (const int cpu : cpus) {
        const auto node = nodes.find(cpu);
        if (node == nodes.end()) return tl::unexpected<Gap>(not_offered(fmt::format("CPU {} is on no NUMA node", cpu)));
        if (node->second == *own) return false;
    }
    return true;
}

void put_node(Snapshot& snapshot, const Entity& irq, const std::vector<int>& cpus, const std::map<int, Entity>& nodes) {
    if (cpus.size() == 1) {
        snapshot.put(irq, kCpu, std::int64_t{cpus.front()});
    } else {
        snapshot.gap(irq, kCpu, not_offered("it fires on several CPUs"));
    }
    const auto first = nodes.find(cpus.front());
    const bool one = first != nodes.end() && std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
                         const auto node = nodes.find(cpu);
                         return node != nodes.end() && node->second == first->second;
                     });
    if (one) return snapshot.put(irq, kNuma, first->second);
    snapshot.gap(irq, kNuma, not_offered("the CPUs it fires on are not on one NUMA node"));
}

void place(Snapshot& snapshot, const Entity& irq, const std::map<int, Entity>& nodes,
           std::map<Entity, Placement>& placements) {
    const auto device = snapshot.reference(irq, "device");
    const auto cpus = cpus_of(snapshot, irq);
    const auto remote = !device ? Known<bool>(tl::unexpected<Gap>(needs(snapshot, irq, "device")))
                        : cpus  ? is_remote(snapshot, *device, *cpus, nodes)
                                : Known<bool>(tl::unexpected<Gap>(cpus.error()));
    if (cpus) {
        put_node(snapshot, irq, *cpus, nodes);
    } else {
        snapshot.gap(irq, kNuma, cpus.error());
        snapshot.gap(irq, kCpu, cpus.error());
    }
    if (remote) {
        snapshot.put(irq, kRemote, *remote);
    } else {
        snapshot.gap(irq, kRemote, remote.error());
    }
    if (!device) return;
    Placement& placement = placements[*device];
    const auto completion = snapshot.boolean(irq, "completion");
    if (!completion) {
        const Reading& reading = snapshot.get(irq, "completion");
        // A vector nobody uses fires nowhere.
        if (!reading && reading.error().kind != GapClass::not_offered)
            placement.unplaced = needs(snapshot, irq, "completion");
    }
    if (!completion.value_or(false)) return;
    ++placement.vectors;
    if (!cpus) {
        placement.unplaced = cpus.error();
    } else if (cpus->size() == 1) {
        ++placement.by_cpu[cpus->front()];
    }
    if (!remote) {
        placement.undecided = remote.error();
    } else {
        placement.remote += *remote;
    }
}

void put_device(Snapshot& snapshot, const Entity& device, const Placement& placement) {
    const auto counted = [&](const FactSpec& spec, std::int64_t count, const std::optional<Gap>& gap) {
        if (gap) return snapshot.gap(device, spec, *gap);
        snapshot.put(device, spec, count);
    };
    std::int64_t busiest = 0;
    for (const auto& [cpu, count] : placement.by_cpu) busiest = std::max(busiest, count);
    counted(kVectors, placement.vectors, placement.vectors == 0 ? placement.unplaced : std::nullopt);
    counted(kVectorsRemote, placement.remote, placement.undecided ? placement.undecided : placement.unplaced);
    counted(kBusiest, busiest, placement.unplaced);
}

Known<std::int64_t> near_cpus(const Snapshot& snapshot, const Entity& device) {
    const auto pci = snapshot.reference(device, "pci");
    if (!pci) return tl::unexpected<Gap>(needs(snapshot, device, "pci"));
    const auto text = snapshot.text(*pci, "local_cpus");
    if (!text) return tl::unexpected<Gap>(needs(snapshot, *pci, "local_cpus"));
    const auto cpus = parse_cpulist(*text);
    if (!cpus || cpus->empty())
        return tl::unexpected<Gap>(Gap{GapClass::error, "pci.local_cpus: not a list of CPUs", {}});
    return static_cast<std::int64_t>(cpus->size());
}

void put_near_cpus(Snapshot& snapshot, const Entity& device) {
    if (const auto near = near_cpus(snapshot, device)) {
        snapshot.put(device, kNearCpus, *near);
    } else {
        snapshot.gap(device, kNearCpus, near.error());
    }
}

void derive(const Site&, Snapshot& snapshot) {
    const auto nodes = nodes_by_cpu(snapshot);
    std::map<Entity, Placement> placements;
    for (const Entity& irq : snapshot.entities(Kind::irq)) place(snapshot, irq, nodes, placements);
    for (const Entity& device : snapshot.entities(Kind::device)) {
        put_near_cpus(snapshot, device);
        const auto found = placements.find(device);
        if (found != placements.end()) {
            put_device(snapshot, device, found->second);
            continue;
        }
        const Gap* listed = snapshot.kind_gap(Kind::irq);
        const Gap gap = listed != nullptr ? *listed : not_offered("no interrupt vector belongs to it");
        for (const FactSpec* spec : {&kVectors, &kVectorsRemote, &kBusiest}) snapshot.gap(device, *spec, gap);
    }
}

}  // namespace

extern const Derivation irq_placement;
constinit const Derivation irq_placement{"irq_placement", kFacts, kReads, derive};

}  // namespace rd::collectors
