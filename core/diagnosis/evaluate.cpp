// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/evaluate.h"

#include "core/diagnosis/log_evidence.h"
#include "core/diagnosis/verdicts.h"

namespace rd {

Verdict judge(const Rule& rule, const History& history, const Entity& subject, const Params& params) {
    View view(history);
    return judge(rule, view, subject, params);
}

Verdict judge(const Rule& rule, View& view, const Entity& subject, const Params& params) {
    Verdict verdict = blank(rule, view.history(), subject, State::unknown);
    verdict.outcome = rule.when.evaluate(view, subject, params);
    switch (verdict.outcome.truth) {
        case Truth::yes:
            verdict.state = State::firing;
            break;
        case Truth::no:
            verdict.state = State::quiet;
            break;
        case Truth::unknown:
            if (!rule.suspect) break;
            if (Outcome suspicion = rule.suspect->evaluate(view, subject, params); suspicion.truth == Truth::yes) {
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
    View view(history);
    const std::vector<std::vector<LogFinding>> said = read_logs(book, history);
    for (std::size_t number = 0; number < book.rules.size(); ++number) {
        const Rule& rule = book.rules[number];
        if (!rule.enabled) continue;
        const std::size_t first = verdicts.size();
        if (rule.when) {
            for (const Entity& subject : subjects_of(rule, view))
                verdicts.push_back(judge(rule, view, subject, rule.params));
            if (has_unseen(rule, view)) verdicts.push_back(of_the_unseen(rule, history));
        }
        add_lines(said[number], rule, history, first, verdicts);
        if (verdicts.size() == first) verdicts.push_back(without_lines(rule, history));
    }
    return verdicts;
}

}  // namespace rd
