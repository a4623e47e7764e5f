// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kProcess = "4242";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"numa"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::process, kProcess, fact); }

std::shared_ptr<FakeHost> allowed(std::string_view cpus) {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\trcpair\nPid:\t4242\nCpus_allowed_list:\t" + std::string(cpus) + "\n");
    return host;
}

TEST(Numa, Nodes) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(value(now, Kind::numa, "1", "name"), "node1");
    EXPECT_EQ(value(now, Kind::numa, "1", "cpus"), "2-3");
    EXPECT_EQ(value(now, Kind::numa, "1", "cpu_count"), "2");
    EXPECT_EQ(now.entities(Kind::numa).size(), 2u) << "\"online\" is no node";
    expect_complete(now, collector("numa"));
}

TEST(Numa, ANodeOfMemoryOnly) {
    const auto host = roce_host();
    host->file("/sys/devices/system/node/node2/cpulist", "\n");
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::numa, "2", "cpu_count"), "0");
    EXPECT_EQ(value(now, Kind::numa, "2", "cpus"), "gap(not offered)");
}

TEST(Numa, AProcess) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "name"), "rcpair (4242)");
    EXPECT_EQ(of(now, "pid"), "4242");
    EXPECT_EQ(of(now, "device"), "device:pci-0000:41:00.0");
    EXPECT_EQ(of(now, "devices"), "1");
    EXPECT_EQ(of(now, "cpus_allowed"), "0-1");
    EXPECT_EQ(of(now, "cpus_local"), "false");
    EXPECT_EQ(of(now, "nic_node"), "numa:1");
    EXPECT_EQ(now.entities(Kind::process).size(), 1u) << "the process that looks is not listed";
    expect_complete(now, collector("numa"));
}

TEST(Numa, AProcessBelowSoftRoce) { EXPECT_EQ(of(look(rxe_host()), "nic_node"), "numa:1"); }

TEST(Numa, OneCpuOnTheNodeIsEnough) {
    EXPECT_EQ(of(look(allowed("0-2")), "cpus_local"), "true");
    EXPECT_EQ(of(look(allowed("3")), "cpus_local"), "true");
    EXPECT_EQ(of(look(allowed("1")), "cpus_local"), "false");
    EXPECT_EQ(of(look(allowed("one")), "cpus_local"), "gap(error)");
}

TEST(Numa, SomeDeviceNearIsEnough) {
    const auto host = allowed("0-1");
    host->link("/sys/class/infiniband/mlx5_1/device", "/sys/devices/pci0000:10/0000:10:01.0/0000:11:00.0")
        .file("/sys/bus/pci/devices/0000:11:00.0/numa_node", "0\n")
        .file("rdma.ctx/mlx5_1", "ctxn=1 pid=4242\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "devices"), "2");
    EXPECT_EQ(of(now, "device"), "device:pci-0000:11:00.0");
    EXPECT_EQ(of(now, "cpus_local"), "true");
}

TEST(Numa, UnknownNode) {
    const auto host = allowed("0-1");
    host->file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "-1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "cpus_local"), "gap(not offered)");
    EXPECT_EQ(of(now, "nic_node"), "gap(not offered)");
    expect_complete(now, collector("numa"));
}

TEST(Numa, WithOneNodeAllIsNear) {
    const auto host = allowed("0-1");
    host->gone("/sys/devices/system/node/node1").file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "-1\n");
    EXPECT_EQ(of(look(host), "cpus_local"), "true");
    host->gone("/sys/devices/system/node").error("/sys/devices/system/node", absent("node"));
    EXPECT_EQ(of(look(host), "cpus_local"), "true") << "a kernel without NUMA";
    EXPECT_EQ(look(host).kind_gap(Kind::numa), nullptr);
}

TEST(Numa, NodesThatAreNotThereAreNoneOnlyBesideOtherParts) {
    const std::string nodes = "/sys/devices/system/node";
    const auto host = roce_host();
    host->gone(nodes).error(nodes, absent(nodes)).directory("/sys/devices/system", {"cpu"});
    EXPECT_EQ(look(host).kind_gap(Kind::numa), nullptr);
    EXPECT_EQ(of(look(host), "cpus_local"), "true");
    host->gone("/sys/devices/system");
    ASSERT_NE(look(host).kind_gap(Kind::numa), nullptr);
    EXPECT_EQ(look(host).kind_gap(Kind::numa)->kind, GapClass::not_collected);
    EXPECT_EQ(of(look(host), "cpus_local"), "gap(not collected)");
    host->error(nodes, {Errc::io, nodes + ": is not a directory", ""});
    EXPECT_EQ(look(host).kind_gap(Kind::numa)->kind, GapClass::error);
}

TEST(Numa, ProcessesComeAndGo) {
    const auto host = roce_host();
    host->next_moment(std::chrono::seconds(1))
        .file("rdma.ctx/mlx5_0", "ctxn=3 pid=99\n")
        .file("/proc/99/status", "Name:\tother\nCpus_allowed_list:\t0\n");
    Sweep one(host, std::vector{&collector("numa")}, {}, {});
    EXPECT_TRUE(one.run(Due::all).has({Kind::process, "4242"}));
    (void)host->advance({});
    const Snapshot later = one.run(Due::by_cadence);
    EXPECT_FALSE(later.has({Kind::process, "4242"}));
    EXPECT_EQ(value(later, Kind::process, "99", "name"), "other (99)");
}

TEST(Numa, AProcessThatEndedMeanwhileIsNoEntity) {
    const auto host = roce_host();
    host->error("/proc/4242/status", absent("/proc/4242/status"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::process).empty());
    EXPECT_EQ(now.kind_gap(Kind::process), nullptr);
}

TEST(Numa, ContextsThatCannotBeListedAreNotNone) {
    const auto host = roce_host();
    for (const std::string name : {"rdma.ctx/mlx5_0", "rdma.qp/mlx5_0"}) {
        host->error(name, {Errc::not_supported, name + ": the kernel does not offer this", {}});
    }
    const Snapshot now = look(host);
    ASSERT_NE(now.kind_gap(Kind::process), nullptr);
    EXPECT_EQ(now.kind_gap(Kind::process)->kind, GapClass::not_offered);
}

TEST(Numa, WithoutATableOfContextsTheQueuePairsTellTheProcesses) {
    const auto host = roce_host();
    host->error("rdma.ctx/mlx5_0", {Errc::not_supported, "rdma.ctx/mlx5_0: the kernel does not offer this", {}});
    const Snapshot now = look(host);
    EXPECT_EQ(now.kind_gap(Kind::process), nullptr);
    ASSERT_EQ(now.entities(Kind::process).size(), 1u) << "two queue pairs, one process";
    EXPECT_EQ(now.entities(Kind::process)[0].id, "4242");
}

TEST(Numa, SurvivesBadInput) {
    expect_bad_input_is_survived(
        roce_host, "numa",
        {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", "/sys/bus/pci/devices/0000:41:00.0/numa_node"}});
}

}  // namespace
}  // namespace rd::collectors::test
