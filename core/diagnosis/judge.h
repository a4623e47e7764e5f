// SPDX-License-Identifier: GPL-2.0-or-later
// evaluate() for those who look again every second: a rule is judged again on a subject only when something that its condition read
// has another value, a window that it asked about has something in it that will leave it, or entities that it went through came or
// went. What is kept between sweeps are states and what they depended on; evidence is made when somebody wants to see it, so its
// numbers are those of the newest sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/diagnosis/evaluate.h"
#include "core/diagnosis/log_evidence.h"
#include "core/diagnosis/view.h"

namespace rd {

class Judge {
public:
    // The book must outlive it and stay as it is.
    explicit Judge(const Rulebook& book);

    struct Change {
        const Rule* rule = nullptr;
        Entity subject;
        std::optional<State> from, to;  // none: there was no such verdict, or there is none any more
    };
    // After each sweep that was appended to the history. What has another state since the last update, in the order of the rules. With
    // another history, or one that has got more than one sweep meanwhile, all is judged anew.
    const std::vector<Change>& update(const History& history);

    // What evaluate() gives for the history of the last update, which must be as it was then. Only that what is quiet has no
    // evidence: nobody is shown it.
    [[nodiscard]] std::vector<Verdict> verdicts();

    // How many verdicts there are, and how many conditions the last update judged again.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t judged() const { return judged_; }

private:
    struct Stand {
        Entity subject;
        State state = State::unknown;
    };
    struct Pair {
        std::vector<SlotIndex> slots;
        Kinds kinds = 0;
        bool unplaced = false, passing = false;
        State state = State::unknown;  // of the condition alone
    };
    // One rule. Its subjects are the first of `stands` where no line of a log says anything.
    struct Section {
        const Rule* rule = nullptr;
        std::size_t number = 0;  // of the rule in the book
        std::vector<Entity> subjects;
        std::vector<Pair> pairs;  // one a subject
        std::vector<LogFinding> said;
        std::vector<Stand> stands;  // what was told last
    };

    [[nodiscard]] bool due(const Pair& pair) const;
    void judge_again(const Section& section, std::size_t subject, Pair& pair);
    void reseat(Section& section);
    void restand(Section& section, std::vector<Stand> now);
    [[nodiscard]] std::vector<Stand> stands_of(const Section& section);
    [[nodiscard]] std::vector<Verdict> verdicts_of(const Section& section);
    void judge(Section& section, bool heard);
    [[nodiscard]] bool lines_due() const;
    [[nodiscard]] bool tells_lines(const Layout::Slot& slot) const;
    void mark_moved();

    const Rulebook& book_;
    std::vector<Section> sections_;
    const History* history_ = nullptr;
    std::optional<View> view_;
    std::uint64_t appended_ = 0;
    Stamp at_;
    bool near_ = false;              // the last sweep came too soon after the one before
    bool anew_ = true;               // in this update all is judged
    bool grown_ = false;             // something may have a slot that had none
    std::uint64_t moves_ = 0;        // of the layout
    std::vector<bool> moved_;        // by slot, in this update
    std::vector<bool> tells_lines_;  // by slot: what lines of logs are about may depend on it
    Kinds of_lines_ = 0;             // the kinds that lines may be about, or lead to
    double lines_until_ = 0;         // seconds since boot: then one of them is too old
    Reads reads_;
    std::vector<Change> changes_;
    std::size_t judged_ = 0;
};

}  // namespace rd
