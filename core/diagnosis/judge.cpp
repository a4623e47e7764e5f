// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/judge.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/diagnosis/verdicts.h"

namespace rd {
namespace {

State state_of(const Rule& rule, View& view, const Entity& subject) {
    switch (rule.when.truth(view, subject, rule.params)) {
        case Truth::yes:
            return State::firing;
        case Truth::no:
            return State::quiet;
        default:
            break;
    }
    const bool suspected = rule.suspect && rule.suspect->truth(view, subject, rule.params) == Truth::yes;
    return suspected ? State::suspected : State::unknown;
}

}  // namespace

Judge::Judge(const Rulebook& book) : book_(book), of_lines_(kAllKinds & ~only(Kind::process)) {
    for (std::size_t number = 0; number < book.rules.size(); ++number) {
        const Rule& rule = book.rules[number];
        if (!rule.enabled) continue;
        Section& section = sections_.emplace_back();
        section.rule = &rule;
        section.number = number;
        if (!rule.logs.empty()) of_lines_ |= only(rule.scope);
    }
}

std::size_t Judge::size() const {
    std::size_t size = 0;
    for (const Section& section : sections_) size += section.stands.size();
    return size;
}

const std::vector<Judge::Change>& Judge::update(const History& history) {
    changes_.clear();
    judged_ = 0;
    if (history.sweeps() == 0) return changes_;
    // What stands still has a rate only once two sweeps lie apart, and none while they do not.
    const bool near = history.last().boot_ns - at_.boot_ns < std::chrono::nanoseconds(kShortestWindow).count();
    anew_ = &history != history_ || history.appended() != appended_ + 1 || near || near_;
    if (&history != history_) {
        tells_lines_.clear();
        moved_.clear();
    }
    if (anew_) {
        view_.emplace(history);
    } else {
        view_->move_on(history.moved_kinds());
    }
    history_ = &history;
    appended_ = history.appended();
    at_ = history.last();
    near_ = near;
    mark_moved();
    if (lines_due()) {
        std::vector<std::vector<LogFinding>> said = read_logs(book_, history);
        lines_until_ = lines_hold_until(history.latest());
        for (Section& section : sections_) {
            std::vector<LogFinding>& now = said[section.number];
            const bool heard = !section.rule->when || !section.said.empty() || !now.empty();
            section.said = std::move(now);
            judge(section, heard);
        }
    } else {
        for (Section& section : sections_) judge(section, false);
    }
    for (const SlotIndex slot : history.moved()) moved_[slot] = false;
    return changes_;
}

// What a line is about follows from names and references. Nothing refers to a process.
bool Judge::tells_lines(const Layout::Slot& slot) const {
    const Kind kind = history_->layout().entity(slot.entity).kind;
    if ((only(kind) & of_lines_) == 0) return false;
    return kind == Kind::log || slot.spec->type == Type::reference || slot.name == "name" ||
           std::find(kLogFacts.begin(), kLogFacts.end(), slot.name) != kLogFacts.end();
}

void Judge::mark_moved() {
    const Layout& layout = history_->layout();
    grown_ = moved_.size() < layout.slot_count() || moves_ != layout.moves();
    moves_ = layout.moves();
    moved_.resize(layout.slot_count(), false);
    for (SlotIndex slot = static_cast<SlotIndex>(tells_lines_.size()); slot < layout.slot_count(); ++slot)
        tells_lines_.push_back(tells_lines(layout.slot(slot)));
    for (const SlotIndex slot : history_->moved()) moved_[slot] = true;
}

bool Judge::due(const Pair& pair) const {
    if (anew_ || pair.passing || (pair.unplaced && grown_) || (pair.kinds & history_->moved_kinds()) != 0) return true;
    return std::any_of(pair.slots.begin(), pair.slots.end(), [&](SlotIndex slot) { return moved_[slot]; });
}

void Judge::judge_again(const Section& section, std::size_t subject, Pair& pair) {
    ++judged_;
    reads_.slots.clear();
    reads_.kinds = 0;
    reads_.unplaced = reads_.passing = false;
    view_->note(&reads_);
    pair.state = state_of(*section.rule, *view_, section.subjects[subject]);
    view_->note(nullptr);
    pair.kinds = reads_.kinds;
    pair.unplaced = reads_.unplaced;
    pair.passing = reads_.passing;
    std::sort(reads_.slots.begin(), reads_.slots.end());
    reads_.slots.erase(std::unique(reads_.slots.begin(), reads_.slots.end()), reads_.slots.end());
    if (pair.slots != reads_.slots) pair.slots = std::vector<SlotIndex>(reads_.slots);
}

// Those that are still there keep what is known of them.
void Judge::reseat(Section& section) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < section.subjects.size(); ++i) places.emplace(section.subjects[i].id, i);
    std::vector<Pair> pairs;
    const std::vector<Entity>& subjects = subjects_of(*section.rule, *view_);
    for (const Entity& subject : subjects) {
        const auto place = places.find(subject.id);
        if (place != places.end()) {
            pairs.push_back(std::move(section.pairs[place->second]));
        } else {
            pairs.emplace_back().passing = true;  // not judged yet
        }
    }
    section.pairs = std::move(pairs);
    section.subjects = subjects;
}

