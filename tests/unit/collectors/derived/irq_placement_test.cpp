// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

// A device on node 1 (CPUs 4-7) of two nodes.
Scene two_nodes() {
    Scene scene;
    scene.put(Kind::numa, "0", "cpus", "0-3")
        .put(Kind::numa, "1", "cpus", "4-7")
        .refer(Kind::device, "d", "pci", "0000:41:00.0")
        .refer(Kind::pci, "0000:41:00.0", "numa", "1");
    return scene;
}

void add_vector(Scene& scene, const std::string& irq, const char* cpus, bool completion = true) {
    scene.refer(Kind::irq, irq, "device", "d").put(Kind::irq, irq, "completion", Value(completion));
    scene.put(Kind::irq, irq, "effective", cpus);
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"irq_placement"}), Kind::device, "d", fact);
}

TEST(IrqPlacement, NearAndFar) {
    Scene scene = two_nodes();
    add_vector(scene, "30", "0", false);
    add_vector(scene, "31", "4");
    add_vector(scene, "32", "5");
    add_vector(scene, "33", "3");
    const Snapshot now = scene.derive({"irq_placement"});
    EXPECT_EQ(value(now, Kind::irq, "31", "numa"), "numa:1");
    EXPECT_EQ(value(now, Kind::irq, "31", "cpu"), "4");
    EXPECT_EQ(value(now, Kind::irq, "31", "remote"), "false");
    EXPECT_EQ(value(now, Kind::irq, "33", "remote"), "true");
    EXPECT_EQ(value(now, Kind::device, "d", "vectors"), "3") << "commands and events are not counted";
    EXPECT_EQ(value(now, Kind::device, "d", "vectors_remote"), "1");
    EXPECT_EQ(value(now, Kind::device, "d", "vectors_busiest_cpu"), "1");
}

TEST(IrqPlacement, Stacked) {
    Scene scene = two_nodes();
    for (const std::string irq : {"31", "32", "33"}) add_vector(scene, irq, "4");
    add_vector(scene, "34", "5");
    EXPECT_EQ(of(scene, "vectors_busiest_cpu"), "3");
}

TEST(IrqPlacement, HowFarItCouldBeSpread) {
    Scene scene = two_nodes();
    EXPECT_EQ(of(scene, "near_cpus"), "gap(not collected)");
    scene.put(Kind::pci, "0000:41:00.0", "local_cpus", "4-7");
    EXPECT_EQ(of(scene, "near_cpus"), "4");
    scene.put(Kind::pci, "0000:41:00.0", "local_cpus", "5");
    EXPECT_EQ(of(scene, "near_cpus"), "1");
    for (const char* damaged : {"4-", "", "x"}) {
        scene.put(Kind::pci, "0000:41:00.0", "local_cpus", damaged);
        EXPECT_EQ(of(scene, "near_cpus"), "gap(error)") << damaged;
    }
}

TEST(IrqPlacement, OnSeveralCpus) {
    Scene scene = two_nodes();
    add_vector(scene, "31", "3-4");
    const Snapshot now = scene.derive({"irq_placement"});
    EXPECT_EQ(value(now, Kind::irq, "31", "numa"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::irq, "31", "cpu"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::irq, "31", "remote"), "false") << "one near CPU is enough";
    EXPECT_EQ(value(now, Kind::device, "d", "vectors_busiest_cpu"), "0") << "it is stacked on none";
}

TEST(IrqPlacement, WhereTheKernelDoesNotSayWhereItFires) {
    Scene scene = two_nodes();
    add_vector(scene, "31", "4");
    scene.gap(Kind::irq, "31", "effective", GapClass::not_offered).put(Kind::irq, "31", "affinity", "0-3");
    EXPECT_EQ(of(scene, "vectors_remote"), "1");
    scene.gap(Kind::irq, "31", "affinity", GapClass::no_privilege);
    EXPECT_EQ(of(scene, "vectors"), "1");
    EXPECT_EQ(of(scene, "vectors_remote"), "gap(not offered)");
    EXPECT_EQ(of(scene, "vectors_busiest_cpu"), "gap(not offered)");
}

TEST(IrqPlacement, WithoutTheNodeOfTheDevice) {
    Scene scene = two_nodes();
    add_vector(scene, "31", "4");
    scene.gap(Kind::pci, "0000:41:00.0", "numa", GapClass::not_offered);
    EXPECT_EQ(of(scene, "vectors"), "1");
    EXPECT_EQ(of(scene, "vectors_busiest_cpu"), "1");
    EXPECT_EQ(of(scene, "vectors_remote"), "gap(not offered)");
}

TEST(IrqPlacement, OneNode) {
    Scene scene;
    scene.put(Kind::numa, "0", "cpus", "0-3").gap(Kind::device, "d", "pci", GapClass::not_offered);
    add_vector(scene, "31", "2");
    EXPECT_EQ(of(scene, "vectors_remote"), "0");
}

TEST(IrqPlacement, VectorsNobodyUses) {
    Scene scene = two_nodes();
    add_vector(scene, "31", "4");
    add_vector(scene, "32", "4");
    scene.gap(Kind::irq, "32", "completion", GapClass::not_offered);
    EXPECT_EQ(of(scene, "vectors"), "1");
    EXPECT_EQ(of(scene, "vectors_busiest_cpu"), "1");
    scene.gap(Kind::irq, "32", "completion", GapClass::error);
    EXPECT_EQ(of(scene, "vectors_busiest_cpu"), "gap(error)");
}

TEST(IrqPlacement, NoVectors) {
    Scene scene = two_nodes();
    EXPECT_EQ(of(scene, "vectors"), "gap(not offered)");
    scene.kind_gap(Kind::irq, GapClass::no_privilege);
    EXPECT_EQ(of(scene, "vectors"), "gap(no privilege)");
}

}  // namespace
}  // namespace rd::collectors::test
