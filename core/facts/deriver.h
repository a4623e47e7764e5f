// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the derivations in the order of what they need. One whose declared inputs are what they were a sweep ago gives what it gave
// then: settings do not change from second to second, and derivations are about settings. Private to the sweep.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/facts/collector.h"
#include "core/facts/snapshot.h"

namespace rd {

class Deriver {
public:
    explicit Deriver(std::span<const Derivation* const> derivations);

    // `before`: the snapshot of the sweep before, of the same layout; nullptr in the first.
    void run(const Site& site, Snapshot& now, const Snapshot* before);

private:
    struct Memory {
        const Derivation* derivation = nullptr;
        std::vector<SlotIndex> inputs, outputs;
    };
    struct Users {  // of a row of the catalogue, as places in `memories_`
        std::vector<std::size_t> makers, readers;
    };
    const Users& users_of(const FactSpec* spec);
    void learn(const Layout& layout);
    static bool unchanged(const Memory& memory, const Snapshot& now, const Snapshot& before);

    std::vector<Memory> memories_;                                               // in order
    std::map<std::string_view, std::vector<std::size_t>, std::less<>> readers_;  // "kind.fact", as `reads` has it
    std::unordered_map<const FactSpec*, Users> users_;                           // of the rows seen so far
    std::size_t known_slots_ = 0;
};

}  // namespace rd
