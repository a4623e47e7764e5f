// SPDX-License-Identifier: GPL-2.0-or-later
// What the lines of logs that a history holds say to the rules, and about what. Whose line it is:
//
//   1. what the line names (a capture first, then PCI addresses, then names of what is there), when from there references lead to exactly
//      one entity of the rule's scope, or from exactly one such entity to it: "mlx5_0" to its only port, "0000:41:00.0" to its device;
//   2. else what the line names itself, of whatever kind;
//   3. else, when it names nothing that looks like a device and there is exactly one entity of the scope: that one;
//   4. else the host.
//
// A line about a PCI function that is not among those looked at, and that no RDMA driver wrote, is about something else: it is left out.
// So is what the kernel wrote more than an hour ago; a line without a time counts as of now.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/diagnosis/evaluate.h"
#include "core/facts/history.h"

namespace rd {

// Lines of one meaning about one thing.
struct LogFinding {
    Entity subject;
    Confidence confidence = Confidence::low;  // of the surest pattern
    std::vector<Evidence> evidence;
    Captures captures;  // of the first line, and the line itself as "line"
};

// By place of the rule in the book; subjects in the order of their first line. Bounded: some lines a subject, some subjects a rule (the
// lines about further ones are told of the host).
[[nodiscard]] std::vector<std::vector<LogFinding>> read_logs(const Rulebook& book, const History& history);

// Seconds since boot, until when the lines there are say the same: then the next of them is too old.
[[nodiscard]] double lines_hold_until(const Snapshot& now);

// Facts of the host that tell whether logs were looked at: the kernel's, those of applications.
inline constexpr std::array<std::string_view, 2> kLogFacts = {"kernel_log_shapes", "application_log_shapes"};

// A rule that is known by lines alone, where there was none: quiet when the logs were looked at, unknown when the kernel's could not be
// read, not applicable when there are none to look at.
[[nodiscard]] Verdict without_lines(const Rule& rule, const History& history);

}  // namespace rd
