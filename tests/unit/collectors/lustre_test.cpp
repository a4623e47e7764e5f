// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kHead = "nid                      refs state  last   max   rtr   min    tx   min queue\n";

std::shared_ptr<FakeHost> host_with_lustre() {
    auto host = std::make_shared<FakeHost>();
    const std::string module = "/sys/module/ko2iblnd/parameters/";
    for (const auto& [name, text] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"peer_credits", "8\n"},
                                                                              {"credits", "256\n"},
                                                                              {"ntx", "512\n"},
                                                                              {"fmr_pool_size", "512\n"},
                                                                              {"map_on_demand", "1\n"},
                                                                              {"concurrent_sends", "0\n"},
                                                                              {"timeout", "50\n"},
                                                                              {"peer_timeout", "180\n"},
                                                                              {"conns_per_peer", "1\n"},
                                                                              {"tos", "-1\n"}}) {
        host->file(module + std::string(name), text);
    }
    host->file("/sys/module/lnet/parameters/lnet_transaction_timeout", "150\n")
        .file("/sys/module/lnet/parameters/lnet_retry_count", "2\n")
        .file("/sys/module/lnet/parameters/networks", "tcp0(eth0), o2ib0(ib0,ib1)\n")
        .file("/sys/module/libcfs/parameters/libcfs_printk", "525824\n")
        .directory("/sys/class/net", {"ib0", "lo"})
        .file("/sys/kernel/debug/lnet/peers",
              std::string(kHead) +
                  "10.0.0.2@o2ib               4    up    -1     8     8     8    -3   -41 4096\n"
                  "10.0.0.3@o2ib1              1    NA    -1     8     8     8     8     6 0\n"
                  "10.0.0.4@tcp                1    NA    -1     8     8     8    -9   -99 0\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"lustre"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Lustre, Modules) {
    const Snapshot now = look(host_with_lustre());
    EXPECT_EQ(of(now, "ko2iblnd_peer_credits"), "8");
    EXPECT_EQ(of(now, "ko2iblnd_tos"), "-1");
    EXPECT_EQ(of(now, "lnet_networks"), "tcp0(eth0), o2ib0(ib0,ib1)");
    EXPECT_EQ(of(now, "lnet_missing_interfaces"), "ib1") << "eth0 is no business of o2ib";
    EXPECT_EQ(of(now, "libcfs_printk"), "525824");
    expect_complete(now, collector("lustre"));
}

TEST(Lustre, Peers) {
    const auto host = host_with_lustre();
    EXPECT_EQ(of(look(host), "lnet_peers_waiting"), "1");
    EXPECT_EQ(of(look(host), "lnet_tx_min"), "-41");
    host->file("/sys/kernel/debug/lnet/peers", kHead);
    EXPECT_EQ(of(look(host), "lnet_peers_waiting"), "0");
    EXPECT_EQ(of(look(host), "lnet_tx_min"), "gap(not offered)");
    host->file("/sys/kernel/debug/lnet/peers", std::string(kHead) + "10.0.0.2@o2ib 4 up -1 8 8 8 x -41 4096\n");
    EXPECT_EQ(of(look(host), "lnet_tx_min"), "gap(error)");
}

TEST(Lustre, Networks) {
    const auto networks = [](std::string_view text) {
        const auto host = host_with_lustre();
        host->file("/sys/module/lnet/parameters/networks", text);
        const Snapshot now = look(host);
        return of(now, "lnet_networks") + " / " + of(now, "lnet_missing_interfaces");
    };
    EXPECT_EQ(networks("\n"), "none / none");
    EXPECT_EQ(networks("(null)\n"), "none / none");
    EXPECT_EQ(networks("o2ib(ib0[0],ib7:1)\n"), "o2ib(ib0[0],ib7:1) / ib7");
    EXPECT_EQ(networks("o2ib\n"), "o2ib / none") << "the interface is that of ipif_name";
    EXPECT_EQ(networks("o2ib(ib3\n"), "o2ib(ib3 / none") << "cut";
}

TEST(Lustre, SurvivesBadInput) { expect_bad_input_is_survived(host_with_lustre, "lustre"); }

}  // namespace
}  // namespace rd::collectors::test
