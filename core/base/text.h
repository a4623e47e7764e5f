// SPDX-License-Identifier: GPL-2.0-or-later
// Total functions over text: every input gives a value or an Error, never undefined behaviour and never a guess.
// Numbers must fill the whole trimmed text unless a function says otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace rd {

[[nodiscard]] std::string_view trim(std::string_view text);  // spaces, tabs, CR, LF, NUL at both ends
[[nodiscard]] bool starts_with(std::string_view text, std::string_view prefix);
// Splits at one separator; empty parts are kept; no allocation of the parts.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::vector<std::string_view> lines(std::string_view text);  // without the line ends; no last empty line
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);  // separated by any white space

[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text);  // decimal, optional sign
// Kernel u64 counters. Values above 2^63-1 do not fit the fact type and are an Error, not a wrap.
[[nodiscard]] Result<std::int64_t> parse_counter(std::string_view text);
[[nodiscard]] Result<std::uint64_t> parse_hex(std::string_view text);  // with or without 0x
[[nodiscard]] Result<double> parse_number(std::string_view text);      // decimal fraction, no exponent, no locale
// The number at the front of a text such as "16.0 GT/s PCIe", "4: ACTIVE" or "100 Gb/sec (4X EDR)".
[[nodiscard]] Result<double> leading_number(std::string_view text);

// "0-3,8,10-11" (kernel list format, bitmap_parselist) → sorted numbers. Empty text is an empty list. At most 65,536.
[[nodiscard]] Result<std::vector<int>> parse_cpulist(std::string_view text);
// "00000000,0000000f" (kernel mask format) → sorted bit numbers.
[[nodiscard]] Result<std::vector<int>> parse_cpumask(std::string_view text);

[[nodiscard]] Result<std::chrono::nanoseconds> parse_duration(std::string_view text);  // "500ms" "10s" "5m" "2h" "1d"
[[nodiscard]] std::string print_duration(std::chrono::nanoseconds value);              // shortest of the same forms
[[nodiscard]] Result<std::int64_t> parse_size(std::string_view text);  // bytes; "4K" "2M" "1G" (powers of 1024)

// A PCI address DDDD:BB:DD.F, as sysfs writes it.
[[nodiscard]] bool is_pci_address(std::string_view text);
// The text with control and non-ASCII bytes shown as \xNN and cut at `limit`: for error messages and terminals.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 60);
// RFC 3339 UTC with milliseconds, from nanoseconds since the epoch.
[[nodiscard]] std::string rfc3339(std::int64_t wall_ns);

}  // namespace rd
