// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";

std::shared_ptr<FakeHost> host_with_nodes() {
    auto host = roce_host();
    host->file("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n")
        .file("/sys/class/infiniband_verbs/abi_version", "6\n")
        .file("infiniband.nodes", "name=rdma_cm mode=0666 uid=0 gid=0\nname=uverbs0 mode=0666 uid=0 gid=0\n")
        .link("/sys/bus/pci/devices/0000:41:00.0/iommu_group", "/sys/kernel/iommu_groups/42")
        .file("/sys/kernel/iommu_groups/42/type", "DMA-FQ\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"access"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kCard, fact); }

TEST(Access, OfADevice) {
    const Snapshot now = look(host_with_nodes());
    EXPECT_EQ(value(now, Kind::host, "", "rdma_cm_node"), "true");
    EXPECT_EQ(of(now, "uverbs"), "uverbs0");
    EXPECT_EQ(of(now, "uverbs_mode"), "0666");
    EXPECT_EQ(of(now, "uverbs_root_only"), "false");
    EXPECT_EQ(of(now, "iommu"), "DMA-FQ");
    expect_complete(now, collector("access"));
}

TEST(Access, WhoMayOpen) {
    const auto root_only = [](std::string_view node) {
        const auto host = host_with_nodes();
        host->file("infiniband.nodes", node);
        return of(look(host), "uverbs_root_only");
    };
    EXPECT_EQ(root_only("name=uverbs0 mode=0600 uid=0 gid=0\n"), "true");
    EXPECT_EQ(root_only("name=uverbs0 mode=0660 uid=0 gid=0\n"), "true") << "the group is root's";
    EXPECT_EQ(root_only("name=uverbs0 mode=0660 uid=0 gid=113\n"), "false") << "a group on purpose";
    EXPECT_EQ(root_only("name=uverbs0 mode=0640 uid=0 gid=113\n"), "true") << "reading is not enough";
    EXPECT_EQ(root_only("name=uverbs0 mode=0664 uid=0 gid=0\n"), "true");
    EXPECT_EQ(root_only("name=uverbs0 mode=0600 uid=1000 gid=0\n"), "false");
    EXPECT_EQ(root_only("name=uverbs0 mode=rw uid=0 gid=0\n"), "gap(error)");
    EXPECT_EQ(root_only("name=rdma_cm mode=0666 uid=0 gid=0\n"), "gap(not offered)");
}

TEST(Access, WithoutVerbsForPrograms) {
    const auto host = host_with_nodes();
    host->gone("/sys/class/infiniband_verbs")
        .error("/sys/class/infiniband_verbs", absent("/sys/class/infiniband_verbs"))
        .error("infiniband.nodes", absent("infiniband.nodes"));
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "uverbs"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::host, "", "rdma_cm_node"), "gap(not offered)");
    EXPECT_EQ(of(now, "iommu"), "DMA-FQ");
    expect_complete(now, collector("access"));
}

TEST(Access, WithoutIommu) {
    const auto host = host_with_nodes();
    host->gone("/sys/bus/pci/devices/0000:41:00.0/iommu_group")
        .error("/sys/bus/pci/devices/0000:41:00.0/iommu_group", absent("iommu_group"));
    EXPECT_EQ(of(look(host), "iommu"), "gap(not offered)");
}

TEST(Access, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_nodes, "access", {{"/sys/class/infiniband_verbs/uverbs0/ibdev"}});
}

}  // namespace
}  // namespace rd::collectors::test
