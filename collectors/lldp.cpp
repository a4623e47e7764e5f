// SPDX-License-Identifier: GPL-2.0-or-later
// What the switch port on the other end says by LLDP: who it is, and its half of PFC. Frames come every 30 seconds, and only where
// somebody on the host listens: a look of two seconds mostly has none, which is a gap and says nothing about the switch.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::netdev, "lldp_chassis", Type::text, Nature::config, "", "Chassis of the neighbour: LLDP chassis ID"},
    {Kind::netdev, "lldp_system", Type::text, Nature::config, "", "Name of the neighbour: LLDP system name"},
    {Kind::netdev, "lldp_port", Type::text, Nature::config, "", "Port of the neighbour: LLDP port ID"},
    {Kind::netdev, "lldp_pfc_mask", Type::integer, Nature::config, "",
     "Priorities with PFC at the neighbour, bit n for priority n: LLDP, IEEE 802.1Q PFC TLV"},
    {Kind::netdev, "lldp_pfc_willing", Type::boolean, Nature::config, "",
     "The neighbour takes over what we say of PFC: LLDP, IEEE 802.1Q PFC TLV"},
    {Kind::netdev, "lldp_roce_priority", Type::integer, Nature::config, "",
     "Priority that the neighbour asks RoCE v2 to use: LLDP, IEEE 802.1Q application TLV, UDP port 4791"},
    {Kind::netdev, "lldp_max_frame", Type::integer, Nature::config, "bytes",
     "Largest frame of the neighbour with header and checksum: LLDP, IEEE 802.3 TLV"},
};
constexpr const FactSpec& kRoce = row(kFacts, Kind::netdev, "lldp_roce_priority");

constexpr Source kFields[] = {
    {"chassis", row(kFacts, Kind::netdev, "lldp_chassis"), as_label},
    {"hostname", row(kFacts, Kind::netdev, "lldp_system"), as_label},
    {"port", row(kFacts, Kind::netdev, "lldp_port"), as_label},
    {"pfc_enabled", row(kFacts, Kind::netdev, "lldp_pfc_mask"), as_counter},
    {"pfc_willing", row(kFacts, Kind::netdev, "lldp_pfc_willing"), as_switch},
    {"max_frame", row(kFacts, Kind::netdev, "lldp_max_frame"), as_counter},
};

constexpr std::string_view kUdp = "3:4791", kAnyPort = "4:4791";

void put_roce(const Answer& answer, const Entity& netdev, Facts& out) {
    const std::string* const all = answer.get("applications");
    if (all != nullptr) {
        for (const std::string_view entry : split(*all, ',')) {
            const std::size_t colon = entry.rfind(':');
            if (colon == std::string_view::npos) continue;
            const std::string_view what = entry.substr(0, colon);
            if (what != kUdp && what != kAnyPort) continue;
            if (const auto priority = parse_counter(entry.substr(colon + 1)); priority && *priority < 8) {
                return out.put(netdev, kRoce, *priority);
            }
        }
    }
    out.gap(netdev, kRoce, not_offered(answer.subject() + ": the neighbour names no priority for UDP port 4791"));
}

Gap no_frame(const std::string& subject) {
    return not_collected(
        subject + ": no LLDP frame has come since the look began",
        "neighbours send one in 30 s where LLDP is on: record for longer (rdmadoctor record --duration 60s), and see "
        "that an agent such as lldpd listens on the interface, else the adapter may drop them");
}

void plan_netdev(const Netdev& netdev, Plan& plan) {
    plan.lane(netdev.lane + " lldp");
    const std::string subject = "lldp/" + netdev.name;
    auto covers = covers_of(netdev.entity, kFields);
    covers.push_back({netdev.entity, &kRoce});
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        if (text.empty()) return gap_all(covers, no_frame(subject), out);
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        answer->put(entity, kFields, out, "the neighbour does not say");
        put_roce(*answer, entity, out);
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        // Where the source does not say what is below an interface, it is not known to be virtual.
        if (netdev.pci || netdev.pci.error().code == Errc::not_collected) {
            plan_netdev(netdev, plan);
            continue;
        }
        for (const FactSpec& spec : kFacts) {
            plan.gap(netdev.entity, spec,
                     not_offered(netdev.path + ": a virtual interface has no neighbour: look at those below it"));
        }
    }
}

}  // namespace

extern const Collector lldp;
constinit const Collector lldp{"lldp", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