// `heard`: lines say something else than before.
void Judge::judge(Section& section, bool heard) {
    bool moved = heard;
    if (section.rule->when) {
        const bool seats = anew_ || (history_->moved_kinds() & only(section.rule->scope)) != 0;
        if (seats) reseat(section);
        moved = moved || seats;
        for (std::size_t i = 0; i < section.pairs.size(); ++i) {
            Pair& pair = section.pairs[i];
            if (!due(pair)) continue;
            const State before = pair.state;
            judge_again(section, i, pair);
            // Where lines say something too, it counts what the condition could not see.
            moved = moved || pair.state != before || !section.said.empty();
        }
    }
    // What clears the lines may hold now, or no longer.
    moved = moved || (section.rule->cleared_by && !section.said.empty());
    if (moved) restand(section, stands_of(section));
}

std::vector<Judge::Stand> Judge::stands_of(const Section& section) {
    std::vector<Stand> stands;
    if (section.said.empty() && section.rule->when) {
        for (std::size_t i = 0; i < section.pairs.size(); ++i)
            stands.push_back({section.subjects[i], section.pairs[i].state});
        if (has_unseen(*section.rule, *view_)) {
            const Verdict unseen = of_the_unseen(*section.rule, *history_);
            stands.push_back({unseen.subject, unseen.state});
        }
        return stands;
    }
    for (const Verdict& verdict : verdicts_of(section)) stands.push_back({verdict.subject, verdict.state});
    return stands;
}

void Judge::restand(Section& section, std::vector<Stand> now) {
    std::vector<Stand>& old = section.stands;
    std::vector<bool> gone(old.size(), true);
    std::size_t next = 0;  // nearly always the one that is looked for
    const auto place_of = [&](const Entity& subject) {
        const auto is = [&](const Stand& stand) { return stand.subject == subject; };
        const auto from = old.begin() + static_cast<std::ptrdiff_t>(next);
        auto found = std::find_if(from, old.end(), is);
        if (found == old.end()) found = std::find_if(old.begin(), from, is);
        const bool known = found != old.end() && is(*found);
        return known ? std::optional(static_cast<std::size_t>(found - old.begin())) : std::nullopt;
    };
    for (const Stand& stand : now) {
        const auto place = place_of(stand.subject);
        const auto before = place ? std::optional(old[*place].state) : std::nullopt;
        if (before != stand.state) changes_.push_back({section.rule, stand.subject, before, stand.state});
        if (!place) continue;
        gone[*place] = false;
        next = *place + 1;
    }
    for (std::size_t i = 0; i < gone.size(); ++i) {
        if (gone[i]) changes_.push_back({section.rule, old[i].subject, old[i].state, std::nullopt});
    }
    old = std::move(now);
}

bool Judge::lines_due() const {
    if (anew_ || (history_->moved_kinds() & of_lines_) != 0) return true;
    if (static_cast<double>(history_->last().boot_ns) / 1e9 > lines_until_) return true;
    return std::any_of(history_->moved().begin(), history_->moved().end(),
                       [&](SlotIndex slot) { return tells_lines_[slot]; });
}

std::vector<Verdict> Judge::verdicts_of(const Section& section) {
    const Rule& rule = *section.rule;
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < section.pairs.size(); ++i) {
        const Entity& subject = section.subjects[i];
        const bool shown = section.pairs[i].state != State::quiet || !section.said.empty();
        verdicts.push_back(shown ? rd::judge(rule, *view_, subject, rule.params)
                                 : blank(rule, *history_, subject, State::quiet));
        if (!shown) verdicts.back().outcome.truth = Truth::no;
    }
    if (rule.when && has_unseen(rule, *view_)) verdicts.push_back(of_the_unseen(rule, *history_));
    add_lines(section.said, rule, *history_, 0, verdicts);
    if (verdicts.empty()) verdicts.push_back(without_lines(rule, *history_));
    return verdicts;
}

std::vector<Verdict> Judge::verdicts() {
    std::vector<Verdict> all;
    if (history_ == nullptr) return all;
    all.reserve(size());
    // The evidence of lines tells when they were last seen there.
    std::vector<std::vector<LogFinding>> said = read_logs(book_, *history_);
    for (Section& section : sections_) {
        section.said = std::move(said[section.number]);
        for (Verdict& verdict : verdicts_of(section)) all.push_back(std::move(verdict));
    }
    return all;
}

}  // namespace rd
