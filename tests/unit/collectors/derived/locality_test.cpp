// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

void add_ssd(Scene& scene, const std::string& id, const std::string& node, const char* transport = "pcie") {
    scene.put(Kind::nvme, id, "transport", transport).refer(Kind::nvme, id, "numa", node);
}

Scene two_nodes() {
    Scene scene;
    scene.put(Kind::numa, "0", "cpu_count", 4)
        .put(Kind::numa, "1", "cpu_count", 4)
        .refer(Kind::device, "d", "pci", "0000:41:00.0")
        .refer(Kind::pci, "0000:41:00.0", "numa", "1");
    scene.put(Kind::host, "", "nvme_controllers", 4);
    add_ssd(scene, "a", "0");
    add_ssd(scene, "b", "1");
    add_ssd(scene, "c", "1");
    add_ssd(scene, "r", "0", "rdma");
    return scene;
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"locality"}), Kind::device, "d", fact);
}

TEST(Locality, OfADevice) {
    const Snapshot now = two_nodes().derive({"locality"});
    EXPECT_EQ(value(now, Kind::host, "", "numa_nodes"), "2");
    EXPECT_EQ(value(now, Kind::numa, "1", "adapters"), "1");
    EXPECT_EQ(value(now, Kind::numa, "0", "adapters"), "0");
    EXPECT_EQ(value(now, Kind::numa, "1", "ssds"), "2");
    EXPECT_EQ(value(now, Kind::device, "d", "ssds_local"), "2");
    EXPECT_EQ(value(now, Kind::device, "d", "ssds_remote"), "1") << "what is reached over RDMA is no local one";
    EXPECT_EQ(value(now, Kind::device, "d", "node_unknown"), "false");
}

TEST(Locality, TheFirmwareDoesNotSayTheNode) {
    Scene scene = two_nodes();
    scene.gap(Kind::pci, "0000:41:00.0", "numa", GapClass::not_offered);
    EXPECT_EQ(of(scene, "node_unknown"), "true");
    EXPECT_EQ(of(scene, "ssds_local"), "gap(not offered)");
    scene.gap(Kind::pci, "0000:41:00.0", "numa", GapClass::error);
    EXPECT_EQ(of(scene, "node_unknown"), "gap(error)") << "not read is not unknown to the firmware";
    scene.gap(Kind::pci, "0000:41:00.0", "numa", GapClass::not_offered).put(Kind::numa, "1", "cpu_count", 0);
    EXPECT_EQ(of(scene, "node_unknown"), "false") << "the other node is memory only";
    EXPECT_EQ(of(scene, "ssds_local"), "3");
    EXPECT_EQ(of(scene, "ssds_remote"), "0");
}

TEST(Locality, SsdsThatCannotBeCounted) {
    Scene scene = two_nodes();
    scene.gap(Kind::nvme, "a", "numa", GapClass::not_offered);
    EXPECT_EQ(of(scene, "ssds_local"), "gap(not offered)");
    scene.gap(Kind::host, "", "nvme_controllers", GapClass::no_privilege);
    EXPECT_EQ(value(scene.derive({"locality"}), Kind::numa, "0", "ssds"), "gap(no privilege)");
}

TEST(Locality, NodesThatCannotBeListed) {
    Scene scene = two_nodes();
    scene.kind_gap(Kind::numa, GapClass::no_privilege);
    EXPECT_EQ(value(scene.derive({"locality"}), Kind::host, "", "numa_nodes"), "gap(no privilege)");
    EXPECT_EQ(of(scene, "node_unknown"), "gap(no privilege)");
}

}  // namespace
}  // namespace rd::collectors::test
