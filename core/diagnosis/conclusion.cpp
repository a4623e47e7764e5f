// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/diagnosis/causes.h"

namespace rd {
namespace {

constexpr std::size_t kNamesTold = 2;

std::string told(const Subject& subject) {
    if (subject.entity.kind == Kind::host) return "this host";
    return std::string(name_of(subject.entity.kind)) + " " + subject.name;
}

std::string told(const std::vector<Subject>& subjects) {
    std::string out;
    for (std::size_t i = 0; i < std::min(subjects.size(), kNamesTold); ++i) {
        out += (i == 0 ? "" : ", ") + told(subjects[i]);
    }
    if (subjects.size() > kNamesTold) out += fmt::format(" and {} more", subjects.size() - kNamesTold);
    return out;
}

std::string told(const Missing& missing, const std::string& entity) {
    const Gap& gap = missing.gap;
    const std::string& why = gap.remedy.empty() ? gap.reason : gap.remedy;
    const std::string of = missing.entity.kind == Kind::host ? "" : " of " + entity;
    return missing.fact + of + " is missing (" + std::string(name_of(gap.kind)) + (why.empty() ? "" : ": " + why) + ")";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// A title within a sentence: without the full stop.
std::string_view title_of(const Finding& finding) {
    std::string_view title = trim(finding.title);
    while (title.ends_with('.')) title.remove_suffix(1);
    return title;
}

// Root findings of one rule: eight adapters with one fault are one cause.
struct Candidate {
    std::vector<std::size_t> roots;
    std::vector<std::size_t> below;  // their consequences
    std::set<std::string_view> explained;
    Severity worst = Severity::info;
    bool effect = false;  // its cause is the peer's, or is known to the rule and was not found

    [[nodiscard]] auto key(const std::vector<Finding>& findings) const {
        const Finding& first = findings[roots.front()];
        return std::tuple(worst, !effect, explained.size(), first.state == State::firing, first.confidence,
                          first.severity, roots.size());
    }
};

class Concluding {
public:
    Concluding(const Report& report, const Rulebook& book, const History& history)
        : report_(report), book_(book), history_(history), forest_(report.findings) {}

    Conclusion conclude() {
        const std::vector<Candidate> candidates = ranked();
        if (!candidates.empty()) return of_findings(candidates);
        if (!report_.suspected.empty()) return of_suspicions();
        return of_nothing();
    }

private:
    // The weightiest first. Findings for information only are no cause of anything.
    [[nodiscard]] std::vector<Candidate> ranked() const {
        std::map<std::string_view, Candidate> by_rule;
        for (const std::size_t root : forest_.roots()) {
            const Finding& finding = report_.findings[root];
            Candidate& candidate = by_rule[finding.rule];
            candidate.roots.push_back(root);
            candidate.worst = std::max(candidate.worst, finding.severity);
            for (const std::size_t below : forest_.consequences(root)) {
                candidate.below.push_back(below);
                candidate.explained.insert(report_.findings[below].rule);
                candidate.worst = std::max(candidate.worst, report_.findings[below].severity);
            }
        }
        std::vector<Candidate> all;
        for (auto& [id, candidate] : by_rule) {
            if (candidate.worst == Severity::info) continue;
            const Rule* rule = book_.find(id);
            candidate.effect =
                rule != nullptr && (!rule->peer.empty() || (!rule->caused_by.empty() && candidate.below.empty()));
            all.push_back(std::move(candidate));
        }
        std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
            return a.key(report_.findings) > b.key(report_.findings);
        });
        return all;
    }

