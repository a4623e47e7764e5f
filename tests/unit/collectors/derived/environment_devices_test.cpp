// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

// Process 7 on mlx5_1, whose priority 3 has PFC and DSCP 26; mlx5_10 is there too.
Scene process() {
    Scene scene;
    for (const std::string name : {"mlx5_1", "mlx5_10"}) {
        scene.put(Kind::device, name, "name", Value(name))
            .refer(Kind::port, name + "/1", "device", name)
            .put(Kind::port, name + "/1", "number", 1)
            .put(Kind::port, name + "/1", "state", "ACTIVE")
            .put(Kind::port, name + "/1", "link_layer", "Ethernet")
            .put(Kind::port, name + "/1", "gid_indices_routable", "1,3")
            .gap(Kind::port, name + "/1", "traffic_class", GapClass::not_offered)
            .refer(Kind::port, name + "/1", "netdev", "n")
            .put(Kind::netdev, "n", "trust", "dscp");
    }
    for (const int number : {0, 3}) {
        const std::string id = "n/" + std::to_string(number);
        scene.refer(Kind::priority, id, "netdev", "n")
            .put(Kind::priority, id, "number", number)
            .put(Kind::priority, id, "pfc_enabled", Value(number == 3))
            .put(Kind::priority, id, "dscp_list", number == 3 ? "24,26" : "0,1");
    }
    scene.refer(Kind::process, "7", "device", "mlx5_1");
    for (const char* name : {"env_ucx_tls", "env_ucx_net_devices", "env_ucx_gid_index", "env_ucx_traffic_class",
                             "env_nccl_hca", "env_nccl_gid_index", "env_nccl_tc", "env_mc_gid_index", "env_mc_tc"}) {
        scene.gap(Kind::process, "7", name, GapClass::not_offered);
    }
    return scene.put(Kind::process, "7", "env_nccl", Value(true)).put(Kind::process, "7", "env_mooncake", Value(true));
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"environment_devices"}), Kind::process, "7", fact);
}
std::string of(std::string_view variable, const char* text, std::string_view fact) {
    return of(process().put(Kind::process, "7", variable, text), fact);
}
std::string of(std::string_view variable, int number, std::string_view fact) {
    return of(process().put(Kind::process, "7", variable, number), fact);
}

TEST(EnvironmentDevices, NothingIsSet) {
    const Scene scene = process();
    EXPECT_EQ(of(scene, "ucx_without_rdma"), "gap(not offered)");
    EXPECT_EQ(of(scene, "ucx_devices_missing"), "gap(not offered)");
    EXPECT_EQ(of(scene, "nccl_hca_unmatched"), "gap(not offered)");
    EXPECT_EQ(of(scene, "ucx_gid_unusable"), "gap(not offered)");
    EXPECT_EQ(of(scene, "protected_dscps"), "24,26");
    EXPECT_EQ(of(scene, "ucx_class_unprotected"), "false") << "106 is DSCP 26";
    EXPECT_EQ(of(scene, "nccl_class_unprotected"), "true") << "0 is not";
    EXPECT_EQ(of(scene, "mooncake_class_unprotected"), "true");
}

TEST(EnvironmentDevices, TransportsOfUcx) {
    for (const char* list : {"rc_x,sm", "all", "^tcp", "ud_v", "ib,self"}) {
        EXPECT_EQ(of("env_ucx_tls", list, "ucx_without_rdma"), "false") << list;
    }
    for (const char* list : {"tcp,sm", "^ib", "self"})
        EXPECT_EQ(of("env_ucx_tls", list, "ucx_without_rdma"), "true") << list;
    EXPECT_EQ(of("env_ucx_net_devices", "eth0", "ucx_without_rdma"), "true");
    EXPECT_EQ(of("env_ucx_net_devices", "eth0,mlx5_1:1", "ucx_without_rdma"), "false");
    EXPECT_EQ(of("env_ucx_net_devices", "all", "ucx_without_rdma"), "false");
}

TEST(EnvironmentDevices, DevicesOfUcx) {
    EXPECT_EQ(of("env_ucx_net_devices", "mlx5_1:1", "ucx_devices_missing"), "none");
    EXPECT_EQ(of("env_ucx_net_devices", "mlx5_1:1,mlx5_3:1,mlx5_1:2,eth0", "ucx_devices_missing"), "mlx5_3:1 mlx5_1:2");
    EXPECT_EQ(of("env_ucx_net_devices", "^mlx5_3:1", "ucx_devices_missing"), "none");
    Scene down = process();
    down.put(Kind::port, "mlx5_1/1", "state", "DOWN").put(Kind::process, "7", "env_ucx_net_devices", "mlx5_1:1");
    EXPECT_EQ(of(down, "ucx_devices_missing"), "mlx5_1:1");
    EXPECT_EQ(of(down.gap(Kind::port, "mlx5_1/1", "state", GapClass::error), "ucx_devices_missing"), "gap(error)");
}

