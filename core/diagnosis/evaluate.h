// SPDX-License-Identifier: GPL-2.0-or-later
// evaluate(rulebook, history) is the one call: in a unit test, in `check`, in the daemon and on a bundle.
#pragma once

#include <optional>
#include <vector>

#include "core/diagnosis/rulebook.h"
#include "core/facts/history.h"

namespace rd {

// One rule on one subject. Evidence is that of `when`, or of `suspect` when the state is suspected, then the lines of logs.
struct Verdict {
    const Rule* rule = nullptr;
    Entity subject;
    State state = State::unknown;
    Outcome outcome;
    Stamp at;
    Stamp since;  // of a firing: `at`, until a tracker knows better
    // The state comes from lines of logs, not from the condition: how sure they make us.
    std::optional<Confidence> said = std::nullopt;
    Captures captures = {};  // of the first such line, with the line itself as "line"
};

// All of it anew; class Judge does the same sweep after sweep. In order of rule id, then subject, then further subjects that lines of logs name. A rule without any subject gives one verdict on the
// host: not_applicable, or unknown where the subjects could not be enumerated. The same unknown comes last where only a part of them
// could be.
[[nodiscard]] std::vector<Verdict> evaluate(const Rulebook& book, const History& history);

// The condition of one rule on one subject: what evaluate() does for each, and the examples on theirs.
[[nodiscard]] Verdict judge(const Rule& rule, const History& history, const Entity& subject, const Params& params);
[[nodiscard]] Verdict judge(const Rule& rule, View& view, const Entity& subject, const Params& params);

}  // namespace rd
