// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_evidence.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/diagnosis/log_subject.h"

namespace rd {
namespace {

const Entity kTheHost{Kind::host, ""};
constexpr std::size_t kMostLines = 3;      // of one finding
constexpr std::size_t kMostSubjects = 16;  // of one rule
constexpr double kOldSeconds = 3600;

constexpr std::string_view kKernelFact = kLogFacts[0], kOthersFact = kLogFacts[1];
// Whose lines stand in the kernel's log.
constexpr std::array<std::string_view, 8> kOfKernel = {"", "kernel", "nvme", "nfs", "smb", "lustre", "iser", "srp"};

double seconds(const Snapshot& now) { return static_cast<double>(now.stamp().boot_ns) / 1e9; }

// Seconds since boot at which a line of the kernel was written.
std::optional<double> written(const Snapshot& now, const Entity& line) {
    return now.text(line, "source") == "kernel" ? now.real(line, "at") : std::nullopt;
}

bool is_old(const Snapshot& now, const Entity& line) {
    const auto at = written(now, line);
    return at && seconds(now) - *at > kOldSeconds;
}

class Reader {
public:
    Reader(const Rulebook& book, const History& history)
        : book_(book), history_(history), subjects_(history), found_(book.rules.size()) {}

    std::vector<std::vector<LogFinding>> run(const std::vector<Entity>& lines) {
        std::vector<Meaning> meanings;
        for (const Entity& line : lines) {
            const auto text = history_.latest().text(line, "line");
            if (!text || is_old(history_.latest(), line)) continue;
            for (LogMatcher::Hit& hit : book_.logs->match(*text)) {
                const std::int64_t least = hit.ends ? 1 : book_.rules[hit.rule].logs[hit.log].least;
                if (least > 1 && history_.latest().integer(line, "repeats").value_or(1) < least) continue;
                const auto subject = subjects_.of(book_.rules[hit.rule].scope, hit.captures, *text);
                if (subject) (hit.ends ? ends_ : meanings).push_back({std::move(hit), *subject, line, *text});
            }
        }
        // Of several patterns of one rule the first that matches is enough.
        for (Meaning& meaning : meanings) {
            if (!is_over(meaning)) add(meaning.hit, meaning.subject, meaning.line, meaning.text);
        }
        return std::move(found_);
    }

private:
    struct Meaning {
        LogMatcher::Hit hit;
        Entity subject, line;
        std::string text;
    };

    // A later line of the same log says so, of the same thing, or any line that it is something else.
    [[nodiscard]] bool is_over(const Meaning& meaning) const {
        return std::any_of(ends_.begin(), ends_.end(), [&](const Meaning& end) {
            return end.hit.rule == meaning.hit.rule && end.hit.log == meaning.hit.log &&
                   end.subject == meaning.subject && names_the_same(end.hit.captures, meaning.hit.captures) &&
                   (end.hit.anywhen ? of_one_log(end.line, meaning.line) : comes_later(end.line, meaning.line));
        });
    }

    static bool names_the_same(const Captures& a, const Captures& b) {
        return std::all_of(a.begin(), a.end(), [&](const auto& one) {
            return std::all_of(b.begin(), b.end(), [&](const auto& other) {
                return one.first != other.first || one.second == other.second;
            });
        });
    }

    [[nodiscard]] bool of_one_log(const Entity& a, const Entity& b) const {
        const Snapshot& now = history_.latest();
        return (now.text(a, "source") == "kernel") == (now.text(b, "source") == "kernel");
    }

    // What has no place among the lines of its log is not known to be later than anything.
    [[nodiscard]] bool comes_later(const Entity& a, const Entity& b) const {
        const Snapshot& now = history_.latest();
        const auto after_a = now.integer(a, "newer_shapes"), after_b = now.integer(b, "newer_shapes");
        return of_one_log(a, b) && after_a && after_b && *after_a < *after_b;
    }

