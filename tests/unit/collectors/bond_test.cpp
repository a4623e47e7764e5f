// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kMember = "pci-0000:41:00.0/0";
const std::string kBond = "/sys/class/net/bond0";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"bond"}); }
std::string of_bond(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, "name-bond0", fact); }

std::shared_ptr<FakeHost> lag_host() {
    const auto host = roce_host();
    host->file(kBond + "/ifindex", "9\n")
        .error(kBond + "/device", absent(kBond + "/device"))
        .file(kBond + "/bonding/mode", "802.3ad 4\n")
        .file(kBond + "/bonding/slaves", "ens1f0 ens1f1\n")
        .file(kBond + "/bonding/miimon", "100\n")
        .file(kBond + "/bonding/arp_interval", "250\n")
        .file(kBond + "/bonding/xmit_hash_policy", "layer3+4 1\n")
        .file(kBond + "/bonding/lacp_rate", "fast 1\n")
        .file(kBond + "/bonding/ad_partner_mac", "02:00:00:00:00:99\n")
        .file(kBond + "/bonding/ad_num_ports", "2\n")
        .file("/sys/class/net/ens1f0/bonding_slave/state", "active\n")
        .file("/sys/class/net/ens1f0/bonding_slave/mii_status", "up\n")
        .file("/sys/class/net/ens1f0/bonding_slave/link_failure_count", "3\n")
        .file("/sys/class/net/ens1f0/bonding_slave/ad_aggregator_id", "1\n");
    return host;
}

TEST(Bond, BondAndMember) {
    const Snapshot now = look(lag_host());
    EXPECT_EQ(of_bond(now, "bond_mode"), "802.3ad");
    EXPECT_EQ(of_bond(now, "bond_hash"), "layer3+4");
    EXPECT_EQ(of_bond(now, "bond_members"), "2");
    EXPECT_EQ(of_bond(now, "bond_miimon"), "100");
    EXPECT_EQ(of_bond(now, "bond_arp_interval"), "250");
    EXPECT_EQ(of_bond(now, "bond_lacp_rate"), "fast");
    EXPECT_EQ(of_bond(now, "bond_partner"), "02:00:00:00:00:99");
    EXPECT_EQ(of_bond(now, "bond_ports"), "2");
    EXPECT_EQ(of_bond(now, "bond_state"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_state"), "active");
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_link"), "up");
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_link_failures"), "3");
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_aggregator"), "1");
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_mode"), "gap(not offered)");
    expect_complete(now, collector("bond"));
}

TEST(Bond, OtherModesHaveNoPartner) {
    const auto host = lag_host();
    host->file(kBond + "/bonding/mode", "active-backup 1\n").file(kBond + "/bonding/slaves", "\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_bond(now, "bond_mode"), "active-backup");
    EXPECT_EQ(of_bond(now, "bond_members"), "0");
    EXPECT_EQ(of_bond(now, "bond_partner"), "gap(not offered)");
    expect_complete(now, collector("bond"));
}

TEST(Bond, ThePartnerIsForRoot) {
    const auto host = lag_host();
    host->file(kBond + "/bonding/ad_partner_mac", "\n").file(kBond + "/bonding/ad_num_ports", "");
    EXPECT_EQ(of_bond(look(host), "bond_partner"), "gap(no privilege)");
    EXPECT_EQ(of_bond(look(host), "bond_ports"), "gap(no privilege)");
}

TEST(Bond, WithoutBonds) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(value(now, Kind::netdev, kMember, "bond_mode"), "gap(not offered)");
    expect_complete(now, collector("bond"));
}

TEST(Bond, SurvivesBadInput) {
    expect_bad_input_is_survived(lag_host, "bond",
                                 {{"rtnl.link", "/sys/class/net/ens1f0/dev_port", kBond + "/bonding/mode"}});
}

}  // namespace
}  // namespace rd::collectors::test
