// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"

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
    if (const auto* record = std::get_if<RecordOptions>(&command)) {
        return record->duration + record->sweeps * kRecordSweepDeadline;
    }
    return std::nullopt;
}

Answer failed(const Command& command, const Failure& failure) {
    const auto* check = std::get_if<CheckOptions>(&command);
    if (check == nullptr || (check->style != Style::nagios && check->style != Style::npd)) return answer_from(failure);
    // A plugin's own trouble is "unknown" to these systems, told on standard output.
    const std::string first_line = failure.text.substr(0, failure.text.find('\n'));
    if (check->style == Style::nagios) return {3, "RDMA UNKNOWN - " + first_line + "\n", {}};
    return {2, first_line + "\n", {}};
}

}  // namespace rd::cli
