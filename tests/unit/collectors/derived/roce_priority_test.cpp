// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, "p", fact); }
Snapshot derive(const Scene& scene) { return scene.derive({"roce_priority"}); }

Scene trusting_dscp() {
    Scene scene = roce_port();
    scene.put(Kind::netdev, "n", "trust", "dscp");
    for (int i = 0; i < 8; ++i) scene.gap(Kind::priority, "n/" + std::to_string(i), "dscp_list", GapClass::not_offered);
    scene.put(Kind::priority, "n/3", "dscp_list", "26,27").put(Kind::priority, "n/6", "dscp_list", "48");
    return scene;
}

TEST(RocePriority, DscpFromTheFirstSourceThatSaysIt) {
    Scene scene = roce_port();
    Site site;
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "gap(not collected)");
    site.roce_dscp = 10;
    scene.site(site);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "10");
    EXPECT_EQ(of_port(derive(scene), "roce_dscp_source"), "configuration");
    scene.put(Kind::port, "p", "default_tos", 0);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp_source"), "configuration") << "0 means that nobody set it";
    scene.put(Kind::port, "p", "default_tos", 106);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "26");
    EXPECT_EQ(of_port(derive(scene), "roce_dscp_source"), "default_tos");
    scene.put(Kind::port, "p", "traffic_class", 192);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "48");
    EXPECT_EQ(of_port(derive(scene), "roce_dscp_source"), "traffic_class");
}

TEST(RocePriority, WithoutAnySourceTheRemedyIsTheConfiguration) {
    const Snapshot now = derive(roce_port());
    EXPECT_THAT(now.get({Kind::port, "p"}, "roce_dscp").error().remedy, ::testing::HasSubstr("[expect] roce_dscp"));
}

TEST(RocePriority, AHungFileIsNotAnAbsentOne) {
    Scene scene = roce_port();
    scene.gap(Kind::port, "p", "traffic_class", GapClass::timed_out).put(Kind::port, "p", "default_tos", 106);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "gap(timed out)");
}

TEST(RocePriority, ByDscp) {
    Scene scene = trusting_dscp();
    scene.put(Kind::port, "p", "default_tos", 104);
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "3");
    scene.put(Kind::port, "p", "default_tos", 192);
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "6");
}

TEST(RocePriority, AnUnlistedDscpIsUnknown) {
    Scene scene = trusting_dscp();
    scene.put(Kind::port, "p", "default_tos", 8);
    const Snapshot now = derive(scene);
    EXPECT_EQ(of_port(now, "roce_priority"), "gap(not offered)");
    EXPECT_EQ(now.get({Kind::port, "p"}, "roce_priority").error().remedy,
              "state it: dcb app add dev ens1f0 dscp-prio 2:PRIORITY");
    scene.gap(Kind::priority, "n/1", "dscp_list", GapClass::timed_out);
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "gap(timed out)");
}

TEST(RocePriority, ByPcpUntaggedFramesAreZero) {
    Scene scene = roce_port();
    scene.put(Kind::netdev, "n", "trust", "pcp");
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "0") << "whatever the DSCP";
}

TEST(RocePriority, WithoutTrustOrDscpIsUnknown) {
    Scene scene = roce_port();
    scene.gap(Kind::netdev, "n", "trust", GapClass::timed_out);
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "gap(timed out)");
    EXPECT_EQ(of_port(derive(trusting_dscp()), "roce_priority"), "gap(not collected)");
}

TEST(RocePriority, NotForInfiniBandOrIwarp) {
    Scene scene = roce_port();
    scene.put(Kind::device, "d", "protocol", "iw");
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "gap(not offered)");
    scene.put(Kind::port, "p", "link_layer", "InfiniBand");
    EXPECT_EQ(of_port(derive(scene), "roce_dscp"), "gap(not offered)");
    scene.gap(Kind::port, "p", "link_layer", GapClass::error);
    EXPECT_EQ(of_port(derive(scene), "roce_dscp_source"), "gap(error)");
}

TEST(RocePriority, LooksBelowVlanAndBond) {
    Scene scene = trusting_dscp();
    scene.put(Kind::port, "p", "default_tos", 104)
        .refer(Kind::port, "p", "netdev", "vlan")
        .refer(Kind::netdev, "vlan", "lower", "bond")
        .put(Kind::netdev, "bond", "kind", "bond")
        .refer(Kind::netdev, "n", "master", "bond");
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "3");
    scene.refer(Kind::netdev, "m", "master", "bond").put(Kind::netdev, "m", "trust", "pcp");
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "gap(error)") << "the members disagree";
}

TEST(RocePriority, WithoutNetdevIsUnknown) {
    Scene scene = roce_port();
    scene.gap(Kind::port, "p", "netdev", GapClass::not_offered);
    EXPECT_EQ(of_port(derive(scene), "roce_priority"), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
