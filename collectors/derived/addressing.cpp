// SPDX-License-Identifier: GPL-2.0-or-later
// How the RoCE interfaces of a host stand to each other: which share an IP network, which port is the only one of its board with
// another link layer, whether any port can be reached through a router, and whether one GID index suits all of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "roce_ports_active", Type::integer, Nature::gauge, "", "RoCE ports in state ACTIVE"},
    {Kind::host, "roce_ports_routable", Type::integer, Nature::gauge, "",
     "RoCE ports in state ACTIVE with a RoCE v2 GID made of an IPv4 or global IPv6 address"},
    {Kind::host, "gid_indexes_v2_ipv4", Type::integer, Nature::gauge, "",
     "How many different indices the IPv4 RoCE v2 GIDs of active RoCE ports have: with more than one, no single index "
     "suits all"},
    {Kind::netdev, "networks_shared", Type::integer, Nature::gauge, "",
     "Other interfaces with RoCE and a carrier that have an address in one of its IPv4 networks"},
    {Kind::port, "link_layer_odd", Type::boolean, Nature::gauge, "",
     "All others of at least three ports on boards of this kind have another link layer"},
};
constexpr const FactSpec& kActive = row(kFacts, Kind::host, "roce_ports_active");
constexpr const FactSpec& kRoutable = row(kFacts, Kind::host, "roce_ports_routable");
constexpr const FactSpec& kIndexes = row(kFacts, Kind::host, "gid_indexes_v2_ipv4");
constexpr const FactSpec& kShared = row(kFacts, Kind::netdev, "networks_shared");
constexpr const FactSpec& kOdd = row(kFacts, Kind::port, "link_layer_odd");

constexpr std::array<std::string_view, 11> kReads{
    "port.state",      "port.link_layer",      "port.device",  "port.netdev",    "port.gids_v2_routable", "port.name",
    "device.protocol", "netdev.ipv4_networks", "device.board", "netdev.carrier", "port.gid_index_v2_ipv4"};

const Entity kHost{Kind::host, ""};
constexpr std::int64_t kFewestOthers = 3;

bool is_roce(const Snapshot& snapshot, const Entity& port) {
    const auto device = snapshot.reference(port, "device");
    return device && snapshot.text(*device, "protocol") == "roce";
}

void derive_host(Snapshot& snapshot) {
    if (const Gap* gap = snapshot.kind_gap(Kind::port)) {
        snapshot.gap(kHost, kActive, *gap);
        snapshot.gap(kHost, kRoutable, *gap);
        return;
    }
    std::int64_t active = 0, routable = 0;
    std::optional<Gap> missing;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (!is_roce(snapshot, port) || snapshot.text(port, "state") != "ACTIVE") continue;
        ++active;
        const auto gids = snapshot.integer(port, "gids_v2_routable");
        if (!gids && !missing) missing = needs(snapshot, port, "gids_v2_routable");
        if (gids.value_or(0) > 0) ++routable;
    }
    snapshot.put(kHost, kActive, active);
    // One that is known to be routable is enough to know that not all are without.
    if (missing && routable == 0) return snapshot.gap(kHost, kRoutable, *missing);
    snapshot.put(kHost, kRoutable, routable);
}

// A port without such a GID has no index that could differ.
void derive_indexes(Snapshot& snapshot) {
    if (const Gap* gap = snapshot.kind_gap(Kind::port)) return snapshot.gap(kHost, kIndexes, *gap);
    std::set<std::int64_t> indexes;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (!is_roce(snapshot, port) || snapshot.text(port, "state") != "ACTIVE") continue;
        if (const auto index = snapshot.integer(port, "gid_index_v2_ipv4")) indexes.insert(*index);
    }
    snapshot.put(kHost, kIndexes, static_cast<std::int64_t>(indexes.size()));
}

std::set<Entity> roce_netdevs(const Snapshot& snapshot) {
    std::set<Entity> found;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        const auto netdev = snapshot.reference(port, "netdev");
        if (netdev && is_roce(snapshot, port)) found.insert(*netdev);
    }
    return found;
}

std::vector<std::string> networks_of(const Snapshot& snapshot, const Entity& netdev) {
    std::vector<std::string> networks;
    const std::string text = snapshot.text(netdev, "ipv4_networks").value_or(std::string());
    for (const std::string_view word : words(text)) {
        // A single address has no neighbours in its network.
        if (word.find('/') != std::string_view::npos && !word.ends_with("/32")) networks.emplace_back(word);
    }
    return networks;
}

void derive_networks(Snapshot& snapshot) {
    const std::set<Entity> roce = roce_netdevs(snapshot);
    std::map<std::string, std::set<Entity>> users;
    for (const Entity& netdev : roce) {
        if (!snapshot.boolean(netdev, "carrier").value_or(false)) continue;
        for (const std::string& network : networks_of(snapshot, netdev)) users[network].insert(netdev);
    }
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        if (!snapshot.text(netdev, "ipv4_networks")) {
            snapshot.gap(netdev, kShared, needs(snapshot, netdev, "ipv4_networks"));
            continue;
        }
        std::set<Entity> others;
        for (const std::string& network : networks_of(snapshot, netdev)) {
            if (roce.contains(netdev)) others.insert(users[network].begin(), users[network].end());
        }
        others.erase(netdev);
        snapshot.put(netdev, kShared, static_cast<std::int64_t>(others.size()));
    }
}

void derive_odd(Snapshot& snapshot) {
    struct Layers {
        std::int64_t ports = 0;
        std::map<std::string, std::int64_t> of;
    };
    std::map<std::string, Layers> boards;
    const auto board_of = [&](const Entity& port) {
        const auto device = snapshot.reference(port, "device");
        return device ? snapshot.text(*device, "board") : std::nullopt;
    };
    const auto ports = snapshot.entities(Kind::port);
    for (const Entity& port : ports) {
        const auto board = board_of(port), layer = snapshot.text(port, "link_layer");
        if (!board || !layer) continue;
        ++boards[*board].ports;
        ++boards[*board].of[*layer];
    }
    for (const Entity& port : ports) {
        const auto board = board_of(port), layer = snapshot.text(port, "link_layer");
        if (!board || !layer) {
            const auto device = snapshot.reference(port, "device");
            snapshot.gap(port, kOdd,
                         layer && device ? needs(snapshot, *device, "board")
                                         : needs(snapshot, port, layer ? "device" : "link_layer"));
            continue;
        }
        const Layers& layers = boards[*board];
        snapshot.put(port, kOdd, layers.ports > kFewestOthers && layers.of.at(*layer) == 1 && layers.of.size() == 2);
    }
}

void derive(const Site&, Snapshot& snapshot) {
    derive_host(snapshot);
    derive_indexes(snapshot);
    derive_networks(snapshot);
    derive_odd(snapshot);
}

}  // namespace

extern const Derivation addressing;
constinit const Derivation addressing{"addressing", kFacts, kReads, derive};

}  // namespace rd::collectors
