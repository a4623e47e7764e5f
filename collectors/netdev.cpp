// SPDX-License-Identifier: GPL-2.0-or-later
// Network devices that carry RDMA or may (common/identity.h says which): link, counters of the network stack, driver and firmware.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec flag(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::boolean, Nature::config, "", doc};
}
constexpr FactSpec counter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::counter, unit, doc};
}

constexpr FactSpec kFacts[] = {
    text_row("name", "Name of the interface (ens1f0); may be renamed"),
    {Kind::netdev, "ifindex", Type::integer, Nature::config, "", "Interface index: rtnetlink, else file ifindex"},
    reference(Kind::netdev, "pci", Kind::pci, "PCI function of the interface: link /sys/class/net/IF/device"),
    {Kind::netdev, "mtu", Type::integer, Nature::config, "bytes", "Interface MTU: rtnetlink, else file mtu"},
    {Kind::netdev, "operstate", Type::text, Nature::gauge, "",
     "UP, DOWN, LOWERLAYERDOWN …: rtnetlink, else file operstate"},
    {Kind::netdev, "carrier", Type::boolean, Nature::gauge, "", "Link is there: rtnetlink, else file carrier"},
    counter("carrier_changes", "", "Times the link came or went: rtnetlink, else file carrier_changes"),
    counter("carrier_down_count", "", "Times the link went: rtnetlink, else file carrier_down_count"),
    counter("carrier_up_count", "", "Times the link came: rtnetlink, else file carrier_up_count"),
    text_row("kind", "vlan, bond, bridge …: rtnetlink IFLA_INFO_KIND; \"physical\" where the kernel names no kind"),
    reference(Kind::netdev, "lower", Kind::netdev, "The interface below (of a VLAN): rtnetlink IFLA_LINK"),
    reference(Kind::netdev, "master", Kind::netdev, "The bond or bridge it belongs to: rtnetlink IFLA_MASTER"),
    {Kind::netdev, "vlan_id", Type::integer, Nature::config, "", "VLAN of a VLAN interface: rtnetlink IFLA_VLAN_ID"},
    text_row("vlan_egress",
             "Which socket priority a VLAN interface sends with which PCP (3:3,4:4), none: all with PCP 0: rtnetlink "
             "IFLA_VLAN_EGRESS_QOS"),
    counter("rx_bytes", "bytes", "Received by the network stack, RDMA not included: rtnetlink"),
    counter("tx_bytes", "bytes", "Sent by the network stack, RDMA not included: rtnetlink"),
    counter("rx_packets", "packets", "Received by the network stack, RDMA not included: rtnetlink"),
    counter("tx_packets", "packets", "Sent by the network stack, RDMA not included: rtnetlink"),
    counter("rx_dropped", "packets", "Dropped by the network stack on receive: rtnetlink"),
    counter("rx_missed", "packets", "Missed by the device for want of buffers: rtnetlink rx_missed_errors"),
    {Kind::netdev, "speed", Type::real, Nature::gauge, "Gbit/s", "Link speed: ethtool link modes"},
    flag("autoneg", "Autonegotiation is on: ethtool link modes"),
    text_row("duplex", "full or half: ethtool link modes"),
    {Kind::netdev, "link_reason", Type::text, Nature::gauge, "",
     "Why the link is down (no_cable, bad_signal_integrity …): ethtool link state, where the driver says it"},
    text_row("driver", "Driver of the interface: ethtool driver information"),
    text_row("driver_version", "Driver version, the kernel's for upstream drivers: ethtool driver information"),
    text_row("firmware", "Firmware as the driver writes it, often with the board: 28.39.1002 (MT_0000000838): ethtool"),
    flag("pause_rx", "Global pause frames are obeyed: ethtool pause"),
    flag("pause_tx", "Global pause frames are sent: ethtool pause"),
    flag("pause_autoneg", "Global pause is negotiated: ethtool pause"),
};

