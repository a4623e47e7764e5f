// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/nvme_states.h"

#include <fmt/format.h>

#include <utility>

namespace rd::daemon {

std::vector<store::Event> NvmeStates::update(const History& history) {
    std::vector<store::Event> events;
    const Snapshot& now = history.latest();
    for (const Entity& entity : now.entities(Kind::nvme)) {
        auto state = now.text(entity, "state");
        if (!state) continue;
        const auto [place, first] = states_.try_emplace(entity, *state);
        if (first || place->second == *state) continue;
        events.push_back({history.last(), "nvme", "state", now.label(entity), entity,
                          fmt::format("from={} to={}", place->second, *state), 1});
        place->second = std::move(*state);
    }
    std::erase_if(states_, [&](const auto& one) { return !now.has(one.first); });
    return events;
}

}  // namespace rd::daemon
