// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/evaluate.h"

namespace rd {
namespace {

const Entity kTheHost{Kind::host, ""};

std::vector<Entity> subjects_of(const Rule& rule, const Snapshot& snapshot) {
    if (rule.scope == Kind::host) return {kTheHost};
    return snapshot.entities(rule.scope);
}

// For the subjects there are not: there is none, or nobody could look (whole or in part).
Verdict of_the_unseen(const Rule& rule, const History& history) {
    Verdict verdict{&rule, kTheHost, State::not_applicable, {}, history.last(), history.last()};
    if (const Gap* gap = history.latest().kind_gap(rule.scope)) {
        verdict.state = State::unknown;
        verdict.outcome.missing.push_back(Missing{kTheHost, std::string(name_of(rule.scope)), *gap});
    }
    return verdict;
}

}  // namespace

Verdict judge(const Rule& rule, const History& history, const Entity& subject, const Params& params) {
    Verdict verdict{&rule,          subject,       State::unknown, rule.when.evaluate(history, subject, params),
                    history.last(), history.last()};
    switch (verdict.outcome.truth) {
        case Truth::yes:
            verdict.state = State::firing;
            break;
        case Truth::no:
            verdict.state = State::quiet;
            break;
        case Truth::unknown:
            if (!rule.suspect) break;
            if (Outcome suspicion = rule.suspect->evaluate(history, subject, params); suspicion.truth == Truth::yes) {
                verdict.state = State::suspected;
                verdict.outcome = std::move(suspicion);
            }
            break;
    }
    return verdict;
}

std::vector<Verdict> evaluate(const Rulebook& book, const History& history) {
    std::vector<Verdict> verdicts;
    if (history.sweeps() == 0) return verdicts;
    for (const Rule& rule : book.rules) {
        if (!rule.enabled) continue;
        const std::vector<Entity> subjects = subjects_of(rule, history.latest());
        for (const Entity& subject : subjects) verdicts.push_back(judge(rule, history, subject, rule.params));
        const bool in_part = rule.scope != Kind::host && history.latest().kind_gap(rule.scope) != nullptr;
        if (subjects.empty() || in_part) verdicts.push_back(of_the_unseen(rule, history));
    }
    return verdicts;
}

}  // namespace rd
