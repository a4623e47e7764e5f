// SPDX-License-Identifier: GPL-2.0-or-later
// Controllers of NVMe over RDMA seen together: over which device each goes, what the paths of one subsystem share, and what they need
// of the device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(Kind kind, std::string_view name, Nature nature, std::string_view unit,
                          std::string_view doc) {
    return {kind, name, Type::integer, nature, unit, doc};
}

constexpr FactSpec kFacts[] = {
    reference(Kind::nvme, "rdma_device", Kind::device,
              "The RDMA device its connections use: the one with connections of nvme_rdma to its address, else the one "
              "of nvme.netdev"),
    number(Kind::nvme, "paths_live", Nature::gauge, "", "Controllers of its subsystem that are live"),
    number(Kind::nvme, "targets_live", Nature::gauge, "", "Different addresses that the live ones of them lead to"),
    number(Kind::nvme, "paths_optimized", Nature::gauge, "",
           "Those of the live ones that the target calls optimized: nvme.ana_state"),
    number(Kind::nvme, "path_interfaces", Nature::gauge, "",
           "Physical interfaces the live ones of them leave by, each member of a bond counted"),
    number(Kind::device, "nvme_mrs", Nature::config, "regions",
           "Memory regions that controllers of NVMe over RDMA make on it: one for each command of each queue"),
};
constexpr const FactSpec& kDevice = row(kFacts, Kind::nvme, "rdma_device");
constexpr const FactSpec& kLive = row(kFacts, Kind::nvme, "paths_live");
constexpr const FactSpec& kTargets = row(kFacts, Kind::nvme, "targets_live");
constexpr const FactSpec& kOptimized = row(kFacts, Kind::nvme, "paths_optimized");
constexpr const FactSpec& kInterfaces = row(kFacts, Kind::nvme, "path_interfaces");
constexpr const FactSpec& kMrs = row(kFacts, Kind::device, "nvme_mrs");

constexpr std::array<std::string_view, 17> kReads{
    "nvme.transport", "nvme.address",     "nvme.subsystem",      "nvme.state",  "nvme.ana_state", "nvme.netdev",
    "nvme.io_queues", "nvme.queue_depth", "device.nvme_targets", "port.netdev", "port.device",    "port.number",
    "netdev.kind",    "netdev.lower",     "netdev.master",       "netdev.name", "device.name"};

std::string field(std::string_view address, std::string_view key) {
    for (const std::string_view part : split(address, ',')) {
        if (part.starts_with(key)) return std::string(part.substr(key.size()));
    }
    return {};
}

// As connections print it: 192.0.2.9:4420, [fd00::9]:4420.
std::string endpoint(std::string_view address) {
    const std::string target = field(address, "traddr="), service = field(address, "trsvcid=");
    if (target.empty() || service.empty()) return {};
    return target.find(':') == std::string::npos ? fmt::format("{}:{}", target, service)
                                                 : fmt::format("[{}]:{}", target, service);
}

// The device of a controller, by what the kernel has open.
Known<Entity> by_connection(const Snapshot& snapshot, const std::string& target) {
    std::optional<Entity> found;
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto targets = snapshot.text(device, "nvme_targets");
        if (!targets) return tl::unexpected<Gap>(needs(snapshot, device, "nvme_targets"));
        const auto list = words(*targets);
        if (std::find(list.begin(), list.end(), target) == list.end()) continue;
        if (found) return tl::unexpected<Gap>(not_offered("several devices have connections to " + target));
        found = device;
    }
    if (!found) return tl::unexpected<Gap>(not_offered("no device has a connection to " + target));
    return *found;
}

std::vector<Entity> ports_of_netdev(const Snapshot& snapshot, const Entity& netdev) {
    std::vector<Entity> ports;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (snapshot.reference(port, "netdev") == netdev) ports.push_back(port);
    }
    return ports;
}

Known<Entity> device_of(const Snapshot& snapshot, const Entity& controller) {
    const auto transport = snapshot.text(controller, "transport"), address = snapshot.text(controller, "address");
    if (!transport) return tl::unexpected<Gap>(needs(snapshot, controller, "transport"));
    if (*transport != "rdma") return tl::unexpected<Gap>(not_offered(*transport + " uses no RDMA device"));
    if (!address) return tl::unexpected<Gap>(needs(snapshot, controller, "address"));
    auto device = by_connection(snapshot, endpoint(*address));
    if (device) return device;
    const auto netdev = snapshot.reference(controller, "netdev");
    if (!netdev) return device;
    const auto ports = ports_of_netdev(snapshot, *netdev);
    const auto other = ports.size() == 1 ? snapshot.reference(ports.front(), "device") : std::nullopt;
    if (!other) return device;
    return *other;
}

