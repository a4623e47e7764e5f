// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/deriver.h"

#include <algorithm>
#include <map>
#include <set>

namespace rd {
namespace {

// As derivations write what they read.
std::string full_name(const FactSpec& spec) { return std::string(name_of(spec.kind)) + "." + std::string(spec.name); }

bool declares(const Derivation& derivation, const FactSpec* spec) {
    return spec >= derivation.facts.data() && spec < derivation.facts.data() + derivation.facts.size();
}

// Derivations run after those that make what they read. A circle would be a mistake in the program; it runs in file order then.
std::vector<const Derivation*> ordered(std::span<const Derivation* const> derivations) {
    std::vector<const Derivation*> result;
    std::vector<const Derivation*> waiting(derivations.begin(), derivations.end());
    std::map<const Derivation*, std::set<std::string, std::less<>>> made;
    for (const Derivation* derivation : derivations) {
        for (const FactSpec& spec : derivation->facts) made[derivation].insert(full_name(spec));
    }
    const auto ready = [&](const Derivation* candidate) {
        return std::none_of(waiting.begin(), waiting.end(), [&](const Derivation* other) {
            return other != candidate && std::any_of(candidate->reads.begin(), candidate->reads.end(),
                                                     [&](std::string_view fact) { return made[other].contains(fact); });
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
    for (const Derivation* derivation : ordered(derivations)) {
        for (const std::string_view fact : derivation->reads) readers_[fact].push_back(memories_.size());
        memories_.push_back({derivation, {}, {}});
    }
}

const Deriver::Users& Deriver::users_of(const FactSpec* spec) {
    const auto [entry, unknown] = users_.try_emplace(spec);
    Users& users = entry->second;
    if (!unknown) return users;
    for (std::size_t i = 0; i < memories_.size(); ++i) {
        if (declares(*memories_[i].derivation, spec)) users.makers.push_back(i);
    }
    if (const auto found = readers_.find(full_name(*spec)); found != readers_.end()) users.readers = found->second;
    return users;
}

void Deriver::learn(const Layout& layout) {
    for (; known_slots_ < layout.slot_count(); ++known_slots_) {
        const auto index = static_cast<SlotIndex>(known_slots_);
        const Users& users = users_of(layout.slot(index).spec);
        for (const std::size_t maker : users.makers) memories_[maker].outputs.push_back(index);
        for (const std::size_t reader : users.readers) memories_[reader].inputs.push_back(index);
    }
}

bool Deriver::unchanged(const Memory& memory, const Snapshot& now, const Snapshot& before) {
    return std::all_of(memory.inputs.begin(), memory.inputs.end(),
                       [&](SlotIndex slot) { return now.same(slot, before); });
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
            if (before->at(slot) != nullptr) now.keep(slot, *before);
        }
    }
}

}  // namespace rd
