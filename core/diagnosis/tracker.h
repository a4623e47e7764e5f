// SPDX-License-Identifier: GPL-2.0-or-later
// Time for the daemon: `for`, since when, and what has cleared. `check` does not use it: there the state stands as evaluated.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnosis/evaluate.h"

namespace rd {

class Tracker {
public:
    struct Change {
        std::string rule;
        Entity subject;
        State from = State::quiet, to = State::quiet;
        Stamp at;
    };
    // Turns firing into pending until `for` has passed, sets `since`, and says what changed. Unknown neither starts nor ends a
    // finding: what cannot be seen has not healed.
    std::vector<Change> update(std::vector<Verdict>& verdicts, Stamp now);
    [[nodiscard]] Stamp since(const std::string& rule, const Entity& subject) const;

private:
    struct Track {
        State state = State::quiet;
        Stamp since, first_yes;
        bool yes = false;
    };
    std::map<std::pair<std::string, Entity>, Track> tracks_;
};

}  // namespace rd
