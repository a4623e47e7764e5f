// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/program: what rdmadoctor and rdmadoctord have in common as programs: their own files, which are not state of the host and
// hence not behind the Host. It reads them as text; what they say is for facts and diagnosis.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/diagnosis/rulebook.h"

namespace rd {

inline constexpr const char* kConfigFile = "/etc/rdmadoctor/rdmadoctor.toml";
inline constexpr const char* kSiteRules = "/etc/rdmadoctor/rules.d";
inline constexpr const char* kApiSocket = "/run/rdmadoctor/api.sock";          // to ask the daemon
inline constexpr const char* kControlSocket = "/run/rdmadoctor/control.sock";  // to tell it something
// What rdmadoctor-probe.service leaves.
inline constexpr const char* kProbeBundle = "/run/rdmadoctor/probe/host.tar.zst";

inline constexpr std::size_t kMaxOwnFile = 1u << 20;  // a rule or a configuration is a few kilobytes

[[nodiscard]] Result<std::string> read_own_file(const std::string& path);

// All *.toml below `directory`, sorted by path, apart from the list of conditions (index.toml) at its top. A directory that cannot be listed, a file that cannot be read, and one of another
// name that is no README, hidden or backup file is an Error: a rule that is silently missing looks like a host that is healthy.
[[nodiscard]] Result<std::vector<RuleFile>> read_rule_files(const std::string& directory);

// Where the shipped rules lie: $RDMADOCTOR_RULES, else ../share/rdmadoctor/rules seen from the program (installed), else
// ../rules (build tree). not_found names the places that were tried.
[[nodiscard]] Result<std::string> shipped_rules_directory();
// What is in it, which is never nothing.
[[nodiscard]] Result<std::vector<RuleFile>> read_shipped_rules();

[[nodiscard]] bool is_directory(const std::string& path);
[[nodiscard]] bool exists(const std::string& path);

}  // namespace rd
