// SPDX-License-Identifier: GPL-2.0-or-later
// Rules, facts and terms as knowledge: `rules list`, `rules show`, `explain`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/counters.h"
#include "cli/lines.h"
#include "cli/terminal.h"
#include "core/diagnosis/rulebook.h"
#include "core/diagnosis/rules_diff.h"
#include "core/diagnosis/terms/term.h"

namespace rd::cli {

struct FactUse {
    const FactSpec* spec = nullptr;
    std::string name;                    // the row's, or of a member of an open set
    std::vector<std::string> rules;      // that read it
    std::vector<CounterUse> counters{};  // what drivers call it
};

struct TermUse {
    Term term;
    std::vector<std::string> rules;  // that read the facts it names
};

struct Explanation {
    std::vector<const Rule*> rules;
    std::vector<FactUse> facts;
    std::vector<TermUse> terms;
    std::vector<LineUse> lines;             // of logs
    std::optional<std::size_t> lines_read;  // of standard input
    std::size_t lines_known = 0, lines_left_out = 0;
};

[[nodiscard]] std::string render_rule_list_text(const Rulebook& book, const Terminal& terminal);
[[nodiscard]] std::string render_rule_list_json(const Rulebook& book);  // docs/schema/rules.schema.json
[[nodiscard]] std::string render_rule_text(const Rule& rule, const Terminal& terminal);  // all of it
[[nodiscard]] std::string render_rule_json(const Rulebook& book, const Rule& rule);
struct RulesDiffView {
    const Rulebook& before;
    const Rulebook& after;
    std::vector<RuleDiff> diffs;
};
[[nodiscard]] std::string render_rules_diff_text(const RulesDiffView& view, const Terminal& terminal);
[[nodiscard]] std::string render_rules_diff_json(const RulesDiffView& view);  // docs/schema/rules.schema.json

class Page;
void print_term(Page& page, const TermUse& use);
void print_lines(Page& page, const Explanation& explanation);

[[nodiscard]] std::string render_explanation_text(const Explanation& explanation, const Terminal& terminal);
[[nodiscard]] std::string render_explanation_json(const Explanation& explanation);  // docs/schema/explain.schema.json

}  // namespace rd::cli
