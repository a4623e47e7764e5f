// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers, texts and entities: facts, what is made of them over time, and arithmetic.
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/evaluator.h"
#include "core/diagnosis/number.h"

namespace rd {
namespace {

bool is_type(const Value& value, Type type) {
    if (type == Type::integer || type == Type::real) {
        if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real);
        return std::get_if<std::int64_t>(&value) != nullptr;
    }
    return type_of(value) == type;
}

std::string per_second(std::string_view unit) { return unit.empty() ? "1/s" : std::string(unit) + "/s"; }

Value whole_if_exact(double amount) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (amount == std::floor(amount) && std::fabs(amount) <= kExact) return static_cast<std::int64_t>(amount);
    return amount;
}

}  // namespace

Evaluator::Datum Evaluator::datum(const Node& node, const Entity& subject) {
    switch (node.op) {
        case Op::literal:
            return {true, false, node.literal};
        case Op::param:
            return {true, false, param(node.text)};
        case Op::fact:
            return fact(node, subject);
        case Op::version:
            return datum(node.children[0], subject);
        case Op::count:
            return count(node, subject);
        default:
            break;
    }
    if (is_arithmetic(node.op) || node.op == Op::minus) return arithmetic(node, subject);
    if (is_fact_function(node.op) && node.sort == Sort::number) return over_time(node, subject);
    const Truth result = truth(node, subject);  // a condition compared with a condition
    return {result != Truth::unknown, false, result == Truth::yes};
}

Observation Evaluator::look_at(const Entity& entity, const FactPath& path) {
    const Observation seen = view_.observe(entity, path.name);
    if (!*seen.reading || is_type(**seen.reading, path.spec->type)) return seen;
    strange_ = tl::unexpected(Gap{GapClass::error, path.name + ": unexpected value " + print(**seen.reading), {}});
    return {&strange_, seen.at};
}

Evaluator::Datum Evaluator::fact(const Node& node, const Entity& subject) {
    const Located place = locate(node, subject);
    if (!place) {
        miss(place.error());
        return {};
    }
    const FactPath& path = *node.path;
    const auto [reading, at] = look_at(**place, path);
    if (!*reading) {
        miss(**place, path.name, reading->error());
        return {};
    }
    note(**place, node, "", *reading, path.spec->unit, std::nullopt, at);
    return {true, false, **reading};
}

Evaluator::Datum Evaluator::over_time(const Node& node, const Entity& subject) {
    const Located place = locate(node.children[0], subject);
    if (!place) {
        miss(place.error());
        return {};
    }
    switch (node.op) {
        case Op::rate:
        case Op::increase:
            return increase(node, **place);
        case Op::lifetime:
            return lifetime(node, **place);
        default:
            return aggregate(node, **place);
    }
}

Evaluator::Datum Evaluator::increase(const Node& node, const Entity& entity) {
    const Node& fact = node.children[0];
    const FactPath& path = *fact.path;
    const auto moved = view_.increase(entity, path.name, window(node.children[1]));
    if (!moved) {
        miss(entity, path.name, moved.error());
        return {};
    }
    Datum out{true, moved->at_least, whole_if_exact(moved->amount)};
    std::string unit;
    if (node.op == Op::rate) {
        if (moved->window < kShortestWindow) {
            miss(entity, path.name,
                 Gap{GapClass::not_collected,
                     path.name + ": its samples lie " + print_duration(moved->window) + " apart, too near for a rate",
                     "look again later: check --interval 2s on the host itself"});
            return {};
        }
        out.value = moved->amount / (static_cast<double>(moved->window.count()) / 1e9);
    }
    if (!silent_) unit = node.op == Op::rate ? per_second(path.spec->unit) : std::string(path.spec->unit);
    if (moved->at_least) {
        bounds_.push_back(
            Missing{entity, path.name,
                    Gap{GapClass::error, path.name + ": saturated on the way, only a lower bound is known",
                        "clear the counter (perfquery -R) to see how fast it moves"}});
    }
    note(entity, fact, name_of(node.op), out.value, unit, moved->window, moved->to);
    return out;
}

Evaluator::Datum Evaluator::aggregate(const Node& node, const Entity& entity) {
    const Node& fact = node.children[0];
    const FactPath& path = *fact.path;
    const std::chrono::nanoseconds asked = window(node.children[1]);
    const Aggregate how = node.op == Op::minimum   ? Aggregate::min
                          : node.op == Op::maximum ? Aggregate::max
                                                   : Aggregate::avg;
    const auto result = view_.aggregate(entity, path.name, asked, how);
    if (!result) {
        miss(entity, path.name, result.error());
        return {};
    }
    const Value value = whole_if_exact(*result);
    note(entity, fact, name_of(node.op), value, path.spec->unit, true_window(asked), view_.last());
    return {true, false, value};
}

Evaluator::Datum Evaluator::lifetime(const Node& node, const Entity& entity) {
    const Node& fact = node.children[0];
    const FactPath& path = *fact.path;
    const Observation seen = view_.observe(entity, path.name);
    if (!*seen.reading) {
        miss(entity, path.name, seen.reading->error());
        return {};
    }
    const Value& value = **seen.reading;
    const auto* total = std::get_if<std::int64_t>(&value);
    if (total == nullptr) {
        miss(entity, path.name, Gap{GapClass::error, path.name + ": unexpected value " + print(value), {}});
        return {};
    }
    const bool saturated = is_saturating(path.spec->nature) && *total >= counter_max(path.spec->nature);
    if (saturated) {
        bounds_.push_back(
            Missing{entity, path.name,
                    Gap{GapClass::error, path.name + ": stands at its maximum, only a lower bound is known",
                        "clear the counter (perfquery -R)"}});
    }
    note(entity, fact, "lifetime", value, path.spec->unit, std::nullopt, seen.at);
    return {true, saturated, value};
}

Evaluator::Datum Evaluator::arithmetic(const Node& node, const Entity& subject) {
    const std::size_t bounds = bounds_.size();
    const Datum left = node.op == Op::minus ? Datum{true, false, std::int64_t{0}} : datum(node.children[0], subject);
    const std::size_t before = evidence_.size();
    const Datum right = datum(node.children.back(), subject);
    if (!left.known || !right.known) return {};
    std::optional<Value> value;
    switch (node.op) {
        case Op::add:
            value = add(left.value, right.value);
            break;
        case Op::multiply:
            value = multiply(left.value, right.value);
            break;
        case Op::divide:
            value = divide(left.value, right.value);
            break;
        default:
            value = subtract(left.value, right.value);
            break;
    }
    if (!value) {
        const std::string why =
            as_real(right.value) == 0 && node.op == Op::divide ? "division by zero" : "not a finite number";
        const bool noted = before < evidence_.size();
        miss(noted ? evidence_[before].entity : subject, noted ? evidence_[before].fact : print(node.children.back()),
             Gap{GapClass::error, why + " in " + print(node), {}});
        return {};
    }
    // A lower bound survives what keeps the order: sums, and products with and quotients by what is known and not negative.
    bool at_least = false;
    if (left.at_least || right.at_least) {
        const bool left_only = left.at_least && !right.at_least;
        const bool scaled = left_only ? as_real(right.value) >= 0 : !left.at_least && as_real(left.value) >= 0;
        at_least = node.op == Op::add || (node.op == Op::subtract && left_only) ||
                   (node.op == Op::multiply && scaled) || (node.op == Op::divide && left_only && scaled);
        if (!at_least) {
            miss_bounds(bounds);
            return {};
        }
    }
    return {true, at_least, *value};
}

}  // namespace rd
