// SPDX-License-Identifier: GPL-2.0-or-later
// What the variables of a process (collectors/environment.cpp) come to on this host: whether the devices and GIDs they name are there, and
// whether the priority they choose is one that is protected. Judged on the first device of the process; without one on all of the host.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"
#include "core/base/unnamed.h"

namespace rd::collectors {
namespace {

constexpr FactSpec flag(std::string_view name, std::string_view doc) {
    return {Kind::process, name, Type::boolean, Nature::config, "", doc};
}
constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::process, name, Type::text, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    flag("ucx_without_rdma", "UCX_TLS allows no transport over RDMA, or UCX_NET_DEVICES names only interfaces"),
    text_row("ucx_devices_missing", "Those of UCX_NET_DEVICES (mlx5_0:1) that are not there or not ACTIVE, or none"),
    flag("nccl_hca_unmatched", "No RDMA device of this host fits NCCL_IB_HCA"),
    text_row(
        "nccl_hca_surplus",
        "Devices that NCCL_IB_HCA takes because their names begin like the wanted ones (mlx5_10 for mlx5_1), or none"),
    flag("ucx_gid_unusable", "UCX_IB_GID_INDEX is on no port it may use a routable RoCE v2 GID"),
    flag("nccl_gid_unusable", "NCCL_IB_GID_INDEX, likewise"),
    flag("mooncake_gid_unusable", "NCCL_IB_GID_INDEX, which Mooncake takes while MC_GID_INDEX is not set, likewise"),
    flag("ucx_class_unprotected",
         "UCX marks RoCE (UCX_IB_TRAFFIC_CLASS, else 106) for a priority without PFC, while others have it"),
    flag("nccl_class_unprotected",
         "NCCL marks RoCE (NCCL_IB_TC, else 0) for a priority without PFC, while others have it"),
    flag("mooncake_class_unprotected",
         "Mooncake marks RoCE (MC_IB_TC, else 0) for a priority without PFC, while others have it"),
    text_row("protected_dscps", "DSCPs with which RoCE of its device is on a priority with PFC (24,26)"),
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::process, name); }
constexpr const FactSpec& kWithout = fact("ucx_without_rdma");
constexpr const FactSpec& kMissing = fact("ucx_devices_missing");
constexpr const FactSpec& kUnmatched = fact("nccl_hca_unmatched");
constexpr const FactSpec& kSurplus = fact("nccl_hca_surplus");
constexpr const FactSpec& kProtected = fact("protected_dscps");

constexpr std::array<std::string_view, 22> kReads{"process.device",
                                                  "process.env_ucx_tls",
                                                  "process.env_ucx_net_devices",
                                                  "process.env_ucx_gid_index",
                                                  "process.env_ucx_traffic_class",
                                                  "process.env_nccl",
                                                  "process.env_nccl_hca",
                                                  "process.env_nccl_gid_index",
                                                  "process.env_nccl_tc",
                                                  "process.env_mooncake",
                                                  "process.env_mc_gid_index",
                                                  "process.env_mc_tc",
                                                  "port.device",
                                                  "port.netdev",
                                                  "port.state",
                                                  "port.link_layer",
                                                  "port.number",
                                                  "port.gid_indices_routable",
                                                  "port.traffic_class",
                                                  "netdev.trust",
                                                  "priority.pfc_enabled",
                                                  "priority.dscp_list"};

void put(Snapshot& snapshot, const Entity& entity, const FactSpec& spec, const Known<Value>& value) {
    if (value) {
        snapshot.put(entity, spec, *value);
    } else {
        snapshot.gap(entity, spec, value.error());
    }
}

Known<std::string> text_of(const Snapshot& snapshot, const Entity& entity, std::string_view name) {
    if (auto text = snapshot.text(entity, name)) return *text;
    return tl::unexpected<Gap>(needs(snapshot, entity, name));
}
Known<std::int64_t> number_of(const Snapshot& snapshot, const Entity& entity, std::string_view name) {
    if (const auto number = snapshot.integer(entity, name)) return *number;
    return tl::unexpected<Gap>(needs(snapshot, entity, name));
}

bool is_unset(const Snapshot& snapshot, const Entity& entity, std::string_view name) {
    const Reading& reading = snapshot.get(entity, name);
    return !reading && reading.error().kind == GapClass::not_offered;
}