constexpr const FactSpec& kLower = row(kFacts, Kind::netdev, "lower");
constexpr const FactSpec& kMaster = row(kFacts, Kind::netdev, "master");
constexpr const FactSpec& kKind = row(kFacts, Kind::netdev, "kind");
constexpr const FactSpec& kVlanId = row(kFacts, Kind::netdev, "vlan_id");
constexpr const FactSpec& kVlanEgress = row(kFacts, Kind::netdev, "vlan_egress");
constexpr const FactSpec& kIfindex = row(kFacts, Kind::netdev, "ifindex");

constexpr Source kLink[] = {
    {"ifindex", kIfindex, as_counter},
    {"mtu", row(kFacts, Kind::netdev, "mtu"), as_counter},
    {"operstate", row(kFacts, Kind::netdev, "operstate"), as_label},
    {"carrier", row(kFacts, Kind::netdev, "carrier"), as_switch},
    {"carrier_changes", row(kFacts, Kind::netdev, "carrier_changes"), as_counter},
    {"carrier_down", row(kFacts, Kind::netdev, "carrier_down_count"), as_counter},
    {"carrier_up", row(kFacts, Kind::netdev, "carrier_up_count"), as_counter},
    {"rx_bytes", row(kFacts, Kind::netdev, "rx_bytes"), as_counter},
    {"tx_bytes", row(kFacts, Kind::netdev, "tx_bytes"), as_counter},
    {"rx_packets", row(kFacts, Kind::netdev, "rx_packets"), as_counter},
    {"tx_packets", row(kFacts, Kind::netdev, "tx_packets"), as_counter},
    {"rx_dropped", row(kFacts, Kind::netdev, "rx_dropped"), as_counter},
    {"rx_missed", row(kFacts, Kind::netdev, "rx_missed"), as_counter},
};
// The same from files, where rtnetlink is not to be had.
constexpr Source kFiles[] = {
    {"ifindex", kIfindex, as_counter},
    {"mtu", row(kFacts, Kind::netdev, "mtu"), as_counter},
    {"operstate", row(kFacts, Kind::netdev, "operstate"), as_upper},
    {"carrier", row(kFacts, Kind::netdev, "carrier"), as_switch},
    {"carrier_changes", row(kFacts, Kind::netdev, "carrier_changes"), as_counter},
    {"carrier_down_count", row(kFacts, Kind::netdev, "carrier_down_count"), as_counter},
    {"carrier_up_count", row(kFacts, Kind::netdev, "carrier_up_count"), as_counter},
    {"statistics/rx_bytes", row(kFacts, Kind::netdev, "rx_bytes"), as_counter},
    {"statistics/tx_bytes", row(kFacts, Kind::netdev, "tx_bytes"), as_counter},
    {"statistics/rx_packets", row(kFacts, Kind::netdev, "rx_packets"), as_counter},
    {"statistics/tx_packets", row(kFacts, Kind::netdev, "tx_packets"), as_counter},
    {"statistics/rx_dropped", row(kFacts, Kind::netdev, "rx_dropped"), as_counter},
    {"statistics/rx_missed_errors", row(kFacts, Kind::netdev, "rx_missed"), as_counter},
};

Result<Value> as_gigabits(std::string_view text) {
    const auto megabits = parse_counter(text);
    if (!megabits) return tl::unexpected<Error>(megabits.error());
    return Value(static_cast<double>(*megabits) / 1000.0);
}

constexpr Source kLinkModes[] = {
    {"speed", row(kFacts, Kind::netdev, "speed"), as_gigabits},
    {"autoneg", row(kFacts, Kind::netdev, "autoneg"), as_switch},
    {"duplex", row(kFacts, Kind::netdev, "duplex"), as_label},
};
constexpr Source kLinkState[] = {{"ext_state", row(kFacts, Kind::netdev, "link_reason"), as_label}};
constexpr Source kDriver[] = {
    {"driver", row(kFacts, Kind::netdev, "driver"), as_label},
    {"version", row(kFacts, Kind::netdev, "driver_version"), as_label},
    {"firmware", row(kFacts, Kind::netdev, "firmware"), as_label},
};
constexpr Source kPause[] = {
    {"rx", row(kFacts, Kind::netdev, "pause_rx"), as_switch},
    {"tx", row(kFacts, Kind::netdev, "pause_tx"), as_switch},
    {"autoneg", row(kFacts, Kind::netdev, "pause_autoneg"), as_switch},
};
using Records = std::map<std::string, Record, std::less<>>;

