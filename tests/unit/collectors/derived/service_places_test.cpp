// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

const std::string kPort = "d/1", kNetdev = "e0";

// mlx5_0, an active RoCE port on ens1f0, with PFC on priority 3 for DSCP 26.
Scene roce() {
    Scene scene;
    scene.put(Kind::device, "d", "name", "mlx5_0")
        .put(Kind::port, kPort, "number", 1)
        .put(Kind::port, kPort, "state", "ACTIVE")
        .put(Kind::port, kPort, "link_layer", "Ethernet")
        .refer(Kind::port, kPort, "device", "d")
        .refer(Kind::port, kPort, "netdev", kNetdev)
        .put(Kind::netdev, kNetdev, "name", "ens1f0")
        .put(Kind::netdev, kNetdev, "trust", "dscp")
        .put(Kind::netdev, kNetdev, "pfc_mask", 1 << 3)
        .put(Kind::priority, kNetdev + "/3", "dscp_list", "24,26")
        .put(Kind::priority, kNetdev + "/0", "dscp_list", "0,6");
    return scene;
}

Scene& service(Scene& scene, const char* system) { return scene.put(Kind::service, "s", "system", system); }

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"service_places"}), Kind::service, "s", fact);
}

TEST(ServicePlaces, CephNamesADevice) {
    Scene scene = roce();
    service(scene, "ceph").put(Kind::service, "s", "declared_ms_async_rdma_device_name", "mlx5_0");
    EXPECT_EQ(of(scene, "declared_names_unknown"), "0");
    EXPECT_EQ(of(scene, "port"), "port:d/1");
    scene.put(Kind::service, "s", "declared_ms_async_rdma_port_num", 2);
    EXPECT_EQ(of(scene, "port"), "gap(not offered)");
    scene.put(Kind::service, "s", "declared_ms_async_rdma_device_name", "ens1f0");
    EXPECT_EQ(of(scene, "declared_names_unknown"), "1") << "an interface is no device";
    EXPECT_EQ(of(scene, "port"), "gap(not offered)");
}

TEST(ServicePlaces, TheFilterOf3fsTakesInterfacesToo) {
    Scene scene = roce();
    service(scene, "3fs").put(Kind::service, "s", "declared_device_filter", "mlx5_0 ens1f0 mlx5_9");
    EXPECT_EQ(of(scene, "declared_names_unknown"), "1");
    EXPECT_EQ(of(scene, "devices_to_open"), "1");
    EXPECT_EQ(of(scene, "declared_devices_inactive"), "0");
    scene.put(Kind::port, kPort, "state", "DOWN");
    EXPECT_EQ(of(scene, "declared_devices_inactive"), "1");
    scene.gap(Kind::service, "s", "declared_device_filter", GapClass::not_offered);
    EXPECT_EQ(of(scene, "devices_to_open"), "1") << "without a filter all";
    scene.gap(Kind::service, "s", "declared_device_filter", GapClass::no_privilege);
    EXPECT_EQ(of(scene, "devices_to_open"), "gap(no privilege)");
    scene.kind_gap(Kind::device, GapClass::error);
    EXPECT_EQ(of(scene, "devices_to_open"), "gap(error)");
}

TEST(ServicePlaces, AnInterfaceAndItsPorts) {
    Scene scene = roce();
    service(scene, "daos")
        .put(Kind::service, "s", "declared_fabric_iface", "ens1f0")
        .put(Kind::service, "s", "declared_pinned_numa_node", 1);
    EXPECT_EQ(of(scene, "netdev"), "netdev:e0");
    EXPECT_EQ(of(scene, "iface_ports"), "1");
    EXPECT_EQ(of(scene, "iface_link_layer"), "Ethernet");
    EXPECT_EQ(of(scene, "pinned_numa"), "numa:1");
    scene.put(Kind::netdev, "e9", "name", "eno1").put(Kind::service, "s", "declared_fabric_iface", "eno1");
    EXPECT_EQ(of(scene, "iface_ports"), "0");
    EXPECT_EQ(of(scene, "iface_link_layer"), "gap(not offered)");
    scene.put(Kind::service, "s", "declared_fabric_iface", "gone0");
    EXPECT_EQ(of(scene, "iface_ports"), "0");
    EXPECT_EQ(of(scene, "netdev"), "gap(not offered)");
    scene.kind_gap(Kind::netdev, GapClass::not_collected);
    EXPECT_EQ(of(scene, "iface_ports"), "gap(not collected)");
}

