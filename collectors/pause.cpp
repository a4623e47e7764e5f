// SPDX-License-Identifier: GPL-2.0-or-later
// What holds a link back or is held back by it, beyond single priorities: global pause, pause storms, and how much of the traffic is
// RDMA. All from ethtool -S; names are the driver's, the first it gives counts.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::netdev, name, Type::integer, Nature::counter, unit, doc};
}

constexpr FactSpec kFacts[] = {
    counter("rx_global_pause", "frames", "Global pause frames received: ethtool -S rx_global_pause, rx_pause_frames"),
    counter("tx_global_pause", "frames", "Global pause frames sent: ethtool -S tx_global_pause, tx_pause_frames"),
    counter("rx_global_pause_duration", "microseconds",
            "Time the peer stopped all our traffic: ethtool -S rx_global_pause_duration (mlx5, while PFC is off)"),
    counter("tx_global_pause_duration", "microseconds",
            "Time we stopped all traffic of the peer: ethtool -S tx_global_pause_duration (mlx5, while PFC is off)"),
    counter("tx_pause_storm_warning_events", "",
            "Times we paused the peer nearly as long as is allowed: ethtool -S tx_pause_storm_warning_events (mlx5)"),
    counter("tx_pause_storm_error_events", "",
            "Times that took too long, and pausing was given up: ethtool -S tx_pause_storm_error_events (mlx5)"),
    counter("rx_rdma_packets", "packets",
            "RDMA packets received by this function: ethtool -S rx_vport_rdma_unicast_packets (mlx5)"),
    counter("tx_rdma_packets", "packets",
            "RDMA packets sent by this function: ethtool -S tx_vport_rdma_unicast_packets (mlx5)"),
    counter("rx_rdma_bytes", "bytes",
            "RDMA bytes received by this function, headers included: ethtool -S rx_vport_rdma_unicast_bytes (mlx5)"),
    counter("tx_rdma_bytes", "bytes",
            "RDMA bytes sent by this function, headers included: ethtool -S tx_vport_rdma_unicast_bytes (mlx5)"),
};

// As mlx5, bnxt_en and ice call them.
constexpr Alternatives kStatistics[] = {
    {row(kFacts, Kind::netdev, "rx_global_pause"), {"rx_global_pause", "rx_pause_frames", "link_xoff_rx.nic"}},
    {row(kFacts, Kind::netdev, "tx_global_pause"), {"tx_global_pause", "tx_pause_frames", "link_xoff_tx.nic"}},
    {row(kFacts, Kind::netdev, "rx_global_pause_duration"), {"rx_global_pause_duration"}},
    {row(kFacts, Kind::netdev, "tx_global_pause_duration"), {"tx_global_pause_duration"}},
    {row(kFacts, Kind::netdev, "tx_pause_storm_warning_events"), {"tx_pause_storm_warning_events"}},
    {row(kFacts, Kind::netdev, "tx_pause_storm_error_events"), {"tx_pause_storm_error_events"}},
    {row(kFacts, Kind::netdev, "rx_rdma_packets"), {"rx_vport_rdma_unicast_packets"}},
    {row(kFacts, Kind::netdev, "tx_rdma_packets"), {"tx_vport_rdma_unicast_packets"}},
    {row(kFacts, Kind::netdev, "rx_rdma_bytes"), {"rx_vport_rdma_unicast_bytes"}},
    {row(kFacts, Kind::netdev, "tx_rdma_bytes"), {"tx_vport_rdma_unicast_bytes"}},
};

void plan_netdev(const Netdev& netdev, Plan& plan) {
    const std::string subject = "ethtool.stats/" + netdev.name;
    const std::vector<Cover> covers = covers_of(netdev.entity, kStatistics);
    plan.lane(netdev.lane);
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        answer->put(entity, kStatistics, out, "the driver does not count it");
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    plan.watch(std::string(kInfiniband));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::netdev, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) plan_netdev(netdev, plan);
}

}  // namespace

extern const Collector pause;
constinit const Collector pause{"pause", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
