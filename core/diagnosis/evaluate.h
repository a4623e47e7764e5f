// SPDX-License-Identifier: GPL-2.0-or-later
// evaluate(rulebook, history) is the one call: in a unit test, in `check`, in the daemon and on a bundle.
#pragma once

#include <vector>

#include "core/diagnosis/rulebook.h"
#include "core/facts/history.h"

namespace rd {

// One rule on one subject. Evidence is that of `when`, or of `suspect` when the state is suspected.
struct Verdict {
    const Rule* rule = nullptr;
    Entity subject;
    State state = State::unknown;
    Outcome outcome;
    Stamp at;
    Stamp since;  // of a firing: `at`, until a tracker knows better
};

// In order of rule id, then subject. A rule without any subject gives one verdict on the host: not_applicable, or unknown where the
// subjects could not be enumerated. The same unknown comes last where only a part of them could be.
[[nodiscard]] std::vector<Verdict> evaluate(const Rulebook& book, const History& history);

// One rule on one subject: what evaluate() does for each, and the examples on theirs.
[[nodiscard]] Verdict judge(const Rule& rule, const History& history, const Entity& subject, const Params& params);

}  // namespace rd
