// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene target() {
    Scene scene;
    return scene.put(Kind::host, "", "nvmet_addresses", "10.9.0.1:4420 [fd00::1]:4420")
        .put(Kind::device, "d", "nvmet_listeners", "10.9.0.1:4420 [fd00::1]:4420")
        .put(Kind::device, "d", "qp_holders", "nvmet_rdma=17 ib_core=2")
        .refer(Kind::port, "p", "netdev", "n")
        .put(Kind::netdev, "n", "ip_addresses", "10.9.0.1 fd00::1")
        .put(Kind::netdev, "m", "roce_gids", 0)
        .put(Kind::netdev, "m", "ip_addresses", "10.0.0.1");
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"nvmet_ports"}), Kind::host, "", fact);
}

TEST(NvmetPorts, AllListen) {
    EXPECT_EQ(of(target(), "nvmet_deaf"), "none");
    EXPECT_EQ(of(target(), "nvmet_foreign"), "none");
    EXPECT_EQ(value(target().derive({"nvmet_ports"}), Kind::device, "d", "nvmet_queues"), "17");
}

TEST(NvmetPorts, AnyAddressListensForAll) {
    Scene scene = target();
    EXPECT_EQ(of(scene.put(Kind::device, "d", "nvmet_listeners", "0.0.0.0:4420"), "nvmet_deaf"), "none");
    EXPECT_EQ(of(scene.put(Kind::device, "d", "nvmet_listeners", "0.0.0.0:4421"), "nvmet_deaf"),
              "10.9.0.1:4420 [fd00::1]:4420");
}

TEST(NvmetPorts, NobodyListens) {
    Scene scene = target();
    scene.put(Kind::device, "d", "nvmet_listeners", "[fd00::1]:4420");
    EXPECT_EQ(of(scene, "nvmet_deaf"), "10.9.0.1:4420");
    EXPECT_EQ(of(scene, "nvmet_foreign"), "none") << "the address is there";
    scene.put(Kind::netdev, "n", "ip_addresses", "10.9.0.77");
    EXPECT_EQ(of(scene, "nvmet_foreign"), "10.9.0.1:4420");
    scene.put(Kind::netdev, "m", "ip_addresses", "10.9.0.1");
    EXPECT_EQ(of(scene, "nvmet_foreign"), "10.9.0.1:4420") << "an interface without RDMA";
    scene.put(Kind::netdev, "m", "roce_gids", 2);
    EXPECT_EQ(of(scene, "nvmet_foreign"), "none") << "a VLAN with GIDs";
}

TEST(NvmetPorts, WhatIsMissingIsSaid) {
    Scene scene = target();
    scene.gap(Kind::device, "d", "nvmet_listeners", GapClass::not_collected)
        .put(Kind::device, "d", "qp_holders", "none");
    EXPECT_EQ(of(scene, "nvmet_deaf"), "gap(not collected)");
    EXPECT_EQ(value(scene.derive({"nvmet_ports"}), Kind::device, "d", "nvmet_queues"), "0");
    EXPECT_EQ(of(scene.put(Kind::host, "", "nvmet_addresses", "none"), "nvmet_deaf"), "none");
    Scene unread = target();
    unread.put(Kind::device, "d", "nvmet_listeners", "none").gap(Kind::netdev, "n", "ip_addresses", GapClass::error);
    EXPECT_EQ(of(unread, "nvmet_foreign"), "gap(error)");
    unread.gap(Kind::host, "", "nvmet_addresses", GapClass::no_privilege)
        .gap(Kind::device, "d", "qp_holders", GapClass::timed_out);
    EXPECT_EQ(of(unread, "nvmet_deaf"), "gap(no privilege)");
    EXPECT_EQ(value(unread.derive({"nvmet_ports"}), Kind::device, "d", "nvmet_queues"), "gap(timed out)");
    Scene unlisted;
    unlisted.put(Kind::host, "", "nvmet_addresses", "10.9.0.1:4420").kind_gap(Kind::device, GapClass::no_privilege);
    EXPECT_EQ(of(unlisted, "nvmet_deaf"), "gap(no privilege)");
}

}  // namespace
}  // namespace rd::collectors::test
