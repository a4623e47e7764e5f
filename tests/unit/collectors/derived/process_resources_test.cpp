// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene two_devices() {
    Scene scene;
    scene.put(Kind::process, "4242", "name", "rcpair (4242)").put(Kind::process, "7", "name", "idle (7)");
    for (const std::string device : {"a", "b"}) {
        for (const std::string table : {"qp_holders", "cq_holders", "mr_holders", "cm_id_holders"}) {
            scene.put(Kind::device, device, table, "none");
        }
    }
    return scene.put(Kind::device, "a", "protocol", "roce")
        .put(Kind::device, "b", "protocol", "ib")
        .put(Kind::device, "a", "qp_holders", "4242=12 ib_core=1")
        .put(Kind::device, "b", "qp_holders", "ib_core=2 4242=3");
}

std::string of(const Scene& scene, std::string_view fact, std::string_view process = "4242") {
    return value(scene.derive({"process_resources"}), Kind::process, process, fact);
}

TEST(ProcessResources, SumOverDevices) {
    const Scene scene = two_devices();
    EXPECT_EQ(of(scene, "qps"), "15");
    EXPECT_EQ(of(scene, "qps_roce"), "12");
    EXPECT_EQ(of(scene, "qps_infiniband"), "3");
    EXPECT_EQ(of(scene, "mrs"), "0");
    EXPECT_EQ(of(scene, "qps", "7"), "0");
}

TEST(ProcessResources, ATableThatIsMissingMakesTheSumUnknown) {
    Scene scene = two_devices();
    scene.gap(Kind::device, "b", "qp_holders", GapClass::not_collected);
    EXPECT_EQ(of(scene, "qps"), "gap(not collected)");
    EXPECT_EQ(of(scene, "qps_roce"), "12");
    EXPECT_EQ(of(scene, "cqs"), "0");
    scene.kind_gap(Kind::device, GapClass::no_privilege);
    EXPECT_EQ(of(scene, "cqs"), "gap(no privilege)");
}

TEST(ProcessResources, WhoIsNotAmongTheNamedIsNotKnown) {
    Scene scene = two_devices();
    scene.put(Kind::device, "a", "qp_holders", "4242=12 more");
    EXPECT_EQ(of(scene, "qps"), "15");
    EXPECT_EQ(of(scene, "qps", "7"), "gap(not collected)");
}

}  // namespace
}  // namespace rd::collectors::test
