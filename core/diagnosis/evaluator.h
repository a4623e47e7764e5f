// SPDX-License-Identifier: GPL-2.0-or-later
// Walks a typed tree for one subject, in Kleene's logic, and keeps what the truth depended on.
#pragma once

#include <string>
#include <vector>

#include "core/diagnosis/node.h"
#include "core/diagnosis/view.h"

namespace rd {

// As set, where what was set fits what was declared.
[[nodiscard]] const Value& value_of(const std::string& param, const Params& params, const Params& declared);
[[nodiscard]] std::chrono::nanoseconds window_of(const Expression::Node& node, const Params& params,
                                                 const Params& declared);

class Evaluator {
public:
    Evaluator(View& view, const Params& params, const Params& declared)
        : view_(view), params_(params), declared_(declared) {}

    [[nodiscard]] Outcome run(const Expression::Node& root, const Entity& subject);
    // Only whether it is true: the same walk, and nothing is written down on the way.
    [[nodiscard]] Truth run_silently(const Expression::Node& root, const Entity& subject);

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
    // The entity that a path leads to, or what is missing on the way.
    using Located = tl::expected<const Entity*, Missing>;

    [[nodiscard]] Mark mark() const { return {evidence_.size(), missing_.size()}; }
    void forget(Mark from, Mark to);
    void rollback(Mark to);
    void note(const Entity& entity, const Node& fact, std::string_view how, const Reading& reading,
              std::string_view unit, std::optional<std::chrono::nanoseconds> window, Stamp at);
    void miss(Missing missing);
    void miss(const Entity& entity, std::string_view fact, const Gap& gap) { miss(missing(entity, fact, gap)); }
    [[nodiscard]] Missing missing(const Entity& entity, std::string_view fact, const Gap& gap) const;

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

    [[nodiscard]] Located locate(const Node& fact, const Entity& subject) const;
    // The newest reading; one that is not what the catalogue promises is a gap.
    [[nodiscard]] Observation look_at(const Entity& entity, const FactPath& path);
    [[nodiscard]] const Value& param(const std::string& name) const { return value_of(name, params_, declared_); }
    [[nodiscard]] std::chrono::nanoseconds window(const Node& node) const {
        return window_of(node, params_, declared_);
    }
    [[nodiscard]] std::chrono::nanoseconds true_window(std::chrono::nanoseconds asked) const;

    View& view_;
    const Params& params_;
    const Params& declared_;
    std::vector<Evidence> evidence_;
    std::vector<Missing> missing_;
    std::vector<Missing> bounds_;  // why values are only lower bounds; becomes `missing` where that matters
    Reading strange_;              // the newest reading, where it was not what the catalogue promises
    bool silent_ = false;          // notes are counted where that decides, and hold nothing
};

}  // namespace rd
