// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Snapshot derive(const Scene& scene) { return scene.derive({"expectation"}); }
std::string of_host(const Scene& scene, std::string_view fact) { return value(derive(scene), Kind::host, "", fact); }
std::string of(const Scene& scene, std::string_view fact) { return value(derive(scene), Kind::device, "d", fact); }

Scene soft_device() {
    Scene scene = roce_port();
    scene.gap(Kind::device, "d", "firmware", GapClass::not_offered)
        .gap(Kind::device, "d", "board_id", GapClass::not_offered)
        .put(Kind::netdev, "n", "firmware", "28.39.1002 (MT_0000000838)");
    return scene;
}

TEST(Expectation, CountsDevices) {
    Scene scene;
    EXPECT_EQ(of_host(scene, "devices"), "0");
    scene.put(Kind::device, "d", "name", "mlx5_0");
    EXPECT_EQ(of_host(scene, "devices"), "1");
    EXPECT_EQ(of_host(scene.kind_gap(Kind::device, GapClass::no_privilege), "devices"), "gap(no privilege)");
}

TEST(Expectation, CountsFunctionsWithoutDevice) {
    Scene scene;
    const auto add = [&](const std::string& address, bool capable, bool has_device) {
        scene.put(Kind::pci, address, "rdma_capable", Value(capable))
            .put(Kind::pci, address, "has_device", Value(has_device));
    };
    add("0000:41:00.0", true, true);
    add("0000:40:01.0", false, false);
    EXPECT_EQ(of_host(scene, "functions_without_device"), "0");
    add("0000:41:00.1", true, false);
    EXPECT_EQ(of_host(scene, "functions_without_device"), "1");
    EXPECT_EQ(of_host(scene.kind_gap(Kind::pci, GapClass::error), "functions_without_device"), "gap(error)");
    Scene blind;
    blind.put(Kind::pci, "0000:41:00.0", "rdma_capable", Value(true))
        .put(Kind::pci, "0000:41:00.0", "has_device", Value(false))
        .kind_gap(Kind::device, GapClass::no_privilege);
    EXPECT_EQ(of_host(blind, "functions_without_device"), "gap(no privilege)")
        << "nobody can say that a device is missing who could not list the devices";
}

TEST(Expectation, AnotherNamespaceMayHaveTheDevice) {
    Scene scene;
    scene.put(Kind::pci, "0000:41:00.0", "rdma_capable", Value(true))
        .put(Kind::pci, "0000:41:00.0", "has_device", Value(false))
        .put(Kind::host, "", "initial_netns", Value(true))
        .put(Kind::host, "", "devices_elsewhere", Value(std::int64_t{0}));
    EXPECT_EQ(of_host(scene, "functions_without_device"), "1");
    Scene moved = scene;
    moved.put(Kind::host, "", "devices_elsewhere", Value(std::int64_t{1}));
    EXPECT_EQ(of_host(moved, "functions_without_device"), "gap(not collected)");
    Scene container = scene;
    container.put(Kind::host, "", "initial_netns", Value(false));
    EXPECT_EQ(of_host(container, "functions_without_device"), "gap(not collected)");
    Scene soft = scene;
    soft.put(Kind::device, "rxe0", "soft", Value(true))
        .put(Kind::port, "rxe0/1", "device", Value(Entity{Kind::device, "rxe0"}));
    EXPECT_EQ(of_host(soft, "functions_without_device"), "gap(not collected)") << "its interface is not to be seen";
    soft.put(Kind::port, "rxe0/1", "netdev", Value(Entity{Kind::netdev, "e0"}));
    EXPECT_EQ(of_host(soft, "functions_without_device"), "1");
}

TEST(Expectation, NoFunctionLacksItsDeviceOnlyWhenAllCouldBeRead) {
    Scene scene;
    const std::string address = "0000:41:00.0";
    scene.put(Kind::pci, address, "rdma_capable", Value(true)).put(Kind::pci, address, "has_device", Value(true));
    EXPECT_EQ(of_host(scene, "functions_without_device"), "0");
    EXPECT_EQ(of_host(scene.kind_gap(Kind::pci, GapClass::no_privilege), "functions_without_device"),
              "gap(no privilege)");
    Scene other;
    other.put(Kind::pci, address, "rdma_capable", Value(true))
        .gap(Kind::pci, address, "has_device", GapClass::timed_out);
    EXPECT_EQ(of_host(other, "functions_without_device"), "gap(timed out)");
    other.gap(Kind::pci, address, "rdma_capable", GapClass::error);
    EXPECT_EQ(of_host(other, "functions_without_device"), "gap(error)");
    const std::string second = "0000:42:00.0";
    Scene both = other;
    both.put(Kind::pci, second, "rdma_capable", Value(true)).put(Kind::pci, second, "has_device", Value(false));
    EXPECT_EQ(of_host(both, "functions_without_device"), "1") << "a known fault, whatever the other one is";
    other.put(Kind::pci, address, "has_device", Value(true));
    EXPECT_EQ(of_host(other, "functions_without_device"), "0") << "it has its device, whatever its driver is";
}

