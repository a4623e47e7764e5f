// SPDX-License-Identifier: GPL-2.0-or-later
#include <vector>

#include "collectors/all.h"
#include "core/facts/sweep.h"

namespace rd::collectors {

Result<Catalog> catalog() {
    std::vector<std::span<const FactSpec>> tables{sweep_facts()};
    for (const Collector* collector : all()) tables.push_back(collector->facts);
    for (const Derivation* derivation : derivations()) tables.push_back(derivation->facts);
    return Catalog::build(tables);
}

std::vector<std::string> knob_names() {
    std::vector<std::string> names;
    for (const Collector* collector : all()) {
        for (const Knob& knob : collector->knobs) names.emplace_back(knob.fact);
    }
    return names;
}

}  // namespace rd::collectors
