// SPDX-License-Identifier: GPL-2.0-or-later
// How values are put into words, the same in every text that people read.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/report.h"

namespace rd::cli {

[[nodiscard]] std::string number_text(double value);  // 0.0123 4.5 132 1234567
[[nodiscard]] std::string value_text(const Value& value, std::string_view unit);
[[nodiscard]] std::string gap_text(const Gap& gap);                     // "no privilege: reason (remedy)"
[[nodiscard]] std::string seconds_text(std::chrono::nanoseconds time);  // "250 ms" "2.0 s" "15 min"
[[nodiscard]] std::string day_text(std::int64_t wall_ns);               // "Tuesday 2026-11-24 10:03 UTC"
[[nodiscard]] std::string evidence_text(const Evidence& evidence);      // "132 packets/s over 2.0 s"
[[nodiscard]] std::string counted(std::size_t count, std::string_view one,
                                  std::string_view many);  // "1 file" "2 files"
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view separator);
// At most `limit` of them, then "and 12 more".
[[nodiscard]] std::string some_of(const std::vector<std::string>& parts, std::size_t limit);
[[nodiscard]] std::string upper(std::string_view text);

}  // namespace rd::cli
