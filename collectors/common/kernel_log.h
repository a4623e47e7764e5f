// SPDX-License-Identifier: GPL-2.0-or-later
// What a line of the kernel log says about RDMA, and about which device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/records.h"

namespace rd::collectors {

enum class LogClass : std::uint8_t {
    command_timeout,
    firmware_health,
    command_refused,
    mkey_refused,
    module_error,
    module_hot,
    slot_power,
    aer_corrected,
    aer_uncorrected,
    dma_fault,
    queue_error,
    nvme_timeout,
    nvme_reconnect,
    nvme_refused,
};
inline constexpr std::size_t kLogClasses = 14;

// What one device (or all together) had of one class.
struct LogTally {
    std::int64_t count = 0;
    double at = 0;     // of the last line, seconds since boot
    std::string line;  // the last line
};
struct LogTallies {
    LogTally of[kLogClasses];

    [[nodiscard]] const LogTally& operator[](LogClass what) const { return of[static_cast<std::size_t>(what)]; }
    [[nodiscard]] LogTally& operator[](LogClass what) { return of[static_cast<std::size_t>(what)]; }
};

// Names that lines use besides PCI addresses (mlx5_0, ens1f0) → PCI address.
using LogNames = std::map<std::string, std::string, std::less<>>;

struct KernelLog {
    std::map<std::string, LogTallies> by_address;
    LogTallies all;  // lines that name no device too
    std::int64_t lines = 0;
    std::optional<double> begin;  // of the oldest line, seconds since boot
};

// Records as the subject "kmsg" gives them. Only what the kernel itself wrote counts: others may write there too.
[[nodiscard]] KernelLog read_kernel_log(const std::vector<Record>& records, const LogNames& names);

}  // namespace rd::collectors
