// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/report.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/diagnosis/causes.h"
#include "core/diagnosis/conclusion.h"
#include "core/diagnosis/report_prose.h"

namespace rd {
namespace {

class Reporter {
public:
    Reporter(const History& history, Report& report) : history_(history), report_(report) {}

    void add(const Verdict& verdict) {
        switch (verdict.state) {
            case State::firing:
                ++report_.summary.firing;
                report_.findings.push_back(finding(verdict));
                break;
            case State::pending:
                ++report_.summary.pending;
                report_.findings.push_back(finding(verdict));
                break;
            case State::suspected:
                ++report_.summary.suspected;
                report_.suspected.push_back(finding(verdict));
                break;
            case State::unknown:
                ++report_.summary.unknown;
                report_.unknown.push_back(unknown(verdict));
                if (report_.unknown.back().only_privilege()) ++report_.summary.needs_root;
                break;
            case State::quiet:
                ++report_.summary.quiet;
                break;
            case State::not_applicable:
                ++report_.summary.not_applicable;
                break;
        }
    }

private:
    [[nodiscard]] std::string label(const Entity& entity) const { return label_of(history_, entity); }

    [[nodiscard]] Finding finding(const Verdict& verdict) const {
        const Rule& rule = *verdict.rule;
        Finding out;
        out.rule = rule.id;
        out.title = rule.title;
        out.severity = verdict.state == State::suspected ? std::min(rule.severity, Severity::low) : rule.severity;
        out.maturity = rule.maturity;
        out.confidence = confidence(verdict);
        out.subject = {verdict.subject, label(verdict.subject)};
        out.state = verdict.state;
        out.since = verdict.since;
        out.explanation = explanation(verdict);
        for (const Evidence& evidence : verdict.outcome.evidence)
            out.evidence.push_back({evidence, label(evidence.entity)});
        for (const std::string& command : rule.peer) {
            out.peer.push_back(fill_prose(command, verdict, history_, Units::hidden));
        }
        for (Fix fix : rule.fixes) {
            fix.to = fill_prose(fix.to, verdict, history_, Units::hidden);
            fix.advice = fill_prose(fix.advice, verdict, history_, Units::shown);
            for (std::string& command : fix.commands) command = fill_prose(command, verdict, history_, Units::hidden);
            out.fixes.push_back(std::move(fix));
        }
        out.proofs = rule.proofs;
        out.references = rule.references;
        return out;
    }

    // What the rule explains is what its condition found. Where a line of a log stands in its place, its numbers would not fit.
    [[nodiscard]] std::string explanation(const Verdict& verdict) const {
        const Rule& rule = *verdict.rule;
        if (!verdict.said || !rule.when || !names_facts(rule.explain))
            return std::string(trim(fill_prose(rule.explain, verdict, history_, Units::shown)));
        return fill_prose("Concluded from the log, not from what was measured on {subject}. ", verdict, history_,
                          Units::shown) +
               std::string(trim(rule.symptom));
    }

    static Confidence confidence(const Verdict& verdict) {
        if (verdict.state == State::suspected) return Confidence::low;
        if (verdict.said)
            return verdict.rule->maturity == Maturity::incubating ? std::min(*verdict.said, Confidence::medium)
                                                                  : *verdict.said;
        const std::vector<Evidence>& evidence = verdict.outcome.evidence;
        const bool partly =
            std::any_of(evidence.begin(), evidence.end(), [](const Evidence& one) { return !one.reading; });
        return partly || verdict.rule->maturity == Maturity::incubating ? Confidence::medium : Confidence::high;
    }

    [[nodiscard]] Unknown unknown(const Verdict& verdict) const {
        const Rule& rule = *verdict.rule;
        Unknown out{rule.id, rule.title, rule.severity, {verdict.subject, label(verdict.subject)}, {}};
        for (const Missing& missing : verdict.outcome.missing) out.missing.push_back({missing, label(missing.entity)});
        return out;
    }

    const History& history_;
    Report& report_;
};

}  // namespace

bool Unknown::only_privilege() const {
    return !missing.empty() && std::all_of(missing.begin(), missing.end(), [](const NamedMissing& one) {
        return one.missing.gap.kind == GapClass::no_privilege;
    });
}

Report make_report(const Rulebook& book, const History& history, const std::vector<Verdict>& verdicts,
                   const HostIdentity& host) {
    Report report;
    report.host = host;
    report.tool = "rdmadoctor " + (book.version.empty() ? std::string(kProgramVersion) : book.version);
    report.rules_version = book.version;
    report.rules_hash = book.hash;
    report.sweeps = history.sweeps();
    if (history.sweeps() == 0) {
        report.devices_known = false;
        report.conclusion = conclude(report, book, history);
        return report;
    }
    report.from = history.first();
    report.to = history.last();
    // Where the wall clock was set back meanwhile, its time at the beginning is counted back from the end.
    if (report.from.wall_ns > report.to.wall_ns) {
        report.from.wall_ns = report.to.wall_ns - (report.to.boot_ns - report.from.boot_ns);
    }
    report.devices = history.latest().entities(Kind::device).size();
    report.devices_known = history.latest().kind_gap(Kind::device) == nullptr;
    Reporter reporter(history, report);
    for (const Verdict& verdict : verdicts) reporter.add(verdict);
    link_causes(report.findings, book, history);
    drop_explained(report.suspected, report.findings);
    report.summary.suspected = report.suspected.size();
    link_causes(report.suspected, book, history);
    std::stable_sort(report.unknown.begin(), report.unknown.end(),
                     [](const Unknown& a, const Unknown& b) { return a.severity > b.severity; });
    report.conclusion = conclude(report, book, history);
    return report;
}

bool counts(const Finding& finding, Severity fail_on) {
    return finding.state == State::firing && finding.severity >= std::max(fail_on, Severity::low);
}

int exit_code(const Report& report, Severity fail_on, bool strict) {
    Severity worst = Severity::info;
    for (const Finding& finding : report.findings) {
        if (counts(finding, fail_on)) worst = std::max(worst, finding.severity);
    }
    if (worst >= Severity::high) return 2;
    if (worst >= Severity::low) return 1;
    const bool blind = std::any_of(report.unknown.begin(), report.unknown.end(), [&](const Unknown& unknown) {
        return unknown.severity >= std::max(Severity::high, fail_on) && (strict || !unknown.only_privilege());
    });
    return blind ? 3 : 0;
}

}  // namespace rd
