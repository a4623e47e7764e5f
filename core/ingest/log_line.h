// SPDX-License-Identifier: GPL-2.0-or-later
// One line of a log: whose it is, when it was written, and the message itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rd::ingest {

struct LogLine {
    bool kernel = false;
    std::string_view text;                // the message, without the stamps before it
    std::string host;                     // as syslog writes it
    std::string source;                   // the program, of lines that are not the kernel's
    std::optional<int> level;             // 0 emergency … 7 debug
    std::optional<std::int64_t> boot_us;  // since boot
    std::optional<std::int64_t> wall_ns;  // since the epoch; of a year that the line does not tell: 1970
};

// A line that a log prefix or the form of a kernel message makes one: "[   12.345] …", "[Tue Dec  1 10:00:05 2026] …",
// "Dec  1 10:00:05 host kernel: …", "2026-12-01T10:00:05+01:00 host prog[12]: …", "mlx5_core 0000:41:00.0: …".
[[nodiscard]] std::optional<LogLine> log_line_of(std::string_view line);

// Words of trouble together with words of RDMA: worth showing though no rule knows the line.
[[nodiscard]] bool is_trouble(std::string_view line);
// A message of a driver or subsystem that matters here, good or bad.
[[nodiscard]] bool is_kernel_of_interest(std::string_view text);
// Whose message an application's line is: "nccl", "ucx", "libibverbs", …, "text" when it does not say.
[[nodiscard]] std::string_view source_of(std::string_view line);

}  // namespace rd::ingest
