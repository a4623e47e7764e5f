// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

void add_controller(Scene& scene, const std::string& id, const char* address, const char* state) {
    scene.put(Kind::nvme, id, "transport", "rdma")
        .put(Kind::nvme, id, "address", address)
        .put(Kind::nvme, id, "subsystem", "nqn.a")
        .put(Kind::nvme, id, "state", state)
        .put(Kind::nvme, id, "ana_state", "optimized")
        .put(Kind::nvme, id, "io_queues", 4)
        .put(Kind::nvme, id, "queue_depth", 128);
}

// Two ports on two devices; two controllers that lead to two targets, each over its own.
Scene two_paths() {
    Scene scene;
    for (const std::string x : {"a", "b"}) {
        scene.refer(Kind::port, "p" + x, "device", "d" + x)
            .refer(Kind::port, "p" + x, "netdev", "n" + x)
            .put(Kind::netdev, "n" + x, "kind", "physical");
    }
    scene.put(Kind::device, "da", "nvme_targets", "10.9.0.9:4420")
        .put(Kind::device, "db", "nvme_targets", "[fd00::9]:4420");
    add_controller(scene, "1", "traddr=10.9.0.9,trsvcid=4420", "live");
    add_controller(scene, "2", "traddr=fd00::9,trsvcid=4420", "live");
    return scene;
}

std::string of(const Scene& scene, std::string_view fact, std::string_view id = "1") {
    return value(scene.derive({"nvme_groups"}), Kind::nvme, id, fact);
}
std::string regions(const Scene& scene, std::string_view device) {
    return value(scene.derive({"nvme_groups"}), Kind::device, device, "nvme_mrs");
}

TEST(NvmeGroups, TwoPathsOverTwoInterfaces) {
    const Scene scene = two_paths();
    EXPECT_EQ(of(scene, "rdma_device"), "device:da");
    EXPECT_EQ(of(scene, "rdma_device", "2"), "device:db");
    EXPECT_EQ(of(scene, "paths_live"), "2");
    EXPECT_EQ(of(scene, "targets_live"), "2");
    EXPECT_EQ(of(scene, "paths_optimized"), "2");
    EXPECT_EQ(of(scene, "path_interfaces"), "2");
    EXPECT_EQ(regions(scene, "da"), "516") << "4 queues of 128 and one";
}

TEST(NvmeGroups, BothOverOneInterface) {
    Scene scene = two_paths();
    scene.put(Kind::device, "da", "nvme_targets", "10.9.0.9:4420 [fd00::9]:4420")
        .put(Kind::device, "db", "nvme_targets", "none");
    EXPECT_EQ(of(scene, "path_interfaces"), "1");
    EXPECT_EQ(regions(scene, "da"), "1032");
    EXPECT_EQ(regions(scene, "db"), "0");
}

TEST(NvmeGroups, MembersOfABondAreCounted) {
    Scene scene = two_paths();
    scene.put(Kind::device, "da", "nvme_targets", "10.9.0.9:4420 [fd00::9]:4420")
        .put(Kind::device, "db", "nvme_targets", "none")
        .refer(Kind::port, "pa", "netdev", "bond")
        .put(Kind::netdev, "bond", "kind", "bond")
        .refer(Kind::netdev, "na", "master", "bond")
        .refer(Kind::netdev, "nb", "master", "bond");
    EXPECT_EQ(of(scene, "path_interfaces"), "2");
}

TEST(NvmeGroups, OnlyLiveOnesCount) {
    Scene scene = two_paths();
    scene.put(Kind::nvme, "2", "state", "connecting");
    EXPECT_EQ(of(scene, "paths_live"), "1");
    EXPECT_EQ(of(scene, "targets_live"), "1");
    scene.put(Kind::nvme, "1", "ana_state", "non-optimized");
    EXPECT_EQ(of(scene, "paths_optimized"), "0");
    scene.gap(Kind::nvme, "2", "state", GapClass::timed_out);
    EXPECT_EQ(of(scene, "paths_live"), "gap(timed out)");
}

TEST(NvmeGroups, WithoutConnectionsTheInterfaceSaysTheDevice) {
    Scene scene = two_paths();
    for (const char* device : {"da", "db"}) scene.gap(Kind::device, device, "nvme_targets", GapClass::not_collected);
    EXPECT_EQ(of(scene, "rdma_device"), "gap(not collected)");
    EXPECT_EQ(of(scene, "path_interfaces"), "gap(not collected)");
    EXPECT_EQ(regions(scene, "da"), "gap(not collected)");
    scene.refer(Kind::nvme, "1", "netdev", "nb").refer(Kind::nvme, "2", "netdev", "nb");
    EXPECT_EQ(of(scene, "rdma_device"), "device:db");
    EXPECT_EQ(of(scene, "path_interfaces"), "1");
}

TEST(NvmeGroups, ConnectionsOfSeveralDevicesDecideNothing) {
    Scene scene = two_paths();
    scene.put(Kind::device, "db", "nvme_targets", "10.9.0.9:4420");
    EXPECT_EQ(of(scene, "rdma_device"), "gap(not offered)");
    EXPECT_EQ(of(scene, "rdma_device", "2"), "gap(not offered)") << "no connection";
}

TEST(NvmeGroups, OthersAreLeftOut) {
    Scene scene = two_paths();
    scene.put(Kind::nvme, "2", "transport", "tcp");
    EXPECT_EQ(of(scene, "paths_live"), "1");
    EXPECT_EQ(of(scene, "paths_live", "2"), "gap(not offered)");
    EXPECT_EQ(of(scene, "rdma_device", "2"), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
