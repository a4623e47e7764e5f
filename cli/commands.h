// SPDX-License-Identifier: GPL-2.0-or-later
// The commands. Each takes its options and gives what is to be printed and the exit code; none writes to the standard streams
// (progress aside), parses arguments, or ends the program.
#pragma once

#include <chrono>
#include <optional>

#include "cli/answer.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace rd::cli {

// Of one sweep of `record`: a slow answer is better than a hole in a bundle.
inline constexpr std::chrono::seconds kRecordSweepDeadline{5};

struct Console {
    Terminal terminal;
    bool progress = false;
};

[[nodiscard]] Answer run(const CheckOptions& options, const Console& console);
[[nodiscard]] Answer run(const FactsOptions& options, const Console& console);
[[nodiscard]] Answer run(const RulesListOptions& options, const Console& console);
[[nodiscard]] Answer run(const RulesShowOptions& options, const Console& console);
[[nodiscard]] Answer run(const RulesTestOptions& options, const Console& console);
[[nodiscard]] Answer run(const RulesLintOptions& options, const Console& console);
[[nodiscard]] Answer run(const RulesDiffOptions& options, const Console& console);
[[nodiscard]] Answer run(const ExplainOptions& options, const Console& console);
[[nodiscard]] Answer run(const RecordOptions& options, const Console& console);
[[nodiscard]] Answer run(const DiffOptions& options, const Console& console);
[[nodiscard]] Answer run(const EventsOptions& options, const Console& console);
[[nodiscard]] Answer run(const HistoryOptions& options, const Console& console);
[[nodiscard]] Answer run(const AlertsListOptions& options, const Console& console);
[[nodiscard]] Answer run(const AlertsAckOptions& options, const Console& console);
[[nodiscard]] Answer run(const AlertsSilenceOptions& options, const Console& console);
[[nodiscard]] Answer run(const SchemaOptions& options, const Console& console);

// How long the command takes by its own options when it reads this machine; nullopt when it does not.
[[nodiscard]] std::optional<std::chrono::nanoseconds> live_duration(const Command& command);

// A failure in the form that the reader of this command's output expects: monitoring systems read standard output.
[[nodiscard]] Answer failed(const Command& command, const Failure& failure);

}  // namespace rd::cli
