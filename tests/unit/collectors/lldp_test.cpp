// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

std::shared_ptr<FakeHost> host_with_neighbour() {
    const auto host = roce_host();
    host->file(
        "lldp/ens1f0",
        "chassis=00:11:22:33:44:55 port=Ethernet12 ttl=120 hostname=leaf7 max_frame=9236 pfc_willing=0 pfc_cap=8 "
        "pfc_enabled=8 applications=1:35093:3,3:4791:3,5:26:3 age_ms=4000\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"lldp"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Lldp, Neighbour) {
    const Snapshot now = look(host_with_neighbour());
    EXPECT_EQ(of(now, "lldp_system"), "leaf7");
    EXPECT_EQ(of(now, "lldp_port"), "Ethernet12");
    EXPECT_EQ(of(now, "lldp_chassis"), "00:11:22:33:44:55");
    EXPECT_EQ(of(now, "lldp_pfc_mask"), "8");
    EXPECT_EQ(of(now, "lldp_pfc_willing"), "false");
    EXPECT_EQ(of(now, "lldp_roce_priority"), "3");
    EXPECT_EQ(of(now, "lldp_max_frame"), "9236");
    expect_complete(now, collector("lldp"));
}

TEST(Lldp, ANeighbourWithoutDcbx) {
    const auto host = roce_host();
    host->file("lldp/ens1f0", "chassis=a port=b ttl=120 age_ms=1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "lldp_pfc_mask"), "gap(not offered)");
    EXPECT_EQ(of(now, "lldp_roce_priority"), "gap(not offered)");
    expect_complete(now, collector("lldp"));
}

TEST(Lldp, ApplicationsOfOthersSayNothingOfRoce) {
    const auto host = roce_host();
    host->file("lldp/ens1f0", "chassis=a port=b ttl=120 applications=2:4791:5,3:4791:9,3:479:2,x,: age_ms=1\n");
    EXPECT_EQ(of(look(host), "lldp_roce_priority"), "gap(not offered)");
}

TEST(Lldp, NoFrameYetIsAGap) {
    const auto host = roce_host();
    host->file("lldp/ens1f0", "");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "lldp_pfc_mask"), "gap(not collected)");
    EXPECT_THAT(now.get({Kind::netdev, std::string(kNetdev)}, "lldp_pfc_mask").error().remedy,
                testing::HasSubstr("30 s"));
    expect_complete(now, collector("lldp"));
}

TEST(Lldp, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_neighbour, "lldp", {{"/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
