// SPDX-License-Identifier: GPL-2.0-or-later
// One Report, every style. `code` is the exit code that goes with it (core/diagnosis/report.h), so that no style judges anew.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "core/diagnosis/report.h"

namespace rd::cli {

[[nodiscard]] std::string render_text(const Report& report, int code, const Terminal& terminal);
[[nodiscard]] std::string render_json(const Report& report);  // docs/schema/check.schema.json
[[nodiscard]] std::string render_nagios(const Report& report, int code);
[[nodiscard]] std::string render_npd(const Report& report, int code);
// One test case a rule: failed when it has a finding, skipped when it is unknown or disabled.
[[nodiscard]] std::string render_junit(const Report& report, const Rulebook& book);

// node-problem-detector knows 0 ok, 1 problem, 2 unknown only.
[[nodiscard]] int npd_code(int code);

}  // namespace rd::cli
