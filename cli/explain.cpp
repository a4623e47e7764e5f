// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/render/rules.h"
#include "cli/render/words.h"
#include "cli/setup.h"
#include "core/base/text.h"
#include "core/diagnosis/node.h"

namespace rd::cli {
namespace {

// By the resolved rows, not by names: within `any(port, ...)` the same words mean another fact.
bool reads(const Expression::Node& node, const FactSpec& spec) {
    if (node.path != nullptr && node.path->spec == &spec) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const Expression::Node& child) { return reads(child, spec); });
}

bool reads(const Rule& rule, const FactSpec& spec) {
    return reads(rule.when.root(), spec) || (rule.suspect && reads(rule.suspect->root(), spec));
}

FactUse use_of(const FactSpec& spec, const Setup& setup) {
    FactUse use{&spec, {}};
    for (const Rule& rule : setup.rules.book.rules) {
        if (reads(rule, spec)) use.rules.push_back(rule.id);
    }
    return use;
}

// "port.active_mtu" is one row, "active_mtu" is every row of that name.
std::vector<const FactSpec*> specs_called(std::string_view term, const Catalog& catalog) {
    const std::size_t dot = term.find('.');
    Kind kind{};
    if (dot != std::string_view::npos) {
        if (!kind_from_name(term.substr(0, dot), kind)) return {};
        const FactSpec* spec = catalog.find(kind, term.substr(dot + 1));
        return spec == nullptr ? std::vector<const FactSpec*>{} : std::vector<const FactSpec*>{spec};
    }
    std::vector<const FactSpec*> found;
    for (int i = 0; i < kKindCount; ++i) {
        if (const FactSpec* spec = catalog.find(static_cast<Kind>(i), term)) found.push_back(spec);
    }
    return found;
}

std::vector<std::string> similar_terms(std::string_view term, const Setup& setup) {
    std::vector<std::string> names = setup.rules.book.similar(term);
    const std::size_t dot = term.find('.');
    const std::string_view name = dot == std::string_view::npos ? term : term.substr(dot + 1);
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (dot != std::string_view::npos && term.substr(0, dot) != name_of(kind)) continue;
        for (const std::string& fact : setup.catalog->similar(kind, name)) {
            names.push_back(std::string(name_of(kind)) + "." + fact);
        }
    }
    return names;
}

}  // namespace

Answer run(const ExplainOptions& options, const Console& console) {
    const auto setup = load_setup_with_rules(options.rules);
    if (!setup) return answer_from(setup.error());
    Explanation explanation;
    Answer answer;
    for (const std::string& term : options.terms) {
        if (const Rule* rule = setup->rules.book.find(term)) {
            explanation.rules.push_back(rule);
            continue;
        }
        const std::vector<const FactSpec*> specs = specs_called(term, *setup->catalog);
        for (const FactSpec* spec : specs) explanation.facts.push_back(use_of(*spec, *setup));
        if (!specs.empty()) continue;
        const std::vector<std::string> similar = similar_terms(term, *setup);
        answer.code = 1;
        answer.err += "rdmadoctor: no rule and no fact is called '" + printable(term) + "'" +
                      (similar.empty() ? "" : "; near it: " + some_of(similar, 5)) + "\n";
    }
    if (options.json) {
        answer.out = render_explanation_json(explanation);
    } else {
        answer.out = render_explanation_text(explanation, console.terminal);
    }
    return answer;
}

}  // namespace rd::cli
