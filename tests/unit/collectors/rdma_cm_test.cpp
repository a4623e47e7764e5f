// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kPath = "/sys/class/infiniband/mlx5_0/ports/1";
const std::string kConfig = "/sys/kernel/config/rdma_cm";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_cm"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

TEST(RdmaCm, OfAPort) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "default_tos"), "104");
    EXPECT_EQ(of(now, "default_roce_mode"), "RoCE v2");
    EXPECT_EQ(of(now, "cm_tx_req"), "12");
    EXPECT_EQ(of(now, "cm_tx_req_retries"), "4");
    EXPECT_EQ(of(now, "cm_rx_rep"), "10");
    EXPECT_EQ(of(now, "cm_rx_rej"), "2");
    EXPECT_EQ(of(now, "cm_tx_rej"), "1");
    EXPECT_EQ(of(now, "cm_rx_req_duplicates"), "1");
    EXPECT_EQ(value(now, Kind::host, "", "cm_max_backlog"), "1024");
    expect_complete(now, collector("rdma_cm"));
}

TEST(RdmaCm, WithoutIbCmThereAreNoMessages) {
    const auto host = roce_host();
    for (const std::string folder : {"cm_tx_msgs", "cm_tx_retries", "cm_rx_msgs", "cm_rx_duplicates"}) {
        host->gone(kPath + "/" + folder);
    }
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "cm_tx_req"), "gap(not offered)");
    EXPECT_THAT(reason(now, Kind::port, kPort, "cm_tx_req"), ::testing::HasSubstr("ib_cm is not loaded"));
    expect_complete(now, collector("rdma_cm"));
}

TEST(RdmaCm, NobodyHasSetADefault) {
    const auto host = roce_host();
    host->gone(kConfig).directory(kConfig, {});
    EXPECT_EQ(of(look(host), "default_tos"), "gap(not offered)");
    EXPECT_EQ(of(look(host), "default_roce_mode"), "gap(not offered)");
    host->gone(kConfig).error(kConfig, denied(kConfig));
    EXPECT_NE(of(look(host), "default_tos"), "gap(not offered)");
}

TEST(RdmaCm, TosMustBeAByte) {
    const auto host = roce_host();
    host->file(kConfig + "/mlx5_0/ports/1/default_roce_tos", "256\n");
    EXPECT_EQ(of(look(host), "default_tos"), "gap(error)");
}

TEST(RdmaCm, OfSoftRoceAndOfFiles) {
    expect_complete(look(rxe_host()), collector("rdma_cm"));
    EXPECT_EQ(of(look(roce_tree()), "cm_tx_req"), "12");
}

TEST(RdmaCm, SurvivesBadInput) { expect_bad_input_is_survived(roce_host, "rdma_cm"); }

}  // namespace
}  // namespace rd::collectors::test
