// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon of a host has kept, laid beside what a report of that host says now. Pure: whoever asked the daemon hands over what
// it said. Nothing here changes what was found, how grave it is, or the exit code.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/report.h"

namespace rd {

// What is over is told for as long.
inline constexpr std::chrono::hours kRecent{24};

// A finding as it came and went. Wall clock, nanoseconds since 1970.
struct PastFinding {
    std::string rule, title;
    Severity severity = Severity::info;
    Entity subject;
    std::int64_t from_ns = 0;
    std::optional<std::int64_t> to_ns;  // none: it goes on
};

// What the kernel said, as often as it said it without a pause.
struct PastEvent {
    std::string source, name;  // "verbs", "PORT_ERR"
    std::optional<Entity> subject;
    std::uint64_t count = 1;
    std::int64_t last_ns = 0;
};

struct Recollection {
    std::vector<PastFinding> findings;  // all that is kept, or the newest of them
    std::vector<PastEvent> events;      // of the time that is recent
};

using LabelOf = std::function<std::string(const Entity&)>;

// Gives the findings of the report their past, and the report what is over. `label`: what people call an entity.
void add_past(Report& report, const Recollection& known, const LabelOf& label);

}  // namespace rd
