// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the derivations in the order of what they need. One whose declared inputs are what they were a sweep ago gives what it gave
// then: settings do not change from second to second, and derivations are about settings. Private to the sweep.
#pragma once

#include <span>
#include <string>
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
    void learn(const Layout& layout);
    static bool unchanged(const Memory& memory, const Snapshot& now, const Snapshot& before);

    std::vector<Memory> memories_;  // in order
    std::size_t known_slots_ = 0;
};

}  // namespace rd
