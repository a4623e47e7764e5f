// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"sriov"}); }

TEST(Sriov, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(value(now, Kind::netdev, kNetdev, "vfs"), "2");
    EXPECT_EQ(value(now, Kind::netdev, kNetdev, "vfs_max"), "8");
    EXPECT_EQ(value(now, Kind::netdev, kNetdev, "subfunction"), "gap(not offered)");
    expect_complete(now, collector("sriov"));
}

TEST(Sriov, OfASubfunctionAndOfABond) {
    const auto host = roce_host();
    const std::string card = "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/mlx5_core.sf.4";
    host->link("/sys/class/net/en4", card + "/net/en4")
        .link("/sys/class/net/en4/device", card)
        .file("/sys/class/net/en4/ifindex", "5\n")
        .file("/sys/class/net/bond0/ifindex", "9\n")
        .error("/sys/class/net/bond0/device", absent("/sys/class/net/bond0/device"));
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::netdev, "pci-0000:41:00.0#sf.4/0", "subfunction"), "4");
    EXPECT_EQ(value(now, Kind::netdev, "name-bond0", "vfs"), "gap(not offered)");
    expect_complete(now, collector("sriov"));
}

TEST(Sriov, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "sriov", {{"rtnl.link", "/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
