// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"

#include <algorithm>

#include "cli/render/report.h"
#include "cli/source.h"

namespace rd::cli {

std::optional<std::chrono::nanoseconds> live_duration(const Command& command) {
    if (const auto* check = std::get_if<CheckOptions>(&command); check != nullptr && is_live(check->from)) {
        return check->deadline;
    }
    if (const auto* facts = std::get_if<FactsOptions>(&command);
        facts != nullptr && !facts->list && is_live(facts->from)) {
        return facts->deadline;
    }
    if (const auto* record = std::get_if<RecordOptions>(&command); record != nullptr && is_live(record->from)) {
        return record->duration + record->sweeps * kRecordSweepDeadline;
    }
    if (const auto* diff = std::get_if<DiffOptions>(&command);
        diff != nullptr && std::any_of(diff->sources.begin(), diff->sources.end(), is_live)) {
        return diff->deadline;
    }
    return std::nullopt;
}

Answer failed(const Command& command, const Failure& failure) {
    const auto* check = std::get_if<CheckOptions>(&command);
    if (check == nullptr || (check->style != Style::nagios && check->style != Style::npd)) return answer_from(failure);
    // A plugin's own trouble is "unknown" to these systems, told on standard output.
    if (check->style == Style::nagios) return {kNagiosUnknown, nagios_trouble(failure.text), {}};
    return {kNpdUnknown, npd_trouble(failure.text), {}};
}

}  // namespace rd::cli
