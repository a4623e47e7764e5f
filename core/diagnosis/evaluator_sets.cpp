// SPDX-License-Identifier: GPL-2.0-or-later
// any, all, count: over the entities of a kind that refer to the subject; from the host scope over all of the kind.
#include "core/diagnosis/evaluator.h"

namespace rd {

// A reference that the driver does not offer refers to nothing; one that could not be read may lead anywhere.
Truth Evaluator::refers(const Node& node, const Entity& entity, const Entity& subject) {
    if (node.links.empty()) return Truth::yes;
    bool elsewhere = false;
    const std::size_t before = missing_.size();
    for (const FactSpec* link : node.links) {
        const Reading& reading = *view_.observe(entity, link->name).reading;
        if (!reading) {
            if (reading.error().kind != GapClass::not_offered) miss(entity, link->name, reading.error());
            continue;
        }
        const auto* target = std::get_if<Entity>(&*reading);
        if (target != nullptr && *target == subject) {
            missing_.resize(before);
            return Truth::yes;
        }
        elsewhere = true;
    }
    if (!elsewhere && missing_.size() > before) return Truth::unknown;
    missing_.resize(before);
    return Truth::no;
}

// Refers to the subject, and the condition (if there is one) holds for it.
Truth Evaluator::member(const Node& node, const Entity& entity, const Entity& subject) {
    const Mark start = mark();
    const Truth related = refers(node, entity, subject);
    if (related == Truth::no || node.children.empty()) return related;
    const Truth condition = truth(node.children[0], entity);
    if (condition == Truth::no && related == Truth::unknown) rollback(start);
    if (condition == Truth::no) return Truth::no;
    return related == Truth::unknown ? Truth::unknown : condition;
}

Truth Evaluator::any(const Node& node, const Entity& subject) {
    const Mark start = mark();
    bool yes = false;
    bool unknown = false;
    for (const Entity& entity : view_.entities(node.kind)) {
        const Mark before = mark();
        const Truth one = member(node, entity, subject);
        if (one == Truth::yes) {
            if (!yes) forget(start, before);
            yes = true;
        } else if (yes) {
            rollback(before);
        }
        unknown = unknown || one == Truth::unknown;
    }
    if (yes) return Truth::yes;
    if (const Gap* gap = view_.kind_gap(node.kind)) {
        miss(Entity{Kind::host, ""}, name_of(node.kind), *gap);
        unknown = true;
    }
    return unknown ? Truth::unknown : Truth::no;
}

// Not: any entity that refers and does not satisfy. Those that do not refer say nothing.
Truth Evaluator::all(const Node& node, const Entity& subject) {
    const Mark start = mark();
    bool no = false;
    bool unknown = false;
    for (const Entity& entity : view_.entities(node.kind)) {
        const Mark before = mark();
        const Truth related = refers(node, entity, subject);
        if (related == Truth::no) continue;
        const Truth condition = truth(node.children[0], entity);
        if (condition == Truth::no && related == Truth::yes) {
            if (!no) forget(start, before);
            no = true;
        } else if (no || condition == Truth::yes) {
            // What holds is evidence for as long as nothing breaks it, whether it refers or not.
            if (no || related == Truth::unknown) rollback(before);
        } else {
            unknown = true;
        }
    }
    if (no) return Truth::no;
    if (const Gap* gap = view_.kind_gap(node.kind)) {
        miss(Entity{Kind::host, ""}, name_of(node.kind), *gap);
        unknown = true;
    }
    return unknown ? Truth::unknown : Truth::yes;
}

Evaluator::Datum Evaluator::count(const Node& node, const Entity& subject) {
    std::int64_t found = 0;
    const Mark start = mark();
    for (const Entity& entity : view_.entities(node.kind)) {
        const Mark before = mark();
        const Truth one = member(node, entity, subject);
        if (one == Truth::yes) ++found;
        if (one == Truth::no) rollback(before);
    }
    if (const Gap* gap = view_.kind_gap(node.kind)) {
        // Nothing seen at all says nothing; some seen say "at least so many".
        miss(Entity{Kind::host, ""}, name_of(node.kind), *gap);
        if (found == 0) return {};
    }
    const bool at_least = missing_.size() > start.missing;
    const auto doubts = missing_.begin() + static_cast<std::ptrdiff_t>(start.missing);
    bounds_.insert(bounds_.end(), doubts, missing_.end());
    missing_.erase(doubts, missing_.end());
    if (!silent_)
        evidence_.insert(
            evidence_.begin() + static_cast<std::ptrdiff_t>(start.evidence),
            Evidence{subject, std::string(name_of(node.kind)), "count", Value(found), "", std::nullopt, view_.last()});
    return {true, at_least, found};
}

}  // namespace rd
