// SPDX-License-Identifier: GPL-2.0-or-later
// Which entities of short life have gone for good, so that others get their places: a host that starts a process a second for months has
// as many places as processes at a time, and some. Private to the sweep.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/facts/lane.h"
#include "core/facts/snapshot.h"

namespace rd {

class Vacancies {
public:
    explicit Vacancies(Kinds kinds = 0) : kinds_(kinds) {}

    // After each sweep.
    void saw(const Snapshot& snapshot);
    // Before the next one. For ten minutes an entity may come again as the one that it was, so that a listing that fails for a while
    // makes nobody new. Where many wait, and their kind can be listed, those that have gone first make way sooner. What a lane writes
    // about keeps its place.
    void retire(Layout& layout, std::int64_t now_ns, std::initializer_list<const Lanes*> lanes);

private:
    struct Absence {
        std::uint64_t since = 0;  // the first sweep without it, counted from 1; 0: it is there, or its place is vacant
        std::int64_t since_ns = 0;
    };

    // Whose places may be given away now.
    [[nodiscard]] std::vector<EntityIndex> gone(const Layout& layout, std::int64_t now_ns) const;

    Kinds kinds_;
    Kinds unseen_ = 0;  // that the newest sweep could not list
    std::uint64_t sweeps_ = 0;
    std::vector<Absence> absences_;     // by entity
    std::vector<EntityIndex> waiting_;  // the absent ones
};

}  // namespace rd
