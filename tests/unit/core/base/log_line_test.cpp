// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LogShape, WhatDiffersFromLineToLineIsCollapsed) {
    EXPECT_EQ(log_shape("wait_func:1195:(pid 1967079): ENABLE_HCA(0x104) timeout. Will leak"),
              "wait_func:#:(pid #): ENABLE_HCA(#) timeout. Will leak");
    EXPECT_EQ(log_shape("2024-12-01T14:54:40.123+0100 osd.12 conn 10.0.0.7:6801 to 'client 4'"),
              "#-#-#T#:#:#.#+# osd.# conn # to #");
    EXPECT_EQ(log_shape("gid fe80::ba59:9fff:fe12:3456 mac 0c:42:a1:fb:12:34"), "gid # mac #");
    EXPECT_EQ(log_shape("couldn't do it's work"), "couldn't do it's work");
    EXPECT_EQ(log_shape("key deadbeef1 face"), "key # face");
    EXPECT_EQ(log_shape("with status=12 opcode=0 len=4096 vendor err 129"),
              "with status=12 opcode=# len=# vendor err 129");
    EXPECT_EQ(log_shape("failed (error -110), rc: 22, wr_id 5"), "failed (error -110), rc: 22, wr_id #");
    EXPECT_EQ(log_shape("error:12 statuses 3 error 12345 5 err"), "error:12 statuses # error # # err");
    EXPECT_EQ(log_shape(""), "");
}

TEST(LogShape, NamesOfDevicesStay) {
    EXPECT_EQ(log_shape("mlx5_core 0000:41:00.0: mlx5_0 port 1 ens1f0np0: link down"),
              "mlx#_core 0000:41:00.0: mlx5_0 port # ens1f0np0: link down");
    EXPECT_NE(log_shape("nvme nvme3: Failed reconnect attempt 7"), log_shape("nvme nvme4: Failed reconnect attempt 7"));
    EXPECT_EQ(log_shape("nvme nvme3: Failed reconnect attempt 7"), log_shape("nvme nvme3: Failed reconnect attempt 8"));
}

TEST(DeviceWord, ByItsForm) {
    for (const char* const name :
         {"mlx5_0", "mlx5_bond_0", "bnxt_re1", "nvme0n1", "ens1f0np0", "eth2", "ib0", "ibp65s0", "rocep1s0f1"})
        EXPECT_TRUE(is_device_word(name)) << name;
    for (const char* const name :
         {"mlx5_core", "ib_write_17", "ibv2", "eth", "", "entry5", "ens1f0np0isverylong1", "lo"})
        EXPECT_FALSE(is_device_word(name)) << name;
}

TEST(NamesInLine, WordsAndPortsOfDevices) {
    EXPECT_THAT(names_in_line("mlx5_0/1: QP 17 on ens1f0.100 (mlx5_0)."),
                ElementsAre("mlx5_0/1", "mlx5_0", "QP", "on", "ens1f0.100"));
    EXPECT_THAT(names_in_line(" 12 :/"), IsEmpty());
}

TEST(PciAddresses, FullOnesAndThoseOfTheIommu) {
    EXPECT_THAT(pci_addresses_in("pcieport 0000:40:01.0: AER: from 0000:41:00.0 and 0000:40:01.0"),
                ElementsAre("0000:40:01.0", "0000:41:00.0"));
    EXPECT_THAT(pci_addresses_in("DMAR: [DMA Write] Request device [41:00.0] fault"), ElementsAre("0000:41:00.0"));
    EXPECT_THAT(pci_addresses_in("0000:C1:00.0"), ElementsAre("0000:c1:00.0"));
    EXPECT_THAT(pci_addresses_in("at 41:00.0, 10000:41:00.0, 0000:41:00.01, 0000:41:00"), IsEmpty());
}

TEST(LogWords, WhatMayConcernRdma) {
    for (const char* const line :
         {"mlx5_core 0000:41:00.0: x", "infiniband mlx5_0: y", "DMAR: [DMA Write] z", "nvme nvme1: q",
          "pcieport 0000:00:1d.0: AER", "(lnet) LNetError: x", "NETDEV WATCHDOG: eth0", "rpcrdma: x"})
        EXPECT_TRUE(may_concern_rdma(line)) << line;
    for (const char* const line : {"usb 1-1: new device", "default boards", "EXT4-fs (sda1): mounted", ""})
        EXPECT_FALSE(may_concern_rdma(line)) << line;
    EXPECT_TRUE(sounds_like_trouble("Link is Down"));
    EXPECT_TRUE(sounds_like_trouble("command Timed out"));
    EXPECT_FALSE(sounds_like_trouble("firmware version: 22.39"));
}

TEST(LogLine, AnyBytesAreALine) {
    std::string all;
    for (int i = 0; i < 512; ++i) all += static_cast<char>(i * 7);
    for (std::size_t size = 0; size <= all.size(); ++size) {
        const std::string_view line = std::string_view(all).substr(0, size);
        (void)log_shape(line);
        (void)names_in_line(line);
        (void)pci_addresses_in(line);
        (void)may_concern_rdma(line);
        (void)sounds_like_trouble(line);
    }
    EXPECT_EQ(log_shape(std::string(100000, 'a')).size(), 100000u);
}

}  // namespace
}  // namespace rd
