// SPDX-License-Identifier: GPL-2.0-or-later
// Time for the daemon: `for`, since when, and what has cleared. `check` does not use it: there the state stands as evaluated.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnosis/judge.h"

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
    // The same after each update of a Judge, at the cost of what changed and not of all there is. One tracker is fed in one of the two
    // ways.
    std::vector<Change> update(const std::vector<Judge::Change>& judged, Stamp now);
    // Verdicts as they were judged last, as they are to be told: pending, and since when.
    void tell(std::vector<Verdict>& verdicts) const;
    [[nodiscard]] Stamp since(const std::string& rule, const Entity& subject) const;
    // What goes on, whether it is to be seen at present or not.
    struct Firing {
        std::string rule;
        Entity subject;
        Stamp since;
    };
    [[nodiscard]] std::vector<Firing> firing() const;
    [[nodiscard]] bool fires(const std::string& rule, const Entity& subject) const;
    // Nobody could look for subjects of the rule: what is not among the verdicts may be there all the same.
    [[nodiscard]] bool blind(const std::string& rule) const;

private:
    using Key = std::pair<std::string, Entity>;
    struct Track {
        State state = State::quiet;
        Stamp since, first_yes;
        bool yes = false;
    };
    // Of the verdicts of one rule: how many are on subjects of its scope, and how many tell that subjects could not be seen.
    struct Sight {
        Kind scope = Kind::host;
        int subjects = 0, unseen = 0;
    };
    using Changes = std::vector<Change>;

    void see(const Key& key, State state, std::chrono::nanoseconds hold, Stamp now, Changes& changes);
    static void move(const Key& key, Track& track, State to, Stamp now, Changes& changes);
    void count(const Rule& rule, const Entity& subject, State state, int by);
    [[nodiscard]] static bool blind(const Sight& sight);

    std::map<Key, Track> tracks_;
    // Only of a judge's changes: what is pending and still fires, with its `for`; what is tracked and has no verdict; and what can be seen.
    std::map<Key, std::chrono::nanoseconds> waiting_;
    std::set<Key> lost_;
    std::map<std::string, Sight> sights_;
};

}  // namespace rd
