// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene two_ports(const std::string& networks_a, const std::string& networks_b) {
    Scene scene;
    for (const std::string x : {"a", "b"}) {
        scene.put(Kind::device, "d" + x, "protocol", "roce")
            .put(Kind::port, "p" + x, "state", "ACTIVE")
            .put(Kind::port, "p" + x, "gids_v2_routable", 1)
            .put(Kind::netdev, "n" + x, "carrier", Value(true))
            .put(Kind::netdev, "n" + x, "ipv4_networks", Value(x == "a" ? networks_a : networks_b))
            .refer(Kind::port, "p" + x, "device", "d" + x)
            .refer(Kind::port, "p" + x, "netdev", "n" + x);
    }
    return scene.put(Kind::netdev, "management", "carrier", Value(true))
        .put(Kind::netdev, "management", "ipv4_networks", "10.9.0.0/24");
}

std::string shared(const Scene& scene, std::string_view netdev = "na") {
    return value(scene.derive({"addressing"}), Kind::netdev, netdev, "networks_shared");
}
std::string host(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"addressing"}), Kind::host, "", fact);
}

TEST(Addressing, NetworksSharedWithOtherRoceInterfaces) {
    EXPECT_EQ(shared(two_ports("10.9.0.0/24", "10.9.0.0/24")), "1");
    EXPECT_EQ(shared(two_ports("10.9.0.0/24", "10.9.1.0/24")), "0");
    EXPECT_EQ(shared(two_ports("10.8.0.0/24 10.9.0.0/24", "10.9.0.0/24")), "1");
    EXPECT_EQ(shared(two_ports("none", "none")), "0");
    EXPECT_EQ(shared(two_ports("192.0.2.1/32", "192.0.2.1/32")), "0") << "a host route is no shared network";
    EXPECT_EQ(shared(two_ports("10.9.0.0/24", "10.1.0.0/24"), "management"), "0") << "it carries no RoCE";
}

TEST(Addressing, AnInterfaceWithoutCarrierAnswersNothing) {
    Scene scene = two_ports("10.9.0.0/24", "10.9.0.0/24");
    scene.put(Kind::netdev, "nb", "carrier", Value(false));
    EXPECT_EQ(shared(scene), "0");
    scene.gap(Kind::netdev, "na", "ipv4_networks", GapClass::not_collected);
    EXPECT_EQ(shared(scene), "gap(not collected)");
}

TEST(Addressing, PortsOfTheHost) {
    Scene scene = two_ports("none", "none");
    EXPECT_EQ(host(scene, "roce_ports_active"), "2");
    EXPECT_EQ(host(scene, "roce_ports_routable"), "2");
    scene.put(Kind::port, "pa", "gids_v2_routable", 0).put(Kind::port, "pb", "state", "DOWN");
    EXPECT_EQ(host(scene, "roce_ports_active"), "1");
    EXPECT_EQ(host(scene, "roce_ports_routable"), "0");
    scene.gap(Kind::port, "pa", "gids_v2_routable", GapClass::error);
    EXPECT_EQ(host(scene, "roce_ports_routable"), "gap(error)");
    scene.put(Kind::port, "pb", "state", "ACTIVE");
    EXPECT_EQ(host(scene, "roce_ports_routable"), "1") << "one is known to be reachable";
    scene.kind_gap(Kind::port, GapClass::no_privilege);
    EXPECT_EQ(host(scene, "roce_ports_active"), "gap(no privilege)");
}

TEST(Addressing, OneGidIndexForAllPorts) {
    Scene scene = two_ports("none", "none");
    EXPECT_EQ(host(scene, "gid_indexes_v2_ipv4"), "0") << "nobody has such a GID";
    scene.put(Kind::port, "pa", "gid_index_v2_ipv4", 3).put(Kind::port, "pb", "gid_index_v2_ipv4", 3);
    EXPECT_EQ(host(scene, "gid_indexes_v2_ipv4"), "1");
    scene.put(Kind::port, "pb", "gid_index_v2_ipv4", 5);
    EXPECT_EQ(host(scene, "gid_indexes_v2_ipv4"), "2");
    scene.put(Kind::port, "pb", "state", "DOWN");
    EXPECT_EQ(host(scene, "gid_indexes_v2_ipv4"), "1");
    scene.kind_gap(Kind::port, GapClass::no_privilege);
    EXPECT_EQ(host(scene, "gid_indexes_v2_ipv4"), "gap(no privilege)");
}

TEST(Addressing, TheOnlyPortWithAnotherLinkLayer) {
    const auto odd = [](int others, const std::string& last = "Ethernet") {
        Scene scene;
        for (int i = 0; i <= others; ++i) {
            const std::string port = fmt::format("p{}", i), device = fmt::format("d{}", i);
            scene.put(Kind::port, port, "link_layer",
                      Value(i == 0        ? "InfiniBand"
                            : i == others ? last
                                          : "Ethernet"))
                .refer(Kind::port, port, "device", device)
                .put(Kind::device, device, "board", "MT_0000000838");
        }
        return value(scene.derive({"addressing"}), Kind::port, "p0", "link_layer_odd");
    };
    EXPECT_EQ(odd(2), "false") << "too few to say which is right";
    EXPECT_EQ(odd(3), "true");
    EXPECT_EQ(odd(3, "InfiniBand"), "false");
    EXPECT_EQ(odd(3, "Unknown"), "false");
}

TEST(Addressing, WithoutABoardNothingIsOdd) {
    Scene scene;
    scene.put(Kind::port, "p", "link_layer", "Ethernet").refer(Kind::port, "p", "device", "d");
    EXPECT_EQ(value(scene.derive({"addressing"}), Kind::port, "p", "link_layer_odd"), "gap(not collected)");
}

}  // namespace
}  // namespace rd::collectors::test
