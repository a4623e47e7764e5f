// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
constexpr std::string_view kSoft = "guid-0200:00ff:fe00:0001";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_device"}); }

TEST(RdmaDevice, OfACard) {
    const Snapshot now = look(roce_host());
    const auto is = [&](std::string_view fact) { return value(now, Kind::device, kCard, fact); };
    EXPECT_EQ(is("name"), "mlx5_0");
    EXPECT_EQ(is("pci"), "pci:0000:41:00.0");
    EXPECT_EQ(is("node_type"), "CA");
    EXPECT_EQ(is("node_guid"), "506b:4b03:00f4:9f1c");
    EXPECT_EQ(is("sys_image_guid"), "506b:4b03:00f4:9f1c");
    EXPECT_EQ(is("firmware"), "28.39.1002");
    EXPECT_EQ(is("board_id"), "MT_0000000838");
    EXPECT_EQ(is("hca_type"), "MT4129");
    EXPECT_EQ(is("protocol"), "roce");
    EXPECT_EQ(is("soft"), "false");
    expect_complete(now, collector("rdma_device"));
}

TEST(RdmaDevice, OfSoftware) {
    const Snapshot now = look(rxe_host());
    EXPECT_EQ(value(now, Kind::device, kSoft, "soft"), "true");
    EXPECT_EQ(value(now, Kind::device, kSoft, "pci"), "pci:0000:41:00.0");
    EXPECT_EQ(value(now, Kind::device, kSoft, "firmware"), "gap(not offered)") << "the file is there and empty";
    EXPECT_EQ(value(now, Kind::device, kSoft, "board_id"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::device, kSoft, "board_id"), ::testing::HasSubstr("has no such file"));
    expect_complete(now, collector("rdma_device"));
}

TEST(RdmaDevice, ProtocolFromFilesWhereNetlinkIsSilent) {
    const auto protocol = [](std::string_view node_type, std::string_view layer) {
        const auto host = roce_tree();
        host->file("/sys/class/infiniband/mlx5_0/node_type", node_type)
            .file("/sys/class/infiniband/mlx5_0/ports/1/link_layer", layer);
        return value(look(host), Kind::device, kCard, "protocol");
    };
    EXPECT_EQ(protocol("1: CA\n", "Ethernet\n"), "roce");
    EXPECT_EQ(protocol("1: CA\n", "InfiniBand\n"), "ib");
    EXPECT_EQ(protocol("4: RNIC\n", "Ethernet\n"), "iw");
    EXPECT_EQ(protocol("7: unspecified\n", "Ethernet\n"), "gap(not collected)");
}

TEST(RdmaDevice, TheHost) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(value(now, Kind::host, "", "name"), "node17");
    EXPECT_EQ(value(now, Kind::host, "", "kernel"), "6.1.0-57-amd64");
    EXPECT_EQ(value(now, Kind::host, "", "virtual"), "false");
    EXPECT_EQ(value(now, Kind::host, "", "rdma_core"), "true");
}

TEST(RdmaDevice, WithoutCoreThereIsNoDeviceAndNoError) {
    const auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class", {"net"}).error("/sys/class/infiniband", absent("/sys/class/infiniband"));
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::host, "", "rdma_core"), "false");
    EXPECT_TRUE(now.entities(Kind::device).empty());
    EXPECT_EQ(now.kind_gap(Kind::device), nullptr);
}

TEST(RdmaDevice, AListThatIsDeniedIsNotAnEmptyOne) {
    const auto host = std::make_shared<FakeHost>();
    host->error("/sys/class/infiniband", denied("/sys/class/infiniband"));
    const Snapshot now = look(host);
    ASSERT_NE(now.kind_gap(Kind::device), nullptr);
    EXPECT_EQ(now.kind_gap(Kind::device)->kind, GapClass::no_privilege);
    EXPECT_EQ(value(now, Kind::host, "", "rdma_core"), "gap(no privilege)");
}

TEST(RdmaDevice, LoadedCoreWithoutDevice) {
    const auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class/infiniband", {});
    EXPECT_EQ(value(look(host), Kind::host, "", "rdma_core"), "true");
}

TEST(RdmaDevice, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "rdma_device", {{"rdma.devices"}});
    expect_bad_input_is_survived(rxe_host, "rdma_device",
                                 {{"rdma.devices", "/sys/class/infiniband/rxe0/node_guid",
                                   "/sys/class/infiniband/rxe0/parent", "rdma.port/rxe0/1"}});
}

}  // namespace
}  // namespace rd::collectors::test