// --- UCX ---------------------------------------------------------------------------------------------------------------

bool over_rdma(std::string_view transport) {
    constexpr std::array<std::string_view, 12> kRdma{"all",     "ib", "rc",   "rc_x",    "rc_v", "rc_verbs",
                                                     "rc_mlx5", "dc", "dc_x", "dc_mlx5", "ud",   "ud_x"};
    constexpr std::array<std::string_view, 4> kMore{"ud_v", "ud_verbs", "ud_mlx5", "gga_mlx5"};
    return std::find(kRdma.begin(), kRdma.end(), transport) != kRdma.end() ||
           std::find(kMore.begin(), kMore.end(), transport) != kMore.end();
}

// "rc_x,sm,self"; "^tcp" is all but tcp; a trailing ":" names what others need.
bool tls_allow_rdma(std::string_view list) {
    if (list.starts_with('^')) {
        const auto names = split(list.substr(1), ',');
        return std::none_of(names.begin(), names.end(), [](auto name) { return name == "ib" || name == "all"; });
    }
    const auto names = split(list, ',');
    return std::any_of(names.begin(), names.end(), [](auto name) { return over_rdma(trim(name)); });
}

// "mlx5_0:1"
bool is_port_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon != std::string_view::npos && parse_counter(name.substr(colon + 1)).has_value();
}

std::set<std::string> device_names(const Snapshot& snapshot) {
    std::set<std::string> names;
    for (const Entity& device : snapshot.entities(Kind::device)) names.insert(snapshot.label(device));
    return names;
}

// What a variable names can only be looked for among names.
std::optional<Gap> without_names(const std::set<std::string>& devices) {
    if (!devices.contains(std::string(kUnnamed))) return std::nullopt;
    return not_collected("the text does not name its RDMA device");
}

bool names_all(std::string_view list) { return list == "all" || list.find('*') != std::string_view::npos; }

void derive_ucx(Snapshot& snapshot, const Entity& process, const std::set<std::string>& names_of_devices) {
    const auto tls = text_of(snapshot, process, "env_ucx_tls"),
               devices = text_of(snapshot, process, "env_ucx_net_devices");
    std::optional<bool> without;
    if (tls) without = !tls_allow_rdma(*tls);
    if (devices && !without.value_or(false)) {
        const auto names = split(*devices, ',');
        without = !names_all(*devices) && !devices->starts_with('^') &&
                  std::none_of(names.begin(), names.end(), [](auto name) { return is_port_name(trim(name)); });
    }
    put(snapshot, process, kWithout, without ? Known<Value>(*without) : tl::unexpected<Gap>(tls.error()));
    if (!devices) return put(snapshot, process, kMissing, tl::unexpected<Gap>(devices.error()));
    if (const auto gap = without_names(names_of_devices))
        return put(snapshot, process, kMissing, tl::unexpected<Gap>(*gap));
    std::set<std::string> active;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        const auto device = snapshot.reference(port, "device");
        const auto number = snapshot.integer(port, "number");
        const auto state = text_of(snapshot, port, "state");
        if (!state) return put(snapshot, process, kMissing, tl::unexpected<Gap>(state.error()));
        if (device && number && *state == "ACTIVE")
            active.insert(fmt::format("{}:{}", snapshot.label(*device), *number));
    }
    std::vector<std::string> missing;
    for (const std::string_view name : split(*devices, ',')) {
        if (is_port_name(trim(name)) && !active.contains(std::string(trim(name)))) missing.emplace_back(trim(name));
    }
    put(snapshot, process, kMissing, Value(listed(devices->starts_with('^') ? std::vector<std::string>{} : missing)));
}

// --- NCCL --------------------------------------------------------------------------------------------------------------

