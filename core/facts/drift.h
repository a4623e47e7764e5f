// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between hosts that should be alike, or between two times of one host. Compares settings and what a link came up
// with, over the whole catalogue; measures nothing and judges nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/facts/history.h"
#include "core/facts/match.h"

namespace rd {

// A fact on every host: its reading, or the gap. "not collected" where the entity or the fact is not there.
struct FactRow {
    Kind kind = Kind::host;
    std::string entity;  // its name on the first host that has it
    Entity first;        // that entity
    const FactSpec* spec = nullptr;
    std::string fact;
    std::vector<std::optional<Entity>> on;  // each host's, in the order of the hosts
    std::vector<Reading> readings;
    std::optional<Value> usual;  // what more than half of at least three hosts have
};

// An entity that is not on all hosts.
struct Unpaired {
    Kind kind = Kind::host;
    std::string entity;
    Entity first;
    std::vector<bool> on;
};

struct Unlisted {
    std::size_t host = 0;
    Kind kind = Kind::host;
    Gap gap;
};

struct Comparison {
    std::vector<FactRow> drift;         // two hosts at least have different values
    std::vector<FactRow> not_compared;  // those that have a value agree, and at least one has none
    std::vector<Unpaired> unpaired;
    std::vector<Unlisted> unlisted;  // kinds of entities that could not be enumerated
    std::size_t equal = 0;           // facts that are the same everywhere
};

[[nodiscard]] Comparison compare(std::span<const Snapshot* const> hosts, Likeness likeness);

// Whether the fact is compared: a setting, or what came of one, that says nothing of this one host only.
[[nodiscard]] bool is_compared(const FactSpec& spec, Likeness likeness);
// Facts that are made of this one and nothing else, and that rules read in its place: "wire_trust" of "trust".
[[nodiscard]] std::vector<std::pair<Kind, std::string_view>> echoes_of(const FactSpec& spec);

// How far counters went from one recording of a host to a later one of the same boot. Those that stood still are left out.
struct CounterRow {
    Kind kind = Kind::host;
    std::string entity;
    Entity first;
    const FactSpec* spec = nullptr;
    std::string fact;
    Increase increase;
};
[[nodiscard]] std::vector<CounterRow> increases(const Snapshot& earlier, const Snapshot& later);

}  // namespace rd
