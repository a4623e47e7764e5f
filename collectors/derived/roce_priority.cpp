// SPDX-License-Identifier: GPL-2.0-or-later
// On which priority the RoCE traffic of a port travels: which DSCP it is marked with, and what the adapter makes of that.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "roce_dscp", Type::integer, Nature::config, "",
     "DSCP of RoCE traffic: traffic_class / 4, else default_tos / 4 when set, else [expect] roce_dscp of the "
     "configuration"},
    {Kind::port, "roce_dscp_source", Type::text, Nature::config, "",
     "Where roce_dscp comes from: traffic_class, default_tos or configuration"},
    {Kind::port, "roce_priority", Type::integer, Nature::config, "",
     "Priority of RoCE traffic: trust dscp: that of the DSCP in the DCB application table; trust pcp: 0, for untagged "
     "frames"},
};

constexpr const FactSpec& kDscp = row(kFacts, Kind::port, "roce_dscp");
constexpr const FactSpec& kSource = row(kFacts, Kind::port, "roce_dscp_source");
constexpr const FactSpec& kPriority = row(kFacts, Kind::port, "roce_priority");

constexpr std::array<std::string_view, 10> kReads{
    "port.link_layer", "port.traffic_class", "port.default_tos", "port.netdev",        "netdev.lower",
    "netdev.master",   "netdev.kind",        "netdev.trust",     "priority.dscp_list", "device.protocol"};

constexpr int kPriorities = 8;
constexpr std::int64_t kEcnBits = 4;  // a ToS byte is the DSCP and two bits of ECN

struct Marking {
    std::int64_t dscp;
    std::string_view source;
};

// Reasons to know nothing better: a file that could not be read may hold another class than what comes next.
Known<Marking> marking_of(const Site& site, const Snapshot& snapshot, const Entity& port) {
    if (const auto forced = snapshot.integer(port, "traffic_class"))
        return Marking{*forced / kEcnBits, "traffic_class"};
    const Reading& traffic_class = snapshot.get(port, "traffic_class");
    if (!traffic_class && traffic_class.error().kind == GapClass::timed_out) {
        return tl::unexpected<Gap>(needs(snapshot, port, "traffic_class"));
    }
    const auto tos = snapshot.integer(port, "default_tos");
    if (tos && *tos > 0) return Marking{*tos / kEcnBits, "default_tos"};
    if (site.roce_dscp) return Marking{*site.roce_dscp, "configuration"};
    return tl::unexpected<Gap>(
        not_collected("neither traffic_class nor default_tos is set: applications mark RoCE themselves",
                      "set [expect] roce_dscp in the configuration to the DSCP this site uses"));
}

bool lists(std::string_view dscp_list, std::int64_t dscp) {
    for (const std::string_view item : split(dscp_list, ',')) {
        if (parse_integer(item) == dscp) return true;
    }
    return false;
}

Known<std::int64_t> priority_of_dscp(const Snapshot& snapshot, const Entity& netdev, std::int64_t dscp) {
    for (int i = 0; i < kPriorities; ++i) {
        const Entity priority{Kind::priority, fmt::format("{}/{}", netdev.id, i)};
        const Reading& list = snapshot.get(priority, "dscp_list");
        if (!list && list.error().kind != GapClass::not_offered) {
            return tl::unexpected<Gap>(needs(snapshot, priority, "dscp_list"));
        }
        if (list && lists(snapshot.text(priority, "dscp_list").value_or(std::string()), dscp)) return i;
    }
    const std::string name = snapshot.label(netdev);
    return tl::unexpected<Gap>(not_offered(
        fmt::format("dcb.app/{}: DSCP {} is not listed, and the adapter's own map cannot be read", name, dscp),
        fmt::format("state it: dcb app add dev {} dscp-prio {}:PRIORITY", name, dscp)));
}

Known<std::int64_t> priority_on(const Snapshot& snapshot, const Entity& netdev, const Known<Marking>& marking) {
    const auto trust = snapshot.text(netdev, "trust");
    if (!trust) return tl::unexpected<Gap>(needs(snapshot, netdev, "trust"));
    if (*trust == "pcp") return 0;
    if (!marking) return tl::unexpected<Gap>(marking.error());
    return priority_of_dscp(snapshot, netdev, marking->dscp);
}

// Why a port has no DSCP at all.
std::optional<Gap> not_roce(const Snapshot& snapshot, const Entity& port) {
    const auto layer = snapshot.text(port, "link_layer");
    if (!layer) return needs(snapshot, port, "link_layer");
    if (*layer != "Ethernet") return not_offered(fmt::format("the link layer is {}: no DSCP", *layer));
    const auto device = snapshot.reference(port, "device");
    if (device && snapshot.text(*device, "protocol") == "iw") return not_offered("iWARP, not RoCE");
    return std::nullopt;
}

void derive_port(const Site& site, Snapshot& snapshot, const Entity& port, const Wires& wires) {
    if (const auto reason = not_roce(snapshot, port)) {
        for (const FactSpec& spec : kFacts) snapshot.gap(port, spec, *reason);
        return;
    }
    const auto marking = marking_of(site, snapshot, port);
    if (marking) {
        snapshot.put(port, kDscp, marking->dscp);
        snapshot.put(port, kSource, std::string(marking->source));
    } else {
        snapshot.gap(port, kDscp, marking.error());
        snapshot.gap(port, kSource, marking.error());
    }
    const auto below = wires.of(port);
    if (!below) return snapshot.gap(port, kPriority, below.error());
    const auto priority = agreed<std::int64_t>(
        snapshot, *below, [&](const Entity& netdev) { return priority_on(snapshot, netdev, marking); });
    if (!priority) return snapshot.gap(port, kPriority, priority.error());
    snapshot.put(port, kPriority, *priority);
}

void derive(const Site& site, Snapshot& snapshot) {
    const Wires wires(snapshot);
    for (const Entity& port : snapshot.entities(Kind::port)) derive_port(site, snapshot, port, wires);
}

}  // namespace

extern const Derivation roce_priority;
constinit const Derivation roce_priority{"roce_priority", kFacts, kReads, derive};

}  // namespace rd::collectors
