// SPDX-License-Identifier: GPL-2.0-or-later
// Small changes of a condition, each of which some example must notice: else the examples do not say what the rule says.
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/diagnosis/node.h"
#include "core/diagnosis/number.h"
#include "core/diagnosis/rulebook.h"
#include "core/diagnosis/scene.h"

namespace rd {
namespace {

using Node = Expression::Node;

struct Change {
    std::string what;
    Node root;
};

Node number_node(const Value& value) {
    Node node;
    node.op = Op::literal;
    node.sort = Sort::number;
    node.literal = value;
    return node;
}

bool is_zero(const Node& node) {
    return node.op == Op::literal && node.sort == Sort::number && as_real(node.literal) == 0;
}

// One unit of the last digit written: 1 of 4200, 0.1 of 0.5, 1e-5 of 3e-5.
Value unit_of(const Value& value, const std::string& written) {
    if (std::holds_alternative<std::int64_t>(value)) return std::int64_t{1};
    const std::size_t e = written.find('e');
    const std::size_t point = written.find('.');
    int exponent = 0;
    if (e != std::string::npos) {
        const char* begin = written.data() + e + 1;
        std::from_chars(begin, written.data() + written.size(), exponent);
    }
    const std::size_t mantissa_end = e != std::string::npos ? e : written.size();
    if (point != std::string::npos && point < mantissa_end) exponent -= static_cast<int>(mantissa_end - point - 1);
    return std::pow(10.0, exponent);
}

Op turned(Op op) {
    switch (op) {
        case Op::less:
            return Op::greater;
        case Op::less_equal:
            return Op::greater_equal;
        case Op::greater:
            return Op::less;
        default:
            return Op::less_equal;
    }
}

Op with_or_without_equal(Op op) {
    switch (op) {
        case Op::less:
            return Op::less_equal;
        case Op::less_equal:
            return Op::less;
        case Op::greater:
            return Op::greater_equal;
        default:
            return Op::greater;
    }
}

class Mutator {
public:
    Mutator(const Node& root, const Params& params) : root_(root), params_(params) { seen_.insert(print(root)); }

    std::vector<Change> run() {
        walk(root_, false);
        return std::move(changes_);
    }

private:
    using Path = std::vector<std::size_t>;

    // The whole tree with another node at the place where we are.
    void change(std::string what, Node replacement) {
        Node copy = root_;
        Node* at = &copy;
        for (const std::size_t child : path_) at = &at->children[child];
        *at = std::move(replacement);
        // Two ways to the same condition are one mutant.
        if (seen_.insert(print(copy)).second) changes_.push_back(Change{std::move(what), std::move(copy)});
    }

    void descend(const Node& node, std::size_t child, bool constant) {
        path_.push_back(child);
        walk(node.children[child], constant);
        path_.pop_back();
    }

    // `compared`: inside a comparison, where constants are boundaries.
    void walk(const Node& node, bool compared) {
        if (node.op == Op::conjunction || node.op == Op::disjunction) terms(node);
        if (is_comparison(node.op)) comparison(node);
        if (node.sort == Sort::truth && node.op != Op::conjunction && node.op != Op::disjunction &&
            node.op != Op::literal)
            negate(node);
        if (node.sort == Sort::number && node.op != Op::minus && !is_zero(node)) {
            change("'" + print(node) + "' → '0'", number_node(std::int64_t{0}));
        }
        if (compared && node.sort == Sort::number) boundary(node);
        if (is_fact_function(node.op) || node.op == Op::version) return;
        // The number of a bit that is written down is a name, not a boundary.
        const bool named_bit = node.op == Op::bit && node.children[1].path == nullptr;
        const std::size_t children = named_bit ? 1 : node.children.size();
        const bool inside = is_comparison(node.op) || (compared && (is_arithmetic(node.op) || node.op == Op::minus));
        for (std::size_t i = 0; i < children; ++i) descend(node, i, inside);
    }

    void terms(const Node& node) {
        Node swapped = node;
        swapped.op = node.op == Op::conjunction ? Op::disjunction : Op::conjunction;
        change("'" + print(node) + "' → '" + std::string(name_of(swapped.op)) + "'", std::move(swapped));
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            Node fewer = node;
            fewer.children.erase(fewer.children.begin() + static_cast<std::ptrdiff_t>(i));
            if (fewer.children.size() == 1) {
                Node only = fewer.children[0];
                fewer = std::move(only);
            }
            change("drop '" + print(node.children[i]) + "'", std::move(fewer));
        }
    }

