// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

// Statistics as a ConnectX-6 Dx names them.
std::shared_ptr<FakeHost> mlx5_host() {
    const auto host = roce_host();
    host->file(
            "ethtool.stats/ens1f0",
            "rx_packets=845320277 link_down_events_phy=1 rx_out_of_buffer=4 rx_crc_errors_phy=5 rx_symbol_err_phy=6 "
            "rx_discards_phy=12 rx_pcs_symbol_err_phy=7 rx_corrected_bits_phy=8 rx_err_lane_0_phy=20 "
            "rx_err_lane_1_phy=21 "
            "rx_err_lane_2_phy=22 rx_err_lane_3_phy=23 rx_buffer_passed_thres_phy=9 module_unplug=1 module_bus_stuck=2 "
            "module_high_temp=3 module_bad_shorted=4 rx_pci_signal_integrity=13 tx_pci_signal_integrity=14 "
            "outbound_pci_stalled_rd=15 outbound_pci_stalled_wr=16 outbound_pci_stalled_rd_events=17 "
            "outbound_pci_stalled_wr_events=18 outbound_pci_buffer_overflow=19 dev_out_of_buffer=24 "
            "dev_internal_queue_oob=25 rx_packets_phy=26 rx_oversize_pkts_phy=27 rx_steer_missed_packets=28 "
            "tx_discards_phy=29 ch_eq_rearm=30 tx_recover=31 rx_recover=32\n")
        .file("ethtool.fec/ens1f0", "auto=0 active=rs modes=rs corrected_blocks=90 uncorrectable_blocks=2\n")
        .file("ethtool.link/ens1f0", "speed=400000 duplex=full autoneg=1 lanes=4 link=0 ext_substate=5\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"ethtool_counters"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(EthtoolCounters, OfMlx5) {
    const Snapshot now = look(mlx5_host());
    EXPECT_EQ(of(now, "rx_discards_phy"), "12");
    EXPECT_EQ(of(now, "link_down_events_phy"), "1");
    EXPECT_EQ(of(now, "rx_out_of_buffer"), "4");
    EXPECT_EQ(of(now, "rx_crc_errors_phy"), "5");
    EXPECT_EQ(of(now, "symbol_errors"), "6");
    EXPECT_EQ(of(now, "pcs_symbol_errors"), "7");
    EXPECT_EQ(of(now, "fec_corrected_bits"), "8");
    EXPECT_EQ(of(now, "rx_buffer_passed_threshold"), "9");
    EXPECT_EQ(of(now, "lane_errors_0"), "20");
    EXPECT_EQ(of(now, "lane_errors_3"), "23");
    EXPECT_EQ(of(now, "module_unplug"), "1");
    EXPECT_EQ(of(now, "module_bus_stuck"), "2");
    EXPECT_EQ(of(now, "module_high_temp"), "3");
    EXPECT_EQ(of(now, "module_bad_shorted"), "4");
    EXPECT_EQ(of(now, "pci_rx_recoveries"), "13");
    EXPECT_EQ(of(now, "pci_tx_recoveries"), "14");
    EXPECT_EQ(of(now, "outbound_pci_stalled_rd"), "15");
    EXPECT_EQ(of(now, "outbound_pci_stalled_wr"), "16");
    EXPECT_EQ(of(now, "outbound_pci_stalled_rd_events"), "17");
    EXPECT_EQ(of(now, "outbound_pci_stalled_wr_events"), "18");
    EXPECT_EQ(of(now, "outbound_pci_buffer_overflow"), "19");
    EXPECT_EQ(of(now, "dev_out_of_buffer"), "24");
    EXPECT_EQ(of(now, "dev_internal_queue_oob"), "25");
    EXPECT_EQ(of(now, "rx_packets_phy"), "26");
    EXPECT_EQ(of(now, "rx_oversize_phy"), "27");
    EXPECT_EQ(of(now, "rx_steer_missed"), "28");
    EXPECT_EQ(of(now, "tx_discards_phy"), "29");
    EXPECT_EQ(of(now, "eq_rearms"), "30");
    EXPECT_EQ(of(now, "tx_recoveries"), "31");
    EXPECT_EQ(of(now, "rx_recoveries"), "32");
    EXPECT_EQ(of(now, "fec_corrected_blocks"), "90");
    EXPECT_EQ(of(now, "fec_uncorrectable_blocks"), "2");
    EXPECT_EQ(of(now, "link_lanes"), "4");
    EXPECT_EQ(of(now, "link_reason_code"), "5");
    EXPECT_EQ(of(now, "local_faults"), "gap(not offered)");
    expect_complete(now, collector("ethtool_counters"));
}

TEST(EthtoolCounters, OfBnxt) {
    const auto host = roce_host();
    host->link("/sys/class/net/ens1f0/device/driver", "/sys/bus/pci/drivers/bnxt_en")
        .file("ethtool.stats/ens1f0",
              "rx_fcs_err_frames=5 link_down_events=2 rx_buffer_passed_threshold=3 rx_pcs_symbol_err=7 "
              "rx_corrected_bits=8 "
              "rx_fec_corrected_blocks=90 rx_fec_uncorrectable_blocks=1 rx_ovrsz_frames=4\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "rx_crc_errors_phy"), "5");
    EXPECT_EQ(of(now, "rx_oversize_phy"), "4");
    EXPECT_EQ(of(now, "link_down_events_phy"), "2");
    EXPECT_EQ(of(now, "rx_buffer_passed_threshold"), "3");
    EXPECT_EQ(of(now, "pcs_symbol_errors"), "7");
    EXPECT_EQ(of(now, "fec_corrected_bits"), "8");
    EXPECT_EQ(of(now, "fec_corrected_blocks"), "90");
    EXPECT_EQ(of(now, "fec_uncorrectable_blocks"), "1");
    EXPECT_EQ(of(now, "outbound_pci_stalled_wr"), "gap(not offered)");
    EXPECT_EQ(of(now, "module_high_temp"), "gap(not offered)");
    expect_complete(now, collector("ethtool_counters"));
}

TEST(EthtoolCounters, OfIceAndIonic) {
    const auto host = roce_host();
    host->file("ethtool.stats/ens1f0", "rx_crc_errors.nic=5 mac_local_faults.nic=1 mac_remote_faults.nic=2\n");
    const Snapshot ice = look(host);
    EXPECT_EQ(of(ice, "rx_crc_errors_phy"), "5");
    EXPECT_EQ(of(ice, "local_faults"), "1");
    EXPECT_EQ(of(ice, "remote_faults"), "2");
    host->file("ethtool.stats/ens1f0", "frames_rx_bad_fcs=6\n");
    EXPECT_EQ(of(look(host), "rx_crc_errors_phy"), "6");
}

TEST(EthtoolCounters, ACounterTheDriverLacksIsNotZero) {
    const auto host = roce_host();
    host->file("ethtool.stats/ens1f0", "rx_packets=1\n");
    EXPECT_EQ(of(look(host), "rx_discards_phy"), "gap(not offered)");
    EXPECT_THAT(reason(look(host), Kind::netdev, kNetdev, "rx_discards_phy"),
                ::testing::HasSubstr("ethtool.stats/ens1f0: no rx_discards_phy"));
}

TEST(EthtoolCounters, SurvivesBadInput) {
    expect_bad_input_is_survived(mlx5_host, "ethtool_counters", {{"/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
