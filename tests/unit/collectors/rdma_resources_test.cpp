// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
constexpr std::string_view kPort = "pci-0000:41:00.0/1";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_resources"}); }
std::string of_device(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kCard, fact); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

TEST(RdmaResources, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of_device(now, "qps"), "3");
    EXPECT_EQ(of_device(now, "cqs"), "9");
    EXPECT_EQ(of_device(now, "mrs"), "12");
    EXPECT_EQ(of_device(now, "contexts"), "2");
    EXPECT_EQ(of_device(now, "cm_ids"), "1");
    EXPECT_EQ(of_device(now, "srqs"), "0");
    EXPECT_EQ(of_device(now, "qp_holders"), "4242=2 ib_core=1");
    EXPECT_EQ(of_device(now, "cq_holders"), "4242=1 ib_core=1");
    EXPECT_EQ(of_device(now, "mr_holders"), "4242=2 nvme_rdma=1");
    EXPECT_EQ(of_device(now, "mr_bytes"), "1052672") << "of processes only";
    EXPECT_EQ(of_device(now, "cm_id_holders"), "4242=2");
    EXPECT_EQ(of_device(now, "cm_ids_listening"), "1");
    EXPECT_EQ(of_device(now, "cm_ids_connected"), "1");
    EXPECT_EQ(of_port(now, "qps_error"), "1");
    EXPECT_EQ(of_port(now, "qps_error_lqpn"), "17");
    EXPECT_EQ(of_port(now, "qps_error_pid"), "4242");
    EXPECT_EQ(of_port(now, "qps_error_kern"), "gap(not offered)");
    EXPECT_EQ(of_port(now, "qps_rts"), "2");
    EXPECT_EQ(of_port(now, "qps_init"), "0");
    EXPECT_EQ(of_port(now, "qps_rc"), "2");
    EXPECT_EQ(of_port(now, "qps_kernel"), "1");
    EXPECT_EQ(of_port(now, "qps_user"), "2");
    expect_complete(now, collector("rdma_resources"));
}

TEST(RdmaResources, ConnectionsOfNvme) {
    const auto host = roce_host();
    host->file("rdma.cm_id/mlx5_0",
               "kern=nvmet_rdma state=LISTEN src=10.9.0.1:4420\nkern=nvmet_rdma state=CONNECT src=10.9.0.1:4420 "
               "dst=10.9.0.7:999\nkern=nvme_rdma state=CONNECT src=10.9.0.1:888 dst=10.9.0.9:4420\nkern=nvme_rdma "
               "state=CONNECT src=10.9.0.1:889 dst=10.9.0.9:4420\nkern=rpcrdma state=LISTEN src=0.0.0.0:20049\n");
    EXPECT_EQ(of_device(look(host), "nvme_targets"), "10.9.0.9:4420");
    EXPECT_EQ(of_device(look(host), "nvmet_listeners"), "10.9.0.1:4420");
    EXPECT_EQ(of_device(look(roce_host()), "nvmet_listeners"), "none") << "a process listens";
}

TEST(RdmaResources, OfSoftRoce) {
    const Snapshot now = look(rxe_host());
    EXPECT_EQ(value(now, Kind::port, "guid-0200:00ff:fe00:0001/1", "qps_kernel"), "1");
    EXPECT_EQ(value(now, Kind::device, "guid-0200:00ff:fe00:0001", "mr_holders"), "gap(not collected)");
    expect_complete(now, collector("rdma_resources"));
}

TEST(RdmaResources, NoQueuePairInError) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=19 type=RC state=RTS pid=4242\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "0");
    EXPECT_EQ(of_port(now, "qps_error_lqpn"), "gap(not offered)");
}

TEST(RdmaResources, NobodyHoldsAnything) {
    const auto host = roce_host();
    host->file("rdma.mr/mlx5_0", "").file("rdma.qp/mlx5_0", "");
    const Snapshot now = look(host);
    EXPECT_EQ(of_device(now, "mr_holders"), "none");
    EXPECT_EQ(of_device(now, "mr_bytes"), "0");
    EXPECT_EQ(of_port(now, "qps_rts"), "0");
}

TEST(RdmaResources, QueuePairsOfOtherPortsDoNotCount) {
    const auto host = roce_host();
    host->file("/sys/class/infiniband/mlx5_0/ports/2/state", "4: ACTIVE\n")
        .file("rdma.qp/mlx5_0", "port=2 lqpn=5 state=ERR kern=nvme\nlqpn=6 state=ERR\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "0") << "a queue pair without a port belongs to no particular one of two";
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "qps_error"), "1");
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "qps_error_pid"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "qps_error_kern"), "nvme");
    EXPECT_EQ(of_device(now, "qp_holders"), "?=1 nvme=1");
}

TEST(RdmaResources, UnboundQueuePairBelongsToTheOnlyPort) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "lqpn=6 state=ERR\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "1");
}

TEST(RdmaResources, LargeTablesAreNotDumped) {
    const auto host = roce_host();
    host->file("rdma.resources/mlx5_0", "qp=4096 mr=4097\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "1");
    EXPECT_EQ(of_device(look(host), "mr_bytes"), "gap(not collected)");
    host->file("rdma.resources/mlx5_0", "qp=4097 mr=1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "gap(not collected)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "qps_error"), ::testing::HasSubstr("4097 entries"));
    EXPECT_EQ(of_device(now, "mr_holders"), "4242=2 nvme_rdma=1");
    expect_complete(now, collector("rdma_resources"));
}

TEST(RdmaResources, ACutTableIsNoCount) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=17 state=ERR\ntruncated=1 seen=4096\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "gap(not collected)");
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=17 state=RTS\ntruncated=1 seen=1 error=the%20table%20ended%20early\n");
    EXPECT_THAT(reason(look(host), Kind::port, kPort, "qps_error"), ::testing::HasSubstr("ended early"));
}

TEST(RdmaResources, LengthsMustBeNumbersAndFit) {
    const auto host = roce_host();
    host->file("rdma.mr/mlx5_0", "length=many pid=4242\n");
    EXPECT_EQ(of_device(look(host), "mr_bytes"), "gap(error)");
    EXPECT_EQ(of_device(look(host), "mr_holders"), "4242=1");
    host->file("rdma.mr/mlx5_0", "length=9223372036854775807 pid=1\nlength=1 pid=1\n");
    EXPECT_EQ(of_device(look(host), "mr_bytes"), "gap(error)");
}

TEST(RdmaResources, ManyHoldersAreCut) {
    std::string table;
    for (int pid = 1; pid <= 257; ++pid) table += fmt::format("mrn={} length=1 pid={}\n", pid, pid);
    const auto host = roce_host();
    host->file("rdma.mr/mlx5_0", table);
    EXPECT_THAT(of_device(look(host), "mr_holders"), ::testing::EndsWith(" more"));
}

TEST(RdmaResources, FilesAloneLeaveGaps) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of_port(now, "qps_error"), "gap(not collected)");
    EXPECT_EQ(of_device(now, "qps"), "gap(not collected)");
    expect_complete(now, collector("rdma_resources"));
}

TEST(RdmaResources, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "rdma_resources", {{"rdma.resources/mlx5_0"}});
}

}  // namespace
}  // namespace rd::collectors::test