    void comparison(const Node& node) {
        const auto with = [&](Op op) {
            Node other = node;
            other.op = op;
            change("'" + print(node) + "' → '" + std::string(name_of(op)) + "'", std::move(other));
        };
        if (node.op == Op::equal || node.op == Op::unequal) {
            with(node.op == Op::equal ? Op::unequal : Op::equal);
        } else {
            with(with_or_without_equal(node.op));
            with(turned(node.op));
        }
    }

    void negate(const Node& node) {
        if (node.op == Op::equal || node.op == Op::unequal) return;  // the same as turning the comparison
        if (node.op == Op::negation) {
            change("negate '" + print(node) + "'", Node(node.children[0]));
            return;
        }
        const bool under_not = !path_.empty() && parent().op == Op::negation;
        if (under_not) return;  // the negation itself was dropped
        Node negation;
        negation.op = Op::negation;
        negation.sort = Sort::truth;
        negation.children.push_back(node);
        change("negate '" + print(node) + "'", std::move(negation));
    }

    [[nodiscard]] const Node& parent() const {
        const Node* at = &root_;
        for (std::size_t i = 0; i + 1 < path_.size(); ++i) at = &at->children[path_[i]];
        return *at;
    }

    void boundary(const Node& node) {
        if (node.op != Op::literal && node.op != Op::param) return;
        const Value& value = node.op == Op::literal ? node.literal : params_.find(node.text)->second;
        const Value unit = unit_of(value, node.op == Op::literal && !node.text.empty() ? node.text : print(value));
        for (const bool up : {true, false}) {
            Node moved;
            moved.op = up ? Op::add : Op::subtract;
            moved.sort = Sort::number;
            moved.children = {node, number_node(unit)};
            // A literal is shown as its new value, a parameter as what is added to it.
            if (const auto sum = up ? add(value, unit) : subtract(value, unit); sum && node.op == Op::literal)
                moved = number_node(*sum);
            std::string what = "'" + print(node) + "' → '" + print(moved) + "'";
            if (!path_.empty()) what += " in '" + print(parent()) + "'";
            change(std::move(what), std::move(moved));
        }
    }

    const Node& root_;
    const Params& params_;
    Path path_;
    std::set<std::string> seen_;
    std::vector<Change> changes_;
};

bool is_listed(const Rule& rule, const std::string& what) {
    for (const std::string& entry : rule.equivalent_mutants) {
        if (entry == what || entry.starts_with(what + " — ")) return true;
    }
    return false;
}

std::vector<State> states(const Rule& rule, const std::vector<Scene>& scenes) {
    std::vector<State> out;
    for (const Scene& scene : scenes) out.push_back(judge(rule, scene.history, scene.subject, scene.params).state);
    return out;
}

void run_on(const Rule& rule, std::string_view which, const std::vector<Scene>& scenes, std::vector<Mutant>& out) {
    const bool suspect = which == "suspect";
    const Expression& original = suspect ? *rule.suspect : rule.when;
    const std::vector<State> expected = states(rule, scenes);
    std::set<std::string> names;
    for (Change& one : Mutator(original.root(), rule.params).run()) {
        Mutant mutant{rule.id, std::string(which), std::string(which) + ": " + one.what};
        // The same change of the same text at another place: numbered, so that a name means one mutant.
        for (int n = 2; !names.insert(mutant.what).second; ++n) {
            mutant.what = std::string(which) + ": " + one.what + " (" + std::to_string(n) + ")";
        }
        Rule changed = rule;
        Expression expression = original.with_root(std::move(one.root));
        if (suspect) {
            changed.suspect = std::move(expression);
        } else {
            changed.when = std::move(expression);
        }
        mutant.killed = states(changed, scenes) != expected;
        mutant.listed_equivalent = is_listed(rule, mutant.what);
        out.push_back(std::move(mutant));
    }
}

}  // namespace

std::vector<Mutant> run_mutants(const Rule& rule, const Catalog& catalog) {
    std::vector<Scene> scenes;
    scenes.reserve(rule.examples.size());
    for (const Example& example : rule.examples) scenes.push_back(make_scene(rule, example, catalog));
    std::vector<Mutant> mutants;
    if (rule.when) run_on(rule, "when", scenes, mutants);
    if (rule.suspect) run_on(rule, "suspect", scenes, mutants);
    return mutants;
}

}  // namespace rd
