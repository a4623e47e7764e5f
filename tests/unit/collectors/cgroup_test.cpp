// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kSlice = "/sys/fs/cgroup/system.slice";
const std::string kService = kSlice + "/rcpair.service";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"cgroup"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::process, "4242", fact); }

TEST(Cgroup, TheTightestLimitOnTheWayUpCounts) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "cgroup"), "/system.slice/rcpair.service");
    EXPECT_EQ(of(now, "rdma_limited"), "true");
    EXPECT_EQ(of(now, "rdma_handles_max"), "8") << "of the slice";
    EXPECT_EQ(of(now, "rdma_handles_used"), "1");
    EXPECT_EQ(of(now, "rdma_objects_max"), "2000") << "of the service";
    EXPECT_EQ(of(now, "rdma_objects_used"), "25");
    expect_complete(now, collector("cgroup"));
}

TEST(Cgroup, NoLimitOrNoController) {
    const auto host = roce_host();
    host->file(kService + "/rdma.max", "mlx5_0 hca_handle=max hca_object=max\n").file(kSlice + "/rdma.max", "");
    EXPECT_EQ(of(look(host), "rdma_limited"), "false");
    EXPECT_EQ(of(look(host), "rdma_objects_max"), "gap(not offered)");
    host->error(kService + "/rdma.max", absent("rdma.max")).error(kSlice + "/rdma.max", absent("rdma.max"));
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "rdma_limited"), "false");
    expect_complete(now, collector("cgroup"));
}

TEST(Cgroup, LimitsOfOtherDevicesDoNotCount) {
    const auto host = roce_host();
    host->file(kService + "/rdma.max", "mlx5_7 hca_handle=1 hca_object=1\n").file(kSlice + "/rdma.max", "");
    EXPECT_EQ(of(look(host), "rdma_limited"), "false");
}

TEST(Cgroup, NothingInUseIsNotListed) {
    const auto host = roce_host();
    host->file(kService + "/rdma.current", "");
    EXPECT_EQ(of(look(host), "rdma_objects_used"), "0");
}

TEST(Cgroup, TheFirstVersionHasAHierarchyOfItsOwn) {
    const auto host = roce_host();
    host->file("/proc/4242/cgroup", "11:memory:/a\n5:rdma:/jobs\n0::/unified\n")
        .file("/sys/fs/cgroup/rdma/jobs/rdma.max", "mlx5_0 hca_handle=2 hca_object=max\n")
        .file("/sys/fs/cgroup/rdma/jobs/rdma.current", "mlx5_0 hca_handle=2 hca_object=9\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "cgroup"), "/jobs");
    EXPECT_EQ(of(now, "rdma_handles_max"), "2");
    EXPECT_EQ(of(now, "rdma_handles_used"), "2");
}

TEST(Cgroup, WhatLiesOutsideIsNotLookedAt) {
    const auto with = [](std::string_view text) {
        const auto host = roce_host();
        host->file("/proc/4242/cgroup", text);
        return of(look(host), "rdma_limited");
    };
    EXPECT_EQ(with("0::/../../secrets\n"), "gap(not collected)");
    EXPECT_EQ(with("0::relative\n"), "gap(error)");
    EXPECT_EQ(with("nonsense\n"), "gap(error)");
    EXPECT_EQ(with("4:memory:/x\n"), "gap(not offered)");
    EXPECT_EQ(with("0::/\n"), "false");
}

TEST(Cgroup, TextThatIsNoLimit) {
    const auto host = roce_host();
    host->file(kService + "/rdma.max", "mlx5_0 hca_handle=many hca_object=1\n");
    EXPECT_EQ(of(look(host), "rdma_handles_max"), "gap(error)");
    host->file(kService + "/rdma.max", "mlx5_0\n");
    EXPECT_EQ(of(look(host), "rdma_handles_max"), "gap(error)");
}

TEST(Cgroup, SurvivesBadInput) {
    expect_bad_input_is_survived(
        roce_host, "cgroup",
        {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", kSlice + "/rdma.max", kService + "/rdma.max"}});
}

}  // namespace
}  // namespace rd::collectors::test