    Conclusion of_findings(const std::vector<Candidate>& candidates) {
        const Candidate& best = candidates.front();
        const Finding& first = report_.findings[best.roots.front()];
        Conclusion out;
        out.kind = best.effect ? Conclusion::Kind::unexplained : Conclusion::Kind::cause;
        out.rule = first.rule;
        out.confidence = first.confidence;
        for (const std::size_t root : best.roots) out.subjects.push_back(report_.findings[root].subject);
        for (const std::size_t below : best.below) {
            out.explains.push_back({report_.findings[below].rule, report_.findings[below].subject});
        }
        out.settle = settle(first);
        const std::string head = fmt::format("{} ({} on {})", title_of(first), first.rule, told(out.subjects));
        std::string text = best.effect ? "What weighs most: " + head : "Most likely cause: " + head;
        if (!out.explains.empty()) {
            text += ", which explains " + counted(out.explains.size(), "other finding", "other findings");
        }
        if (best.effect) {
            text += first.peer.empty() ? "; what brings it about was not found on this host"
                                       : "; that is evidence about the peer or the path, so look at both ends";
        }
        text += "; confidence " + std::string(name_of(first.confidence));
        if (first.state == State::pending) text += ", as it has not lasted yet";
        if (candidates.size() > 1) text += "; next comes " + report_.findings[candidates[1].roots.front()].rule;
        out.sentence = closed(std::move(text), out.settle);
        return out;
    }

    // A fact that is missing comes first: with it the same command would say more.
    std::string settle(const Finding& finding) {
        for (const NamedEvidence& item : finding.evidence) {
            if (item.evidence.reading || item.evidence.reading.error().kind == GapClass::not_offered) continue;
            return told({item.evidence.entity, item.evidence.fact, item.evidence.reading.error()}, item.entity_name);
        }
        if (const std::string deeper = deeper_cause(finding); !deeper.empty()) return deeper;
        if (!finding.peer.empty()) return "look at the peer, and run there: " + finding.peer.front();
        for (const Proof& proof : finding.proofs) {
            if (finding.fixes.empty()) break;
            const std::string load = proof.workload.empty() ? "" : " under the workload " + proof.workload;
            if (proof.quiet_for) {
                return "apply its fix and see that it stays away for " + print_duration(*proof.quiet_for) + load;
            }
            return "apply its fix and try again" + load;
        }
        return finding.fixes.empty() ? "rdmadoctor explain " + finding.rule : "apply its fix and check again";
    }

    // What may lie behind it and could not be judged.
    std::string deeper_cause(const Finding& finding) {
        const Rule* rule = book_.find(finding.rule);
        if (rule == nullptr) return {};
        Relations relations(history_);
        for (const Unknown& unknown : report_.unknown) {
            const std::vector<std::string>& causes = rule->caused_by;
            if (unknown.missing.empty() || std::find(causes.begin(), causes.end(), unknown.rule) == causes.end())
                continue;
            if (!relations.related(finding.subject.entity, unknown.subject.entity)) continue;
            const NamedMissing& missing = unknown.missing.front();
            return "whether " + unknown.rule + " lies behind it could not be judged, for " +
                   told(missing.missing, missing.entity_name);
        }
        return {};
    }

    [[nodiscard]] Conclusion of_suspicions() const {
        const auto weight = [&](const Finding& finding) {
            const Rule* rule = book_.find(finding.rule);
            return rule == nullptr ? finding.severity : rule->severity;
        };
        const Finding& first =
            *std::max_element(report_.suspected.begin(), report_.suspected.end(),
                              [&](const Finding& a, const Finding& b) { return weight(a) < weight(b); });
        Conclusion out;
        out.kind = Conclusion::Kind::suspicion;
        out.rule = first.rule;
        out.confidence = first.confidence;
        for (const Finding& finding : report_.suspected) {
            if (finding.rule == first.rule) out.subjects.push_back(finding.subject);
        }
        out.settle = settle_suspicion(first);
        std::string text = fmt::format("Nothing is certain; suspected: {} ({} on {}); confidence {}", title_of(first),
                                       first.rule, told(out.subjects), name_of(first.confidence));
        if (report_.suspected.size() > out.subjects.size()) {
            text +=
                "; " + counted(report_.suspected.size() - out.subjects.size(), "other suspicion", "other suspicions");
        }
        out.sentence = closed(std::move(text), out.settle);
        return out;
    }

