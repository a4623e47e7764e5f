// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
const std::string kBacklog = "/proc/sys/net/core/netdev_max_backlog";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_system"}); }
std::string host_fact(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(RdmaSystem, OfAHost) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(host_fact(now, "rdma_netns"), "shared");
    EXPECT_EQ(host_fact(now, "initial_netns"), "true");
    EXPECT_EQ(value(now, Kind::device, kCard, "uverbs_node"), "true");
    expect_complete(now, collector("rdma_system"));
}

TEST(RdmaSystem, InAContainer) {
    const auto host = roce_host();
    host->gone("/dev/infiniband").error("/dev/infiniband", absent("/dev/infiniband")).error(kBacklog, absent(kBacklog));
    const Snapshot now = look(host);
    EXPECT_EQ(host_fact(now, "initial_netns"), "false");
    EXPECT_EQ(value(now, Kind::device, kCard, "uverbs_node"), "false");
    host->directory("/dev/infiniband", {"rdma_cm", "uverbs1"});
    EXPECT_EQ(value(look(host), Kind::device, kCard, "uverbs_node"), "false") << "only those of others";
}

TEST(RdmaSystem, WhatTheSourceDoesNotHoldIsNotMissing) {
    const auto host = roce_host();
    host->gone("/dev").error("/dev", absent("/dev"));
    host->gone("/proc/sys").error(kBacklog, absent(kBacklog));
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::device, kCard, "uverbs_node"), "gap(not collected)");
    EXPECT_NE(host_fact(now, "initial_netns"), "false");
}

TEST(RdmaSystem, WithoutUverbs) {
    const auto host = roce_host();
    host->gone("/sys/class/infiniband_verbs").directory("/sys/class/infiniband_verbs", {"abi_version"});
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::device, kCard, "uverbs_node"), "gap(not offered)");
    expect_complete(now, collector("rdma_system"));
}

TEST(RdmaSystem, DevicesOfANamespace) {
    const auto host = roce_host();
    host->file("rdma.system", "netns=exclusive\n");
    const Snapshot now = look(host);
    EXPECT_EQ(host_fact(now, "rdma_netns"), "exclusive");
    expect_complete(look(rxe_host()), collector("rdma_system"));
}

TEST(RdmaSystem, DevicesThatOnlyOtherNamespacesHave) {
    const auto host = roce_host();
    EXPECT_EQ(host_fact(look(host), "devices_elsewhere"), "0");
    host->directory("/sys/class/infiniband_verbs", {"abi_version", "uverbs0", "uverbs1"})
        .file("/sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_77\n");
    EXPECT_EQ(host_fact(look(host), "devices_elsewhere"), "1");
    host->directory("/sys/class/infiniband", {});
    EXPECT_EQ(host_fact(look(host), "devices_elsewhere"), "2");
}

TEST(RdmaSystem, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "rdma_system", {{kBacklog, "/sys/class/infiniband_verbs/uverbs0/ibdev"}});
}

}  // namespace
}  // namespace rd::collectors::test
