// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/scene.h"

namespace rd::collectors::test {
namespace {

std::string example(const Scene& scene) {
    return value(scene.derive({"qp_error"}), Kind::port, "p", "qps_error_example");
}

TEST(QpError, NamesWhoMadeIt) {
    Scene scene;
    scene.put(Kind::port, "p", "qps_error_lqpn", 17).put(Kind::port, "p", "qps_error_pid", 4242);
    EXPECT_EQ(example(scene), "lqpn 17 pid 4242");
    scene.put(Kind::process, "4242", "name", "rcpair (4242)");
    EXPECT_EQ(example(scene), "lqpn 17 rcpair (4242)");
    scene.gap(Kind::port, "p", "qps_error_pid", GapClass::not_offered);
    EXPECT_EQ(example(scene), "lqpn 17");
    scene.put(Kind::port, "p", "qps_error_kern", "nvme_rdma");
    EXPECT_EQ(example(scene), "lqpn 17 nvme_rdma");
}

TEST(QpError, WithoutAnyThereIsNoExample) {
    Scene scene;
    EXPECT_EQ(example(scene.gap(Kind::port, "p", "qps_error_lqpn", GapClass::not_offered)), "gap(not offered)");
}

}  // namespace
}  // namespace rd::collectors::test