// "=mlx5_0:1,mlx5_1", "^mlx5_bond": exact names, all but, else beginnings.
void derive_hca(Snapshot& snapshot, const Entity& process, const std::set<std::string>& names) {
    const auto filter = text_of(snapshot, process, "env_nccl_hca");
    const std::optional<Gap> gap = filter ? without_names(names) : filter.error();
    if (gap) {
        put(snapshot, process, kUnmatched, tl::unexpected<Gap>(*gap));
        return put(snapshot, process, kSurplus, tl::unexpected<Gap>(*gap));
    }
    std::string_view list = *filter;
    const bool excludes = list.starts_with('^');
    if (excludes) list.remove_prefix(1);
    const bool exact = list.starts_with('=');
    if (exact) list.remove_prefix(1);
    std::vector<std::string> surplus;
    bool any = false;
    for (const std::string_view item : split(list, ',')) {
        const std::string_view wanted = trim(item.substr(0, item.find(':')));
        for (const std::string& name : names) {
            const bool fits = exact ? name == wanted : name.starts_with(wanted);
            any = any || fits;
            // "mlx5" and "mlx5_" mean all that begin so; "mlx5_1" and mlx5_1 itself there means that one.
            if (fits && !exact && !excludes && name != wanted && names.contains(std::string(wanted)))
                surplus.push_back(name);
        }
    }
    put(snapshot, process, kUnmatched, Value(!excludes && !any));
    put(snapshot, process, kSurplus, Value(listed(std::move(surplus))));
}

// --- ports of a process ------------------------------------------------------------------------------------------------

// All ports, and those of each device, listed once.
struct Ports {
    explicit Ports(const Snapshot& snapshot) : all(snapshot.entities(Kind::port)) {
        for (const Entity& port : all) {
            if (const auto device = snapshot.reference(port, "device")) of[*device].push_back(port);
        }
    }
    std::vector<Entity> all;
    std::map<Entity, std::vector<Entity>> of;
};

// ACTIVE RoCE ports of its device, of all devices when it has none. `perhaps`: with those whose state was not collected, for an index that
// fits none of them fits none of those that are ACTIVE.
Known<std::vector<Entity>> roce_ports(const Snapshot& snapshot, const Ports& known, const Entity& process,
                                      bool perhaps) {
    const auto device = snapshot.reference(process, "device");
    const auto own = device ? known.of.find(*device) : known.of.end();
    const std::vector<Entity> none;
    std::vector<Entity> ports;
    for (const Entity& port : !device ? known.all : own == known.of.end() ? none : own->second) {
        const auto layer = text_of(snapshot, port, "link_layer"), state = text_of(snapshot, port, "state");
        if (!layer) return tl::unexpected<Gap>(layer.error());
        const bool untold = perhaps && !state && state.error().kind == GapClass::not_collected;
        if (!state && !untold) return tl::unexpected<Gap>(state.error());
        if (*layer == "Ethernet" && (untold || *state == "ACTIVE")) ports.push_back(port);
    }
    if (ports.empty()) return tl::unexpected<Gap>(not_offered("it has no RoCE port that is ACTIVE"));
    return ports;
}

Known<Value> unusable(const Snapshot& snapshot, const Known<std::vector<Entity>>& ports, std::int64_t index) {
    if (!ports) return tl::unexpected<Gap>(ports.error());
    const std::string wanted = std::to_string(index);
    for (const Entity& port : *ports) {
        const auto indices = text_of(snapshot, port, "gid_indices_routable");
        if (!indices) return tl::unexpected<Gap>(indices.error());
        const auto list = split(*indices, ',');
        if (std::find(list.begin(), list.end(), wanted) != list.end()) return Value(false);
    }
    return Value(true);
}

void derive_gid(Snapshot& snapshot, const Entity& process, const Known<std::vector<Entity>>& ports) {
    const auto judge = [&](const FactSpec& spec, std::string_view variable) {
        const auto index = number_of(snapshot, process, variable);
        put(snapshot, process, spec,
            index ? unusable(snapshot, ports, *index) : Known<Value>(tl::unexpected<Gap>(index.error())));
    };
    judge(fact("ucx_gid_unusable"), "env_ucx_gid_index");
    judge(fact("nccl_gid_unusable"), "env_nccl_gid_index");
    constexpr const FactSpec& kMooncake = fact("mooncake_gid_unusable");
    const auto mooncake = snapshot.boolean(process, "env_mooncake");
    if (!mooncake)
        return put(snapshot, process, kMooncake, tl::unexpected<Gap>(needs(snapshot, process, "env_mooncake")));
    if (!*mooncake || !is_unset(snapshot, process, "env_mc_gid_index")) {
        return put(snapshot, process, kMooncake,
                   tl::unexpected<Gap>(not_offered("it does not inherit the index of NCCL")));
    }
    judge(kMooncake, "env_nccl_gid_index");
}

// --- priorities --------------------------------------------------------------------------------------------------------