Result<Records> link_records(std::string_view text) {
    auto records = parse_records(text);
    if (!records) return fail(records.error().code, "rtnl.link: " + records.error().what);
    Records by_name;
    for (Record& record : *records) {
        if (auto name = record.get("ifname")) by_name.emplace(std::move(*name), std::move(record));
    }
    return by_name;
}

bool is_partial(const Records& records) {
    return std::any_of(records.begin(), records.end(),
                       [](const auto& one) { return one.second.get(kPartial).has_value(); });
}

void put_relation(const Record& record, std::string_view key, const std::map<std::string, Entity>& entities,
                  const Entity& netdev, const FactSpec& spec, Facts& out) {
    const auto name = record.get(key);
    const auto found = name ? entities.find(*name) : entities.end();
    if (found != entities.end()) return out.put(netdev, spec, found->second);
    if (!name && record.get(kPartial)) {
        return out.gap(netdev, spec, not_collected("rtnl.link: the text does not say it"));
    }
    out.gap(netdev, spec,
            not_offered(name ? fmt::format("rtnl.link: {} is not looked at", *name)
                             : fmt::format("rtnl.link: the interface has no {}", spec.name)));
}

void put_vlan(const Record& record, const Entity& netdev, Facts& out) {
    const auto id = record.get("vlan_id");
    if (record.get(kPartial) && !id) {
        const Gap gap = not_collected("rtnl.link: the text does not say it");
        out.gap(netdev, kVlanId, gap);
        return out.gap(netdev, kVlanEgress, gap);
    }
    if (record.get("kind") != "vlan" || !id) {
        for (const FactSpec* spec : {&kVlanId, &kVlanEgress}) {
            out.gap(netdev, *spec, not_offered("rtnl.link: not a VLAN interface"));
        }
        return;
    }
    auto number = as_counter(*id);
    if (!number) number.error().what = "rtnl.link: vlan_id: " + number.error().what;
    out.set(netdev, kVlanId, std::move(number));
    out.set(netdev, kVlanEgress, as_label(record.get("vlan_egress").value_or("none")));
}

// One dump for all interfaces.
void plan_links(const std::vector<Netdev>& kept, Plan& plan) {
    std::vector<Cover> covers;
    std::map<std::string, Entity> entities;
    for (const Netdev& netdev : kept) {
        entities.emplace(netdev.name, netdev.entity);
        for (const Cover& cover : covers_of(netdev.entity, kLink)) covers.push_back(cover);
        for (const FactSpec* spec : {&kKind, &kLower, &kMaster, &kVlanId, &kVlanEgress})
            covers.push_back({netdev.entity, spec});
    }
    plan.decode("rtnl.link", covers, [=](std::string_view text, Facts& out) {
        const auto records = link_records(text);
        if (!records) return gap_all(covers, gap_from(records.error()), out);
        for (const auto& [name, entity] : entities) {
            const auto found = records->find(name);
            const Record record = found == records->end() ? Record() : found->second;
            Answer("rtnl.link", record).put(entity, kLink, out, "the kernel does not give it for " + name);
            put_relation(record, "link", entities, entity, kLower, out);
            put_relation(record, "master", entities, entity, kMaster, out);
            put_vlan(record, entity, out);
            const auto kind = record.get("kind");
            if (!kind && record.get(kPartial)) {
                out.gap(entity, kKind, not_collected("rtnl.link: the text does not say it"));
            } else {
                out.put(entity, kKind, kind.value_or("physical"));
            }
        }
    });
}

