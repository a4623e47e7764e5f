// SPDX-License-Identifier: GPL-2.0-or-later
// Queue pairs that went into the error state, as events: the kernel tells only who owns them of that, so the sweeps' counts are looked at.
// A queue pair passes through ERR while it is torn down; only what two readings in a row agree on is told.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/facts/history.h"
#include "core/store/store.h"

namespace rd::daemon {

class QpErrors {
public:
    // Once after each sweep. Source "qp", name "ERR", subject the port; details: queue_pairs (in ERR now), before, and of the first of them
    // lqpn and who made it: pid and process, or the kernel's module; owner=not-known for a process outside this pid namespace. What was there
    // at the first look is no event.
    [[nodiscard]] std::vector<store::Event> update(const History& history);

private:
    struct Port {
        std::int64_t told = 0;  // what is known to be in ERR, and was said
        std::int64_t last = 0;  // the last reading
        std::int64_t read_ns = 0;
    };
    std::map<Entity, Port> ports_;
};

}  // namespace rd::daemon
