// SPDX-License-Identifier: GPL-2.0-or-later
// The report for a person: what is wrong first, causes before consequences, every claim with its evidence, and what could not
// be seen as plainly as what was.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/render/page.h"
#include "cli/render/report.h"
#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

constexpr std::size_t kNamesShown = 4;
constexpr std::size_t kFactsShown = 12;

Paint paint_of(Severity severity) {
    switch (severity) {
        case Severity::critical:
            return Paint::alarm;
        case Severity::high:
            return Paint::red;
        case Severity::medium:
            return Paint::yellow;
        case Severity::low:
            return Paint::cyan;
        case Severity::info:
            return Paint::dim;
    }
    return Paint::plain;
}

std::string subject_text(const Subject& subject) {
    if (subject.entity.kind == Kind::host) return "this host";
    return std::string(name_of(subject.entity.kind)) + " " + subject.name;
}

std::string devices_text(const Report& report) {
    if (!report.devices_known) return "RDMA devices could not be enumerated on this host";
    if (report.devices == 0) return "no RDMA device found on this host";
    return counted(report.devices, "RDMA device", "RDMA devices");
}

void print_header(Page& page, const Report& report) {
    page.line(0, {{report.tool, Paint::bold},
                  {" on "},
                  {report.host.hostname.empty() ? "a host without a name" : report.host.hostname, Paint::bold},
                  {", Linux " + report.host.kernel + " " + report.host.machine}});
    const std::string user = report.host.uid == 0 ? "as root" : "as uid " + std::to_string(report.host.uid);
    const std::string source = report.host.source == "live" ? "live" : "from " + report.host.source;
    const auto window = std::chrono::nanoseconds(report.to.boot_ns - report.from.boot_ns);
    const std::string looked = report.sweeps < 2
                                   ? "one sweep, so no rates"
                                   : std::to_string(report.sweeps) + " sweeps over " + seconds_text(window);
    page.prose(0, source + " " + user + " · " + looked + ", until " + rfc3339(report.to.wall_ns), Paint::dim);
    const bool plain = report.devices_known && report.devices > 0;
    page.line(0, {{devices_text(report), plain ? Paint::dim : Paint::bold},
                  {" · rules " + report.rules_version + " (" + report.rules_hash + ")", Paint::dim}});
    page.blank();
}

void print_fixes(Page& page, int indent, const Finding& finding) {
    for (const Fix& fix : finding.fixes) {
        std::string cost;
        if (fix.cost) cost = " (" + std::string(name_of(*fix.cost)) + ")";
        const std::string what = fix.set.empty() ? fix.advice : "set " + fix.set + " to " + fix.to;
        page.prose(indent, what + cost, Paint::plain, "fix: ");
        for (const std::string& command : fix.commands) page.line(indent + 5, command, Paint::green);
    }
    for (const Proof& proof : finding.proofs) {
        std::vector<std::string> parts;
        if (proof.quiet_for) parts.push_back("quiet for " + print_duration(*proof.quiet_for));
        if (!proof.workload.empty()) parts.push_back("workload " + proof.workload);
        if (!parts.empty()) page.line(indent, "mended when: " + joined(parts, ", "), Paint::dim);
    }
}

void print_evidence(Page& page, int indent, const std::vector<NamedEvidence>& evidence) {
    std::vector<std::vector<Page::Piece>> rows;
    for (const NamedEvidence& item : evidence) {
        const std::string entity = item.evidence.entity.kind == Kind::host ? "host" : item.entity_name;
        rows.push_back({{entity}, {item.evidence.fact}, {evidence_text(item.evidence), Paint::bold}});
    }
    page.table(indent, std::move(rows));
}

void print_finding(Page& page, int indent, std::string_view lead, const Finding& finding, const Report& report) {
    std::string label = upper(name_of(finding.severity));
    if (finding.state == State::pending) label += " (pending)";
    page.line(indent, {{std::string(lead)}, {label, paint_of(finding.severity)}, {"  "}, {finding.title, Paint::bold}});
    const int inner = indent + columns(lead) + 4;
    std::string about = subject_text(finding.subject) + " · " + finding.rule;
    if (finding.confidence != Confidence::high) about += " · confidence " + std::string(name_of(finding.confidence));
    if (finding.maturity == Maturity::incubating) about += " · incubating rule";
    if (finding.since.wall_ns != 0 && finding.since.wall_ns < report.from.wall_ns) {
        about += " · since " + rfc3339(finding.since.wall_ns);
    }
    page.line(inner, about, Paint::dim);
    page.prose(inner, finding.explanation);
    print_evidence(page, inner + 2, finding.evidence);
    print_fixes(page, inner, finding);
    // The first cause is the finding above; the others are somewhere else on the page.
    for (std::size_t i = 1; i < finding.causes.size(); ++i) {
        page.line(inner, "also caused by " + finding.causes[i].rule + " on " + subject_text(finding.causes[i].subject),
                  Paint::dim);
    }
    page.blank();
}

// Findings as a forest: each stands under its first cause, once.
class Forest {
public:
    Forest(Page& page, const Report& report) : page_(page), report_(report), printed_(report.findings.size(), false) {
        for (std::size_t i = 0; i < report.findings.size(); ++i) {
            if (const auto cause = index_of_cause(report.findings[i])) children_[*cause].push_back(i);
        }
    }

    void print() {
        for (std::size_t i = 0; i < report_.findings.size(); ++i) {
            if (!index_of_cause(report_.findings[i])) print_tree(i, 0);
        }
        // What is left causes itself in a circle, or hangs below such a one.
        for (std::size_t i = 0; i < report_.findings.size(); ++i) print_tree(i, 0);
    }

private:
    static constexpr int kDeepest = 4;  // deeper ones stay at this indent

