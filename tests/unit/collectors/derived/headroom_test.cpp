// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

// Priority n/3 of a 100 Gbit/s interface with 7 metres of cable and an MTU of 4200.
Scene scene() {
    Scene scene;
    scene.refer(Kind::priority, "n/3", "netdev", "n")
        .put(Kind::netdev, "n", "driver", "mlx5_core")
        .put(Kind::netdev, "n", "speed", Value(100.0))
        .put(Kind::netdev, "n", "mtu", 4200)
        .put(Kind::netdev, "n", "pfc_delay", 7);
    return scene;
}

std::string needed(const Scene& scene) {
    return value(scene.derive({"headroom"}), Kind::priority, "n/3", "rx_buffer_needed");
}

TEST(Headroom, IsWhatArrivesAfterThePauseAndOnePacket) {
    // (301 + 2.16 × 7) × 100 + 2.72 × 4222 + 4222 = 47317.84
    EXPECT_EQ(needed(scene()), "47318");
}

TEST(Headroom, SlowLinksAreReckonedAs40) {
    EXPECT_EQ(needed(scene().put(Kind::netdev, "n", "speed", Value(25.0))), "28351");
    EXPECT_EQ(needed(scene().put(Kind::netdev, "n", "speed", Value(40.0))), "28351");
    EXPECT_EQ(needed(scene().put(Kind::netdev, "n", "speed", Value(50.0))), "31512");
}

TEST(Headroom, OtherDriversReckonOtherwise) {
    EXPECT_EQ(needed(scene().put(Kind::netdev, "n", "driver", "bnxt_en")), "gap(not offered)");
}

TEST(Headroom, NeedsAllOfIt) {
    for (const std::string_view fact : {"driver", "speed", "mtu", "pfc_delay"}) {
        EXPECT_EQ(needed(scene().gap(Kind::netdev, "n", fact, GapClass::timed_out)), "gap(timed out)") << fact;
    }
    EXPECT_EQ(needed(scene().gap(Kind::priority, "n/3", "netdev", GapClass::error)), "gap(error)");
}

}  // namespace
}  // namespace rd::collectors::test
