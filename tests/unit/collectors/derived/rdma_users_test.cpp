// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

Scene users() {
    Scene scene;
    return scene.put(Kind::host, "", "ko2iblnd_tos", 106)
        .put(Kind::host, "", "beegfs_tos", 104)
        .put(Kind::host, "", "beegfs_rdma_connections", 4)
        .put(Kind::process, "7", "qps", 1)
        .put(Kind::process, "7", "pinned", 100)
        .put(Kind::process, "7", "env_nccl", Value(true))
        .gap(Kind::process, "7", "env_nccl_tc", GapClass::not_offered)
        .put(Kind::process, "8", "qps", 2)
        .put(Kind::process, "8", "pinned", 20)
        .put(Kind::process, "8", "env_ucx_traffic_class", 106);
}

std::string of(const Scene& scene, std::string_view fact) {
    return value(scene.derive({"rdma_users"}), Kind::host, "", fact);
}

TEST(RdmaUsers, Together) {
    EXPECT_EQ(of(users(), "traffic_classes"), "beegfs=104 lustre=106 nccl=0 ucx=106");
    EXPECT_EQ(of(users(), "dscps_in_use"), "2") << "104 and 106 are both DSCP 26";
    EXPECT_EQ(of(users(), "pinned_by_processes"), "120");
}

TEST(RdmaUsers, OnlyWhoReallyUsesIt) {
    Scene scene = users();
    scene.put(Kind::host, "", "ko2iblnd_tos", -1)
        .put(Kind::host, "", "beegfs_rdma_connections", 0)
        .put(Kind::process, "7", "qps", 0)
        .put(Kind::service, "ceph-osd.1", "declared_ms_async_rdma_dscp", 96)
        .put(Kind::service, "ceph-osd.1", "uses_rdma", Value(false));
    EXPECT_EQ(of(scene, "traffic_classes"), "ucx=106");
    EXPECT_EQ(of(scene.put(Kind::service, "ceph-osd.1", "uses_rdma", Value(true)), "traffic_classes"),
              "ceph=96 ucx=106");
    EXPECT_EQ(of(scene, "dscps_in_use"), "2");
}

TEST(RdmaUsers, WhatIsNotKnownIsLeftOut) {
    Scene scene = users();
    scene.gap(Kind::process, "7", "env_nccl_tc", GapClass::no_privilege)
        .gap(Kind::process, "7", "pinned", GapClass::error);
    EXPECT_EQ(of(scene, "traffic_classes"), "beegfs=104 lustre=106 ucx=106");
    EXPECT_EQ(of(scene, "pinned_by_processes"), "gap(error)");
    EXPECT_EQ(of(scene.kind_gap(Kind::process, GapClass::no_privilege), "pinned_by_processes"), "gap(no privilege)");
    EXPECT_EQ(of(Scene(), "traffic_classes"), "none");
}

}  // namespace
}  // namespace rd::collectors::test
