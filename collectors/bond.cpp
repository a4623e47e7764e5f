// SPDX-License-Identifier: GPL-2.0-or-later
// Bonds: how they spread traffic, and how their members are. RoCE LAG follows the bond, so its mode and its hash decide which port a
// connection takes.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, Nature nature, std::string_view doc) {
    return {Kind::netdev, name, Type::text, nature, "", doc};
}
constexpr FactSpec number(std::string_view name, Nature nature, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, nature, "", doc};
}

constexpr FactSpec kFacts[] = {
    text_row("bond_mode", Nature::config, "Of a bond: 802.3ad, active-backup, balance-xor …: file bonding/mode"),
    text_row("bond_hash", Nature::config,
             "Of a bond: what a port is chosen by (layer2, layer3+4 …), where the mode has a choice: file "
             "bonding/xmit_hash_policy"),
    number("bond_members", Nature::config, "Of a bond: interfaces in it: file bonding/slaves"),
    number("bond_miimon", Nature::config,
           "Of a bond: milliseconds between looks at the links, 0 for none: file "
           "bonding/miimon"),
    number("bond_arp_interval", Nature::config,
           "Of a bond: milliseconds between ARP probes that take the place of looks at the links, 0 for none: file "
           "bonding/arp_interval"),
    text_row("bond_lacp_rate", Nature::config, "Of an 802.3ad bond: slow or fast: file bonding/lacp_rate"),
    text_row("bond_partner", Nature::gauge,
             "Of an 802.3ad bond: MAC of the switch, zero without LACP: file bonding/ad_partner_mac, for root only"),
    number("bond_ports", Nature::gauge,
           "Of an 802.3ad bond: members in the active aggregator: file "
           "bonding/ad_num_ports, for root only"),
    text_row("bond_state", Nature::gauge, "Of a member: active or backup: file bonding_slave/state"),
    text_row("bond_link", Nature::gauge, "Of a member: up, down, going down …: file bonding_slave/mii_status"),
    number("bond_link_failures", Nature::counter32,
           "Of a member: times its link failed: file "
           "bonding_slave/link_failure_count"),
    number("bond_aggregator", Nature::gauge,
           "Of a member of an 802.3ad bond: the aggregator it is in: file bonding_slave/ad_aggregator_id"),
};

// "802.3ad 4": the name, without the number.
Result<Value> as_first_word(std::string_view text) {
    const auto parts = words(text);
    return as_label(parts.empty() ? std::string_view() : parts.front());
}

Result<Value> as_word_count(std::string_view text) {
    const auto label = as_label(text);
    if (!label && label.error().code == Errc::bad_input) return label;
    return Value(static_cast<std::int64_t>(words(text).size()));
}

// Files that are empty for everybody but root.
Error for_root(std::string_view what) {
    return {Errc::no_privilege, fmt::format("{} is shown to root only", what), "run as root (CAP_NET_ADMIN)"};
}
Result<Value> as_partner(std::string_view text) {
    if (trim(text).empty()) return tl::unexpected<Error>(for_root("the LACP partner"));
    return as_label(text);
}

constexpr Source kBond[] = {
    {"mode", row(kFacts, Kind::netdev, "bond_mode"), as_first_word},
    {"slaves", row(kFacts, Kind::netdev, "bond_members"), as_word_count},
    {"miimon", row(kFacts, Kind::netdev, "bond_miimon"), as_counter},
    {"arp_interval", row(kFacts, Kind::netdev, "bond_arp_interval"), as_counter},
    {"xmit_hash_policy", row(kFacts, Kind::netdev, "bond_hash"), as_first_word},
};
Result<Value> as_ports(std::string_view text) {
    if (trim(text).empty()) return tl::unexpected<Error>(for_root("the number of ports in the aggregator"));
    return as_counter(text);
}
constexpr Source kLacp[] = {
    {"lacp_rate", row(kFacts, Kind::netdev, "bond_lacp_rate"), as_first_word},
    {"ad_partner_mac", row(kFacts, Kind::netdev, "bond_partner"), as_partner},
    {"ad_num_ports", row(kFacts, Kind::netdev, "bond_ports"), as_ports},
};
constexpr Source kMember[] = {
    {"state", row(kFacts, Kind::netdev, "bond_state"), as_label},
    {"mii_status", row(kFacts, Kind::netdev, "bond_link"), as_label},
    {"link_failure_count", row(kFacts, Kind::netdev, "bond_link_failures"), as_counter},
};
constexpr Source kAggregator[] = {
    {"ad_aggregator_id", row(kFacts, Kind::netdev, "bond_aggregator"), as_counter},
};

void gap_sources(const Entity& netdev, std::span<const Source> sources, const Gap& gap, Plan& plan) {
    for (const Source& source : sources) plan.gap(netdev, source.spec, gap);
}

void read_sources(const Netdev& netdev, std::string_view folder, std::span<const Source> sources, Plan& plan) {
    for (const Source& source : sources) {
        plan.read(fmt::format("{}/{}/{}", netdev.path, folder, source.name), netdev.entity, source.spec, source.parser);
    }
}

void plan_bond(const Host& host, const Netdev& netdev, Plan& plan) {
    read_sources(netdev, "bonding", kBond, plan);
    const std::string path = netdev.path + "/bonding/mode";
    const auto mode = host.read(path);
    // A mode that cannot be told leaves the files to say what they can.
    if (!mode || trim(*mode).starts_with("802.3ad")) return read_sources(netdev, "bonding", kLacp, plan);
    gap_sources(netdev.entity, kLacp, not_offered(path + ": LACP is of mode 802.3ad only"), plan);
}

void plan_netdev(const Host& host, const Netdev& netdev, Plan& plan) {
    const auto listing = host.list(netdev.path);
    const auto has = [&](std::string_view folder) {
        return listing && std::find(listing->begin(), listing->end(), folder) != listing->end();
    };
    const Gap no_listing = listing ? Gap{} : gap_from(listing.error());
    if (has("bonding")) {
        plan_bond(host, netdev, plan);
    } else {
        const Gap gap = listing ? not_offered(netdev.path + ": not a bond") : no_listing;
        gap_sources(netdev.entity, kBond, gap, plan);
        gap_sources(netdev.entity, kLacp, gap, plan);
    }
    if (has("bonding_slave")) {
        read_sources(netdev, "bonding_slave", kMember, plan);
        read_sources(netdev, "bonding_slave", kAggregator, plan);
    } else {
        const Gap gap = listing ? not_offered(netdev.path + ": not in a bond") : no_listing;
        gap_sources(netdev.entity, kMember, gap, plan);
        gap_sources(netdev.entity, kAggregator, gap, plan);
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) plan_netdev(host, netdev, plan);
}

}  // namespace

extern const Collector bond;
constinit const Collector bond{"bond", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
