// SPDX-License-Identifier: GPL-2.0-or-later
// The store's own time: milliseconds that never go back, whatever happens to the wall clock. Within one boot it follows CLOCK_BOOTTIME;
// it begins at the wall clock's time, or where the last run ended if the wall clock lies before that (a dead clock battery). How far
// the wall clock is ahead of it is written down whenever that changes, so that people read the time that their clock showed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::store {

using Millis = std::int64_t;

class Axis {
public:
    // `last`: the last moment of what is stored already. `known`: at → ahead, as read from the store.
    explicit Axis(std::optional<Millis> last = {}, std::map<Millis, Millis> known = {});

    // Moves on to `stamp`; stamps of one run in any order of small disorder, the axis stands still rather than go back.
    Millis at(const Stamp& stamp);
    // The wall clock now differs from the axis by this much since the last call that said so: to be written down, and said when it is
    // a step and not the beginning of a run.
    struct Step {
        Millis at = 0, ahead = 0, by = 0;
        bool first = false;
    };
    [[nodiscard]] std::optional<Step> step();

    // What the wall clock showed, in nanoseconds since 1970, and the moment at which it showed that (the last such moment).
    [[nodiscard]] std::int64_t wall_ns(Millis at) const;
    [[nodiscard]] Millis from_wall_ns(std::int64_t wall_ns) const;

private:
    std::optional<Millis> last_;
    std::optional<Millis> offset_;  // axis minus boot-time clock, of this run
    std::map<Millis, Millis> ahead_;
    std::optional<Step> pending_;
};

}  // namespace rd::store
