// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/deriver.h"

#include <fmt/format.h>

#include <algorithm>

namespace rd {
namespace {

bool is_one_of(std::span<const std::string_view> facts, const FactSpec& spec) {
    const std::string name = fmt::format("{}.{}", name_of(spec.kind), spec.name);
    return std::find(facts.begin(), facts.end(), name) != facts.end();
}

bool declares(const Derivation& derivation, const FactSpec* spec) {
    return spec >= derivation.facts.data() && spec < derivation.facts.data() + derivation.facts.size();
}

// Derivations run after those that make what they read. A circle would be a mistake in the program; it runs in file order then.
std::vector<const Derivation*> ordered(std::span<const Derivation* const> derivations) {
    std::vector<const Derivation*> result;
    std::vector<const Derivation*> waiting(derivations.begin(), derivations.end());
    const auto makes = [](const Derivation& derivation, std::string_view fact) {
        return std::any_of(derivation.facts.begin(), derivation.facts.end(), [&](const FactSpec& spec) {
            return fact == fmt::format("{}.{}", name_of(spec.kind), spec.name);
        });
    };
    const auto ready = [&](const Derivation* candidate) {
        return std::none_of(waiting.begin(), waiting.end(), [&](const Derivation* other) {
            return other != candidate && std::any_of(candidate->reads.begin(), candidate->reads.end(),
                                                     [&](std::string_view fact) { return makes(*other, fact); });
        });
    };
    while (!waiting.empty()) {
        auto next = std::find_if(waiting.begin(), waiting.end(), ready);
        if (next == waiting.end()) next = waiting.begin();
        result.push_back(*next);
        waiting.erase(next);
    }
    return result;
}

}  // namespace

Deriver::Deriver(std::span<const Derivation* const> derivations) {
    for (const Derivation* derivation : ordered(derivations)) memories_.push_back({derivation, {}, {}});
}

void Deriver::learn(const Layout& layout) {
    for (; known_slots_ < layout.slot_count(); ++known_slots_) {
        const auto index = static_cast<SlotIndex>(known_slots_);
        const FactSpec* spec = layout.slot(index).spec;
        for (Memory& memory : memories_) {
            if (declares(*memory.derivation, spec)) memory.outputs.push_back(index);
            if (is_one_of(memory.derivation->reads, *spec)) memory.inputs.push_back(index);
        }
    }
}

bool Deriver::unchanged(const Memory& memory, const Snapshot& now, const Snapshot& before) {
    return std::all_of(memory.inputs.begin(), memory.inputs.end(), [&](SlotIndex slot) {
        const Reading *is = now.at(slot), *was = before.at(slot);
        return is == nullptr || was == nullptr ? is == was : same(*is, *was);
    });
}

void Deriver::run(const Site& site, Snapshot& now, const Snapshot* before) {
    const bool same_entities = before != nullptr && now.same_entities(*before);
    for (const Memory& memory : memories_) {
        learn(now.layout());
        if (!same_entities || !unchanged(memory, now, *before)) {
            memory.derivation->derive(site, now);
            continue;
        }
        for (const SlotIndex slot : memory.outputs) {
            if (const Reading* reading = before->at(slot)) now.set(slot, *reading);
        }
    }
}

}  // namespace rd
