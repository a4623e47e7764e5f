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

}  // namespace
}  // namespace rd::collectors::test
