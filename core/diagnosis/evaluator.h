// SPDX-License-Identifier: GPL-2.0-or-later
// Walks a typed tree for one subject, in Kleene's logic, and keeps what the truth depended on.
#pragma once

#include <string>
#include <vector>

#include "core/diagnosis/node.h"

namespace rd {

class Evaluator {
public:
    Evaluator(const History& history, const Params& params, const Params& declared)
        : history_(history), params_(params), declared_(declared) {}

    [[nodiscard]] Outcome run(const Expression::Node& root, const Entity& subject);

private:
    using Node = Expression::Node;

    // A value that is not known has left its reason in `missing_`.
    struct Datum {
        bool known = false;
        bool at_least = false;  // a lower bound: a counter saturated, or not all entities could be counted
        Value value{false};
    };
    struct Mark {
        std::size_t evidence = 0, missing = 0;
    };
    struct Located {
        bool known = false;
        Entity entity;
    };

    [[nodiscard]] Mark mark() const { return {evidence_.size(), missing_.size()}; }
    void forget(Mark from, Mark to);
    void rollback(Mark to);
    void note(const Entity& entity, const Node& fact, std::string_view how, Reading reading, std::string unit,
              std::optional<std::chrono::nanoseconds> window, Stamp at);
    void miss(const Entity& entity, std::string_view fact, Gap gap);

    Truth truth(const Node& node, const Entity& subject);
    Truth decide(const Node& node, const Entity& subject);
    Truth conjunction(const Node& node, const Entity& subject);
    Truth disjunction(const Node& node, const Entity& subject);
    Truth comparison(const Node& node, const Entity& subject);
    Truth compare(const Node& node, const Datum& left, const Datum& right, const Entity& subject);
    void miss_bounds(std::size_t from);
    Truth known(const Node& node, const Entity& subject);
    Truth changed(const Node& node, const Entity& subject);
    Truth bit(const Node& node, const Entity& subject);

    // Quantifiers (evaluator_sets.cpp).
    Truth refers(const Node& node, const Entity& entity, const Entity& subject);
    Truth member(const Node& node, const Entity& entity, const Entity& subject);
    Truth any(const Node& node, const Entity& subject);
    Truth all(const Node& node, const Entity& subject);
    Datum count(const Node& node, const Entity& subject);

    Datum datum(const Node& node, const Entity& subject);
    Datum fact(const Node& node, const Entity& subject);
    Datum over_time(const Node& node, const Entity& subject);
    Datum increase(const Node& node, const Entity& entity);
    Datum aggregate(const Node& node, const Entity& entity);
    Datum lifetime(const Node& node, const Entity& entity);
    Datum arithmetic(const Node& node, const Entity& subject);

    Located locate(const Node& fact, const Entity& subject);
    [[nodiscard]] const Value& param(const std::string& name) const;
    [[nodiscard]] std::chrono::nanoseconds window(const Node& node) const;
    [[nodiscard]] std::chrono::nanoseconds true_window(std::chrono::nanoseconds asked) const;

    const History& history_;
    const Params& params_;
    const Params& declared_;
    std::vector<Evidence> evidence_;
    std::vector<Missing> missing_;
    std::vector<Missing> bounds_;  // why values are only lower bounds; becomes `missing` where that matters
};

}  // namespace rd