TEST(EnvironmentDevices, FiltersOfNccl) {
    EXPECT_EQ(of("env_nccl_hca", "mlx5_2", "nccl_hca_unmatched"), "true");
    EXPECT_EQ(of("env_nccl_hca", "^mlx5_2", "nccl_hca_unmatched"), "false");
    EXPECT_EQ(of("env_nccl_hca", "=mlx5", "nccl_hca_unmatched"), "true");
    EXPECT_EQ(of("env_nccl_hca", "mlx5", "nccl_hca_unmatched"), "false");
    EXPECT_EQ(of("env_nccl_hca", "mlx5", "nccl_hca_surplus"), "none") << "all are wanted";
    EXPECT_EQ(of("env_nccl_hca", "mlx5_1:1", "nccl_hca_surplus"), "mlx5_10");
    EXPECT_EQ(of("env_nccl_hca", "=mlx5_1", "nccl_hca_surplus"), "none");
}

TEST(EnvironmentDevices, NamesAreNotLookedForWhereTheDeviceHasNone) {
    Scene scene = process();
    scene.put(Kind::device, "name-unnamed", "name", "unnamed")
        .put(Kind::process, "7", "env_nccl_hca", "mlx5_2")
        .put(Kind::process, "7", "env_ucx_net_devices", "mlx5_2:1");
    EXPECT_EQ(of(scene, "nccl_hca_unmatched"), "gap(not collected)");
    EXPECT_EQ(of(scene, "nccl_hca_surplus"), "gap(not collected)");
    EXPECT_EQ(of(scene, "ucx_devices_missing"), "gap(not collected)");
}

TEST(EnvironmentDevices, Gids) {
    EXPECT_EQ(of("env_ucx_gid_index", 3, "ucx_gid_unusable"), "false");
    EXPECT_EQ(of("env_ucx_gid_index", 0, "ucx_gid_unusable"), "true");
    EXPECT_EQ(of("env_nccl_gid_index", 2, "nccl_gid_unusable"), "true");
    EXPECT_EQ(of("env_nccl_gid_index", 2, "mooncake_gid_unusable"), "true") << "inherited";
    Scene own = process();
    own.put(Kind::process, "7", "env_nccl_gid_index", 2).put(Kind::process, "7", "env_mc_gid_index", 3);
    EXPECT_EQ(of(own, "mooncake_gid_unusable"), "gap(not offered)");
    Scene ib = process();
    ib.put(Kind::process, "7", "env_nccl_gid_index", 2).put(Kind::port, "mlx5_1/1", "link_layer", "InfiniBand");
    EXPECT_EQ(of(ib, "nccl_gid_unusable"), "gap(not offered)");
    Scene unread = process();
    unread.put(Kind::process, "7", "env_nccl_gid_index", 2)
        .gap(Kind::port, "mlx5_1/1", "gid_indices_routable", GapClass::error);
    EXPECT_EQ(of(unread, "nccl_gid_unusable"), "gap(error)");
    EXPECT_EQ(of(process().gap(Kind::process, "7", "env_mooncake", GapClass::no_privilege), "mooncake_gid_unusable"),
              "gap(no privilege)");
}

TEST(EnvironmentDevices, Classes) {
    EXPECT_EQ(of("env_nccl_tc", 106, "nccl_class_unprotected"), "false");
    EXPECT_EQ(of("env_ucx_traffic_class", 0, "ucx_class_unprotected"), "true");
    EXPECT_EQ(of("env_mc_tc", 96, "mooncake_class_unprotected"), "false");
    EXPECT_EQ(of(process().gap(Kind::process, "7", "env_nccl_tc", GapClass::no_privilege), "nccl_class_unprotected"),
              "gap(no privilege)");
    for (const auto& change : std::initializer_list<std::function<void(Scene&)>>{
             [](Scene& scene) { scene.put(Kind::netdev, "n", "trust", "pcp"); },
             [](Scene& scene) { scene.put(Kind::port, "mlx5_1/1", "traffic_class", 106); },
             [](Scene& scene) { scene.put(Kind::priority, "n/3", "pfc_enabled", Value(false)); },
             [](Scene& scene) {
                 scene.put(Kind::priority, "n/3", "dscp_list", "none").put(Kind::priority, "n/0", "dscp_list", "none");
             }}) {
        Scene scene = process();
        change(scene);
        EXPECT_EQ(of(scene, "nccl_class_unprotected"), "gap(not offered)");
    }
    EXPECT_EQ(of(process().gap(Kind::priority, "n/3", "pfc_enabled", GapClass::error), "protected_dscps"),
              "gap(error)");
}

}  // namespace
}  // namespace rd::collectors::test
