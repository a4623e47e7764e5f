// SPDX-License-Identifier: GPL-2.0-or-later
// How large the receive buffer of a lossless priority has to be: what still arrives after a pause frame was sent, and one packet more.
// The sum is the mlx5 driver's own (Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c), so it is made for mlx5 only.
#include <algorithm>
#include <array>
#include <cmath>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::priority, "rx_buffer_needed", Type::integer, Nature::config, "bytes",
     "What a lossless priority needs: (301 + 2.16 × metres of cable) × Gbit/s + 2.72 × MTU, and one packet; mlx5 only"},
};
constexpr const FactSpec& kNeeded = row(kFacts, Kind::priority, "rx_buffer_needed");

constexpr std::array<std::string_view, 5> kReads{"priority.netdev", "netdev.driver", "netdev.speed", "netdev.mtu",
                                                 "netdev.pfc_delay"};

constexpr double kLeastSpeed = 40;  // Gbit/s: the driver reckons slower links as this
constexpr double kBase = 301, kPerMetre = 2.16, kPerMtu = 2.72;
// What the wire carries beyond the MTU: Ethernet header, VLAN tag, checksum.
constexpr double kFraming = 14 + 4 + 4;

Known<double> needed(const Snapshot& snapshot, const Entity& priority) {
    const auto netdev = snapshot.reference(priority, "netdev");
    if (!netdev) return tl::unexpected<Gap>(needs(snapshot, priority, "netdev"));
    const auto driver = snapshot.text(*netdev, "driver");
    if (!driver) return tl::unexpected<Gap>(needs(snapshot, *netdev, "driver"));
    if (*driver != "mlx5_core") {
        return tl::unexpected<Gap>(not_offered("the sum is known for mlx5 only, not for " + *driver));
    }
    const auto speed = snapshot.real(*netdev, "speed");
    if (!speed) return tl::unexpected<Gap>(needs(snapshot, *netdev, "speed"));
    const auto mtu = snapshot.integer(*netdev, "mtu");
    if (!mtu) return tl::unexpected<Gap>(needs(snapshot, *netdev, "mtu"));
    const auto metres = snapshot.integer(*netdev, "pfc_delay");
    if (!metres) return tl::unexpected<Gap>(needs(snapshot, *netdev, "pfc_delay"));
    const double packet = static_cast<double>(*mtu) + kFraming;
    const double after_pause =
        (kBase + kPerMetre * static_cast<double>(*metres)) * std::max(*speed, kLeastSpeed) + kPerMtu * packet;
    return std::ceil(after_pause + packet);
}

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& priority : snapshot.entities(Kind::priority)) {
        const auto bytes = needed(snapshot, priority);
        if (bytes) {
            snapshot.put(priority, kNeeded, static_cast<std::int64_t>(*bytes));
        } else {
            snapshot.gap(priority, kNeeded, bytes.error());
        }
    }
}

}  // namespace

extern const Derivation headroom;
constinit const Derivation headroom{"headroom", kFacts, kReads, derive};

}  // namespace rd::collectors