void plan_files(const Host& host, const NetdevIndex& all, const Netdev& netdev, Plan& plan) {
    for (const Source& file : kFiles) {
        plan.read(fmt::format("{}/{}", netdev.path, file.name), netdev.entity, file.spec, file.parser);
    }
    const bool unsaid = !netdev.pci && netdev.pci.error().code == Errc::not_collected;
    const auto related = [&](const FactSpec& spec, std::string_view name) {
        const Netdev* const other = all.named(name);
        if (other != nullptr) return plan.put(netdev.entity, spec, other->entity);
        std::string reason = fmt::format("{}: the interface has no {}", netdev.path, spec.name);
        if (unsaid) reason = fmt::format("{}: the text does not say its {}", netdev.path, spec.name);
        plan.gap(netdev.entity, spec, unsaid ? not_collected(std::move(reason)) : not_offered(std::move(reason)));
    };
    std::string lower;
    for (const std::string& name : host.list(netdev.path).value_or(std::vector<std::string>{})) {
        if (lower.empty() && name.starts_with("lower_")) lower = name.substr(6);
    }
    related(kLower, lower);
    const auto master = host.link(netdev.path + "/master");
    related(kMaster, master ? std::string_view(*master).substr(master->rfind('/') + 1) : std::string_view());
    for (const FactSpec* spec : {&kVlanId, &kVlanEgress}) {
        plan.gap(netdev.entity, *spec,
                 netdev.pci ? not_offered(netdev.path + ": not a VLAN interface")
                            : not_collected(netdev.path + ": only rtnetlink tells the VLAN of an interface"));
    }
    if (netdev.pci) return plan.put(netdev.entity, kKind, std::string("physical"));
    plan.gap(netdev.entity, kKind,
             not_collected(netdev.path + ": only rtnetlink tells the kind of a virtual interface"));
}

void plan_ethtool(const Netdev& netdev, Plan& plan) {
    plan.lane(netdev.lane);
    plan.every(Seconds(10));
    decode_fields(plan, "ethtool.link/" + netdev.name, netdev.entity, kLinkModes, "the driver does not know it");
    decode_fields(plan, "ethtool.link/" + netdev.name, netdev.entity, kLinkState,
                  "the link is not down, or the driver does not say why");
    plan.every(Seconds(60));
    decode_fields(plan, "ethtool.driver/" + netdev.name, netdev.entity, kDriver);
    decode_fields(plan, "ethtool.pause/" + netdev.name, netdev.entity, kPause);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    plan.watch(std::string(kInfiniband));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        plan.put(netdev.entity, row(kFacts, Kind::netdev, "name"), netdev.name);
        plan.set(netdev.entity, row(kFacts, Kind::netdev, "pci"),
                 netdev.pci.map([](const std::string& address) { return Value(pci_entity(address)); }));
    }
    plan.every(Seconds(1));
    // The kernel tells of all of them at once, pasted text perhaps of some.
    const auto links = host.read("rtnl.link");
    const Records records = links ? link_records(*links).value_or(Records{}) : Records{};
    std::vector<Netdev> by_kernel, by_files;
    for (const Netdev& netdev : *kept) {
        const bool told = links && (!is_partial(records) || records.contains(netdev.name));
        (told ? by_kernel : by_files).push_back(netdev);
    }
    if (!by_kernel.empty()) plan_links(by_kernel, plan);
    const NetdevIndex index(*kept);
    for (const Netdev& netdev : by_files) plan_files(host, index, netdev, plan);
    for (const Netdev& netdev : *kept) plan_ethtool(netdev, plan);
}

Result<> write_mtu(Host& host, const Snapshot& now, const Entity& entity, const Value& to) {
    const auto name = now.text(entity, "name");
    const auto* mtu = std::get_if<std::int64_t>(&to);
    if (!name) return fail(Errc::not_found, fmt::format("netdev {}: not there", entity.id));
    if (mtu == nullptr || *mtu <= 0) return fail(Errc::bad_input, "netdev.mtu: not a number of bytes: " + print(to));
    return host.write(fmt::format("{}/{}/mtu", kNet, *name), std::to_string(*mtu));
}

constexpr Knob kKnobs[] = {{"netdev.mtu", Cost::online, write_mtu}};

}  // namespace

extern const Collector netdev;
constinit const Collector netdev{"netdev", kFacts, kKnobs, Seconds(1), Rediscover::on_change, discover};

}  // namespace rd::collectors
