// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/expression.h"

#include <algorithm>

#include "core/diagnosis/evaluator.h"
#include "core/diagnosis/node.h"

namespace rd {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

struct Expression::Compiled {
    std::string text;
    Node root;
    Params declared;
    std::vector<std::string> facts;
    std::vector<std::string> params;

    void collect(const Node& node) {
        if (node.op == Op::fact) add_once(facts, node.text);
        if (node.op == Op::param) add_once(params, node.text);
        for (const Node& child : node.children) collect(child);
    }
};

std::string Diagnostic::print() const {
    std::string out = file;
    if (line > 0) out += ":" + std::to_string(line) + ":" + std::to_string(column);
    out += ": " + message;
    if (!hint.empty()) out += " (" + hint + ")";
    return out;
}

tl::expected<Expression, Diagnostic> Expression::compile(std::string_view text, Kind scope, const Catalog& catalog,
                                                         const Params& declared, std::string_view file, int line,
                                                         int column) {
    const auto failed = [&](Complaint complaint) {
        return tl::unexpected(Diagnostic{std::string(file), complaint.place.line, complaint.place.column,
                                         std::move(complaint.message), std::move(complaint.hint)});
    };
    auto root = parse_expression(text, Place{line, column});
    if (!root) return failed(std::move(root.error()));
    if (auto checked = check_types(*root, scope, catalog, declared); !checked)
        return failed(std::move(checked.error()));
    auto compiled = std::make_shared<Compiled>();
    compiled->text = std::string(text);
    compiled->declared = declared;
    compiled->root = std::move(*root);
    compiled->collect(compiled->root);
    Expression expression;
    expression.compiled_ = std::move(compiled);
    return expression;
}

Outcome Expression::evaluate(const History& history, const Entity& subject, const Params& params) const {
    View view(history);
    return evaluate(view, subject, params);
}

Outcome Expression::evaluate(View& view, const Entity& subject, const Params& params) const {
    if (compiled_ == nullptr || view.history().sweeps() == 0) return {};
    return Evaluator(view, params, compiled_->declared).run(compiled_->root, subject);
}

Truth Expression::truth(View& view, const Entity& subject, const Params& params) const {
    if (compiled_ == nullptr || view.history().sweeps() == 0) return Truth::unknown;
    return Evaluator(view, params, compiled_->declared).run_silently(compiled_->root, subject);
}

std::chrono::nanoseconds Expression::window(const Node& node, const Params& params) const {
    static const Params none;
    return window_of(node, params, compiled_ != nullptr ? compiled_->declared : none);
}

Expression Expression::with_root(Node root) const {
    auto compiled = std::make_shared<Compiled>(*compiled_);
    compiled->root = std::move(root);
    Expression expression;
    expression.compiled_ = std::move(compiled);
    return expression;
}

const std::string& Expression::text() const {
    static const std::string none;
    return compiled_ != nullptr ? compiled_->text : none;
}

const std::vector<std::string>& Expression::facts() const {
    static const std::vector<std::string> none;
    return compiled_ != nullptr ? compiled_->facts : none;
}

const std::vector<std::string>& Expression::params() const {
    static const std::vector<std::string> none;
    return compiled_ != nullptr ? compiled_->params : none;
}

const Expression::Node& Expression::root() const {
    static const Node none;
    return compiled_ != nullptr ? compiled_->root : none;
}

}  // namespace rd
