// SPDX-License-Identifier: GPL-2.0-or-later
// What the verdicts of a rule are made of. Private to evaluate() and Judge, which must agree.
#pragma once

#include <vector>

#include "core/diagnosis/evaluate.h"
#include "core/diagnosis/log_evidence.h"
#include "core/diagnosis/view.h"

namespace rd {

[[nodiscard]] Verdict blank(const Rule& rule, const History& history, const Entity& subject, State state);
[[nodiscard]] const std::vector<Entity>& subjects_of(const Rule& rule, View& view);
// For the subjects there are not: there is none, or nobody could look (whole or in part).
[[nodiscard]] bool has_unseen(const Rule& rule, View& view);
[[nodiscard]] Verdict of_the_unseen(const Rule& rule, const History& history);
// What lines say, added to what the condition says: the verdicts from `first` on are those of the rule.
void add_lines(std::vector<LogFinding> findings, const Rule& rule, const History& history, std::size_t first,
               std::vector<Verdict>& verdicts);

}  // namespace rd
