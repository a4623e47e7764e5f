// SPDX-License-Identifier: GPL-2.0-or-later
// Which finding brought about which: a rule names what may cause it (`caused_by`), the references between entities say
// whether the two subjects have to do with each other.
#pragma once

#include <map>
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

// Fills in `causes` of every finding and puts them in order: causes before what they cause, then severity, confidence, subject.
void link_causes(std::vector<Finding>& findings, const Rulebook& book, const History& history);

}  // namespace rd
