// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string lossless(const Scene& scene) { return value(scene.derive({"lossless"}), Kind::port, "p", "lossless"); }

Scene with_pfc(int mask) {
    Scene scene = roce_port();
    scene.put(Kind::netdev, "n", "pfc_mask", mask)
        .put(Kind::netdev, "n", "pause_rx", Value(false))
        .put(Kind::netdev, "n", "pause_tx", Value(false));
    return scene;
}

TEST(Lossless, ByPfcOnThePriorityOfRoce) {
    Scene scene = with_pfc(8);
    EXPECT_EQ(lossless(scene.put(Kind::port, "p", "roce_priority", 3)), "true");
    EXPECT_EQ(lossless(scene.put(Kind::port, "p", "roce_priority", 4)), "false");
}

TEST(Lossless, WithPfcOffThePriorityDoesNotMatter) { EXPECT_EQ(lossless(with_pfc(0)), "false"); }

TEST(Lossless, WithPfcOnAllThePriorityDoesNotMatter) {
    EXPECT_EQ(lossless(with_pfc(255)), "true");
    EXPECT_EQ(lossless(with_pfc(254)), "gap(not collected)");
}

TEST(Lossless, ByGlobalPauseBothWays) {
    Scene scene = with_pfc(0);
    EXPECT_EQ(lossless(scene.put(Kind::netdev, "n", "pause_rx", Value(true))), "false");
    EXPECT_EQ(lossless(scene.put(Kind::netdev, "n", "pause_tx", Value(true))), "true");
    scene.gap(Kind::netdev, "n", "pfc_mask", GapClass::not_offered);
    EXPECT_EQ(lossless(scene), "true") << "whatever PFC is";
}

TEST(Lossless, WhatIsUnknownStaysUnknown) {
    Scene scene = with_pfc(0);
    scene.gap(Kind::netdev, "n", "pfc_mask", GapClass::not_offered);
    EXPECT_EQ(lossless(scene), "gap(not offered)");
    scene.put(Kind::netdev, "n", "pfc_mask", 0).put(Kind::netdev, "n", "pause_tx", Value(true));
    scene.gap(Kind::netdev, "n", "pause_rx", GapClass::timed_out);
    EXPECT_EQ(lossless(scene), "gap(timed out)");
    scene.put(Kind::netdev, "n", "pause_tx", Value(false));
    EXPECT_EQ(lossless(scene), "false") << "one way off is enough to know";
}

TEST(Lossless, APortWithPfcHasNoGlobalPause) {
    Scene scene = with_pfc(8);
    scene.put(Kind::port, "p", "roce_priority", 0);
    scene.gap(Kind::netdev, "n", "pause_rx", GapClass::not_collected);
    scene.gap(Kind::netdev, "n", "pause_tx", GapClass::not_collected);
    EXPECT_EQ(lossless(scene), "false");
    scene.put(Kind::netdev, "n", "pfc_mask", 0);
    EXPECT_EQ(lossless(scene), "gap(not collected)");
}

TEST(Lossless, InfiniBandAlways) {
    Scene scene;
    EXPECT_EQ(lossless(scene.put(Kind::port, "p", "link_layer", "InfiniBand")), "true");
    EXPECT_EQ(lossless(scene.gap(Kind::port, "p", "link_layer", GapClass::error)), "gap(error)");
}

TEST(Lossless, ABondIsAsGoodAsItsWorstMember) {
    Scene scene = with_pfc(8);
    scene.put(Kind::port, "p", "roce_priority", 3)
        .refer(Kind::port, "p", "netdev", "bond")
        .put(Kind::netdev, "bond", "kind", "bond")
        .refer(Kind::netdev, "n", "master", "bond");
    EXPECT_EQ(lossless(scene), "true");
    scene.refer(Kind::netdev, "m", "master", "bond")
        .put(Kind::netdev, "m", "pfc_mask", 0)
        .put(Kind::netdev, "m", "pause_rx", Value(false))
        .put(Kind::netdev, "m", "pause_tx", Value(false));
    EXPECT_EQ(lossless(scene), "false");
}

}  // namespace
}  // namespace rd::collectors::test
