// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene vectors() {
    Scene scene;
    scene.put(Kind::device, "d", "name", "mlx5_0");
    for (const std::string id : {"10", "9", "8"}) scene.refer(Kind::irq, id, "device", "d");
    scene.put(Kind::irq, "8", "completion", Value(false)).put(Kind::irq, "8", "count", 5);
    scene.put(Kind::irq, "9", "completion", Value(true)).put(Kind::irq, "9", "count", 700);
    scene.put(Kind::irq, "10", "completion", Value(true)).put(Kind::irq, "10", "count", 30);
    return scene;
}
std::string first(const Scene& scene) {
    return value(scene.derive({"first_vector"}), Kind::device, "d", "interrupts_first_vector");
}

TEST(FirstVector, IsTheLowestOfThoseForCompletions) { EXPECT_EQ(first(vectors()), "700"); }

TEST(FirstVector, NeedsItsCount) {
    Scene scene = vectors();
    scene.gap(Kind::irq, "9", "count", GapClass::error);
    EXPECT_EQ(first(scene), "gap(error)");
}

TEST(FirstVector, ADeviceWithoutVectors) {
    Scene scene;
    scene.put(Kind::device, "d", "name", "rxe0");
    EXPECT_EQ(first(scene), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
