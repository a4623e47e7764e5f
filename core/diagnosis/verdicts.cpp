// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/verdicts.h"

#include <algorithm>

namespace rd {
namespace {

// Quiet, and nothing that was asked for was missing: `known(x)` makes a condition quiet where x was not collected.
bool is_known_quiet(const Verdict& verdict) {
    return verdict.state == State::quiet &&
           std::all_of(verdict.outcome.evidence.begin(), verdict.outcome.evidence.end(),
                       [](const Evidence& one) { return one.reading.has_value(); });
}

// What lines say of the subject of a verdict, added to what its condition says. Where that is certain that all is well now, the line
// tells of the past.
void add_lines(const LogFinding& lines, Verdict& verdict) {
    const bool past = is_known_quiet(verdict) && verdict.rule->when;
    const State state = past || lines.confidence == Confidence::low ? State::suspected : State::firing;
    std::vector<Evidence>& evidence = verdict.outcome.evidence;
    if (verdict.state == State::firing || (verdict.state == State::suspected && state == State::suspected)) {
        evidence.insert(evidence.end(), lines.evidence.begin(), lines.evidence.end());
    } else {
        verdict.state = state;
        verdict.outcome = {Truth::yes, lines.evidence, {}};
        verdict.said = lines.confidence;
    }
    verdict.captures = lines.captures;
}

const Entity& the_host() {
    static const Entity host{Kind::host, ""};
    return host;
}

// What is known of the host tells against what only might be.
bool is_cleared(const LogFinding& lines, const Rule& rule, View& view) {
    return lines.confidence == Confidence::low &&
           rule.cleared_by->evaluate(view, the_host(), rule.params).truth == Truth::yes;
}

}  // namespace

Verdict blank(const Rule& rule, const History& history, const Entity& subject, State state) {
    return Verdict{&rule, subject, state, {}, history.last(), history.last()};
}

const std::vector<Entity>& subjects_of(const Rule& rule, View& view) {
    static const std::vector<Entity> only_the_host{the_host()};
    return rule.scope == Kind::host ? only_the_host : view.entities(rule.scope);
}

bool has_unseen(const Rule& rule, View& view) {
    return rule.scope != Kind::host && (view.entities(rule.scope).empty() || view.kind_gap(rule.scope) != nullptr);
}

Verdict of_the_unseen(const Rule& rule, const History& history) {
    Verdict verdict = blank(rule, history, the_host(), State::not_applicable);
    if (const Gap* gap = history.latest().kind_gap(rule.scope)) {
        verdict.state = State::unknown;
        verdict.outcome.missing.push_back(Missing{the_host(), std::string(name_of(rule.scope)), *gap});
    }
    return verdict;
}

void add_lines(std::vector<LogFinding> findings, const Rule& rule, const History& history, std::size_t first,
               std::vector<Verdict>& verdicts) {
    if (rule.cleared_by && !findings.empty()) {
        View view(history);
        std::erase_if(findings, [&](const LogFinding& lines) { return is_cleared(lines, rule, view); });
    }
    if (findings.empty()) return;
    const auto begin = [&] { return verdicts.begin() + static_cast<std::ptrdiff_t>(first); };
    // It does apply: to what the line is about.
    verdicts.erase(
        std::remove_if(begin(), verdicts.end(), [](const Verdict& one) { return one.state == State::not_applicable; }),
        verdicts.end());
    for (const LogFinding& lines : findings) {
        auto verdict =
            std::find_if(begin(), verdicts.end(), [&](const Verdict& one) { return one.subject == lines.subject; });
        if (verdict == verdicts.end()) {
            verdicts.push_back(blank(rule, history, lines.subject, State::unknown));
            verdict = verdicts.end() - 1;
        }
        add_lines(lines, *verdict);
    }
}

}  // namespace rd
