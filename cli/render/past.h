// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon answers (docs/api.md), for people. The JSON that comes in is somebody else's: nothing of it is believed to be there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "core/base/result.h"
#include "core/diagnosis/past.h"

namespace rd::cli {

// Of an answer that is an error.
[[nodiscard]] Error complaint_of(const std::string& body, long status);

// An event to go on from. The number alone would not do: a new store begins with 1 again.
struct EventMark {
    std::int64_t id = 0;
    std::string at;
};

// Events after `last`, one a line, oldest first. `last` becomes the newest of them.
[[nodiscard]] Result<std::string> render_events(const std::string& body, const Terminal& terminal, EventMark& last);
// The same, one JSON object a line.
[[nodiscard]] Result<std::string> lines_of_events(const std::string& body, EventMark& last);
// Whether the answer has the very event `mark` in it.
[[nodiscard]] bool has_event(const std::string& body, const EventMark& mark);

// Findings that were, oldest first.
[[nodiscard]] Result<std::string> render_findings(const std::string& body, const Terminal& terminal);
// One fact over time.
[[nodiscard]] Result<std::string> render_series(const std::string& body, const Terminal& terminal);

// Both in the order of the answer. Rows of kinds or severities that this version does not know are left out.
[[nodiscard]] Result<std::vector<PastFinding>> past_findings(const std::string& body);
[[nodiscard]] Result<std::vector<PastEvent>> past_events(const std::string& body);

}  // namespace rd::cli
