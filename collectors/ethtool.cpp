// SPDX-License-Identifier: GPL-2.0-or-later
// How the network driver of an interface is set up: interrupt moderation, rings, queues, offloads, forward error correction, and
// whether somebody switched the interface off.
//
// On hardware RDMA none of it touches verbs traffic, except FEC and the switch; soft-RoCE runs on top of all of it.
#include <fmt/format.h>

#include <array>
#include <map>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::config, unit, doc};
}
constexpr FactSpec flag(std::string_view name, std::string_view doc) {
    return {Kind::netdev, name, Type::boolean, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    flag("admin_up", "Somebody switched the interface on (ip link set up): file flags, IFF_UP"),
    flag("adaptive_rx", "The driver chooses the receive moderation itself: ethtool coalesce"),
    flag("adaptive_tx", "The driver chooses the transmit moderation itself: ethtool coalesce"),
    number("coalesce_rx_usecs", "microseconds", "A receive interrupt may wait so long: ethtool coalesce rx_usecs"),
    number("coalesce_rx_frames", "packets", "… or for so many packets: ethtool coalesce rx_max_frames"),
    number("coalesce_tx_usecs", "microseconds", "A transmit interrupt may wait so long: ethtool coalesce tx_usecs"),
    number("coalesce_tx_frames", "packets", "… or for so many packets: ethtool coalesce tx_max_frames"),
    number("ring_rx", "packets", "Size of a receive ring of the network stack: ethtool rings rx"),
    number("ring_rx_max", "packets", "Largest receive ring the driver offers: ethtool rings rx_max"),
    number("ring_tx", "packets", "Size of a transmit ring of the network stack: ethtool rings tx"),
    number("ring_tx_max", "packets", "Largest transmit ring the driver offers: ethtool rings tx_max"),
    number("channels", "", "Queue pairs of the network stack: ethtool channels combined_count"),
    number("channels_max", "", "Most queue pairs the driver offers: ethtool channels combined_max"),
    number("channels_rx", "", "Receive queues on their own: ethtool channels rx_count"),
    number("channels_tx", "", "Transmit queues on their own: ethtool channels tx_count"),
    flag("gro", "Generic receive offload: ethtool features rx-gro"),
    flag("gro_hw", "Receive offload in hardware: ethtool features rx-gro-hw"),
    flag("lro", "Large receive offload: ethtool features rx-lro"),
    flag("tso", "TCP segmentation in hardware: ethtool features tx-tcp-segmentation"),
    flag("ntuple", "Flow steering by rules: ethtool features rx-ntuple-filter"),
    flag("hw_tc_offload", "Traffic control rules run in hardware: ethtool features hw-tc-offload"),
    {Kind::netdev, "fec_active", Type::text, Nature::gauge, "",
     "Forward error correction of the link now: none, rs, baser, llrs: ethtool FEC"},
    {Kind::netdev, "fec_modes", Type::text, Nature::config, "",
     "Forward error correction that is asked for, with commas: ethtool FEC"},
    flag("fec_auto", "The driver chooses the forward error correction: ethtool FEC"),
};

Result<Value> as_up(std::string_view text) {
    constexpr std::uint64_t kUp = 1;  // IFF_UP
    const auto flags = parse_hex(text);
    if (!flags) return tl::unexpected<Error>(flags.error());
    return Value((*flags & kUp) != 0);
}

constexpr Source kCoalesce[] = {
    {"use_adaptive_rx", row(kFacts, Kind::netdev, "adaptive_rx"), as_switch},
    {"use_adaptive_tx", row(kFacts, Kind::netdev, "adaptive_tx"), as_switch},
    {"rx_usecs", row(kFacts, Kind::netdev, "coalesce_rx_usecs"), as_counter},
    {"rx_max_frames", row(kFacts, Kind::netdev, "coalesce_rx_frames"), as_counter},
    {"tx_usecs", row(kFacts, Kind::netdev, "coalesce_tx_usecs"), as_counter},
    {"tx_max_frames", row(kFacts, Kind::netdev, "coalesce_tx_frames"), as_counter},
};
constexpr Source kRings[] = {
    {"rx", row(kFacts, Kind::netdev, "ring_rx"), as_counter},
    {"rx_max", row(kFacts, Kind::netdev, "ring_rx_max"), as_counter},
    {"tx", row(kFacts, Kind::netdev, "ring_tx"), as_counter},
    {"tx_max", row(kFacts, Kind::netdev, "ring_tx_max"), as_counter},
};
constexpr Source kChannels[] = {
    {"combined_count", row(kFacts, Kind::netdev, "channels"), as_counter},
    {"combined_max", row(kFacts, Kind::netdev, "channels_max"), as_counter},
    {"rx_count", row(kFacts, Kind::netdev, "channels_rx"), as_counter},
    {"tx_count", row(kFacts, Kind::netdev, "channels_tx"), as_counter},
};
constexpr Source kFec[] = {
    {"active", row(kFacts, Kind::netdev, "fec_active"), as_label},
    {"modes", row(kFacts, Kind::netdev, "fec_modes"), as_label},
    {"auto", row(kFacts, Kind::netdev, "fec_auto"), as_switch},
};
// By the kernel's names of features.
constexpr Source kFeatures[] = {
    {"rx-gro", row(kFacts, Kind::netdev, "gro"), as_switch},
    {"rx-gro-hw", row(kFacts, Kind::netdev, "gro_hw"), as_switch},
    {"rx-lro", row(kFacts, Kind::netdev, "lro"), as_switch},
    {"tx-tcp-segmentation", row(kFacts, Kind::netdev, "tso"), as_switch},
    {"rx-ntuple-filter", row(kFacts, Kind::netdev, "ntuple"), as_switch},
    {"hw-tc-offload", row(kFacts, Kind::netdev, "hw_tc_offload"), as_switch},
};

void plan_features(const Netdev& netdev, Plan& plan) {
    const std::string subject = "ethtool.features/" + netdev.name;
    const auto covers = covers_of(netdev.entity, kFeatures);
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            return gap_all(covers, gap_from({records.error().code, subject + ": " + records.error().what, {}}), out);
        }
        Record active;
        for (const Record& record : *records) {
            const auto name = record.get("name");
            const auto state = record.get("active");
            if (name && state) active.set(*name, *state);
        }
        Answer(subject, active).put(entity, kFeatures, out, "this kernel does not have it");
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) {
        plan.lane(netdev.lane);
        plan.read(netdev.path + "/flags", netdev.entity, row(kFacts, Kind::netdev, "admin_up"), as_up);
        decode_fields(plan, "ethtool.coalesce/" + netdev.name, netdev.entity, kCoalesce);
        decode_fields(plan, "ethtool.rings/" + netdev.name, netdev.entity, kRings);
        decode_fields(plan, "ethtool.channels/" + netdev.name, netdev.entity, kChannels);
        decode_fields(plan, "ethtool.fec/" + netdev.name, netdev.entity, kFec,
                      "the link is down, or the driver has no forward error correction");
        plan_features(netdev, plan);
    }
}

}  // namespace

extern const Collector ethtool;
constinit const Collector ethtool{"ethtool", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
