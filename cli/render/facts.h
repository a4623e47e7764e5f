// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"
#include "core/facts/snapshot.h"

namespace rd::cli {

struct FactsView {
    const Snapshot& snapshot;
    const HostIdentity& host;
    const std::vector<Entity>& entities;  // to be shown, in this order
    bool families;                        // members of open sets too
    bool reasons;                         // of what is not offered or not collected; else only its names
    std::vector<std::pair<Kind, std::size_t>> left_out;
};

[[nodiscard]] std::string render_facts_text(const FactsView& view, const Terminal& terminal);
[[nodiscard]] std::string render_facts_json(const FactsView& view);  // docs/schema/facts.schema.json

[[nodiscard]] std::string render_catalog_text(const std::vector<const FactSpec*>& specs, const Terminal& terminal);
[[nodiscard]] std::string render_catalog_json(const std::vector<const FactSpec*>& specs);

// Facts of an entity of which anything was said in this sweep, by name.
[[nodiscard]] std::vector<SlotIndex> slots_to_show(const FactsView& view, const Entity& entity);

}  // namespace rd::cli
