// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/kernel_log.h"

#include <gtest/gtest.h>

namespace rd::collectors {
namespace {

Record line(std::string_view text, std::uint64_t us = 5'000'000, std::string_view device = {}) {
    Record record;
    record.set("level", std::uint64_t{3});
    record.set("facility", std::uint64_t{0});
    record.set("us", us);
    record.set("text", text);
    if (!device.empty()) record.set("device", device);
    return record;
}

KernelLog read(const std::vector<Record>& records) {
    return read_kernel_log(records, {{"mlx5_0", "0000:41:00.0"}, {"ens1f0", "0000:41:00.0"}});
}

struct Case {
    std::string_view text;
    LogClass what;
    std::string_view address = "0000:41:00.0";
};

TEST(KernelLog, LinesOfEachClass) {
    const Case cases[] = {
        {"mlx5_core 0000:41:00.0: wait_func:1195:(pid 1967079): ENABLE_HCA(0x104) timeout. Will cause a leak of a "
         "command "
         "resource",
         LogClass::command_timeout},
        {"mlx5_core 0000:41:00.0: wait_func_handle_exec_timeout:1062:(pid 7): cmd[0]: CREATE_DCT(0x710) No done "
         "completion",
         LogClass::command_timeout},
        {"mlx5_core 0000:41:00.0: poll_health:825:(pid 0): device's health compromised - reached miss count",
         LogClass::firmware_health},
        {"mlx5_core 0000:41:00.0: print_health_info:491:(pid 0): Health issue observed, firmware internal error, "
         "severity(3) ERROR:",
         LogClass::firmware_health},
        {"mlx5_core 0000:41:00.0: poll_health:800:(pid 0): Fatal error 1 detected", LogClass::firmware_health},
        {"mlx5_core 0000:41:00.0: mlx5_cmd_out_err:838:(pid 9): CREATE_MKEY(0x200) op_mod(0x0) failed, status bad "
         "parameter(0x3), syndrome (0x35e6ec), err(-22)",
         LogClass::mkey_refused},
        {"mlx5_core 0000:41:00.0: mlx5_cmd_out_err:838:(pid 9): CREATE_QP(0x500) op_mod(0x0) failed, status limits "
         "exceeded(0x8), syndrome (0x1), err(-12)",
         LogClass::command_refused},
        {"mlx5_core 0000:41:00.0: mlx5_pcie_event:299:(pid 268269): Detected insufficient power on the PCIe slot "
         "(27W).",
         LogClass::slot_power},
        {"mlx5_core 0000:41:00.0: mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable "
         "error, "
         "High Temperature",
         LogClass::module_hot},
        {"mlx5_core 0000:41:00.0: temp_warn:180:(pid 3): High temperature on sensors with bit set 0 1",
         LogClass::module_hot},
        {"mlx5_core 0000:41:00.0: mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable "
         "error, "
         "Unknown identifier",
         LogClass::module_error},
        {"mlx5_core 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
         LogClass::aer_corrected},
        {"pcieport 0000:40:01.0: AER: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)",
         LogClass::aer_corrected, "0000:40:01.0"},
        {"mlx5_core 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
         LogClass::aer_uncorrected},
        {"mlx5_core 0000:41:00.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer",
         LogClass::aer_uncorrected},
        {"DMAR: [DMA Write NO_PASID] Request device [41:00.0] fault addr 0xfe000000 [fault reason 0x05] PTE Write "
         "access "
         "is not set",
         LogClass::dma_fault},
        {"mlx5_core 0000:41:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0021 address=0x7f00 flags=0x0020]",
         LogClass::dma_fault},
        {"AMD-Vi: Event logged [IO_PAGE_FAULT device=0000:41:00.0 domain=0x0021 address=0x7f00 flags=0x0020]",
         LogClass::dma_fault},
        {"mlx5_core 0000:41:00.0: CQ error on CQN 0x1a4, syndrome 0x1", LogClass::queue_error},
        {"infiniband mlx5_0: mlx5_ib_qp_err_syndrome:364:(pid 3): mlx5_0/1: QP 77 error: unrecognized status (0x41 0x0 "
         "0x89)",
         LogClass::queue_error},
        {"irdma 0000:41:00.0: abnormal ae_id = 0x503 bool qp=1 qp_id = 4, ae_src=1", LogClass::queue_error},
    };
    for (const Case& one : cases) {
        const KernelLog log = read({line(one.text)});
        ASSERT_EQ(log.by_address.size(), 1u) << one.text;
        EXPECT_EQ(log.by_address.begin()->first, one.address) << one.text;
        const LogTally& tally = log.by_address.begin()->second[one.what];
        EXPECT_EQ(tally.count, 1) << one.text;
        EXPECT_EQ(tally.at, 5.0);
        EXPECT_TRUE(tally.line.starts_with(one.text.substr(0, 50))) << tally.line;
    }
}

TEST(KernelLog, LinesThatAreNoTrouble) {
    for (const std::string_view text : {
             "mlx5_core 0000:41:00.0: mlx5_cmd_out_err:838:(pid 1): ACCESS_REG(0x805) op_mod(0x1) failed, status bad "
             "resource(0x5), syndrome (0x305684), err(-22)",
             "mlx5_core 0000:41:00.0: Port module event: module 0, Cable plugged",
             "mlx5_core 0000:41:00.0: PCIe slot power capability was not advertised.",
             "mlx5_core 0000:41:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)",
             "mlx5_core 0000:41:00.0: wait_func:1200: CREATE_MKEY(0x200) recovered after timeout",
             "nvme nvme0: I/O 5 QID 3 timeout, aborting",
         }) {
        const KernelLog log = read({line(text)});
        for (const auto& [address, tallies] : log.by_address) {
            for (const LogTally& tally : tallies.of) EXPECT_EQ(tally.count, 0) << text;
        }
    }
}

TEST(KernelLog, NvmeIsOfTheHost) {
    const KernelLog log =
        read({line("nvme nvme0: Reconnecting in 10 seconds..."), line("nvme nvme0: I/O 5 QID 3 timeout"),
              line("nvme nvme0: Connect rejected: status 28 (consumer defined)."),
              line("nvme nvme0: failed to connect queue: 3 ret=-111")});
    EXPECT_TRUE(log.by_address.empty());
    EXPECT_EQ(log.all[LogClass::nvme_reconnect].count, 1);
    EXPECT_EQ(log.all[LogClass::nvme_timeout].count, 1);
    EXPECT_EQ(log.all[LogClass::nvme_refused].count, 2);
}

TEST(KernelLog, TheDeviceMayStandBesideTheText) {
    const KernelLog log = read({line("device's health compromised - reached miss count", 1, "+pci:0000:41:00.0")});
    EXPECT_EQ(log.by_address.at("0000:41:00.0")[LogClass::firmware_health].count, 1);
}

TEST(KernelLog, ALineWithoutADeviceCountsForAllOnly) {
    const KernelLog log =
        read({line("Port module event[error]: module 0, Cable error, Bus stuck (I2C or data shorted)")});
    EXPECT_TRUE(log.by_address.empty());
    EXPECT_EQ(log.all[LogClass::module_error].count, 1);
}

TEST(KernelLog, WhatOthersWroteIsNotTheKernels) {
    Record forged = line("mlx5_core 0000:41:00.0: poll_health:825: device's health compromised - reached miss count");
    Record record;
    for (const auto& [key, value] : forged.fields()) record.set(key, key == "facility" ? "1" : value);
    const KernelLog log = read({record});
    EXPECT_TRUE(log.by_address.empty());
    EXPECT_EQ(log.lines, 0);
}

TEST(KernelLog, RecoveryEndsTheTrouble) {
    const std::string card = "mlx5_core 0000:41:00.0: ";
    const Record sick = line(card + "poll_health:825:(pid 0): device's health compromised - reached miss count");
    const Record stuck =
        line(card + "wait_func:1195: CREATE_QP(0x500) timeout. Will cause a leak of a command resource");
    for (const std::string end :
         {"mlx5_health_try_recover:336:(pid 5): health recovery succeeded", "firmware version: 28.39.1002"}) {
        const KernelLog log = read({sick, stuck, line(card + end)});
        EXPECT_EQ(log.by_address.at("0000:41:00.0")[LogClass::firmware_health].count, 0) << end;
        EXPECT_EQ(log.by_address.at("0000:41:00.0")[LogClass::command_timeout].count, 0) << end;
    }
    const KernelLog again = read({sick, line(card + "health recovery succeeded"), sick});
    EXPECT_EQ(again.by_address.at("0000:41:00.0")[LogClass::firmware_health].count, 1);
    const KernelLog other = read({sick, line("mlx5_core 0000:81:00.0: health recovery succeeded")});
    EXPECT_EQ(other.by_address.at("0000:41:00.0")[LogClass::firmware_health].count, 1);
}

TEST(KernelLog, EnoughPowerEndsTooLittle) {
    const std::string card = "mlx5_core 0000:41:00.0: mlx5_pcie_event:299:(pid 2): ";
    const KernelLog log = read({line(card + "Detected insufficient power on the PCIe slot (27W)."),
                                line(card + "PCIe slot advertised sufficient power (75W).")});
    EXPECT_EQ(log.by_address.at("0000:41:00.0")[LogClass::slot_power].count, 0);
}

TEST(KernelLog, AnotherModuleEndsTheOldOnesTrouble) {
    const std::string card = "mlx5_core 0000:41:00.0: ";
    const KernelLog log = read({line(card + "Port module event[error]: module 0, Cable error, Unknown identifier"),
                                line(card + "Port module event: module 0, Cable plugged")});
    EXPECT_EQ(log.by_address.at("0000:41:00.0")[LogClass::module_error].count, 0);
}

TEST(KernelLog, TheLastLineIsKept) {
    const KernelLog log = read({line("mlx5_core 0000:41:00.0: CQ error on CQN 0x1, syndrome 0x1", 1'000'000),
                                line("mlx5_core 0000:41:00.0: CQ error on CQN 0x2, syndrome 0x1", 9'500'000)});
    const LogTally& tally = log.by_address.at("0000:41:00.0")[LogClass::queue_error];
    EXPECT_EQ(tally.count, 2);
    EXPECT_EQ(tally.at, 9.5);
    EXPECT_TRUE(tally.line.find("0x2,") != std::string::npos);
    EXPECT_EQ(log.begin, 1.0);
    EXPECT_EQ(log.lines, 2);
}

TEST(KernelLog, ErrorsThatTheFirmwareOfTheHostHandled) {
    const auto block = [](std::string_view severity, std::string_view section) {
        return std::vector<Record>{
            line("{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 512"),
            line("{1}[Hardware Error]: event severity: " + std::string(severity)),
            line("{1}[Hardware Error]:   section_type: " + std::string(section)),
            line("{1}[Hardware Error]:   device_id: 0000:41:00.0"),
        };
    };
    EXPECT_EQ(read(block("corrected", "PCIe error")).by_address.at("0000:41:00.0")[LogClass::aer_corrected].count, 1);
    EXPECT_EQ(read(block("recoverable", "PCIe error")).by_address.at("0000:41:00.0")[LogClass::aer_uncorrected].count,
              1);
    EXPECT_TRUE(read(block("corrected", "memory error")).by_address.empty());
}

TEST(KernelLog, RecordsWithoutAHeadAreLeftOut) {
    Record record;
    record.set("text", "mlx5_core 0000:41:00.0: CQ error on CQN 0x1, syndrome 0x1");
    EXPECT_EQ(read({record}).lines, 0);
    EXPECT_FALSE(read({}).begin);
    EXPECT_TRUE(read({line("41:00.0: :::: DMAR: [DMA R] equest device [")}).by_address.empty());
}

}  // namespace
}  // namespace rd::collectors
