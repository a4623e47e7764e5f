// SPDX-License-Identifier: GPL-2.0-or-later
// Small files that are read while a collector looks for what there is: summaries over many of them, and things that come and go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/facts/collector.h"
#include "core/host/host.h"

namespace rd::collectors {

// An Error of what a file holds says which file.
[[nodiscard]] Error named(const std::string& path, Error error);
// What the parser makes of the file. Every Error names the path.
[[nodiscard]] Result<Value> read_value(const Host& host, const std::string& path, Parser parser);
// Trimmed; an empty file is an empty text.
[[nodiscard]] Result<std::string> read_word(const Host& host, const std::string& path);
[[nodiscard]] Result<std::int64_t> read_number(const Host& host, const std::string& path);
[[nodiscard]] Result<std::vector<int>> read_cpulist(const Host& host, const std::string& path);

// The chosen word of a list of choices: "always [madvise] never".
[[nodiscard]] Result<Value> as_choice(std::string_view text);
[[nodiscard]] Result<Value> as_cpus(std::string_view text);  // a list of CPUs as text (0-15,64-79)

// The number behind a prefix: "node7" → 7. -1: another name.
[[nodiscard]] std::int64_t number_after(std::string_view name, std::string_view prefix);

// Whether systemd runs the unit, from the tree of control groups: asking systemd would need its bus.
[[nodiscard]] Result<bool> unit_runs(const Host& host, std::string_view unit);

}  // namespace rd::collectors
