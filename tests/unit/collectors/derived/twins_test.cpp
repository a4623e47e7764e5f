// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

void add_twin(Scene& scene, const std::string& name, const char* firmware, int mtu) {
    const std::string pci = "0000:" + name + ":00.0";
    scene.put(Kind::device, name, "board", "MT_0000000838")
        .put(Kind::device, name, "soft", Value(false))
        .put(Kind::device, name, "firmware_running", firmware)
        .refer(Kind::device, name, "pci", pci)
        .put(Kind::pci, pci, "is_vf", Value(false))
        .put(Kind::pci, pci, "link_width", 16)
        .refer(Kind::port, name + "/1", "device", name)
        .refer(Kind::port, name + "/1", "netdev", "n" + name)
        .put(Kind::netdev, "n" + name, "mtu", mtu);
}

Scene three() {
    Scene scene;
    add_twin(scene, "11", "28.39.1002", 9000);
    add_twin(scene, "21", "28.39.1002", 9000);
    add_twin(scene, "31", "28.39.1002", 9000);
    return scene;
}

std::string of(const Scene& scene, std::string_view device, std::string_view fact) {
    return value(scene.derive({"twins"}), Kind::device, device, fact);
}

TEST(Twins, Alike) {
    const Scene scene = three();
    EXPECT_EQ(of(scene, "11", "twins"), "2");
    EXPECT_EQ(of(scene, "11", "differs_from_twins"), "false");
    EXPECT_EQ(of(scene, "11", "twin_differences"), "none");
    EXPECT_EQ(of(scene, "11", "firmware_of_twins"), "28.39.1002");
}

TEST(Twins, OneIsDifferent) {
    Scene scene = three();
    add_twin(scene, "31", "28.38.1900", 1500);
    scene.put(Kind::pci, "0000:31:00.0", "link_width", 8);
    EXPECT_EQ(of(scene, "31", "differs_from_twins"), "true");
    EXPECT_EQ(of(scene, "31", "twin_differences"),
              "firmware 28.38.1900, of twins 28.39.1002; mtu 1500, of twins 9000; PCIe width 8, of twins 16");
    EXPECT_EQ(of(scene, "31", "firmware_of_twins"), "28.39.1002");
    EXPECT_EQ(of(scene, "11", "differs_from_twins"), "false");
}

TEST(Twins, TheNewestIsNotTheLargestText) {
    Scene scene = three();
    add_twin(scene, "31", "28.9.1002", 9000);
    EXPECT_EQ(of(scene, "31", "firmware_of_twins"), "28.39.1002");
    add_twin(scene, "31", "28.100.1", 9000);
    EXPECT_EQ(of(scene, "11", "firmware_of_twins"), "28.100.1");
}

TEST(Twins, OfTwoNobodyIsRight) {
    Scene scene;
    add_twin(scene, "11", "28.39.1002", 9000);
    add_twin(scene, "21", "28.39.1002", 1500);
    EXPECT_EQ(of(scene, "11", "differs_from_twins"), "false");
    EXPECT_EQ(of(scene, "21", "differs_from_twins"), "false");
}

TEST(Twins, OtherBoardsAreNoTwins) {
    Scene scene = three();
    scene.put(Kind::device, "31", "board", "MT_0000000228");
    EXPECT_EQ(of(scene, "31", "twins"), "0");
    EXPECT_EQ(of(scene, "11", "twins"), "1");
    scene.gap(Kind::device, "31", "board", GapClass::not_offered);
    EXPECT_EQ(of(scene, "31", "twins"), "gap(not offered)");
    scene.put(Kind::pci, "0000:31:00.0", "vendor", "0x14e4").put(Kind::pci, "0000:31:00.0", "device_id", "0x1750");
    EXPECT_EQ(of(scene, "31", "twins"), "0") << "without a board, the model";
}

TEST(Twins, VirtualFunctionsAndSoftwareHaveNone) {
    Scene scene = three();
    scene.put(Kind::pci, "0000:31:00.0", "is_vf", Value(true));
    EXPECT_EQ(of(scene, "31", "twins"), "gap(not offered)");
    scene.put(Kind::device, "21", "soft", Value(true));
    EXPECT_EQ(of(scene, "21", "twins"), "gap(not offered)");
    EXPECT_EQ(of(scene, "11", "twins"), "0");
}

TEST(Twins, WhatIsNotKnownIsNotDifferent) {
    Scene scene = three();
    scene.gap(Kind::device, "31", "firmware_running", GapClass::error);
    EXPECT_EQ(of(scene, "31", "differs_from_twins"), "false");
    EXPECT_EQ(of(scene, "31", "firmware_of_twins"), "28.39.1002");
}

}  // namespace
}  // namespace rd::collectors::test
