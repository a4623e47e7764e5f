// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kPath = "/sys/class/infiniband/mlx5_0/ports/1";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_port"}); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

TEST(RdmaPort, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of_port(now, "name"), "mlx5_0/1");
    EXPECT_EQ(of_port(now, "device"), "device:pci-0000:41:00.0");
    EXPECT_EQ(of_port(now, "number"), "1");
    EXPECT_EQ(of_port(now, "state"), "ACTIVE");
    EXPECT_EQ(of_port(now, "phys_state"), "LinkUp");
    EXPECT_EQ(of_port(now, "rate"), "400");
    EXPECT_EQ(of_port(now, "link_layer"), "Ethernet");
    EXPECT_EQ(of_port(now, "lid"), "0");
    EXPECT_EQ(of_port(now, "active_mtu"), "4096");
    EXPECT_EQ(of_port(now, "max_mtu"), "4096");
    EXPECT_EQ(of_port(now, "netdev"), "netdev:pci-0000:41:00.0/0");
    EXPECT_EQ(of_port(now, "default_tos"), "104");
    EXPECT_EQ(of_port(now, "traffic_class"), "106");
    EXPECT_EQ(of_port(now, "qps_error"), "1");
    EXPECT_EQ(of_port(now, "qps_error_lqpn"), "17");
    EXPECT_EQ(of_port(now, "qps_error_pid"), "4242");
    expect_complete(now, collector("rdma_port"));
}

TEST(RdmaPort, RateIsOnlyTrueWhileActive) {
    const auto host = roce_host();
    host->file(kPath + "/state", "1: DOWN\n").file(kPath + "/rate", "40 Gb/sec (4X QDR)\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "state"), "DOWN");
    EXPECT_EQ(of_port(now, "rate"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "rate"), ::testing::HasSubstr("DOWN"));
}

TEST(RdmaPort, RateWithoutStateIsNotBelieved) {
    const auto host = roce_host();
    host->error(kPath + "/state", denied(kPath + "/state"));
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "state"), "gap(no privilege)");
    EXPECT_EQ(of_port(now, "rate"), "gap(not collected)");
}

TEST(RdmaPort, RateOfOneLane) {
    const auto host = roce_host();
    host->file(kPath + "/rate", "2.5 Gb/sec (1X SDR)\n");
    EXPECT_EQ(of_port(look(host), "rate"), "2.5");
}

TEST(RdmaPort, LidIsHexadecimal) {
    const auto host = roce_host();
    host->file(kPath + "/lid", "0x3a4\n");
    EXPECT_EQ(of_port(look(host), "lid"), "932");
}

TEST(RdmaPort, TrafficClass) {
    const auto forced = [](std::string_view text) {
        const auto host = roce_host();
        host->file("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", text);
        return of_port(look(host), "traffic_class");
    };
    EXPECT_EQ(forced("Global tclass=160\n"), "160");
    EXPECT_EQ(forced("Global tclass=-1\n"), "gap(not offered)");
    EXPECT_EQ(forced("\n"), "gap(not offered)");
    EXPECT_EQ(forced("Global tclass=256\n"), "gap(error)");
    EXPECT_EQ(forced("nonsense\n"), "gap(error)");
}

TEST(RdmaPort, OnlyTheVendorsDriversForceATrafficClass) {
    const auto host = roce_host();
    host->gone("/sys/class/infiniband/mlx5_0/tc");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "traffic_class"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "traffic_class"), ::testing::HasSubstr("vendor"));
}

TEST(RdmaPort, TosMustBeAByte) {
    const auto host = roce_host();
    host->file("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "256\n");
    EXPECT_EQ(of_port(look(host), "default_tos"), "gap(error)");
}

TEST(RdmaPort, NoQueuePairInError) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=19 type=RC state=RTS pid=4242\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "0");
    EXPECT_EQ(of_port(now, "qps_error_lqpn"), "gap(not offered)");
}

TEST(RdmaPort, QueuePairsOfOtherPortsDoNotCount) {
    const auto host = roce_host();
    host->file("/sys/class/infiniband/mlx5_0/ports/2/state", "4: ACTIVE\n")
        .file("rdma.qp/mlx5_0", "port=2 lqpn=5 state=ERR kern=nvme\nlqpn=6 state=ERR\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "0") << "a queue pair without a port belongs to no particular one of two";
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "qps_error"), "1");
    EXPECT_EQ(value(now, Kind::port, "pci-0000:41:00.0/2", "qps_error_pid"), "gap(not offered)");
}

TEST(RdmaPort, UnboundQueuePairBelongsToTheOnlyPort) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "lqpn=6 state=ERR\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "1");
}

TEST(RdmaPort, ManyQueuePairsAreNotDumped) {
    const auto host = roce_host();
    host->file("rdma.resources/mlx5_0", "qp=4096\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "1");
    host->file("rdma.resources/mlx5_0", "qp=4097\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of_port(now, "qps_error"), "gap(not collected)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "qps_error"), ::testing::HasSubstr("4097 queue pairs"));
}

TEST(RdmaPort, ACutTableIsNoCount) {
    const auto host = roce_host();
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=17 state=ERR\ntruncated=1 seen=4096\n");
    EXPECT_EQ(of_port(look(host), "qps_error"), "gap(not collected)");
    host->file("rdma.qp/mlx5_0", "port=1 lqpn=17 state=RTS\ntruncated=1 seen=1 error=the%20table%20ended%20early\n");
    EXPECT_THAT(reason(look(host), Kind::port, kPort, "qps_error"), ::testing::HasSubstr("ended early"));
}

TEST(RdmaPort, FilesAloneLeaveGaps) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of_port(now, "state"), "ACTIVE");
    EXPECT_EQ(of_port(now, "active_mtu"), "gap(not collected)");
    EXPECT_EQ(of_port(now, "qps_error"), "gap(not collected)");
    expect_complete(now, collector("rdma_port"));
}

TEST(RdmaPort, PortsThatCannotBeListedAreNotNone) {
    const auto host = roce_host();
    host->gone("/sys/class/infiniband/mlx5_0/ports").error("/sys/class/infiniband/mlx5_0/ports", denied("ports"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::port).empty());
    ASSERT_NE(now.kind_gap(Kind::port), nullptr);
}

TEST(RdmaPort, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "rdma_port",
                                 {{"rdma.port/mlx5_0/1", "/sys/class/net/ens1f0/dev_port", "rdma.resources/mlx5_0",
                                   kPath + "/state", "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0"}});
}

}  // namespace
}  // namespace rd::collectors::test