// DSCPs that the ports put on a priority with PFC; a gap where that is not how they choose.
// Of each interface; listed once, or a host with thousands would be gone through for each of its ports.
using PrioritiesOf = std::map<Entity, std::vector<Entity>>;

PrioritiesOf priorities_of_netdevs(const Snapshot& snapshot) {
    PrioritiesOf found;
    for (const Entity& priority : snapshot.entities(Kind::priority)) {
        if (const auto netdev = snapshot.reference(priority, "netdev")) found[*netdev].push_back(priority);
    }
    return found;
}

Known<std::set<std::int64_t>> protected_by(const Snapshot& snapshot, const PrioritiesOf& priorities,
                                           const std::vector<Entity>& ports) {
    std::set<std::int64_t> dscps;
    bool any_list = false;
    for (const Entity& port : ports) {
        if (snapshot.integer(port, "traffic_class")) {
            return tl::unexpected<Gap>(not_offered("the driver forces a traffic class on all connections"));
        }
        const auto netdev = snapshot.reference(port, "netdev");
        if (!netdev) return tl::unexpected<Gap>(needs(snapshot, port, "netdev"));
        const auto trust = text_of(snapshot, *netdev, "trust");
        if (!trust) return tl::unexpected<Gap>(trust.error());
        if (*trust != "dscp") return tl::unexpected<Gap>(not_offered("priorities are not chosen by DSCP"));
        const auto own = priorities.find(*netdev);
        if (own == priorities.end()) continue;
        for (const Entity& priority : own->second) {
            const auto pfc = snapshot.boolean(priority, "pfc_enabled");
            if (!pfc) return tl::unexpected<Gap>(needs(snapshot, priority, "pfc_enabled"));
            const std::string list = snapshot.text(priority, "dscp_list").value_or(std::string());
            for (const std::string_view dscp : split(list, ',')) {
                const auto number = parse_counter(dscp);
                if (!number) continue;
                any_list = true;
                if (*pfc) dscps.insert(*number);
            }
        }
    }
    if (!any_list) return tl::unexpected<Gap>(not_offered("no DSCP is assigned to a priority"));
    if (dscps.empty()) return tl::unexpected<Gap>(not_offered("no priority with PFC has a DSCP"));
    return dscps;
}

void derive_classes(Snapshot& snapshot, const Entity& process, const PrioritiesOf& priorities,
                    const Known<std::vector<Entity>>& ports) {
    const auto dscps = ports ? protected_by(snapshot, priorities, *ports)
                             : Known<std::set<std::int64_t>>(tl::unexpected<Gap>(ports.error()));
    put(snapshot, process, kProtected,
        dscps.map([](const auto& set) { return Value(fmt::format("{}", fmt::join(set, ","))); }));
    const auto judge = [&](const FactSpec& spec, std::string_view variable, std::int64_t standard) {
        std::int64_t traffic_class = standard;
        if (const auto set = snapshot.integer(process, variable)) {
            traffic_class = *set;
        } else if (!is_unset(snapshot, process, variable)) {
            return put(snapshot, process, spec, tl::unexpected<Gap>(needs(snapshot, process, variable)));
        }
        put(snapshot, process, spec,
            dscps.map([&](const auto& set) { return Value(!set.contains(traffic_class / 4)); }));
    };
    judge(fact("ucx_class_unprotected"), "env_ucx_traffic_class", 106);
    judge(fact("nccl_class_unprotected"), "env_nccl_tc", 0);
    judge(fact("mooncake_class_unprotected"), "env_mc_tc", 0);
}

void derive(const Site&, Snapshot& snapshot) {
    const PrioritiesOf priorities = priorities_of_netdevs(snapshot);
    const Ports ports_known(snapshot);
    const std::set<std::string> names = device_names(snapshot);
    for (const Entity& process : snapshot.entities(Kind::process)) {
        derive_ucx(snapshot, process, names);
        derive_hca(snapshot, process, names);
        derive_gid(snapshot, process, roce_ports(snapshot, ports_known, process, true));
        derive_classes(snapshot, process, priorities, roce_ports(snapshot, ports_known, process, false));
    }
}

}  // namespace

extern const Derivation environment_devices;
constinit const Derivation environment_devices{"environment_devices", kFacts, kReads, derive};

}  // namespace rd::collectors