    // What its condition could not be judged for.
    [[nodiscard]] std::string settle_suspicion(const Finding& finding) const {
        const Rule* rule = book_.find(finding.rule);
        const Entity& subject = finding.subject.entity;
        if (rule != nullptr && rule->when) {
            const Outcome outcome = rule->when.evaluate(history_, subject, rule->params);
            if (!outcome.missing.empty()) {
                const Missing& missing = outcome.missing.front();
                const std::string label = history_.latest().label(missing.entity);
                return told(missing, label);
            }
        }
        return "look again while it happens, twice some seconds apart";
    }

    [[nodiscard]] Conclusion of_nothing() const {
        Conclusion out;
        const auto grave = static_cast<std::size_t>(std::count_if(
            report_.unknown.begin(), report_.unknown.end(),
            [](const Unknown& unknown) { return unknown.severity >= Severity::high && !unknown.only_privilege(); }));
        std::string text;
        if (!report_.devices_known) {
            out.kind = Conclusion::Kind::cannot_tell;
            const Gap* gap = history_.sweeps() == 0 ? nullptr : history_.latest().kind_gap(Kind::device);
            if (gap != nullptr) out.settle = gap->remedy.empty() ? gap->reason : gap->remedy;
            text = gap == nullptr ? "Cannot tell: the source shows no moment of a host"
                                  : "Cannot tell: the RDMA devices of this host could not be enumerated";
        } else if (grave != 0) {
            out.kind = Conclusion::Kind::cannot_tell;
            text = "Cannot tell: nothing was found, but " + counted(grave, "important check", "important checks") +
                   " could not be made";
            out.settle = best_remedy(Severity::high);
        } else if (report_.devices == 0) {
            out.kind = Conclusion::Kind::no_device;
            text = "No RDMA device was found on this host, and nothing that is wrong";
            out.settle = "if it should have one, [expect] devices of the configuration makes its absence a finding";
        } else {
            out.kind = Conclusion::Kind::nothing_found;
            text = "Nothing was found that is wrong: " + counted(report_.summary.quiet, "check is", "checks are") +
                   " quiet";
            if (report_.summary.unknown != 0) {
                text += fmt::format(" and {} could not be made", report_.summary.unknown);
                out.settle = best_remedy(Severity::info);
            }
        }
        if (!report_.findings.empty()) {
            text += "; " + counted(report_.findings.size(), "finding is", "findings are") + " for information only";
        }
        out.sentence = closed(std::move(text), out.settle);
        return out;
    }

    // What would let most of the unknown checks of some weight be judged.
    [[nodiscard]] std::string best_remedy(Severity least) const {
        std::map<std::string_view, std::size_t> remedies;
        for (const Unknown& unknown : report_.unknown) {
            if (unknown.severity < least) continue;
            std::set<std::string_view> own;
            for (const NamedMissing& missing : unknown.missing) own.insert(missing.missing.gap.remedy);
            // One of several would not be enough.
            if (own.size() == 1 && !own.begin()->empty()) ++remedies[*own.begin()];
        }
        const auto best = std::max_element(remedies.begin(), remedies.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best == remedies.end()) return "rdmadoctor check --json lists what was missing";
        return fmt::format("for {} of them: {}", best->second, best->first);
    }

    static std::string closed(std::string text, const std::string& settle) {
        if (!settle.empty()) text += "; to settle it: " + settle;
        return text + ".";
    }

    const Report& report_;
    const Rulebook& book_;
    const History& history_;
    CauseForest forest_;
};

}  // namespace

std::string_view name_of(Conclusion::Kind kind) {
    static constexpr std::string_view kNames[] = {"cause",         "unexplained", "suspicion",
                                                  "nothing_found", "cannot_tell", "no_device"};
    return kNames[static_cast<std::size_t>(kind)];
}

Conclusion conclude(const Report& report, const Rulebook& book, const History& history) {
    return Concluding(report, book, history).conclude();
}

}  // namespace rd