// The interfaces of the wires a controller uses.
Known<std::vector<Entity>> interfaces_of(const Snapshot& snapshot, const Wires& wires, const Entity& controller) {
    if (const auto netdev = snapshot.reference(controller, "netdev")) return wires.below(*netdev);
    const auto device = snapshot.reference(controller, "rdma_device");
    if (!device) return tl::unexpected<Gap>(needs(snapshot, controller, "rdma_device"));
    std::vector<Entity> ports;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (snapshot.reference(port, "device") == *device) ports.push_back(port);
    }
    if (ports.size() != 1) {
        return tl::unexpected<Gap>(not_offered(snapshot.label(*device) + " has several ports: which is not known"));
    }
    return wires.of(ports.front());
}

struct Group {
    std::vector<Entity> live;
    std::set<std::string> targets;
};

Known<std::int64_t> optimized_in(const Snapshot& snapshot, const Group& group) {
    std::int64_t count = 0;
    for (const Entity& one : group.live) {
        const auto state = snapshot.text(one, "ana_state");
        if (!state) return tl::unexpected<Gap>(needs(snapshot, one, "ana_state"));
        count += *state == "optimized";
    }
    return count;
}

Known<std::int64_t> interfaces_in(const Snapshot& snapshot, const Wires& wires, const Group& group) {
    std::set<Entity> all;
    for (const Entity& one : group.live) {
        const auto some = interfaces_of(snapshot, wires, one);
        if (!some) return tl::unexpected<Gap>(some.error());
        all.insert(some->begin(), some->end());
    }
    return static_cast<std::int64_t>(all.size());
}

void put(Snapshot& snapshot, const Entity& entity, const FactSpec& spec, const Known<std::int64_t>& value) {
    if (value) {
        snapshot.put(entity, spec, *value);
    } else {
        snapshot.gap(entity, spec, value.error());
    }
}

void derive_groups(Snapshot& snapshot, const std::vector<Entity>& controllers) {
    std::map<std::string, Group> groups;
    std::map<std::string, Gap> unknown;
    for (const Entity& one : controllers) {
        const auto subsystem = snapshot.text(one, "subsystem"), state = snapshot.text(one, "state");
        if (!subsystem) continue;
        if (!state) unknown.emplace(*subsystem, needs(snapshot, one, "state"));
        if (state != "live") continue;
        Group& group = groups[*subsystem];
        group.live.push_back(one);
        group.targets.insert(field(snapshot.text(one, "address").value_or(std::string()), "traddr="));
    }
    const Wires wires(snapshot);
    for (const Entity& one : controllers) {
        const auto subsystem = snapshot.text(one, "subsystem");
        std::optional<Gap> gap;
        if (!subsystem) gap = needs(snapshot, one, "subsystem");
        if (subsystem && unknown.contains(*subsystem)) gap = unknown.at(*subsystem);
        if (gap) {
            for (const FactSpec* spec : {&kLive, &kTargets, &kOptimized, &kInterfaces}) snapshot.gap(one, *spec, *gap);
            continue;
        }
        const Group& group = groups[*subsystem];
        snapshot.put(one, kLive, static_cast<std::int64_t>(group.live.size()));
        snapshot.put(one, kTargets, static_cast<std::int64_t>(group.targets.size()));
        put(snapshot, one, kOptimized, optimized_in(snapshot, group));
        put(snapshot, one, kInterfaces, interfaces_in(snapshot, wires, group));
    }
}

void derive_regions(Snapshot& snapshot, const std::vector<Entity>& controllers) {
    std::map<Entity, std::int64_t> needed;
    std::optional<Gap> gap;
    for (const Entity& one : controllers) {
        const auto device = snapshot.reference(one, "rdma_device");
        const auto queues = snapshot.integer(one, "io_queues"), depth = snapshot.integer(one, "queue_depth");
        if (!device) gap = needs(snapshot, one, "rdma_device");
        if (!queues) gap = needs(snapshot, one, "io_queues");
        if (!depth) gap = needs(snapshot, one, "queue_depth");
        if (!device || !queues || !depth) continue;
        std::int64_t regions = 0;
        if (__builtin_mul_overflow(*queues, *depth + 1, &regions)) regions = 0;
        needed[*device] += regions;
    }
    for (const Entity& device : snapshot.entities(Kind::device)) {
        put(snapshot, device, kMrs, gap ? Known<std::int64_t>(tl::unexpected<Gap>(*gap)) : needed[device]);
    }
}

void derive(const Site&, Snapshot& snapshot) {
    std::vector<Entity> fabric;
    for (const Entity& one : snapshot.entities(Kind::nvme)) {
        const auto device = device_of(snapshot, one);
        if (device) {
            snapshot.put(one, kDevice, *device);
        } else {
            snapshot.gap(one, kDevice, device.error());
        }
        if (snapshot.text(one, "transport") == "rdma") {
            fabric.push_back(one);
        } else {
            const Gap gap = not_offered("not over RDMA");
            for (const FactSpec* spec : {&kLive, &kTargets, &kOptimized, &kInterfaces}) snapshot.gap(one, *spec, gap);
        }
    }
    derive_groups(snapshot, fabric);
    derive_regions(snapshot, fabric);
}

}  // namespace

extern const Derivation nvme_groups;
constinit const Derivation nvme_groups{"nvme_groups", kFacts, kReads, derive};

}  // namespace rd::collectors
