// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "cli/commands.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"
#include "cli/setup.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

struct TestCounts {
    std::size_t rules = 0, examples = 0, failed = 0, killed = 0, equivalent = 0, survived = 0;
};

// The answer to `rules test`: every failure, then the counts.
class RuleTest {
public:
    explicit RuleTest(const Catalog& catalog) : catalog_(catalog) {}

    void add(const Rule& rule) {
        ++counts_.rules;
        for (const ExampleResult& result : run_examples(rule, catalog_)) {
            ++counts_.examples;
            if (result.passed()) continue;
            ++counts_.failed;
            out_ += rule.file + ": example '" + result.example + "' is " + std::string(name_of(result.got)) +
                    ", expected " + std::string(name_of(result.expected)) +
                    (result.detail.empty() ? "" : ": " + result.detail) + "\n";
        }
        for (const Mutant& mutant : run_mutants(rule, catalog_)) {
            // One that is listed and yet killed is a stale entry in the list.
            const bool stale = mutant.killed && mutant.listed_equivalent;
            if (mutant.killed && !stale) ++counts_.killed;
            if (!mutant.killed && mutant.listed_equivalent) ++counts_.equivalent;
            if (!mutant.killed && !mutant.listed_equivalent) {
                ++counts_.survived;
                out_ += rule.file + ": no example notices the mutant " + mutant.what + "\n";
            } else if (stale) {
                ++counts_.failed;
                out_ += rule.file + ": listed as equivalent, but an example notices the mutant " + mutant.what + "\n";
            }
        }
    }

    [[nodiscard]] bool passed() const { return counts_.failed == 0 && counts_.survived == 0; }
    [[nodiscard]] std::string text() const {
        return out_ + counted(counts_.rules, "rule", "rules") + ", " +
               counted(counts_.examples, "example", "examples") + ", " + std::to_string(counts_.failed) +
               " failed; mutants: " + std::to_string(counts_.killed) + " noticed, " + std::to_string(counts_.survived) +
               " not noticed, " + std::to_string(counts_.equivalent) + " equivalent\n";
    }

private:
    const Catalog& catalog_;
    TestCounts counts_;
    std::string out_;
};

std::vector<Diagnostic> of_files(std::vector<Diagnostic> diagnostics, const Subjects& subjects) {
    std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) { return !subjects.covers(diagnostic.file); });
    return diagnostics;
}

}  // namespace

Answer run(const RulesListOptions& options, const Console& console) {
    const auto setup = load_setup_with_rules(options.rules);
    if (!setup) return answer_from(setup.error());
    const Rulebook& book = setup->rules.book;
    return {0, options.json ? render_rule_list_json(book) : render_rule_list_text(book, console.terminal),
            print(setup->rules.errors)};
}

Answer run(const RulesShowOptions& options, const Console& console) {
    const auto setup = load_setup_with_rules(options.rules);
    if (!setup) return answer_from(setup.error());
    const Rulebook& book = setup->rules.book;
    const Rule* rule = book.find(options.id);
    if (rule == nullptr) {
        const std::vector<std::string> similar = book.similar(options.id);
        return answer_from({1, "no rule '" + printable(options.id) + "'" +
                                   (similar.empty() ? "" : "; did you mean " + joined(similar, " or ") + "?")});
    }
    return {0, options.json ? render_rule_json(book, *rule) : render_rule_text(*rule, console.terminal),
            print(setup->rules.errors)};
}

Answer run(const RulesTestOptions& options, const Console&) {
    const auto subjects = load_subjects(options.directory);
    if (!subjects) return answer_from(subjects.error());
    const std::vector<Diagnostic> errors = of_files(subjects->setup.rules.errors, *subjects);
    RuleTest test(*subjects->setup.catalog);
    for (const Rule& rule : subjects->setup.rules.book.rules) {
        if (subjects->covers(rule.file)) test.add(rule);
    }
    return {test.passed() && errors.empty() ? 0 : 1, print(errors) + test.text(), {}};
}

Answer run(const RulesLintOptions& options, const Console&) {
    const auto subjects = load_subjects(options.directory);
    if (!subjects) return answer_from(subjects.error());
    const Setup& setup = subjects->setup;
    std::vector<Diagnostic> all = setup.rules.errors;
    all.insert(all.end(), setup.rules.warnings.begin(), setup.rules.warnings.end());
    const std::vector<Diagnostic> found = lint(setup.rules.book, *setup.catalog);
    all.insert(all.end(), found.begin(), found.end());
    all = of_files(std::move(all), *subjects);
    if (!all.empty()) return {1, print(all), {}};
    return {0, counted(subjects->files.size(), "file", "files") + ", no complaints\n", {}};
}

}  // namespace rd::cli
