// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon answers (docs/api.md), for people. The JSON that comes in is somebody else's: nothing of it is believed to be there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"
#include "core/base/result.h"
#include "core/diagnosis/past.h"
#include "core/host/host.h"

namespace rd::cli {

// Of an answer that is an error.
[[nodiscard]] Error complaint_of(const std::string& body, long status);

// An event to go on from. The number alone would not do: a new store begins with 1 again.
struct EventMark {
    std::int64_t id = 0;
    std::string at;
};

// Events that say the same within a second are one, which the daemon has at once, and how many they were when the second is over. Who follows
// tells each once, so holds it back until its count is final. By the wall clock where that says so, which may be set, or not be the one of the
// daemon; so never for longer than that takes from when it was seen first.
class EventHold {
public:
    explicit EventHold(const Stamp& now) : now_(now) {}
    // A new answer.
    void look(const Stamp& now) { *this = EventHold(now, std::move(seen_)); }
    // Of the events of an answer, in their order: one that is held back holds back all after it.
    [[nodiscard]] bool tells(std::int64_t id, std::optional<std::int64_t> at_ns);
    // The first that was held back; 0: none was.
    [[nodiscard]] std::int64_t first() const { return first_; }

private:
    EventHold(const Stamp& now, std::map<std::int64_t, std::int64_t> seen) : now_(now), seen_(std::move(seen)) {}

    Stamp now_;
    std::map<std::int64_t, std::int64_t> seen_;  // id → boot_ns, of those that were held back
    std::int64_t first_ = 0;
};

// Events after `last`, one a line, oldest first. `last` becomes the newest of them.
[[nodiscard]] Result<std::string> render_events(const std::string& body, const Terminal& terminal, EventMark& last,
                                                EventHold* hold = nullptr);
// The same, one JSON object a line.
[[nodiscard]] Result<std::string> lines_of_events(const std::string& body, EventMark& last, EventHold* hold = nullptr);
// The last event of the answer before the one of this number.
[[nodiscard]] Result<EventMark> last_before(const std::string& body, std::int64_t id = INT64_MAX);
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
