// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

constexpr const char* kRoot = "0000:40:01.0";
constexpr const char* kCard = "0000:41:00.0";

void add_hop(Scene& scene, const std::string& address, const std::string& parent, double speed, int width) {
    scene.put(Kind::pci, address, "link_speed", Value(speed))
        .put(Kind::pci, address, "link_speed_max", Value(speed))
        .put(Kind::pci, address, "link_width", width)
        .put(Kind::pci, address, "link_width_max", width)
        .put(Kind::pci, address, "is_vf", Value(false));
    if (parent.empty()) {
        scene.gap(Kind::pci, address, "parent", GapClass::not_offered, "a root port");
    } else {
        scene.refer(Kind::pci, address, "parent", parent);
    }
}

void add_port(Scene& scene, const std::string& device, const std::string& port, const char* state, double rate) {
    scene.refer(Kind::port, port, "device", device).put(Kind::port, port, "state", state);
    scene.put(Kind::port, port, "link_layer", "InfiniBand");
    if (rate > 0) scene.put(Kind::port, port, "rate", Value(rate));
}

Scene card(double speed, int width) {
    Scene scene;
    add_hop(scene, kRoot, "", speed, width);
    add_hop(scene, kCard, kRoot, speed, width);
    scene.refer(Kind::device, "d", "pci", kCard).put(Kind::device, "d", "soft", Value(false));
    scene.put(Kind::device, "d", "sys_image_guid", "506b:4b03:00f4:9f1c");
    add_port(scene, "d", "d/1", "ACTIVE", 400);
    return scene;
}

Snapshot derive(const Scene& scene) { return scene.derive({"link_budget"}); }
std::string of(const Scene& scene, std::string_view fact) { return value(derive(scene), Kind::device, "d", fact); }

TEST(LinkBudget, Encodings) {
    EXPECT_EQ(of(card(2.5, 4), "path_gbps"), "8");
    EXPECT_EQ(of(card(5, 8), "path_gbps"), "32");
    EXPECT_EQ(of(card(8, 8), "path_gbps"), "63.0154");
    EXPECT_EQ(of(card(16, 16), "path_gbps"), "252.062");
    EXPECT_EQ(of(card(32, 16), "path_gbps"), "504.123");
    EXPECT_EQ(of(card(64, 16), "path_gbps"), "944");
}

TEST(LinkBudget, AnAdapterWhoseSlotWasNotCollected) {
    const auto alone = [](const Scene& scene, const char* which = kCard) {
        return value(derive(scene), Kind::pci, which, "link_alone");
    };
    Scene scene = card(16, 8);
    EXPECT_EQ(alone(scene), "false");
    EXPECT_EQ(alone(scene, kRoot), "false") << "a root port has nothing above it";
    scene.gap(Kind::pci, kCard, "parent", GapClass::not_collected);
    EXPECT_EQ(alone(scene), "true");
    scene.put(Kind::pci, kCard, "class", "0x020700");
    EXPECT_EQ(alone(scene), "true");
    scene.put(Kind::pci, kCard, "is_vf", Value(true));
    EXPECT_EQ(alone(scene), "false") << "a virtual function has no link";
    scene.put(Kind::pci, kCard, "is_vf", Value(false)).put(Kind::pci, kCard, "class", "0x030000");
    EXPECT_EQ(alone(scene), "false") << "a graphics processor at rest trains its link down";
}

TEST(LinkBudget, LimitsAreWhatBothEndsCanDo) {
    Scene scene = card(32, 16);
    scene.put(Kind::pci, kRoot, "link_width_max", 8).put(Kind::pci, kRoot, "link_speed_max", Value(16.0));
    const Snapshot now = derive(scene);
    EXPECT_EQ(value(now, Kind::pci, kCard, "link_width_limit"), "8");
    EXPECT_EQ(value(now, Kind::pci, kCard, "link_speed_limit"), "16");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "link_width_limit"), "gap(not offered)");
    scene.gap(Kind::pci, kRoot, "link_width_max", GapClass::error);
    EXPECT_EQ(value(derive(scene), Kind::pci, kCard, "link_width_limit"), "gap(error)");
    scene.gap(Kind::pci, kCard, "link_speed_max", GapClass::not_offered);
    EXPECT_EQ(value(derive(scene), Kind::pci, kCard, "link_speed_limit"), "gap(not offered)");
}

TEST(LinkBudget, TheNarrowestLinkOfASwitch) {
    Scene scene = card(32, 16);
    add_hop(scene, "0000:42:00.0", kCard, 8, 16);            // the downstream port; above it the switch's upstream port
    add_hop(scene, "0000:43:00.0", "0000:42:00.0", 16, 16);  // what is below it
    scene.refer(Kind::device, "d", "pci", "0000:43:00.0");
    EXPECT_EQ(of(scene, "path_gbps"), "126.031") << "the end that says less counts";
    EXPECT_EQ(of(scene, "path_limit"), "pci:0000:43:00.0");
}

