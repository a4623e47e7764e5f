// SPDX-License-Identifier: GPL-2.0-or-later
// What holds on the wires below an interface: a VLAN and a bond have no DCB of their own, what they send is treated as the physical
// interfaces below them are set up. Where the members of a bond differ, nothing holds.
#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::netdev, "wire_pfc_mask", Type::integer, Nature::config, "",
     "pfc_mask of the physical interface below, or of all members of the bond"},
    {Kind::netdev, "wire_trust", Type::text, Nature::config, "",
     "trust of the physical interface below, or of all members of the bond"},
};
constexpr const FactSpec& kMask = row(kFacts, Kind::netdev, "wire_pfc_mask");
constexpr const FactSpec& kTrust = row(kFacts, Kind::netdev, "wire_trust");

constexpr std::array<std::string_view, 5> kReads{"netdev.lower", "netdev.master", "netdev.kind", "netdev.pfc_mask",
                                                 "netdev.trust"};

void put(const FactSpec& spec, std::string_view fact, const std::vector<Entity>& wires, const Entity& netdev,
         Snapshot& snapshot) {
    const auto value = agreed<Value>(snapshot, wires, [&](const Entity& wire) -> Known<Value> {
        const Reading& reading = snapshot.get(wire, fact);
        if (!reading) return tl::unexpected<Gap>(needs(snapshot, wire, fact));
        return *reading;
    });
    if (value) {
        snapshot.put(netdev, spec, *value);
    } else {
        snapshot.gap(netdev, spec, value.error());
    }
}

void derive(const Site&, Snapshot& snapshot) {
    const Wires wires(snapshot);
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        const auto below = wires.below(netdev);
        put(kMask, "pfc_mask", below, netdev, snapshot);
        put(kTrust, "trust", below, netdev, snapshot);
    }
}

}  // namespace

extern const Derivation wires;
constinit const Derivation wires{"wires", kFacts, kReads, derive};

}  // namespace rd::collectors
