// SPDX-License-Identifier: GPL-2.0-or-later
// All rules in force: the shipped ones and what a site adds, disables (with a reason) or sets. Conditions are never merged.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnosis/log_matcher.h"
#include "core/diagnosis/rule.h"

namespace rd {

inline constexpr std::string_view kProgramVersion = "0.1.0";

// A rule file as text; reading the disk is the program's business.
struct RuleFile {
    std::string name;  // path as shown in complaints
    std::string text;
};

struct Rulebook {
    std::vector<Rule> rules;                 // sorted by id, disabled ones included
    std::shared_ptr<const LogMatcher> logs;  // of `rules`; never null in a book that was built
    std::string version;                     // of the program
    std::string hash;  // 16 hex digits over all rule texts in force: tells which rules gave a verdict

    [[nodiscard]] const Rule* find(std::string_view id) const;
    [[nodiscard]] std::vector<std::string> similar(std::string_view id) const;
};

struct Rules {
    Rulebook book;
    std::vector<Diagnostic>
        errors;  // a file with an error is left out, the rest is loaded: nothing may be judged by it
    std::vector<Diagnostic> warnings;
};

// A site file with `when` is a rule; one with only `id` and any of enabled, reason, severity, params overrides the rule of that id.
// One file a rule and one file an override. `use`: of the shipped rules; what a site wrote is always proven.
[[nodiscard]] Rules build_rulebook(std::span<const RuleFile> shipped, std::span<const RuleFile> site,
                                   const Catalog& catalog, std::span<const std::string> knobs,
                                   RuleUse use = RuleUse::prove);

// What a rule must have beyond parsing: a firing, a quiet and an unknown example (where it has a condition), samples of its log
// patterns, which no other rule has, references, a symptom, fixes, examples behind all else, an explanation that
// names only facts the condition reads, caused_by ids that exist, no family facts, suspects made of ratios or impossible states.
[[nodiscard]] std::vector<Diagnostic> lint(const Rulebook& book, const Catalog& catalog);

// What is wrong with the samples of a pattern: one that does not match, one of the others that does.
[[nodiscard]] std::vector<std::string> sample_faults(const LogPattern& log);

struct ExampleResult {
    std::string rule, example;
    State expected = State::quiet, got = State::quiet;
    std::string detail;  // why: the truth's evidence or missing facts
    [[nodiscard]] bool passed() const { return expected == got; }
};
[[nodiscard]] std::vector<ExampleResult> run_examples(const Rule& rule, const Catalog& catalog);

// Changes of a condition that some example must notice: flip a comparison, move a boundary by one unit, swap and/or, drop a term,
// negate, constant 0.
struct Mutant {
    std::string rule, expression;  // "when" or "suspect"
    std::string what;              // stable name: "when: 'rate(out_of_sequence, 10s) > $rate' → '>='"
    bool killed = false;
    bool listed_equivalent = false;
};
[[nodiscard]] std::vector<Mutant> run_mutants(const Rule& rule, const Catalog& catalog);

}  // namespace rd