    void add(LogMatcher::Hit& hit, const Entity& subject, const Entity& line, const std::string& text) {
        const Rule& rule = book_.rules[hit.rule];
        LogFinding& finding = finding_of(found_[hit.rule], subject);
        finding.confidence = std::max(finding.confidence, rule.logs[hit.log].confidence);
        if (finding.captures.empty()) {
            finding.captures = std::move(hit.captures);
            finding.captures.emplace_back("line", text);
        }
        const auto is_this = [&](const Evidence& one) { return one.entity == line; };
        if (std::any_of(finding.evidence.begin(), finding.evidence.end(), is_this)) return;
        const auto lines_told = std::count_if(finding.evidence.begin(), finding.evidence.end(),
                                              [](const Evidence& one) { return one.fact == "line"; });
        if (lines_told >= static_cast<std::ptrdiff_t>(kMostLines)) return;
        note(line, "line", "", finding.evidence);
        if (history_.latest().integer(line, "count").value_or(1) > 1) note(line, "count", "lines", finding.evidence);
    }

    void note(const Entity& line, std::string_view fact, std::string_view unit, std::vector<Evidence>& into) const {
        const Observation seen = history_.observe(line, fact);
        into.push_back({line, std::string(fact), "", *seen.reading, std::string(unit), std::nullopt, seen.at});
    }

    static LogFinding& finding_of(std::vector<LogFinding>& findings, const Entity& subject) {
        const auto about = [&](const Entity& entity) {
            return std::find_if(findings.begin(), findings.end(),
                                [&](const LogFinding& one) { return one.subject == entity; });
        };
        auto found = about(subject);
        if (found == findings.end() && findings.size() >= kMostSubjects) found = about(kTheHost);
        if (found != findings.end()) return *found;
        return findings.emplace_back(LogFinding{findings.size() < kMostSubjects ? subject : kTheHost, {}, {}, {}});
    }

    const Rulebook& book_;
    const History& history_;
    LogSubjects subjects_;
    std::vector<std::vector<LogFinding>> found_;
    std::vector<Meaning> ends_;
};

}  // namespace

std::vector<std::vector<LogFinding>> read_logs(const Rulebook& book, const History& history) {
    const std::vector<Entity> lines = history.latest().entities(Kind::log);
    if (lines.empty() || book.logs == nullptr || book.logs->empty())
        return std::vector<std::vector<LogFinding>>(book.rules.size());
    return Reader(book, history).run(lines);
}

double lines_hold_until(const Snapshot& now) {
    double until = std::numeric_limits<double>::infinity();
    for (const Entity& line : now.entities(Kind::log)) {
        const auto at = written(now, line);
        if (at && !is_old(now, line)) until = std::min(until, *at + kOldSeconds);
    }
    return until;
}

Verdict without_lines(const Rule& rule, const History& history) {
    Verdict verdict{&rule, kTheHost, State::not_applicable, {}, history.last(), history.last()};
    const Snapshot& now = history.latest();
    const auto seen = [&](std::string_view fact) -> const Reading& { return now.get(kTheHost, fact); };
    const bool of_kernel = std::any_of(rule.logs.begin(), rule.logs.end(), [](const LogPattern& log) {
        return std::find(kOfKernel.begin(), kOfKernel.end(), log.source) != kOfKernel.end();
    });
    const bool of_others = std::any_of(rule.logs.begin(), rule.logs.end(), [](const LogPattern& log) {
        return std::find(kOfKernel.begin(), kOfKernel.end(), log.source) == kOfKernel.end();
    });
    if ((of_kernel && seen(kKernelFact)) || (of_others && seen(kOthersFact))) verdict.state = State::quiet;
    const Reading& kernel = seen(kKernelFact);
    const bool refused = of_kernel && !kernel && kernel.error().kind != GapClass::not_offered &&
                         kernel.error().kind != GapClass::not_collected;
    if (refused) {
        verdict.state = State::unknown;
        verdict.outcome.missing.push_back(Missing{kTheHost, std::string(kKernelFact), kernel.error()});
    }
    return verdict;
}

}  // namespace rd
