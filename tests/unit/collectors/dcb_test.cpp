// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";
constexpr std::string_view kThree = "pci-0000:41:00.0/0/3";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"dcb"}); }
std::string of_three(const Snapshot& now, std::string_view fact) { return value(now, Kind::priority, kThree, fact); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Dcb, OfAnInterface) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "pfc_mask"), "8");
    EXPECT_EQ(of(now, "pfc_capable"), "8");
    EXPECT_EQ(of(now, "pfc_delay"), "7");
    EXPECT_EQ(of(now, "trust"), "dscp");
    EXPECT_EQ(of(now, "dscp_entries"), "3");
    EXPECT_EQ(of(now, "dcbx_host"), "true");
    EXPECT_EQ(now.entities(Kind::priority).size(), 8u);
    expect_complete(now, collector("dcb"));
}

TEST(Dcb, OfAPriority) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of_three(now, "name"), "ens1f0 priority 3");
    EXPECT_EQ(of_three(now, "netdev"), "netdev:pci-0000:41:00.0/0");
    EXPECT_EQ(of_three(now, "number"), "3");
    EXPECT_EQ(of_three(now, "pfc_enabled"), "true");
    EXPECT_EQ(of_three(now, "pfc_requests"), "8");
    EXPECT_EQ(of_three(now, "pfc_indications"), "6");
    EXPECT_EQ(of_three(now, "tc"), "3");
    EXPECT_EQ(of_three(now, "tsa"), "ets");
    EXPECT_EQ(of_three(now, "bandwidth"), "50");
    EXPECT_EQ(of_three(now, "dscp_list"), "26,27");
    EXPECT_EQ(of_three(now, "rx_bytes"), "900");
    EXPECT_EQ(of_three(now, "tx_packets"), "18");
    EXPECT_EQ(of_three(now, "rx_discards"), "12") << "rx_prio3_discards comes before rx_prio3_buf_discard";
    EXPECT_EQ(of_three(now, "rx_pause"), "6");
    EXPECT_EQ(of_three(now, "tx_pause_duration"), "90");
    EXPECT_EQ(of_three(now, "rx_marked"), "3");
    const std::string_view zero = "pci-0000:41:00.0/0/0";
    EXPECT_EQ(value(now, Kind::priority, zero, "pfc_enabled"), "false");
    EXPECT_EQ(value(now, Kind::priority, zero, "dscp_list"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::priority, zero, "rx_discards"), "2");
    EXPECT_EQ(value(now, Kind::priority, zero, "rx_pause"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::priority, zero, "rx_pause"), ::testing::HasSubstr("rx_prio0_pause"));
}

// As in a pasted text: no PCI function, no DCB, only what `ethtool -S` printed.
TEST(Dcb, OfAnInterfaceThatOnlyCounts) {
    const auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class/net", {"eth2"})
        .file("/sys/class/net/eth2/ifindex", "9\n")
        .error("/sys/class/net/eth2/device", Error{Errc::not_collected, "not in the text", {}})
        .file("ethtool.stats/eth2", "rx_prio3_pause=5 rx_prio3_pause_duration=6\n");
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::priority, "name-eth2/3", "rx_pause"), "5");
    EXPECT_EQ(value(now, Kind::priority, "name-eth2/3", "rx_pause_duration"), "6");
    host->file("dcb.pfc/eth2", "cap=8 enabled=8\n");
    EXPECT_EQ(value(look(host), Kind::priority, "name-eth2/3", "pfc_enabled"), "true");
    host->file("ethtool.stats/eth2", "rx_packets=5\n")
        .error("dcb.pfc/eth2", Error{Errc::not_collected, "not in the text", {}});
    EXPECT_TRUE(look(host).entities(Kind::priority).empty());
    host->file("ethtool.stats/eth2", "rx_prio3_pause=5\n").error("/sys/class/net/eth2/device", absent("eth2"));
    EXPECT_TRUE(look(host).entities(Kind::priority).empty()) << "a virtual interface";
}

