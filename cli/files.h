// SPDX-License-Identifier: GPL-2.0-or-later
// The program's own files: its configuration and its rules. They are not state of the host, hence not behind the Host.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/diagnosis/rulebook.h"

namespace rd::cli {

inline constexpr std::size_t kMaxOwnFile = 1u << 20;  // a rule or a configuration is a few kilobytes

[[nodiscard]] Result<std::string> read_own_file(const std::string& path);

// All *.toml below `directory`, sorted by path. A directory that cannot be listed or a file that cannot be read is an
// Error: a rule that is silently missing looks like a host that is healthy.
[[nodiscard]] Result<std::vector<RuleFile>> read_rule_files(const std::string& directory);

// Where the shipped rules lie: $RDMADOCTOR_RULES, else ../share/rdmadoctor/rules seen from the program (installed), else
// ../rules (build tree). not_found names the places that were tried.
[[nodiscard]] Result<std::string> shipped_rules_directory();

[[nodiscard]] bool is_directory(const std::string& path);
[[nodiscard]] bool exists(const std::string& path);

}  // namespace rd::cli
