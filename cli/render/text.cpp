// SPDX-License-Identifier: GPL-2.0-or-later
// The report for a person: what is wrong first, causes before consequences, every claim with its evidence, and what could not
// be seen as plainly as what was.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/render/origin.h"
#include "cli/render/page.h"
#include "cli/render/past_text.h"
#include "cli/render/report.h"
#include "cli/render/words.h"
#include "core/base/text.h"
#include "core/diagnosis/causes.h"

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

void print_counts(Page& page, const Report& report) {
    const bool plain = report.devices_known && report.devices > 0;
    page.line(0, {{devices_text(report), plain ? Paint::dim : Paint::bold},
                  {" · rules " + report.rules_version + " (" + report.rules_hash + ")", Paint::dim}});
    page.blank();
}

void print_header(Page& page, const Report& report) {
    page.line(0, {{report.tool, Paint::bold},
                  {" on "},
                  {report.host.hostname.empty() ? "a host without a name" : report.host.hostname, Paint::bold},
                  {", Linux " + report.host.kernel + " " + report.host.machine}});
    const std::string user = report.host.uid == 0 ? "as root" : "as uid " + std::to_string(report.host.uid);
    const std::string source = report.host.source == "live" || starts_with(report.host.source, "live, ")
                                   ? report.host.source
                                   : "from " + report.host.source;
    const auto window = std::chrono::nanoseconds(report.to.boot_ns - report.from.boot_ns);
    const std::string looked = report.sweeps < 2
                                   ? "one sweep, so no rates"
                                   : std::to_string(report.sweeps) + " sweeps over " + seconds_text(window);
    page.prose(0, source + " " + user + " · " + looked + ", until " + rfc3339(report.to.wall_ns), Paint::dim);
}

void print_fixes(Page& page, int indent, const Finding& finding) {
    for (const Fix& fix : finding.fixes) {
        std::string cost;
        if (fix.cost) cost = " (" + std::string(name_of(*fix.cost)) + ")";
        const std::string what = fix.set.empty() ? fix.advice : "set " + fix.set + " to " + fix.to;
        page.paragraphs(indent, what + cost, Paint::plain, "fix: ");
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

// The same rule with the same values: what was said of one holds for the other, with its name in the place of the first's.
bool same_story(const Finding& a, const Finding& b) {
    return a.rule == b.rule && a.severity == b.severity && a.confidence == b.confidence && a.state == b.state &&
           a.since.wall_ns == b.since.wall_ns && a.recurrence == b.recurrence && a.told == b.told &&
           std::equal(a.evidence.begin(), a.evidence.end(), b.evidence.begin(), b.evidence.end(),
                      [](const NamedEvidence& x, const NamedEvidence& y) {
                          return x.evidence.fact == y.evidence.fact && x.evidence.how == y.evidence.how &&
                                 x.evidence.reading == y.evidence.reading;
                      });
}

void print_finding(Page& page, int indent, std::string_view lead, const Finding& finding,
                   const std::vector<std::string>& others, const Report& report) {
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
    print_recurrence(page, inner, finding);
    if (!others.empty()) page.prose(inner, "the same on " + joined(others, ", "), Paint::bold);
    page.paragraphs(inner, finding.explanation);
    print_evidence(page, inner + 2, finding.evidence);
    if (!finding.peer.empty()) page.line(inner, "look at the peer, and run there:", Paint::bold);
    for (const std::string& command : finding.peer) page.line(inner + 5, command, Paint::green);
    print_fixes(page, inner, finding);
}

// Findings under the causes of which they are consequences, each once.
class Forest {
public:
    Forest(Page& page, const Report& report)
        : page_(page), report_(report), forest_(report.findings), printed_(report.findings.size(), false) {}

    void print() {
        for (const std::size_t root : forest_.roots()) print_tree(root, 0);
    }

private:
    static constexpr int kDeepest = 4;  // deeper ones stay at this indent

    void print_tree(std::size_t index, int depth) {
        if (printed_[index]) return;
        printed_[index] = true;
        const std::string_view lead = depth == 0 ? std::string_view() : page_.elbow();
        const int indent = std::min(depth, kDeepest) * 4;
        print_finding(page_, indent, lead, report_.findings[index], take_alike(index), report_);
        print_pointers(indent + columns(lead) + 4, index);
        page_.blank();
        for (const std::size_t child : forest_.children(index)) print_tree(child, depth + 1);
    }

    // A consequence of several causes stands under one of them; at both ends it is said that there are more.
    void print_pointers(int indent, std::size_t index) {
        for (const std::size_t cause : forest_.other_causes(index))
            page_.line(indent, "also caused by " + told(cause), Paint::dim);
        for (std::size_t i = 0; i < report_.findings.size(); ++i) {
            const std::vector<std::size_t> causes = forest_.other_causes(i);
            if (std::find(causes.begin(), causes.end(), index) == causes.end()) continue;
            page_.line(indent, "also brings about " + told(i), Paint::dim);
        }
    }

    [[nodiscard]] std::string told(std::size_t index) const {
        const Finding& finding = report_.findings[index];
        return finding.rule + " on " + subject_text(finding.subject) + (printed_[index] ? " (above)" : " (below)");
    }

    // Names of the findings that would only repeat this one, which are printed with it. One with consequences stands alone.
    std::vector<std::string> take_alike(std::size_t index) {
        std::vector<std::string> names;
        if (!forest_.children(index).empty()) return names;
        const Finding& finding = report_.findings[index];
        for (std::size_t i = index + 1; i < report_.findings.size(); ++i) {
            const Finding& other = report_.findings[i];
            if (printed_[i] || !forest_.children(i).empty() || !finding.causes.empty() || !other.causes.empty() ||
                !same_story(finding, other)) {
                continue;
            }
            printed_[i] = true;
            names.push_back(other.subject.name);
        }
        return names;
    }

    Page& page_;
    const Report& report_;
    CauseForest forest_;
    std::vector<bool> printed_;
};

void print_suspected(Page& page, const Report& report) {
    if (report.suspected.empty()) return;
    page.line(0, "Suspected (from one look or a line of a log; does not count)", Paint::bold);
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
    const bool no_past = report.past && report.past->gap;
    if (report.unknown.empty() && !no_past) return;
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
    const std::string lacking = counted(report.unknown.size(), "check lacks", "checks lack") + " facts";
    page.line(0, "Not known" + (report.unknown.empty() ? "" : ": " + lacking), Paint::bold);
    print_past_gap(page, report);
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
    page.blank();
    page.prose(0, report.conclusion.sentence, Paint::bold);
}

}  // namespace

std::string render_text(const Report& report, int code, const Terminal& terminal, const Origin* origin) {
    Page page(terminal);
    if (origin != nullptr) {
        print_origin_header(page, report, *origin);
    } else {
        print_header(page, report);
    }
    print_counts(page, report);
    Forest(page, report).print();
    print_suspected(page, report);
    print_not_now(page, report);
    if (origin != nullptr) {
        print_pastes(page, report);
        print_origin(page, *origin);
    } else {
        print_unknown(page, report);
    }
    print_summary(page, terminal, report, code);
    return page.text();
}

}  // namespace rd::cli