Scene marked(const char* system, std::string_view fact, int traffic_class) {
    Scene scene = roce();
    service(scene, system).put(Kind::service, "s", fact, traffic_class).refer(Kind::service, "s", "device", "d");
    return scene;
}

TEST(ServicePlaces, WhereItsDscpGoes) {
    EXPECT_EQ(of(marked("ceph", "declared_ms_async_rdma_dscp", 104), "lossless_missed"), "false");
    EXPECT_EQ(of(marked("ceph", "declared_ms_async_rdma_dscp", 26), "dscp"), "6");
    EXPECT_EQ(of(marked("ceph", "declared_ms_async_rdma_dscp", 26), "lossless_missed"), "true");
    EXPECT_EQ(of(marked("3fs", "declared_default_traffic_class", 0), "lossless_missed"), "true");
    EXPECT_EQ(of(marked("spdk", "declared_transport_tos", 106), "lossless_missed"), "false");
    EXPECT_EQ(of(marked("spdk", "declared_transport_tos", 40), "lossless_missed"), "gap(not offered)")
        << "DSCP 10 is not listed";
    EXPECT_EQ(of(marked("daos", "declared_targets", 1), "dscp"), "gap(not offered)");
}

TEST(ServicePlaces, ASocketOf3fsCountsMoreThanTheDefault) {
    Scene scene = marked("3fs", "declared_default_traffic_class", 0);
    scene.put(Kind::service, "s", "declared_ibsocket_traffic_class", 106);
    EXPECT_EQ(of(scene, "dscp"), "26");
}

TEST(ServicePlaces, CephMarksByDefault) {
    Scene scene = roce();
    service(scene, "ceph")
        .gap(Kind::service, "s", "declared_ms_async_rdma_dscp", GapClass::not_offered)
        .refer(Kind::service, "s", "device", "d");
    EXPECT_EQ(of(scene, "dscp"), "gap(not offered)") << "it may not be about RDMA at all";
    scene.put(Kind::service, "s", "ceph_rdma_declared", Value(true));
    EXPECT_EQ(of(scene, "dscp"), "24");
    scene.gap(Kind::service, "s", "declared_ms_async_rdma_dscp", GapClass::no_privilege);
    EXPECT_EQ(of(scene, "dscp"), "gap(no privilege)");
}

TEST(ServicePlaces, WhereNothingIsMissed) {
    Scene scene = marked("3fs", "declared_default_traffic_class", 0);
    scene.put(Kind::netdev, kNetdev, "pfc_mask", 0);
    EXPECT_EQ(of(scene, "lossless_missed"), "false") << "nothing is lossless";
    scene.gap(Kind::netdev, kNetdev, "pfc_mask", GapClass::no_privilege);
    EXPECT_EQ(of(scene, "lossless_missed"), "gap(no privilege)");
    scene.put(Kind::netdev, kNetdev, "trust", "pcp");
    EXPECT_EQ(of(scene, "lossless_missed"), "gap(not offered)");
    scene.put(Kind::port, kPort, "link_layer", "InfiniBand");
    EXPECT_EQ(of(scene, "lossless_missed"), "false");
}

TEST(ServicePlaces, WithoutServicesNothingIsDerived) {
    EXPECT_TRUE(roce().derive({"service_places"}).entities(Kind::service).empty());
}

}  // namespace
}  // namespace rd::collectors::test