    [[nodiscard]] std::optional<std::size_t> index_of_cause(const Finding& finding) const {
        if (finding.causes.empty()) return std::nullopt;
        const Cause& cause = finding.causes.front();
        for (std::size_t i = 0; i < report_.findings.size(); ++i) {
            const Finding& other = report_.findings[i];
            if (other.rule == cause.rule && other.subject.entity == cause.subject.entity) return i;
        }
        return std::nullopt;
    }

    void print_tree(std::size_t index, int depth) {
        if (printed_[index]) return;
        printed_[index] = true;
        const std::string_view lead = depth == 0 ? std::string_view() : page_.elbow();
        print_finding(page_, std::min(depth, kDeepest) * 4, lead, report_.findings[index], report_);
        if (const auto below = children_.find(index); below != children_.end()) {
            for (const std::size_t child : below->second) print_tree(child, depth + 1);
        }
    }

    Page& page_;
    const Report& report_;
    std::vector<bool> printed_;
    std::map<std::size_t, std::vector<std::size_t>> children_;
};

void print_suspected(Page& page, const Report& report) {
    if (report.suspected.empty()) return;
    page.line(0, "Suspected (from one look only; does not count)", Paint::bold);
    for (const Finding& finding : report.suspected) {
        page.prose(2, finding.title + " — " + subject_text(finding.subject) + " · " + finding.rule, Paint::plain, "? ");
        print_evidence(page, 6, finding.evidence);
    }
    page.blank();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void print_unknown(Page& page, const Report& report) {
    if (report.unknown.empty()) return;
    struct Fact {
        std::vector<std::string> entities, rules;
        std::string reason;
    };
    std::map<std::pair<GapClass, std::string>, std::map<std::string, Fact>> groups;
    std::vector<std::string> without_reason;
    for (const Unknown& unknown : report.unknown) {
        if (unknown.missing.empty()) add_once(without_reason, unknown.rule);
        for (const NamedMissing& item : unknown.missing) {
            const Gap& gap = item.missing.gap;
            const std::string name = std::string(name_of(item.missing.entity.kind)) + "." + item.missing.fact;
            Fact& fact = groups[{gap.kind, gap.remedy}][name];
            if (item.missing.entity.kind != Kind::host) add_once(fact.entities, item.entity_name);
            add_once(fact.rules, unknown.rule);
            if (fact.reason.empty()) fact.reason = gap.reason;
        }
    }
    page.line(0, "Not known: " + counted(report.unknown.size(), "check lacks", "checks lack") + " facts", Paint::bold);
    for (const auto& [key, facts] : groups) {
        page.prose(2, std::string(name_of(key.first)) + (key.second.empty() ? "" : ": " + key.second), Paint::yellow);
        std::size_t shown = 0;
        for (const auto& [name, fact] : facts) {
            if (++shown > kFactsShown) {
                page.line(4, "and " + std::to_string(facts.size() - kFactsShown) + " more facts (--json lists all)",
                          Paint::dim);
                break;
            }
            page.prose(4, name + (fact.entities.empty() ? "" : " of " + some_of(fact.entities, kNamesShown)));
            if (key.first != GapClass::no_privilege && !fact.reason.empty()) page.prose(6, fact.reason, Paint::dim);
            page.prose(6, "needed by " + some_of(fact.rules, kNamesShown), Paint::dim);
        }
    }
    if (!without_reason.empty()) page.prose(2, "undecided: " + some_of(without_reason, kFactsShown));
    page.blank();
}

std::string worst_counts(const Report& report) {
    std::vector<std::string> parts;
    for (int severity = static_cast<int>(Severity::critical); severity >= 0; --severity) {
        const auto count = std::count_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
            return finding.severity == static_cast<Severity>(severity);
        });
        if (count != 0)
            parts.push_back(std::to_string(count) + " " + std::string(name_of(static_cast<Severity>(severity))));
    }
    return joined(parts, ", ");
}

void print_summary(Page& page, const Terminal& terminal, const Report& report, int code) {
    const Summary& summary = report.summary;
    std::string counts =
        counted(summary.quiet, "check", "checks") + " quiet, " + std::to_string(summary.unknown) + " unknown";
    if (summary.needs_root != 0) counts += " (" + std::to_string(summary.needs_root) + " need root)";
    if (summary.suspected != 0) counts += ", " + std::to_string(summary.suspected) + " suspected";
    counts += ", " + std::to_string(summary.not_applicable) + " not applicable";
    Page::Piece verdict{"healthy: nothing was found", Paint::green};
    if (!report.findings.empty()) {
        verdict = {counted(report.findings.size(), "finding", "findings") + ": " + worst_counts(report),
                   code == 2 ? Paint::red : Paint::yellow};
        if (code == 3) verdict.text += "; important checks could not be made";
    } else if (code == 3) {
        verdict = {"cannot tell: nothing was found, but important checks could not be made", Paint::yellow};
    } else if (!report.devices_known || report.devices == 0) {
        verdict = {devices_text(report) + "; nothing else was found", Paint::plain};
    }
    if (columns(verdict.text) + 3 + columns(counts) <= terminal.width) {
        page.line(0, {verdict, {" · " + counts, Paint::dim}});
    } else {
        page.prose(0, verdict.text, verdict.paint);
        page.prose(0, counts, Paint::dim);
    }
    if (!report.findings.empty()) page.line(0, "rdmadoctor explain RULE tells more of each", Paint::dim);
}

}  // namespace

std::string render_text(const Report& report, int code, const Terminal& terminal) {
    Page page(terminal);
    print_header(page, report);
    Forest(page, report).print();
    print_suspected(page, report);
    print_unknown(page, report);
    print_summary(page, terminal, report, code);
    return page.text();
}

}  // namespace rd::cli
