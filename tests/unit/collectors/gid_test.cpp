// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kPath = "/sys/class/infiniband/mlx5_0/ports/1";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"gid"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

void put(FakeHost& host, int index, std::string_view gid, std::string_view type, std::string_view netdev = "ens1f0") {
    host.file(fmt::format("{}/gids/{}", kPath, index), gid)
        .file(fmt::format("{}/gid_attrs/types/{}", kPath, index), type)
        .file(fmt::format("{}/gid_attrs/ndevs/{}", kPath, index), netdev);
}

TEST(Gid, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "gid_table_size"), "5");
    EXPECT_EQ(of(now, "gids"), "4");
    EXPECT_EQ(of(now, "gids_roce_v1"), "2");
    EXPECT_EQ(of(now, "gids_roce_v2"), "2");
    EXPECT_EQ(of(now, "gids_link_local"), "2");
    EXPECT_EQ(of(now, "gids_routable"), "2");
    EXPECT_EQ(of(now, "gids_v2_ipv4"), "1");
    EXPECT_EQ(of(now, "gids_v2_routable"), "1");
    EXPECT_EQ(of(now, "gid_index_v2_ipv4"), "3");
    EXPECT_EQ(of(now, "gid_indices_routable"), "3");
    EXPECT_EQ(of(now, "gids_here"), "4");
    EXPECT_EQ(of(now, "gids_duplicate"), "0");
    EXPECT_EQ(value(now, Kind::netdev, "pci-0000:41:00.0/0", "roce_gids"), "4");
    expect_complete(now, collector("gid"));
}

TEST(Gid, OfSoftRoceWithoutAnAddress) {
    const auto host = rxe_host();
    const std::string path = "/sys/class/infiniband/rxe0/ports/1";
    host->file(path + "/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001\n")
        .file(path + "/gid_attrs/types/0", "RoCE v2\n")
        .file(path + "/gid_attrs/ndevs/0", "ens1f0\n");
    for (int i = 1; i < 1024; ++i)
        host->file(fmt::format("{}/gids/{}", path, i), "0000:0000:0000:0000:0000:0000:0000:0000\n");
    const Snapshot now = look(host);
    const auto is = [&](std::string_view fact) { return value(now, Kind::port, "guid-0200:00ff:fe00:0001/1", fact); };
    EXPECT_EQ(is("gid_table_size"), "1024");
    EXPECT_EQ(is("gids"), "1");
    EXPECT_EQ(is("gids_link_local"), "1");
    EXPECT_EQ(is("gids_routable"), "0");
    EXPECT_EQ(is("gid_index_v2_ipv4"), "gap(not offered)");
    expect_complete(now, collector("gid"));
}

TEST(Gid, KindsOfAddresses) {
    const auto host = roce_host();
    put(*host, 0, "febf:0000:0000:0000:0000:0000:0000:0001\n", "RoCE v2\n");
    put(*host, 1, "0000:0000:0000:0000:0000:ffff:a9fe:0001\n", "RoCE v2\n");
    put(*host, 2, "2001:0db8:0000:0000:0000:0000:0000:0001\n", "RoCE v2\n");
    put(*host, 3, "2001:0db8:0000:0000:0000:0000:0000:0001\n", "RoCE v2\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "gids_link_local"), "2") << "fe80::/10 and 169.254.0.0/16";
    EXPECT_EQ(of(now, "gids_v2_routable"), "2") << "global IPv6 counts";
    EXPECT_EQ(of(now, "gids_v2_ipv4"), "0");
    EXPECT_EQ(of(now, "gids_duplicate"), "1");
}

TEST(Gid, AnInterfaceElsewhereIsNotHere) {
    const auto host = roce_host();
    put(*host, 0, "fe80:0000:0000:0000:526b:4bff:fef4:9f1c\n", "RoCE v2\n", "eth0\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "gids"), "4");
    EXPECT_EQ(of(now, "gids_here"), "3");
    EXPECT_EQ(value(now, Kind::netdev, "pci-0000:41:00.0/0", "roce_gids"), "3");
}

TEST(Gid, InfinibandHasNoTypesAndNoInterfaces) {
    const auto host = roce_host();
    host->file(kPath + "/link_layer", "InfiniBand\n").gone(kPath + "/gid_attrs/ndevs");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "gids"), "4");
    EXPECT_EQ(of(now, "gids_roce_v2"), "gap(not offered)");
    EXPECT_EQ(of(now, "gids_here"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::netdev, "pci-0000:41:00.0/0", "roce_gids"), "0");
    expect_complete(now, collector("gid"));
}

TEST(Gid, AnEmptyTableIsNotAMissingOne) {
    const auto host = roce_host();
    host->gone(kPath + "/gids").directory(kPath + "/gids", {});
    EXPECT_EQ(of(look(host), "gid_table_size"), "0");
    const auto without = roce_host();
    without->gone(kPath + "/gids").error(kPath + "/gids", absent("gids"));
    EXPECT_EQ(of(look(without), "gid_table_size"), "gap(not offered)");
}

TEST(Gid, WhatIsNoGidIsAnError) {
    for (const std::string_view text : {"fe80::1", "", "fe80:0000:0000:0000:0000:0000:0000:00001",
                                        "gggg:0000:0000:0000:0000:0000:0000:0001", "1:2:3:4:5:6:7:8"}) {
        const auto host = roce_host();
        host->file(kPath + "/gids/4", text);
        EXPECT_EQ(of(look(host), "gids"), "gap(error)") << text;
    }
}

TEST(Gid, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "gid",
                                 {{"rtnl.link", "/sys/class/net/ens1f0/dev_port", kPath + "/link_layer"}});
}

}  // namespace
}  // namespace rd::collectors::test
