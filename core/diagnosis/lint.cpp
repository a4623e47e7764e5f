// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>
#include <set>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/node.h"
#include "core/diagnosis/prose.h"
#include "core/diagnosis/rulebook.h"

namespace rd {
namespace {

using Node = Expression::Node;

bool has(const Node& node, Op op) {
    return node.op == op ||
           std::any_of(node.children.begin(), node.children.end(), [&](const Node& child) { return has(child, op); });
}

// A lifetime that is not weighed against another one.
bool bare_lifetime(const Node& node, bool in_ratio) {
    if (node.op == Op::lifetime) return !in_ratio;
    const bool ratio = in_ratio || (node.op == Op::divide && has(node.children[0], Op::lifetime) &&
                                    has(node.children[1], Op::lifetime));
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const Node& child) { return bare_lifetime(child, ratio); });
}

const FactPath* family_fact(const Node& node) {
    if (node.path != nullptr && node.path->spec->family) return node.path.get();
    for (const Node& child : node.children) {
        if (const FactPath* found = family_fact(child)) return found;
    }
    return nullptr;
}

class Linter {
public:
    Linter(const Rulebook& book, const Catalog& catalog) : book_(book), catalog_(catalog) {}

    std::vector<Diagnostic> run() {
        for (const Rule& rule : book_.rules) {
            rule_ = &rule;
            texts();
            logs();
            examples();
            conditions();
            explanation();
            causes();
            parameters();
        }
        return std::move(found_);
    }

private:
    void complain(std::string_view part, std::string message, std::string hint = {}) {
        const auto place = rule_->places.find(part);
        const Place at = place != rule_->places.end() ? place->second : Place{};
        found_.push_back(
            Diagnostic{rule_->file, at.line, at.column, rule_->id + ": " + std::move(message), std::move(hint)});
    }

    void texts() {
        const Rule& rule = *rule_;
        if (trim(rule.symptom).empty()) complain("symptom", "no symptom: what does a user see?");
        if (trim(rule.explain).empty()) complain("explain", "no explanation");
        if (rule.references.empty()) complain("references", "no references: where is this known from?");
        if (rule.fixes.empty()) complain("fix", "no fix: what can be done about it?");
        const std::string name = rule.file.substr(rule.file.rfind('/') + 1);
        if (name.ends_with(".toml") && name != rule.id + ".toml")
            complain("id", "the file is called " + name, "name it " + rule.id + ".toml");
    }

    void logs() {
        std::size_t number = 0;
        for (const LogPattern& log : rule_->logs) {
            const std::string part = "log." + std::to_string(number++);
            if (log.samples.empty()) complain(part, "no samples: which line does '" + printable(log.text) + "' match?");
            for (const std::string& wrong : sample_faults(log)) complain(part, wrong);
            const auto [first, added] = patterns_.emplace(log.text, rule_->id);
            if (!added) complain(part, "the same pattern as in " + first->second + ": '" + printable(log.text) + "'");
        }
    }

    void examples() {
        if (!rule_->when && rule_->examples.empty()) return;
        std::set<State> states;
        for (const Example& example : rule_->examples) states.insert(example.expect);
        for (const State state : {State::firing, State::quiet, State::unknown}) {
            if (!states.contains(state)) complain("example", "no example is " + std::string(name_of(state)));
        }
        order();
        const bool suspected = states.contains(State::suspected);
        if (rule_->suspect && !suspected) complain("suspect", "no example is suspected");
        if (!rule_->suspect && suspected) complain("example", "an example is suspected and there is no 'suspect'");
    }

    // Who only judges reads no further than the first of them, and the whole where something follows.
    void order() {
        const auto first = rule_->places.find("example.0");
        if (first == rule_->places.end()) return;
        for (const auto& [part, place] : rule_->places) {
            if (part.starts_with("example") || place.line < first->second.line) continue;
            return complain(part, "'" + part.substr(0, part.find('.')) + "' stands behind the examples",
                            "put the examples last: only who proves the rule reads them");
        }
    }

