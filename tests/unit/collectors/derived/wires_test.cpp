// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string of(const Scene& scene, std::string_view netdev) {
    const Snapshot now = scene.derive({"wires"});
    return value(now, Kind::netdev, netdev, "wire_pfc_mask") + " " + value(now, Kind::netdev, netdev, "wire_trust");
}

Scene bonded_vlan() {
    Scene scene;
    for (const auto* const member : {"m0", "m1"}) {
        scene.put(Kind::netdev, member, "pfc_mask", 8)
            .put(Kind::netdev, member, "trust", "dscp")
            .refer(Kind::netdev, member, "master", "bond");
    }
    scene.put(Kind::netdev, "bond", "kind", "bond")
        .gap(Kind::netdev, "bond", "pfc_mask", GapClass::not_offered)
        .gap(Kind::netdev, "bond", "trust", GapClass::not_offered)
        .put(Kind::netdev, "vlan", "kind", "vlan")
        .refer(Kind::netdev, "vlan", "lower", "bond");
    return scene;
}

TEST(Wires, OfAPhysicalInterfaceAreItself) { EXPECT_EQ(of(bonded_vlan(), "m0"), "8 dscp"); }

TEST(Wires, OfABondAndAVlanAreTheMembers) {
    EXPECT_EQ(of(bonded_vlan(), "bond"), "8 dscp");
    EXPECT_EQ(of(bonded_vlan(), "vlan"), "8 dscp");
}

TEST(Wires, MembersThatDifferSayNothing) {
    Scene scene = bonded_vlan();
    scene.put(Kind::netdev, "m1", "pfc_mask", 0);
    EXPECT_EQ(of(scene, "vlan"), "gap(error) dscp");
    scene.gap(Kind::netdev, "m0", "trust", GapClass::timed_out);
    EXPECT_EQ(of(scene, "bond"), "gap(error) gap(timed out)");
}

TEST(Wires, WithoutDcbThereIsNone) {
    Scene scene;
    scene.gap(Kind::netdev, "vf", "pfc_mask", GapClass::not_offered)
        .gap(Kind::netdev, "vf", "trust", GapClass::not_offered);
    EXPECT_EQ(of(scene, "vf"), "gap(not offered) gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
