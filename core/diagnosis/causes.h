// SPDX-License-Identifier: GPL-2.0-or-later
// Which finding brought about which: a rule names what may cause it (`caused_by`), the references between entities say
// whether the two subjects have to do with each other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/diagnosis/report.h"

namespace rd {

// Entities and what they refer to, as last seen.
class Relations {
public:
    explicit Relations(const History& history) : history_(history) {}

    // One leads to the other by references (priority → netdev → pci), or both lead to one netdev or port. Two ports of one
    // adapter are not related: what ails one need not touch the other. The host is related to everything on it.
    [[nodiscard]] bool related(const Entity& a, const Entity& b);

private:
    const std::set<Entity>& reached(const Entity& from);

    const History& history_;
    std::map<Entity, std::set<Entity>> reached_;
};

// Fills in `causes` of every finding, the nearest first, and puts the findings in order: causes before what they cause, then
// severity, confidence, subject.
void link_causes(std::vector<Finding>& findings, const Rulebook& book, const History& history);

// Takes away the suspicions that rest on lines of logs alone, when findings tell the same lines and know more: what was measured stands
// behind the finding, or another finding caused it. "Cannot allocate memory" makes no doubt of limits where the device has no queue pair left.
void drop_explained(std::vector<Finding>& suspected, const std::vector<Finding>& findings);

// Findings as people read them: each once, under the nearest of its causes. Indices are those of the findings.
class CauseForest {
public:
    explicit CauseForest(const std::vector<Finding>& findings);

    [[nodiscard]] const std::vector<std::size_t>& roots() const { return roots_; }
    [[nodiscard]] const std::vector<std::size_t>& children(std::size_t finding) const { return children_[finding]; }
    // All below it, itself not included.
    [[nodiscard]] std::vector<std::size_t> consequences(std::size_t finding) const;
    // Causes that stand neither above it nor above that: it has them besides.
    [[nodiscard]] std::vector<std::size_t> other_causes(std::size_t finding) const;

private:
    std::vector<std::vector<std::size_t>> causes_;
    std::vector<std::optional<std::size_t>> parent_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::size_t> roots_;
};

}  // namespace rd
