// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene path() {
    Scene scene;
    scene.put(Kind::pci, "root", "mps_max", 256)
        .put(Kind::pci, "root", "vendor", "0x8086")
        .put(Kind::pci, "root", "device_id", "0x352a")
        .gap(Kind::pci, "root", "parent", GapClass::not_offered)
        .put(Kind::pci, "card", "mps_max", 512)
        .refer(Kind::pci, "card", "parent", "root");
    return scene;
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"pcie_path"}), Kind::pci, "card", fact);
}

TEST(PciePath, TheSmallestPayloadCounts) {
    EXPECT_EQ(of(path(), "mps_path_max"), "256");
    EXPECT_EQ(of(path().put(Kind::pci, "card", "mps_max", 128), "mps_path_max"), "128");
    EXPECT_EQ(value(path().derive({"pcie_path"}), Kind::pci, "root", "mps_path_max"), "256");
}

TEST(PciePath, RootPortsWithoutRelaxedOrdering) {
    EXPECT_EQ(of(path(), "relaxed_ordering_unsafe"), "false");
    for (const char* device : {"0x6f01", "0x6f0e", "0x2f01", "0x2f0e"}) {
        EXPECT_EQ(of(path().put(Kind::pci, "root", "device_id", device), "relaxed_ordering_unsafe"), "true");
    }
    for (const char* device : {"0x6f00", "0x6f0f", "0x2f00", "0x2f0f"}) {
        EXPECT_EQ(of(path().put(Kind::pci, "root", "device_id", device), "relaxed_ordering_unsafe"), "false");
    }
    EXPECT_EQ(of(path().put(Kind::pci, "root", "device_id", "0x6f02").put(Kind::pci, "root", "vendor", "0x1022"),
                 "relaxed_ordering_unsafe"),
              "false");
}

TEST(PciePath, WhatIsMissingOnTheWayIsSaid) {
    EXPECT_EQ(of(path().gap(Kind::pci, "root", "mps_max", GapClass::no_privilege), "mps_path_max"),
              "gap(no privilege)");
    EXPECT_EQ(of(path().gap(Kind::pci, "root", "vendor", GapClass::error), "relaxed_ordering_unsafe"), "gap(error)");
    EXPECT_EQ(of(path().gap(Kind::pci, "root", "device_id", GapClass::error), "relaxed_ordering_unsafe"), "gap(error)");
    EXPECT_EQ(of(path().gap(Kind::pci, "card", "parent", GapClass::error), "mps_path_max"), "gap(error)");
    EXPECT_EQ(of(path().refer(Kind::pci, "root", "parent", "card"), "mps_path_max"), "256") << "a loop ends";
}

}  // namespace
}  // namespace rd::collectors::test
