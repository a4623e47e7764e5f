// SPDX-License-Identifier: GPL-2.0-or-later
// Judge against evaluate(): sweep after sweep they must say the same.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/diagnosis/tracker.h"

namespace rd::test {

inline std::string told(const Verdict& verdict) {
    return verdict.rule->id + " on " + std::string(name_of(verdict.subject.kind)) + ":" + verdict.subject.id + " " +
           std::string(name_of(verdict.state));
}

// All that is shown of it.
inline std::string shown(const Verdict& verdict) {
    std::string out = told(verdict) + " at " + std::to_string(verdict.at.boot_ns);
    const auto of = [](const Entity& entity) { return std::string(name_of(entity.kind)) + ":" + entity.id; };
    const auto gap = [](const Gap& one) {
        return std::string(name_of(one.kind)) + " " + one.reason + " " + one.remedy;
    };
    for (const Evidence& one : verdict.outcome.evidence) {
        out += "\n  " + of(one.entity) + " " + one.fact + " " + one.how + " = " +
               (one.reading ? print(*one.reading) : gap(one.reading.error())) + " " + one.unit + " over " +
               std::to_string(one.window.value_or(std::chrono::nanoseconds(0)).count()) + " at " +
               std::to_string(one.at.boot_ns);
    }
    for (const Missing& one : verdict.outcome.missing)
        out += "\n  missing " + of(one.entity) + " " + one.fact + ": " + gap(one.gap);
    for (const auto& [name, text] : verdict.captures) out += "\n  " + name + ": " + text;
    if (verdict.said) out += "\n  said " + std::string(name_of(*verdict.said));
    return out;
}

class JudgeBesideEvaluate {
public:
    explicit JudgeBesideEvaluate(const Rulebook& book) : book_(book), judge_(book) {}

    // False, and a failure of the test, when they differ.
    bool same_after_sweep(const History& history) {
        latest_ = judge_.update(history);
        for (const Judge::Change& change : latest_) apply(change);
        judged_ += judge_.judged();
        anew_ = evaluate(book_, history);
        const std::vector<Verdict>& anew = anew_;
        const std::vector<Verdict> kept = judge_.verdicts();
        total_ += anew.size();
        EXPECT_EQ(kept.size(), anew.size());
        EXPECT_EQ(judge_.size(), anew.size());
        std::map<Key, State> states;
        for (std::size_t i = 0; i < anew.size() && !testing::Test::HasFailure(); ++i) {
            states[{anew[i].rule->id, anew[i].subject}] = anew[i].state;
            if (anew[i].state == State::quiet) {
                EXPECT_EQ(told(kept[i]), told(anew[i]));
            } else {
                EXPECT_EQ(shown(kept[i]), shown(anew[i]));
            }
        }
        EXPECT_TRUE(states == states_) << "the changes do not lead to the states";
        return !testing::Test::HasFailure();
    }

    // A tracker that is told what changed says what one says that is shown everything.
    bool tracked_alike(Stamp now) {
        const auto printed = [](const std::vector<Tracker::Change>& changes) {
            std::multiset<std::string> out;
            for (const Tracker::Change& one : changes) {
                out.insert(one.rule + " " + one.subject.id + " " + std::string(name_of(one.from)) + " " +
                           std::string(name_of(one.to)));
            }
            return out;
        };
        std::vector<Verdict> told_by_all = anew_, told_by_changes = anew_;
        const auto all = printed(of_all_.update(told_by_all, now));
        const auto changed = printed(of_changes_.update(latest_, now));
        EXPECT_EQ(all, changed);
        of_changes_.tell(told_by_changes);
        for (std::size_t i = 0; i < told_by_all.size() && !testing::Test::HasFailure(); ++i) {
            EXPECT_EQ(told(told_by_all[i]), told(told_by_changes[i]));
            EXPECT_EQ(told_by_all[i].since, told_by_changes[i].since) << told(told_by_all[i]);
        }
        return !testing::Test::HasFailure();
    }

    [[nodiscard]] std::size_t judged() const { return judged_; }
    [[nodiscard]] std::size_t total() const { return total_; }
    [[nodiscard]] std::size_t changes() const { return changes_; }

private:
    using Key = std::pair<std::string, Entity>;

    void apply(const Judge::Change& change) {
        ++changes_;
        const Key key{change.rule->id, change.subject};
        const auto known = states_.find(key);
        const auto before = known != states_.end() ? std::optional(known->second) : std::nullopt;
        EXPECT_EQ(before, change.from) << key.first;
        if (change.to) {
            states_[key] = *change.to;
        } else {
            states_.erase(key);
        }
    }

    const Rulebook& book_;
    Judge judge_;
    Tracker of_all_, of_changes_;
    std::vector<Judge::Change> latest_;
    std::vector<Verdict> anew_;
    std::map<Key, State> states_;
    std::size_t judged_ = 0, total_ = 0, changes_ = 0;
};

}  // namespace rd::test
