// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

// A RoCE port on priority 3 of one interface.
Scene scene() {
    Scene scene = roce_port();
    scene.put(Kind::port, "p", "roce_priority", 3)
        .put(Kind::priority, "n/3", "number", 3)
        .put(Kind::priority, "n/3", "ecn_np_enabled", Value(false))
        .put(Kind::priority, "n/3", "ecn_rp_enabled", Value(true));
    return scene;
}

std::string of_port(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"congestion"}), Kind::port, "p", fact);
}

TEST(Congestion, IsThatOfTheRocePriority) {
    EXPECT_EQ(of_port(scene(), "ecn_np"), "false");
    EXPECT_EQ(of_port(scene(), "ecn_rp"), "true");
    EXPECT_EQ(of_port(scene(), "roce_class"), "priority:n/3");
}

TEST(Congestion, WithoutAPriorityNothingIsKnown) {
    const Scene unknown = scene().gap(Kind::port, "p", "roce_priority", GapClass::not_collected);
    EXPECT_EQ(of_port(unknown, "roce_class"), "gap(not collected)");
    EXPECT_EQ(of_port(unknown, "ecn_np"), "gap(not collected)");
}

TEST(Congestion, PrioritiesMayNotBeShown) {
    const Scene bare = roce_port().put(Kind::port, "p", "roce_priority", 3);
    EXPECT_EQ(of_port(bare, "roce_class"), "gap(not offered)");
    EXPECT_EQ(of_port(bare, "ecn_rp"), "gap(not offered)");
}

TEST(Congestion, ADriverMaySayItForTheWholePort) {
    const Scene whole = scene().put(Kind::port, "p", "cc_enabled", Value(true));
    EXPECT_EQ(of_port(whole, "ecn_np"), "true");
    const Scene refused = scene().gap(Kind::priority, "n/3", "ecn_np_enabled", GapClass::no_privilege);
    EXPECT_EQ(of_port(refused, "ecn_np"), "gap(no privilege)");
    EXPECT_EQ(of_port(refused, "ecn_rp"), "true");
}

TEST(Congestion, MembersOfABondMustAgree) {
    Scene bond = scene();
    bond.put(Kind::netdev, "n", "kind", "bond");
    for (const std::string member : {"m0", "m1"}) {
        bond.refer(Kind::netdev, member, "master", "n")
            .put(Kind::priority, member + "/3", "number", 3)
            .put(Kind::priority, member + "/3", "ecn_np_enabled", Value(true))
            .put(Kind::priority, member + "/3", "ecn_rp_enabled", Value(member == "m0"));
    }
    EXPECT_EQ(of_port(bond, "roce_class"), "gap(not collected)") << "there are two";
    EXPECT_EQ(of_port(bond, "ecn_np"), "true");
    EXPECT_EQ(of_port(bond, "ecn_rp"), "gap(error)");
}

}  // namespace
}  // namespace rd::collectors::test
