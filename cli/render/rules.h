// SPDX-License-Identifier: GPL-2.0-or-later
// Rules and facts as knowledge: `rules list`, `rules show`, `explain`.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "core/diagnosis/rulebook.h"

namespace rd::cli {

struct FactUse {
    const FactSpec* spec = nullptr;
    std::vector<std::string> rules;  // that read it
};

struct Explanation {
    std::vector<const Rule*> rules;
    std::vector<FactUse> facts;
};

[[nodiscard]] std::string render_rule_list_text(const Rulebook& book, const Terminal& terminal);
[[nodiscard]] std::string render_rule_list_json(const Rulebook& book);  // docs/schema/rules.schema.json
[[nodiscard]] std::string render_rule_text(const Rule& rule, const Terminal& terminal);  // all of it
[[nodiscard]] std::string render_rule_json(const Rulebook& book, const Rule& rule);
[[nodiscard]] std::string render_explanation_text(const Explanation& explanation, const Terminal& terminal);
[[nodiscard]] std::string render_explanation_json(const Explanation& explanation);  // docs/schema/explain.schema.json

}  // namespace rd::cli
