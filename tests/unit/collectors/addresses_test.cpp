// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"addresses"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Addresses, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "ipv4_addresses"), "1");
    EXPECT_EQ(of(now, "ipv6_addresses"), "1") << "not the link-local one";
    EXPECT_EQ(of(now, "ipv4_networks"), "10.9.0.0/24");
    EXPECT_EQ(of(now, "ip_addresses"), "10.9.0.1 2001:db8::1");
    EXPECT_EQ(of(now, "arp_ignore"), "1") << "its own";
    EXPECT_EQ(of(now, "arp_announce"), "2") << "that of all";
    EXPECT_EQ(of(now, "arp_filter"), "0");
    EXPECT_EQ(of(now, "rp_filter"), "2");
    expect_complete(now, collector("addresses"));
}

TEST(Addresses, Networks) {
    const auto networks = [](std::string_view text) {
        const auto host = roce_host();
        host->file("rtnl.addr", text);
        return of(look(host), "ipv4_networks");
    };
    EXPECT_EQ(networks(""), "none");
    EXPECT_EQ(networks("ifindex=2 address=10.1.2.3 prefix=20 scope=global\nifindex=2 address=10.1.2.4 prefix=20 "
                       "scope=global\nifindex=2 address=192.0.2.7 prefix=32 scope=global\n"),
              "10.1.0.0/20 192.0.2.7/32");
    EXPECT_EQ(networks("ifindex=2 address=10.1.2.3 prefix=0 scope=global\n"), "0.0.0.0/0");
    EXPECT_EQ(networks("ifindex=2 address=10.1.2.3 prefix=33 scope=global\n"), "gap(error)");
    EXPECT_EQ(networks("ifindex=2 address=10.1.2 prefix=24 scope=global\n"), "gap(error)");
    EXPECT_EQ(networks("ifindex=2 prefix=24\n"), "gap(error)");
}

TEST(Addresses, FilesAloneLeaveGaps) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of(now, "ipv4_addresses"), "gap(not collected)");
    EXPECT_EQ(of(now, "rp_filter"), "2");
    expect_complete(now, collector("addresses"));
}

TEST(Addresses, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "addresses", {{"rtnl.link", "/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
