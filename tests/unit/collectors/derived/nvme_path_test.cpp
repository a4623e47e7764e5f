// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string path(const Scene& scene) { return value(scene.derive({"nvme_path"}), Kind::nvme, "c", "netdev"); }

Scene connected(const char* address, const char* transport = "rdma") {
    Scene scene;
    scene.put(Kind::nvme, "c", "transport", transport)
        .put(Kind::nvme, "c", "address", address)
        .put(Kind::netdev, "n0", "ipv4_networks", "10.9.0.0/24 192.168.1.0/24")
        .put(Kind::netdev, "n1", "ipv4_networks", "10.9.1.0/24")
        .put(Kind::netdev, "n2", "ipv4_networks", "none");
    return scene;
}

TEST(NvmePath, IsTheInterfaceInTheNetworkOfTheTarget) {
    EXPECT_EQ(path(connected("traddr=10.9.1.21,trsvcid=4420")), "netdev:n1");
    EXPECT_EQ(path(connected("trsvcid=4420,traddr=192.168.1.9", "tcp")), "netdev:n0");
}

TEST(NvmePath, IsNotKnownBehindARouterOrWhereNetworksAreShared) {
    EXPECT_EQ(path(connected("traddr=10.77.1.21")), "gap(not offered)");
    Scene shared = connected("traddr=10.9.1.21");
    EXPECT_EQ(path(shared.put(Kind::netdev, "n2", "ipv4_networks", "10.9.0.0/16")), "gap(not offered)");
}

TEST(NvmePath, LocalDrivesAndOtherAddressesHaveNone) {
    EXPECT_EQ(path(connected("0000:01:00.0", "pcie")), "gap(not offered)");
    EXPECT_EQ(path(connected("traddr=fd00::1,trsvcid=4420")), "gap(not offered)");
    EXPECT_EQ(path(connected("traddr=,x=10.9.1.21")), "gap(not offered)");
    Scene scene = connected("");
    EXPECT_EQ(path(scene.gap(Kind::nvme, "c", "transport", GapClass::timed_out)), "gap(timed out)");
}

TEST(NvmePath, NetworksThatAreNoneMatchNothing) {
    for (const auto* const network : {"10.9.1.0", "10.9.1.0/", "10.9.1.0/33", "10.9.1.0/0", "x/24"}) {
        Scene scene = connected("traddr=10.9.1.21");
        EXPECT_EQ(path(scene.put(Kind::netdev, "n1", "ipv4_networks", network)), "gap(not offered)") << network;
    }
}

}  // namespace
}  // namespace rd::collectors::test
