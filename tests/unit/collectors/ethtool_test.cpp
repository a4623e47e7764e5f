// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

std::shared_ptr<FakeHost> host_with_settings() {
    const auto host = roce_host();
    host->file("/sys/class/net/ens1f0/flags", "0x1003\n")
        .file("ethtool.coalesce/ens1f0",
              "rx_usecs=8 rx_max_frames=128 tx_usecs=16 tx_max_frames=32 use_adaptive_rx=1 use_adaptive_tx=0\n")
        .file("ethtool.rings/ens1f0", "rx_max=8192 tx_max=8192 rx=1024 tx=2048\n")
        .file("ethtool.channels/ens1f0", "combined_max=63 combined_count=32\n")
        .file("ethtool.features/ens1f0",
              "name=rx-gro active=1 wanted=1 hw=1 nochange=0\nname=rx-gro-hw active=0 wanted=0 hw=1 nochange=0\n"
              "name=rx-lro active=0 wanted=0 hw=1 nochange=0\nname=tx-tcp-segmentation active=1 wanted=1 hw=1 "
              "nochange=0\n"
              "name=rx-ntuple-filter active=0 wanted=0 hw=1 nochange=0\nname=hw-tc-offload active=1 wanted=1 hw=1 "
              "nochange=0\n")
        .file("ethtool.fec/ens1f0", "auto=1 active=rs modes=rs,baser corrected_blocks=90 uncorrectable_blocks=2\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"ethtool"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Ethtool, OfACard) {
    const Snapshot now = look(host_with_settings());
    EXPECT_EQ(of(now, "admin_up"), "true");
    EXPECT_EQ(of(now, "adaptive_rx"), "true");
    EXPECT_EQ(of(now, "adaptive_tx"), "false");
    EXPECT_EQ(of(now, "coalesce_rx_usecs"), "8");
    EXPECT_EQ(of(now, "coalesce_rx_frames"), "128");
    EXPECT_EQ(of(now, "coalesce_tx_usecs"), "16");
    EXPECT_EQ(of(now, "coalesce_tx_frames"), "32");
    EXPECT_EQ(of(now, "ring_rx"), "1024");
    EXPECT_EQ(of(now, "ring_rx_max"), "8192");
    EXPECT_EQ(of(now, "ring_tx"), "2048");
    EXPECT_EQ(of(now, "channels"), "32");
    EXPECT_EQ(of(now, "channels_max"), "63");
    EXPECT_EQ(of(now, "channels_rx"), "gap(not offered)");
    EXPECT_EQ(of(now, "gro"), "true");
    EXPECT_EQ(of(now, "gro_hw"), "false");
    EXPECT_EQ(of(now, "lro"), "false");
    EXPECT_EQ(of(now, "tso"), "true");
    EXPECT_EQ(of(now, "ntuple"), "false");
    EXPECT_EQ(of(now, "hw_tc_offload"), "true");
    EXPECT_EQ(of(now, "fec_active"), "rs");
    EXPECT_EQ(of(now, "fec_modes"), "rs,baser");
    EXPECT_EQ(of(now, "fec_auto"), "true");
    expect_complete(now, collector("ethtool"));
}

TEST(Ethtool, SwitchedOff) {
    const auto host = host_with_settings();
    host->file("/sys/class/net/ens1f0/flags", "0x1002\n");
    EXPECT_EQ(of(look(host), "admin_up"), "false");
}

TEST(Ethtool, WhatTheDriverDoesNotOfferIsAGap) {
    const auto host = host_with_settings();
    host->error("ethtool.fec/ens1f0", {Errc::not_supported, "ethtool.fec/ens1f0: Operation not supported", {}});
    host->file("ethtool.features/ens1f0", "name=rx-gro active=1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "fec_active"), "gap(not offered)");
    EXPECT_EQ(of(now, "hw_tc_offload"), "gap(not offered)");
    expect_complete(now, collector("ethtool"));
}

TEST(Ethtool, InAFileTree) {
    const Snapshot now = look(roce_tree());
    EXPECT_EQ(of(now, "adaptive_rx"), "gap(not collected)");
    expect_complete(now, collector("ethtool"));
}

TEST(Ethtool, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_settings, "ethtool", {{"/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
