// SPDX-License-Identifier: GPL-2.0-or-later
// How much of a device's completions comes by its first vector alone: programs that do not ask for a vector get that one.
#include <array>
#include <map>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::device, "interrupts_first_vector", Type::integer, Nature::counter, "interrupts",
     "Times its first completion vector fired: irq.count of the lowest number"},
};
constexpr const FactSpec& kFirst = row(kFacts, Kind::device, "interrupts_first_vector");

constexpr std::array<std::string_view, 3> kReads{"irq.device", "irq.completion", "irq.count"};

void derive(const Site&, Snapshot& snapshot) {
    std::map<Entity, std::pair<std::int64_t, Entity>> first;  // device → number and vector
    for (const Entity& irq : snapshot.entities(Kind::irq)) {
        const auto device = snapshot.reference(irq, "device");
        const auto number = parse_counter(irq.id);
        if (!device || !number || snapshot.boolean(irq, "completion") != true) continue;
        const auto [at, added] = first.try_emplace(*device, *number, irq);
        if (!added && *number < at->second.first) at->second = {*number, irq};
    }
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto found = first.find(device);
        if (found == first.end()) {
            const Gap* listed = snapshot.kind_gap(Kind::irq);
            snapshot.gap(device, kFirst,
                         listed != nullptr ? *listed : not_offered("no completion vector belongs to it"));
        } else if (const auto count = snapshot.integer(found->second.second, "count")) {
            snapshot.put(device, kFirst, *count);
        } else {
            snapshot.gap(device, kFirst, needs(snapshot, found->second.second, "count"));
        }
    }
}

}  // namespace

extern const Derivation first_vector;
constinit const Derivation first_vector{"first_vector", kFacts, kReads, derive};

}  // namespace rd::collectors
