// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";
constexpr std::string_view kPort = "pci-0000:41:00.0/1";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"verbs"}); }

TEST(Verbs, OfACard) {
    const auto host = roce_host();
    const Snapshot now = look(host);
    const auto is = [&](std::string_view fact) { return value(now, Kind::device, kCard, fact); };
    EXPECT_EQ(is("max_qp"), "131072");
    EXPECT_EQ(is("max_cq"), "16777216");
    EXPECT_EQ(is("max_mr"), "16777216");
    EXPECT_EQ(is("max_sge"), "30");
    EXPECT_EQ(is("max_rd_atomic"), "16");
    EXPECT_EQ(is("atomic"), "hca");
    EXPECT_EQ(is("odp"), "true");
    EXPECT_EQ(value(now, Kind::port, kPort, "active_mtu"), "4096");
    EXPECT_EQ(value(now, Kind::port, kPort, "max_mtu"), "4096");
    expect_complete(now, collector("verbs"));
}

TEST(Verbs, TheLargestRegion) {
    const auto largest = [](std::string_view text) {
        const auto host = roce_host();
        host->file("verbs.device/mlx5_0", text);
        return value(look(host), Kind::device, kCard, "max_mr_size");
    };
    EXPECT_EQ(largest("max_mr_size=18446744073709551615\n"), "gap(not offered)") << "~0 is no limit, and no error";
    EXPECT_EQ(largest("max_mr_size=1073741824\n"), "1073741824");
    EXPECT_EQ(largest("max_mr_size=18446744073709551614\n"), "gap(error)");
}

TEST(Verbs, OfSoftRoce) {
    const Snapshot now = look(rxe_host());
    EXPECT_EQ(value(now, Kind::device, "guid-0200:00ff:fe00:0001", "max_qp"), "1024");
    EXPECT_EQ(value(now, Kind::device, "guid-0200:00ff:fe00:0001", "max_mr"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::port, "guid-0200:00ff:fe00:0001/1", "active_mtu"), "1024");
    expect_complete(now, collector("verbs"));
}

TEST(Verbs, APortThatIsNotInTheAnswer) {
    const auto host = roce_host();
    host->file("verbs.device/mlx5_0", "max_qp=7\nport=2 active_mtu=1024\n");
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::port, kPort, "active_mtu"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::device, kCard, "max_qp"), "7");
}

TEST(Verbs, FilesAloneLeaveGaps) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(value(now, Kind::port, kPort, "active_mtu"), "gap(not collected)");
    expect_complete(now, collector("verbs"));
}

TEST(Verbs, SurvivesBadInput) { expect_bad_input_is_survived(roce_host, "verbs"); }

}  // namespace
}  // namespace rd::collectors::test
