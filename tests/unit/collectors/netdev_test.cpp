// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"netdev"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Netdev, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "name"), "ens1f0");
    EXPECT_EQ(of(now, "ifindex"), "2");
    EXPECT_EQ(of(now, "pci"), "pci:0000:41:00.0");
    EXPECT_EQ(of(now, "mtu"), "4200");
    EXPECT_EQ(of(now, "operstate"), "UP");
    EXPECT_EQ(of(now, "carrier"), "true");
    EXPECT_EQ(of(now, "carrier_changes"), "3");
    EXPECT_EQ(of(now, "carrier_down_count"), "1");
    EXPECT_EQ(of(now, "carrier_up_count"), "2");
    EXPECT_EQ(of(now, "kind"), "physical");
    EXPECT_EQ(of(now, "lower"), "gap(not offered)");
    EXPECT_EQ(of(now, "master"), "gap(not offered)");
    EXPECT_EQ(of(now, "rx_bytes"), "1000");
    EXPECT_EQ(of(now, "tx_packets"), "20");
    EXPECT_EQ(of(now, "speed"), "400");
    EXPECT_EQ(of(now, "autoneg"), "true");
    EXPECT_EQ(of(now, "duplex"), "full");
    EXPECT_EQ(of(now, "link_reason"), "gap(not offered)");
    EXPECT_EQ(of(now, "driver"), "mlx5_core");
    EXPECT_EQ(of(now, "firmware"), "28.39.1002 (MT_0000000838)");
    EXPECT_EQ(of(now, "pause_rx"), "false");
    expect_complete(now, collector("netdev"));
}

TEST(Netdev, TheLoopbackIsLeftOut) { EXPECT_EQ(look(roce_host()).entities(Kind::netdev).size(), 1u); }

TEST(Netdev, FromFilesWhereRtnetlinkIsSilent) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of(now, "mtu"), "4200");
    EXPECT_EQ(of(now, "operstate"), "UP");
    EXPECT_EQ(of(now, "carrier_down_count"), "1");
    EXPECT_EQ(of(now, "tx_bytes"), "2000");
    EXPECT_EQ(of(now, "kind"), "physical");
    EXPECT_EQ(of(now, "speed"), "gap(not collected)");
    expect_complete(now, collector("netdev"));
}

TEST(Netdev, RelationsOfVlanAndBond) {
    const auto host = roce_host();
    for (const std::string name : {"bond0", "bond0.5"}) {
        host->file("/sys/class/net/" + name + "/ifindex", "9\n")
            .error("/sys/class/net/" + name + "/device", absent("device"));
    }
    host->file("rtnl.link",
               "ifname=ens1f0 ifindex=2 mtu=4200 master=bond0\nifname=bond0 ifindex=9 mtu=4200 kind=bond\n"
               "ifname=bond0.5 ifindex=10 mtu=1500 kind=vlan link=bond0 vlan_id=5 vlan_egress=3:3,4:4\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "master"), "netdev:name-bond0");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "kind"), "bond");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "pci"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0.5", "lower"), "netdev:name-bond0");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0.5", "mtu"), "1500");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0.5", "vlan_id"), "5");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0.5", "vlan_egress"), "3:3,4:4");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "vlan_id"), "gap(not offered)");
    expect_complete(now, collector("netdev"));
}

TEST(Netdev, RelationsFromFiles) {
    const auto host = roce_tree();
    host->directory("/sys/class/net/ens1f0.5", {"ifindex", "lower_ens1f0"})
        .error("/sys/class/net/ens1f0.5/device", absent("device"))
        .link("/sys/class/net/ens1f0/master", "/sys/devices/virtual/net/bond0")
        .directory("/sys/class/net/bond0", {"bonding"})
        .error("/sys/class/net/bond0/device", absent("device"));
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "master"), "netdev:name-bond0");
    EXPECT_EQ(value(now, Kind::netdev, "name-ens1f0.5", "lower"), "netdev:pci-0000:41:00.0/0");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "kind"), "gap(not collected)");
    expect_complete(now, collector("netdev"));
}

TEST(Netdev, AReasonForALinkThatIsDown) {
    const auto host = roce_host();
    host->file("ethtool.link/ens1f0", "autoneg=1 link=0 ext_state=no_cable\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "link_reason"), "no_cable");
    EXPECT_EQ(of(now, "speed"), "gap(not offered)") << "unknown is not 0";
}

TEST(Netdev, AnInterfaceMissingFromTheDumpHasGaps) {
    const auto host = roce_host();
    host->file("rtnl.link", "ifname=other mtu=1500\n");
    EXPECT_EQ(of(look(host), "mtu"), "gap(not offered)");
    EXPECT_EQ(of(look(host), "name"), "ens1f0");
}

TEST(Netdev, MtuIsWritten) {
    const auto host = roce_host();
    const Snapshot now = look(host);
    const Knob& knob = collector("netdev").knobs.front();
    EXPECT_EQ(knob.fact, "netdev.mtu");
    EXPECT_EQ(knob.cost, Cost::online);
    const Entity entity{Kind::netdev, std::string(kNetdev)};
    ASSERT_TRUE(knob.write(*host, now, entity, Value(std::int64_t{9000})));
    EXPECT_THAT(host->writes(), ::testing::ElementsAre(::testing::Pair("/sys/class/net/ens1f0/mtu", "9000")));
}

TEST(Netdev, MtuRefusesNonsense) {
    const auto host = roce_host();
    const Snapshot now = look(host);
    const Knob& knob = collector("netdev").knobs.front();
    const Entity entity{Kind::netdev, std::string(kNetdev)};
    EXPECT_FALSE(knob.write(*host, now, entity, Value(std::int64_t{0})));
    EXPECT_FALSE(knob.write(*host, now, entity, Value(std::string("big"))));
    EXPECT_FALSE(knob.write(*host, now, {Kind::netdev, "name-gone"}, Value(std::int64_t{9000})));
    EXPECT_TRUE(host->writes().empty());
    host->refuse_write("/sys/class/net/ens1f0/mtu", denied("/sys/class/net/ens1f0/mtu"));
    EXPECT_FALSE(knob.write(*host, now, entity, Value(std::int64_t{9000})));
}

TEST(Netdev, InterfacesThatCannotBeListedAreNotNone) {
    const auto host = std::make_shared<FakeHost>();
    host->error("/sys/class/net", denied("/sys/class/net"));
    ASSERT_NE(look(host).kind_gap(Kind::netdev), nullptr);
}

TEST(Netdev, SurvivesBadInput) {
    const std::string device = "/sys/class/net/ens1f0/dev_port";
    expect_bad_input_is_survived(roce_host, "netdev", {{"rtnl.link", device}});
    expect_bad_input_is_survived(roce_tree, "netdev", {{device}});
}

}  // namespace
}  // namespace rd::collectors::test
