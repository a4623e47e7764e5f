// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/node.h"

namespace rd {
namespace {

constexpr std::string_view kNames[] = {"literal", "duration", "parameter", "fact",     "or",    "and",      "not",
                                       "==",      "!=",       "<",         "<=",       ">",     ">=",       "+",
                                       "-",       "*",        "/",         "-",        "rate",  "increase", "avg",
                                       "min",     "max",      "changed",   "lifetime", "known", "any",      "all",
                                       "count",   "bit",      "version"};

// How tightly an operator holds its operands together.
int binding(Op op) {
    switch (op) {
        case Op::disjunction:
            return 1;
        case Op::conjunction:
            return 2;
        case Op::negation:
            return 3;
        case Op::equal:
        case Op::unequal:
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal:
            return 4;
        case Op::add:
        case Op::subtract:
            return 5;
        case Op::multiply:
        case Op::divide:
            return 6;
        case Op::minus:
            return 7;
        default:
            return 8;
    }
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string print_operand(const Expression::Node& child, int at_least) {
    std::string text = print(child);
    return binding(child.op) < at_least ? "(" + text + ")" : text;
}

std::string print_call(const Expression::Node& node) {
    std::string out = std::string(name_of(node.op)) + "(";
    std::string_view separator;
    if (is_quantifier(node.op)) {
        out += name_of(node.kind);
        separator = ", ";
    }
    for (const Expression::Node& child : node.children) {
        out += separator;
        out += print(child);
        separator = ", ";
    }
    return out + ")";
}

}  // namespace

std::string_view name_of(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::string_view name_of(Sort sort) {
    constexpr std::string_view kSorts[] = {"a condition", "a number", "a text", "a version", "an entity", "a duration"};
    return kSorts[static_cast<std::size_t>(sort)];
}

bool is_comparison(Op op) { return op >= Op::equal && op <= Op::greater_equal; }

bool is_arithmetic(Op op) { return op >= Op::add && op <= Op::divide; }

bool is_fact_function(Op op) { return op >= Op::rate && op <= Op::known; }

bool has_window(Op op) { return op >= Op::rate && op <= Op::changed; }

bool is_quantifier(Op op) { return op >= Op::any && op <= Op::count; }

std::string print(const Expression::Node& node) {
    switch (node.op) {
        case Op::literal:
            if (const auto* text = std::get_if<std::string>(&node.literal)) return quoted(*text);
            return node.text.empty() ? print(node.literal) : node.text;
        case Op::duration:
        case Op::fact:
            return node.text;
        case Op::param:
            return "$" + node.text;
        case Op::negation:
            return "not " + print_operand(node.children[0], binding(Op::negation));
        case Op::minus:
            return "-" + print_operand(node.children[0], binding(Op::minus));
        default:
            break;
    }
    if (is_fact_function(node.op) || node.op >= Op::any) return print_call(node);
    // Left to right: the right operand of '-' and '/' needs parentheses already at equal binding.
    const int own = binding(node.op);
    const bool many = node.op == Op::disjunction || node.op == Op::conjunction;
    std::string out = print_operand(node.children[0], many || is_comparison(node.op) ? own + 1 : own);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        out += " " + std::string(name_of(node.op)) + " " + print_operand(node.children[i], own + 1);
    }
    return out;
}

}  // namespace rd