TEST(LinkBudget, OneEndOfALinkIsEnough) {
    Scene scene = card(32, 16);
    scene.gap(Kind::pci, kRoot, "link_speed", GapClass::not_offered);
    EXPECT_EQ(of(scene, "path_gbps"), "504.123");
    scene.gap(Kind::pci, kCard, "link_width", GapClass::timed_out);
    EXPECT_EQ(of(scene, "path_gbps"), "gap(timed out)");
    EXPECT_EQ(of(scene, "path_limit"), "gap(timed out)");
}

TEST(LinkBudget, AFunctionOfTheRootComplexHasNoLink) {
    Scene scene = card(32, 16);
    scene.refer(Kind::device, "d", "pci", kRoot);
    EXPECT_EQ(of(scene, "path_gbps"), "gap(not offered)");
}

TEST(LinkBudget, AWayUpThatIsNotKnownIsNotARootPort) {
    Scene scene = card(32, 16);
    scene.gap(Kind::pci, kCard, "parent", GapClass::not_collected);
    EXPECT_EQ(of(scene, "path_gbps"), "gap(not collected)");
    scene.gap(Kind::device, "d", "pci", GapClass::not_offered);
    EXPECT_EQ(of(scene, "path_gbps"), "gap(not offered)");
    EXPECT_EQ(of(scene, "port_gbps"), "gap(not offered)");
}

TEST(LinkBudget, AVirtualFunctionUsesTheLinkOfItsOwner) {
    Scene scene = card(32, 16);
    scene.refer(Kind::device, "v", "pci", "0000:41:08.2")
        .put(Kind::pci, "0000:41:08.2", "is_vf", Value(true))
        .refer(Kind::pci, "0000:41:08.2", "physfn", kCard)
        .put(Kind::device, "v", "sys_image_guid", "506b:4b03:00f4:9f1c")
        .put(Kind::device, "v", "soft", Value(false));
    add_port(scene, "v", "v/1", "ACTIVE", 400);
    const Snapshot now = derive(scene);
    EXPECT_EQ(value(now, Kind::device, "v", "path_gbps"), "504.123");
    EXPECT_EQ(value(now, Kind::device, "v", "port_gbps"), "400") << "it shares the port of its owner";
    EXPECT_EQ(value(now, Kind::device, "d", "port_gbps"), "400");
}

TEST(LinkBudget, PortsOfOneSlotAddUp) {
    Scene scene = card(32, 16);
    scene.refer(Kind::device, "e", "pci", "0000:41:00.1").put(Kind::device, "e", "soft", Value(false));
    add_port(scene, "e", "e/1", "ACTIVE", 200);
    EXPECT_EQ(of(scene, "port_gbps"), "600");
    add_port(scene, "e", "e/1", "DOWN", 0);
    EXPECT_EQ(of(scene, "port_gbps"), "400");
    scene.gap(Kind::port, "e/1", "state", GapClass::error);
    EXPECT_EQ(of(scene, "port_gbps"), "gap(error)");
}

TEST(LinkBudget, AnActivePortWithoutRateIsUnknown) {
    Scene scene = card(32, 16);
    scene.gap(Kind::port, "d/1", "rate", GapClass::error);
    EXPECT_EQ(of(scene, "port_gbps"), "gap(error)");
}

TEST(LinkBudget, TheSpeedOfTheInterfaceIsMoreTruthful) {
    Scene scene = card(32, 16);
    scene.put(Kind::port, "d/1", "link_layer", "Ethernet")
        .put(Kind::port, "d/1", "rate", Value(100.0))
        .refer(Kind::port, "d/1", "netdev", "n")
        .gap(Kind::netdev, "n", "speed", GapClass::not_offered);
    EXPECT_EQ(of(scene, "port_gbps"), "100");
    scene.put(Kind::netdev, "n", "speed", Value(200.0));
    EXPECT_EQ(of(scene, "port_gbps"), "200");
}

TEST(LinkBudget, SoftwareCountsOnlyByItself) {
    Scene scene = card(32, 16);
    scene.refer(Kind::device, "rxe", "pci", kCard).put(Kind::device, "rxe", "soft", Value(true));
    add_port(scene, "rxe", "rxe/1", "ACTIVE", 100);
    EXPECT_EQ(of(scene, "port_gbps"), "400");
    scene.put(Kind::device, "d", "soft", Value(true));
    EXPECT_EQ(of(scene, "port_gbps"), "500") << "two of software: both are all there is";
}

TEST(LinkBudget, ACardInSeveralSlotsIsNotJudged) {
    Scene scene = card(32, 8);
    scene.refer(Kind::device, "e", "pci", "0000:c1:00.0")
        .put(Kind::device, "e", "soft", Value(false))
        .put(Kind::device, "e", "sys_image_guid", "506b:4b03:00f4:9f1c");
    EXPECT_EQ(of(scene, "port_gbps"), "gap(not offered)");
    scene.put(Kind::device, "e", "sys_image_guid", "0000:0000:0000:0000")
        .put(Kind::device, "d", "sys_image_guid", "0000:0000:0000:0000");
    EXPECT_EQ(of(scene, "port_gbps"), "400") << "a zero GUID joins nothing";
}

}  // namespace
}  // namespace rd::collectors::test
