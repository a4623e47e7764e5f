// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of an expression. Made by the parser, typed by the checker, changed by the mutation test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/expression.h"
#include "core/diagnosis/path.h"

namespace rd {

enum class Op : std::uint8_t {
    literal,
    duration,
    param,
    fact,
    disjunction,  // two or more children
    conjunction,
    negation,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    add,
    subtract,
    multiply,
    divide,
    minus,
    rate,  // the functions of a fact: children {fact} and, where they look over time, {fact, window}
    increase,
    average,
    minimum,
    maximum,
    changed,
    lifetime,
    known,
    any,  // over entities of `kind`: child {condition}
    all,
    count,  // child {condition} or none
    bit,
    version,
};

// What an expression is worth.
enum class Sort : std::uint8_t { truth, number, text, version, entity, duration };

[[nodiscard]] std::string_view name_of(Op op);  // as written: "and", "<=", "rate"
[[nodiscard]] std::string_view name_of(Sort sort);
[[nodiscard]] bool is_comparison(Op op);
[[nodiscard]] bool is_arithmetic(Op op);     // of two numbers
[[nodiscard]] bool is_fact_function(Op op);  // rate … known: of a fact, not of an expression
[[nodiscard]] bool has_window(Op op);
[[nodiscard]] bool is_quantifier(Op op);

struct Expression::Node {
    Op op = Op::literal;
    Sort sort = Sort::truth;
    Place place;
    std::vector<Node> children;
    Value literal{false};                  // of a duration: nanoseconds
    std::string text;                      // a fact's path, a parameter's name, a number as written
    Kind kind = Kind::host;                // of a quantifier
    std::shared_ptr<const FactPath> path;  // of a fact
    std::vector<const FactSpec*> links;    // of a quantifier: the references by which `kind` refers to the subject
};

// As one would write it, in one line, without needless parentheses.
[[nodiscard]] std::string print(const Expression::Node& node);

// The tree with types, or the first complaint.
[[nodiscard]] tl::expected<Expression::Node, Complaint> parse_expression(std::string_view text, Place start);
[[nodiscard]] tl::expected<void, Complaint> check_types(Expression::Node& root, Kind scope, const Catalog& catalog,
                                                        const Params& declared);

inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxLength = 8192;
inline constexpr std::int64_t kMaxBit = 62;
inline constexpr std::chrono::nanoseconds kMaxWindow = std::chrono::hours(24);

}  // namespace rd
