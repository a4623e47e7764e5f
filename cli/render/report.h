// SPDX-License-Identifier: GPL-2.0-or-later
// One Report, every style. `code` is the exit code that goes with it (core/diagnosis/report.h), so that no style judges anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "core/diagnosis/report.h"
#include "core/ingest/ingest.h"

namespace rd::cli {

// How a report came to be that was made of text: what of it was recognised, and what was not.
struct Origin {
    const ingest::IngestedHost& host;
    const ingest::Ingested& whole;  // its hosts are not looked at
};

[[nodiscard]] std::string render_text(const Report& report, int code, const Terminal& terminal,
                                      const Origin* origin = nullptr);
// docs/schema/check.schema.json
[[nodiscard]] std::string render_json(const Report& report, const Origin* origin = nullptr);
// Of several hosts that one text tells of.
struct JsonHost {
    const Report* report;
    const Origin* origin;
};
[[nodiscard]] std::string render_json(const std::vector<JsonHost>& hosts);
// One test case a rule: failed when it has a finding that counts, skipped when it has others, is unknown or disabled.
[[nodiscard]] std::string render_junit(const Report& report, const Rulebook& book, Severity fail_on = Severity::low);

// One line for a monitoring system, with the exit code that it reads: that of `check`, but UNKNOWN instead of OK where the RDMA
// devices could not be enumerated. Findings below `fail_on` are told, but as such. `trouble` is the program's own, in the same form.
[[nodiscard]] std::string render_nagios(const Report& report, int code, Severity fail_on = Severity::low);
[[nodiscard]] int nagios_code(const Report& report, int code);
[[nodiscard]] std::string nagios_trouble(std::string_view what);
inline constexpr int kNagiosUnknown = 3;

// node-problem-detector knows 0 ok, 1 problem, 2 unknown only.
[[nodiscard]] std::string render_npd(const Report& report, int code, Severity fail_on = Severity::low);
[[nodiscard]] int npd_code(const Report& report, int code);
[[nodiscard]] std::string npd_trouble(std::string_view what);
inline constexpr int kNpdUnknown = 2;

}  // namespace rd::cli