    void conditions() {
        const Rule& rule = *rule_;
        if (has(rule.when.root(), Op::lifetime)) {
            complain("when", "lifetime() in 'when': a total says nothing about now",
                     "use rate() or increase(); ratios of lifetimes belong to 'suspect'");
        }
        if (rule.suspect) {
            const Node& root = rule.suspect->root();
            if (bare_lifetime(root, false)) {
                complain("suspect", "a lifetime on its own: every busy healthy host has it",
                         "divide it by the lifetime of another counter");
            }
            for (const Op op : {Op::rate, Op::increase, Op::average, Op::minimum, Op::maximum, Op::changed}) {
                if (has(root, op))
                    complain("suspect", std::string(name_of(op)) + "() in 'suspect' cannot be known from one sample");
            }
        }
        for (const auto& [part, expression] :
             {std::pair("when", &rule.when), std::pair("suspect", rule.suspect ? &*rule.suspect : nullptr)}) {
            const FactPath* family = expression != nullptr ? family_fact(expression->root()) : nullptr;
            if (family != nullptr) {
                complain(part, "'" + family->text + "' is a driver's own counter without a row in the catalogue",
                         "add a row for it");
            }
        }
        if (!rule.when) return;
        const std::string condition = std::string(name_of(rule.scope)) + ": " + print(rule.when.root());
        const auto [first, added] = conditions_.emplace(condition, rule.id);
        if (!added) complain("when", "the same condition as " + first->second);
    }

    // The explanation may name what the condition read (that is the evidence), and entities on the way by their names.
    void explanation() {
        std::vector<std::string_view> facts;
        const auto collect = [&](const Expression& expression) {
            for (const std::string& fact : expression.facts()) facts.push_back(fact);
        };
        collect(rule_->when);
        if (rule_->suspect) collect(*rule_->suspect);
        for (const Placeholder& placeholder : placeholders(rule_->explain)) {
            const std::string& name = placeholder.name;
            if (name.empty() || name == "subject" || name.front() == '$' || name.starts_with("log.")) continue;
            if (std::find(facts.begin(), facts.end(), name) != facts.end()) continue;
            const auto path = resolve_path(name, rule_->scope, catalog_);
            if (path && (path->spec->type == Type::reference || path->name == "name")) continue;
            complain("explain", "the explanation names '" + name + "', which the condition does not read",
                     did_you_mean(name, facts));
        }
    }

    void causes() {
        for (std::size_t i = 0; i < rule_->caused_by.size(); ++i) {
            const std::string& id = rule_->caused_by[i];
            const std::string part = "caused_by." + std::to_string(i);
            if (id == rule_->id) {
                complain(part, "caused_by: the rule itself");
            } else if (book_.find(id) == nullptr) {
                complain(part, "caused_by: no rule '" + printable(id) + "'", did_you_mean(book_.similar(id)));
            } else if (leads_back(id)) {
                complain(part, "caused_by: '" + id + "' is itself caused by this rule");
            }
        }
    }

    // Does the chain of causes from `id` come back to the rule?
    [[nodiscard]] bool leads_back(const std::string& id) const {
        std::set<std::string> seen;
        std::vector<std::string> open{id};
        while (!open.empty()) {
            const std::string at = open.back();
            open.pop_back();
            if (at == rule_->id) return true;
            const Rule* rule = seen.insert(at).second ? book_.find(at) : nullptr;
            if (rule != nullptr) open.insert(open.end(), rule->caused_by.begin(), rule->caused_by.end());
        }
        return false;
    }

    void parameters() {
        for (const auto& [name, value] : rule_->params) {
            const auto uses = [&](const Expression& expression) {
                const std::vector<std::string>& used = expression.params();
                return std::find(used.begin(), used.end(), name) != used.end();
            };
            if (uses(rule_->when) || (rule_->suspect && uses(*rule_->suspect))) continue;
            complain("params." + name, "the parameter '" + name + "' is not used");
        }
    }

    const Rulebook& book_;
    const Catalog& catalog_;
    const Rule* rule_ = nullptr;
    std::map<std::string, std::string> conditions_;
    std::map<std::string, std::string> patterns_;
    std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<std::string> sample_faults(const LogPattern& log) {
    std::vector<std::string> faults;
    for (const std::string& sample : log.samples) {
        if (!log.matches(sample))
            faults.push_back("'" + printable(log.text) + "' does not match its sample '" + printable(sample) + "'");
        if (log.ended_by && log.ended_by->matches(sample))
            faults.push_back("'" + printable(log.ended_by->text) + "' ends '" + printable(sample) +
                             "', its own sample");
        if (log.unless && log.unless->matches(sample))
            faults.push_back("'" + printable(log.unless->text) + "' (unless) matches '" + printable(sample) +
                             "', its own sample");
    }
    for (const std::string& other : log.not_samples) {
        if (log.matches(other))
            faults.push_back("'" + printable(log.text) + "' matches '" + printable(other) + "', which it must not");
    }
    return faults;
}

std::vector<Diagnostic> lint(const Rulebook& book, const Catalog& catalog) { return Linter(book, catalog).run(); }

}  // namespace rd
