// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kPort = "pci-0000:41:00.0/1";
const std::string kPath = "/sys/class/infiniband/mlx5_0/ports/1";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"rdma_port"}); }
std::string of_port(const Snapshot& now, std::string_view fact) { return value(now, Kind::port, kPort, fact); }

TEST(RdmaPort, AWordThatIsNoLinkLayerIsNotTakenForOne) {
    for (const char* text : {"ethernet\n", "-1\n", "Ethernet2\n"}) {
        const auto host = roce_host();
        host->file("/sys/class/infiniband/mlx5_0/ports/1/link_layer", text);
        EXPECT_EQ(of_port(look(host), "link_layer"), "gap(error)") << text;
    }
}

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
    EXPECT_EQ(of_port(now, "pkey"), "65535");
    EXPECT_EQ(of_port(now, "netdev"), "netdev:pci-0000:41:00.0/0");
    EXPECT_EQ(of_port(now, "traffic_class"), "106");
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

TEST(RdmaPort, FilesAloneLeaveGaps) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of_port(now, "state"), "ACTIVE");
    expect_complete(now, collector("rdma_port"));
}

TEST(RdmaPort, PortsThatCannotBeListedAreNotNone) {
    const auto host = roce_host();
    host->gone("/sys/class/infiniband/mlx5_0/ports").error("/sys/class/infiniband/mlx5_0/ports", denied("ports"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::port).empty());
    ASSERT_NE(now.kind_gap(Kind::port), nullptr);
}

TEST(RdmaPort, InterfacesThatCannotBeListedAreNotNone) {
    const auto host = roce_host();
    host->gone("/sys/class/net").error("/sys/class/net", {Errc::io, "/sys/class/net: is not a directory", ""});
    EXPECT_EQ(value(look(host), Kind::port, "pci-0000:41:00.0/1", "netdev"), "gap(error)");
    host->error("/sys/class/net", absent("/sys/class/net"));
    EXPECT_EQ(value(look(host), Kind::port, "pci-0000:41:00.0/1", "netdev"), "gap(not collected)");
}

TEST(RdmaPort, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "rdma_port",
                                 {{"rdma.port/mlx5_0/1", "/sys/class/net/ens1f0/dev_port", kPath + "/state",
                                   "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0"}});
}

}  // namespace
}  // namespace rd::collectors::test
