// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the RoCE traffic of a port travels where nothing is dropped for want of buffer: PFC on its priority, or global pause.
#include <fmt/format.h>

#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "lossless", Type::boolean, Nature::config, "",
     "This end is set up so that RoCE is not dropped: PFC on roce_priority or on all, or global pause both ways; "
     "InfiniBand "
     "always (credits). The switch is not seen"},
};
constexpr const FactSpec& kLossless = row(kFacts, Kind::port, "lossless");

constexpr std::array<std::string_view, 8> kReads{"port.link_layer", "port.roce_priority", "port.netdev",
                                                 "netdev.lower",    "netdev.master",      "netdev.pfc_mask",
                                                 "netdev.pause_rx", "netdev.pause_tx"};

constexpr std::int64_t kAllPriorities = 0xff;

// Both directions: to be held back and to hold back. Off as soon as one of them is known to be off.
Known<bool> global_pause(const Snapshot& snapshot, const Entity& netdev) {
    const auto rx = snapshot.boolean(netdev, "pause_rx"), tx = snapshot.boolean(netdev, "pause_tx");
    if ((rx && !*rx) || (tx && !*tx)) return false;
    if (!rx) return tl::unexpected<Gap>(needs(snapshot, netdev, "pause_rx"));
    if (!tx) return tl::unexpected<Gap>(needs(snapshot, netdev, "pause_tx"));
    return true;
}

Known<bool> pfc_protects(const Snapshot& snapshot, const Entity& port, const Entity& netdev) {
    const auto mask = snapshot.integer(netdev, "pfc_mask");
    if (!mask) return tl::unexpected<Gap>(needs(snapshot, netdev, "pfc_mask"));
    if (*mask == 0) return false;
    if ((*mask & kAllPriorities) == kAllPriorities) return true;
    const auto priority = snapshot.integer(port, "roce_priority");
    if (!priority) return tl::unexpected<Gap>(needs(snapshot, port, "roce_priority"));
    return (*mask >> *priority & 1) != 0;
}

Known<bool> is_lossless(const Snapshot& snapshot, const Entity& port, const Entity& netdev) {
    const auto pfc = pfc_protects(snapshot, port, netdev);
    if (pfc && *pfc) return true;
    const auto pause = global_pause(snapshot, netdev);
    if (pause && *pause) return true;
    if (!pfc) return pfc;
    // A port has the one or the other (IEEE 802.1Q, 36): with PFC on some priority it needs nobody to say that pause is off.
    const auto mask = snapshot.integer(netdev, "pfc_mask");
    if (!pause && pause.error().kind == GapClass::not_collected && mask && *mask != 0) return false;
    return pause;
}

void derive_port(Snapshot& snapshot, const Entity& port, const Wires& wires) {
    const auto layer = snapshot.text(port, "link_layer");
    if (!layer) return snapshot.gap(port, kLossless, needs(snapshot, port, "link_layer"));
    if (*layer == "InfiniBand") return snapshot.put(port, kLossless, true);
    const auto below = wires.of(port);
    if (!below) return snapshot.gap(port, kLossless, below.error());
    bool all = true;
    for (const Entity& netdev : *below) {
        const auto lossless = is_lossless(snapshot, port, netdev);
        if (!lossless) return snapshot.gap(port, kLossless, lossless.error());
        all = all && *lossless;
    }
    snapshot.put(port, kLossless, all);
}

void derive(const Site&, Snapshot& snapshot) {
    const Wires wires(snapshot);
    for (const Entity& port : snapshot.entities(Kind::port)) derive_port(snapshot, port, wires);
}

}  // namespace

extern const Derivation lossless;
constinit const Derivation lossless{"lossless", kFacts, kReads, derive};

}  // namespace rd::collectors
