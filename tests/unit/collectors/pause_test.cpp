// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";
constexpr std::string_view kStatistics = "ethtool.stats/ens1f0";

std::shared_ptr<FakeHost> host_with(std::string_view statistics) {
    const auto host = roce_host();
    host->file(kStatistics, statistics);
    return host;
}

std::string of_netdev(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Pause, OfMlx5) {
    const Snapshot now = sweep(
        host_with("rx_global_pause=1 rx_global_pause_duration=2 tx_global_pause=3 tx_global_pause_duration=4 "
                  "tx_pause_storm_warning_events=5 tx_pause_storm_error_events=6 rx_vport_rdma_unicast_packets=7 "
                  "rx_vport_rdma_unicast_bytes=8 tx_vport_rdma_unicast_packets=9 tx_vport_rdma_unicast_bytes=10\n"),
        {"pause"});
    EXPECT_EQ(of_netdev(now, "rx_global_pause"), "1");
    EXPECT_EQ(of_netdev(now, "rx_global_pause_duration"), "2");
    EXPECT_EQ(of_netdev(now, "tx_global_pause"), "3");
    EXPECT_EQ(of_netdev(now, "tx_global_pause_duration"), "4");
    EXPECT_EQ(of_netdev(now, "tx_pause_storm_warning_events"), "5");
    EXPECT_EQ(of_netdev(now, "tx_pause_storm_error_events"), "6");
    EXPECT_EQ(of_netdev(now, "rx_rdma_packets"), "7");
    EXPECT_EQ(of_netdev(now, "rx_rdma_bytes"), "8");
    EXPECT_EQ(of_netdev(now, "tx_rdma_packets"), "9");
    EXPECT_EQ(of_netdev(now, "tx_rdma_bytes"), "10");
    expect_complete(now, collector("pause"));
}

TEST(Pause, OfOtherDrivers) {
    const Snapshot bnxt = sweep(host_with("rx_pause_frames=1 tx_pause_frames=2\n"), {"pause"});
    EXPECT_EQ(of_netdev(bnxt, "rx_global_pause"), "1");
    EXPECT_EQ(of_netdev(bnxt, "tx_global_pause"), "2");
    EXPECT_EQ(of_netdev(bnxt, "rx_global_pause_duration"), "gap(not offered)");
    const Snapshot ice = sweep(host_with("link_xoff_rx.nic=3 link_xoff_tx.nic=4\n"), {"pause"});
    EXPECT_EQ(of_netdev(ice, "rx_global_pause"), "3");
    EXPECT_EQ(of_netdev(ice, "tx_global_pause"), "4");
}

TEST(Pause, WithoutStatisticsThereAreGaps) {
    const Snapshot now = sweep(roce_tree(), {"pause"});
    EXPECT_EQ(of_netdev(now, "rx_global_pause"), "gap(not collected)");
    expect_complete(now, collector("pause"));
}

TEST(Pause, SurvivesBadInput) {
    expect_bad_input_is_survived(
        [] { return host_with("rx_global_pause=1 tx_global_pause=3 rx_vport_rdma_unicast_packets=7\n"); }, "pause");
}

}  // namespace
}  // namespace rd::collectors::test