TEST(Expectation, SettingsOfTheSite) {
    Scene scene;
    EXPECT_EQ(of_host(scene, "intent"), "gap(not collected)");
    EXPECT_EQ(reason(derive(scene), Kind::host, "", "intent"), "no intent in the configuration");
    EXPECT_EQ(of_host(scene, "expected_devices"), "gap(not collected)");
    EXPECT_EQ(of_host(scene, "expected_rate"), "gap(not collected)");
    Site site;
    site.intent = "lossless";
    site.expected_devices = 2;
    site.expected_rate = 400;
    scene.site(site);
    EXPECT_EQ(of_host(scene, "intent"), "lossless");
    EXPECT_EQ(of_host(scene, "expected_devices"), "2");
    EXPECT_EQ(of_host(scene, "expected_rate"), "400");
}

TEST(Expectation, FirmwareOfTheDevice) {
    Scene scene = soft_device();
    scene.put(Kind::device, "d", "firmware", "28.40.1000").put(Kind::device, "d", "board_id", "MT_0000000223");
    EXPECT_EQ(of(scene, "firmware_running"), "28.40.1000");
    EXPECT_EQ(of(scene, "board"), "MT_0000000223");
}

TEST(Expectation, FirmwareOfTheInterface) {
    EXPECT_EQ(of(soft_device(), "firmware_running"), "28.39.1002");
    EXPECT_EQ(of(soft_device(), "board"), "MT_0000000838");
    Scene scene = soft_device();
    scene.put(Kind::netdev, "n", "firmware", "227.0.131.0/pkg 227.1.111.0");
    EXPECT_EQ(of(scene, "firmware_running"), "227.0.131.0/pkg 227.1.111.0");
    EXPECT_EQ(of(scene, "board"), "gap(not offered)");
    scene.gap(Kind::netdev, "n", "firmware", GapClass::not_offered);
    EXPECT_EQ(of(scene, "firmware_running"), "gap(not offered)");
}

TEST(Expectation, LowestFirmwareByBoardElseForAny) {
    Scene scene = soft_device();
    EXPECT_EQ(of(scene, "firmware_minimum"), "gap(not collected)");
    Site site;
    site.firmware = {{"MT_0000000838", "28.43.1014"}};
    EXPECT_EQ(of(scene.site(site), "firmware_minimum"), "28.43.1014");
    site.firmware = {{"MT_0000000001", "1.0.0"}};
    EXPECT_EQ(of(scene.site(site), "firmware_minimum"), "gap(not collected)");
    site.firmware["*"] = "20.0.0";
    EXPECT_EQ(of(scene.site(site), "firmware_minimum"), "20.0.0");
}

TEST(Expectation, ABoardThatCouldNotBeReadMayBeTheOneTheSiteNames) {
    Scene scene = roce_port();
    scene.put(Kind::device, "d", "firmware", "28.39.1002")
        .gap(Kind::device, "d", "board_id", GapClass::error)
        .gap(Kind::netdev, "n", "firmware", GapClass::not_offered);
    EXPECT_EQ(of(scene, "firmware_minimum"), "gap(not collected)") << "the site asks for nothing";
    Site site;
    site.firmware = {{"MT_0000000838", "28.43.1014"}};
    EXPECT_EQ(of(scene.site(site), "firmware_minimum"), "gap(error)");
    site.firmware["*"] = "20.0.0";
    EXPECT_EQ(of(scene.site(site), "firmware_minimum"), "gap(error)");
    scene.gap(Kind::device, "d", "board_id", GapClass::not_offered);
    EXPECT_EQ(of(scene, "firmware_minimum"), "20.0.0");
    scene.gap(Kind::netdev, "n", "firmware", GapClass::timed_out);
    EXPECT_EQ(of(scene, "firmware_minimum"), "gap(timed out)") << "the interface may tell of a board";
}

}  // namespace
}  // namespace rd::collectors::test
