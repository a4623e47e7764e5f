// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "cli/commands.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"
#include "cli/setup.h"
#include "core/base/escape.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

struct TestCounts {
    std::size_t rules = 0, examples = 0, samples = 0, failed = 0, killed = 0, equivalent = 0, survived = 0;
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
            say(rule, "example '" + result.example + "' is " + std::string(name_of(result.got)) + ", expected " +
                          std::string(name_of(result.expected)) + (result.detail.empty() ? "" : ": " + result.detail));
        }
        for (const LogPattern& log : rule.logs) {
            counts_.samples += log.samples.size() + log.not_samples.size();
            for (const std::string& wrong : sample_faults(log)) {
                ++counts_.failed;
                say(rule, wrong);
            }
        }
        for (const Mutant& mutant : run_mutants(rule, catalog_)) {
            // One that is listed and yet killed is a stale entry in the list.
            const bool stale = mutant.killed && mutant.listed_equivalent;
            if (mutant.killed && !stale) ++counts_.killed;
            if (!mutant.killed && mutant.listed_equivalent) ++counts_.equivalent;
            if (!mutant.killed && !mutant.listed_equivalent) {
                ++counts_.survived;
                say(rule, "no example notices the mutant " + mutant.what);
            } else if (stale) {
                ++counts_.failed;
                say(rule, "listed as equivalent, but an example notices the mutant " + mutant.what);
            }
        }
    }

    [[nodiscard]] bool passed() const { return counts_.failed == 0 && counts_.survived == 0; }
    [[nodiscard]] std::string text() const {
        return out_ + counted(counts_.rules, "rule", "rules") + ", " +
               counted(counts_.examples, "example", "examples") + samples() + ", " + std::to_string(counts_.failed) +
               " failed; mutants: " + std::to_string(counts_.killed) + " noticed, " + std::to_string(counts_.survived) +
               " not noticed, " + std::to_string(counts_.equivalent) + " equivalent\n";
    }

private:
    [[nodiscard]] std::string samples() const {
        return counts_.samples == 0 ? "" : ", " + counted(counts_.samples, "log sample", "log samples");
    }
    void say(const Rule& rule, const std::string& what) { out_ += on_one_line(rule.file + ": " + what) + "\n"; }

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
    return {0, options.json ? render_rule_list_json(book) : render_rule_list_text(book, console.terminal), {}};
}

Answer run(const RulesShowOptions& options, const Console& console) {
    const auto setup = load_setup_with_rules(options.rules);
    if (!setup) return answer_from(setup.error());
    const Rulebook& book = setup->rules.book;
    const Rule* rule = book.find(options.id);
    if (rule == nullptr) {
        const std::string offer = did_you_mean(book.similar(options.id));
        return answer_from({kUsage, "no rule '" + printable(options.id) + "' (" +
                                        (offer.empty() ? "rdmadoctor rules list names them" : offer) + ")"});
    }
    const OrFailure<Rule> whole = with_examples(*rule, *setup);
    if (!whole) return answer_from(whole.error());
    return {0, options.json ? render_rule_json(book, *whole) : render_rule_text(*whole, console.terminal), {}};
}

Answer run(const RulesDiffOptions& options, const Console& console) {
    const auto setup = load_setup({});
    if (!setup) return answer_from(setup.error());
    const auto before = load_rules_of(options.before, *setup);
    if (!before) return answer_from(before.error());
    const auto after = load_rules_of(options.after, *setup);
    if (!after) return answer_from(after.error());
    const RulesDiffView view{*before, *after, diff_rules(*before, *after)};
    return {view.diffs.empty() ? 0 : 1,
            options.json ? render_rules_diff_json(view) : render_rules_diff_text(view, console.terminal),
            {}};
}

Answer run(const RulesTestOptions& options, const Console&) {
    const auto subjects = load_subjects(options.directory);
    if (!subjects) return answer_from(subjects.error());
    const std::vector<Diagnostic> errors = of_files(subjects->setup.rules.errors, *subjects);
    RuleTest test(*subjects->setup.catalog);
    for (const Rule& rule : subjects->setup.rules.book.rules) {
        if (subjects->covers(rule.file)) test.add(rule);
    }
    return {!errors.empty() ? kUsage : test.passed() ? 0 : 1, print(errors) + test.text(), {}};
}

Answer run(const RulesLintOptions& options, const Console&) {
    const auto subjects = load_subjects(options.directory);
    if (!subjects) return answer_from(subjects.error());
    const Setup& setup = subjects->setup;
    const std::vector<Diagnostic> errors = of_files(setup.rules.errors, *subjects);
    std::vector<Diagnostic> all = errors;
    all.insert(all.end(), setup.rules.warnings.begin(), setup.rules.warnings.end());
    const std::vector<Diagnostic> found = lint(setup.rules.book, *setup.catalog);
    all.insert(all.end(), found.begin(), found.end());
    all = of_files(std::move(all), *subjects);
    if (!all.empty()) return {errors.empty() ? 1 : kUsage, print(all), {}};
    return {0, counted(subjects->files.size(), "file", "files") + ", no complaints\n", {}};
}

}  // namespace rd::cli