TEST(Dcb, CountersUnderTheNamesOfOtherDrivers) {
    const auto host = roce_host();
    host->file("ethtool.stats/ens1f0", "rx_pfc_ena_frames_pri3=5 pfc_pri3_rx_duration_us=6 rx_bytes_pri3=7\n");
    const Snapshot bnxt = look(host);
    EXPECT_EQ(of_three(bnxt, "rx_pause"), "5");
    EXPECT_EQ(of_three(bnxt, "rx_pause_duration"), "6");
    EXPECT_EQ(of_three(bnxt, "rx_bytes"), "7");
    host->file("ethtool.stats/ens1f0", "tx_priority_3_xoff.nic=8\n");
    EXPECT_EQ(of_three(look(host), "tx_pause"), "8");
}

TEST(Dcb, TrustWithoutEntriesIsPcp) {
    const auto host = roce_host();
    host->file("dcb.app/ens1f0", "");
    EXPECT_EQ(of(look(host), "trust"), "pcp");
    host->file("dcb.app/ens1f0", "selector=dgram-port protocol=4791 priority=3\n");
    EXPECT_EQ(of(look(host), "trust"), "pcp");
    EXPECT_EQ(of(look(host), "dscp_entries"), "0");
}

TEST(Dcb, TrustFromTheFileOfTheVendor) {
    const auto host = roce_host();
    host->file("/sys/class/net/ens1f0/qos/trust", "pcp\n");
    EXPECT_EQ(of(look(host), "trust"), "pcp") << "the file says more than the table";
    host->file("/sys/class/net/ens1f0/qos/trust", "sometimes\n");
    EXPECT_EQ(of(look(host), "trust"), "gap(error)");
    expect_complete(look(host), collector("dcb"));
}

TEST(Dcb, AnEntryOutOfRangeIsAnError) {
    const auto host = roce_host();
    host->file("dcb.app/ens1f0", "selector=dscp protocol=64 priority=3\n");
    EXPECT_EQ(of(look(host), "trust"), "gap(error)");
    host->file("dcb.app/ens1f0", "selector=dscp protocol=6 priority=8\n");
    EXPECT_EQ(of(look(host), "trust"), "gap(error)");
}

TEST(Dcb, NotOfferedByTheDriver) {
    const auto host = roce_host();
    for (const std::string part : {"pfc", "ets", "app", "dcbx"}) {
        host->error("dcb." + part + "/ens1f0",
                    {Errc::not_supported, "dcb." + part + "/ens1f0: Operation not supported", {}});
    }
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "pfc_mask"), "gap(not offered)");
    EXPECT_EQ(of(now, "trust"), "gap(not offered)");
    EXPECT_TRUE(now.entities(Kind::priority).empty());
    expect_complete(now, collector("dcb"));
}

TEST(Dcb, VirtualInterfacesHaveNone) {
    const auto host = roce_host();
    host->file("/sys/class/net/bond0/ifindex", "9\n").error("/sys/class/net/bond0/device", absent("device"));
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "pfc_mask"), "gap(not offered)");
    expect_complete(now, collector("dcb"));
}

// A read that hangs holds up its lane: this file has its own.
TEST(Dcb, TheVendorsFileHidesNothingWhenItHangs) {
    const auto host = roce_host();
    host->file("/sys/class/net/ens1f0/qos/trust", "dscp\n");
    Plan plan("dcb");
    collector("dcb").discover(*host, plan);
    for (const Plan::Read& read : plan.reads) {
        EXPECT_EQ(read.lane, read.name.starts_with('/') ? "0000:41:00.0 qos" : "0000:41:00.0") << read.name;
    }
}

TEST(Dcb, SurvivesBadInput) {
    expect_bad_input_is_survived(
        [] {
            auto host = roce_host();
            host->file("/sys/class/net/ens1f0/qos/trust", "dscp\n");
            return host;
        },
        "dcb", {{"dcb.pfc/ens1f0", "/sys/class/net/ens1f0/dev_port", "rtnl.link"}});
    expect_bad_input_is_survived(roce_host, "dcb", {{"dcb.pfc/ens1f0", "/sys/class/net/ens1f0/dev_port", "rtnl.link"}});
}

}  // namespace
}  // namespace rd::collectors::test
