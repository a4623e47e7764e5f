// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/topology.h"

#include <fmt/format.h>

namespace rd::collectors {
namespace {

constexpr int kMostLayers = 4;
constexpr std::size_t kMostHops = 32;  // a parent that leads back to itself ends

}  // namespace

Gap needs(const Snapshot& snapshot, const Entity& entity, std::string_view fact) {
    const Reading& reading = snapshot.get(entity, fact);
    Gap gap = reading ? Gap{GapClass::error, "has an unexpected value", {}} : reading.error();
    gap.reason = fmt::format("{} {}.{}: {}", snapshot.label(entity), name_of(entity.kind), fact, gap.reason);
    return gap;
}

Known<std::vector<Entity>> path_to_root(const Snapshot& snapshot, const Entity& pci) {
    std::vector<Entity> hops{pci};
    while (hops.size() < kMostHops) {
        const Reading& parent = snapshot.get(hops.back(), "parent");
        if (!parent && parent.error().kind == GapClass::not_offered) break;
        const auto* above = parent ? std::get_if<Entity>(&*parent) : nullptr;
        if (above == nullptr) return tl::unexpected<Gap>(needs(snapshot, hops.back(), "parent"));
        hops.push_back(*above);
    }
    return hops;
}

Wires::Wires(const Snapshot& snapshot) : snapshot_(snapshot) {
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        if (const auto master = snapshot.reference(netdev, "master")) members_[*master].push_back(netdev);
    }
}

Known<std::vector<Entity>> Wires::of(const Entity& port) const {
    const auto netdev = snapshot_.reference(port, "netdev");
    if (!netdev) return tl::unexpected<Gap>(needs(snapshot_, port, "netdev"));
    return below(*netdev);
}

std::vector<Entity> Wires::below(Entity netdev) const {
    for (int layer = 0; layer < kMostLayers; ++layer) {
        const auto lower = snapshot_.reference(netdev, "lower");
        if (!lower) break;
        netdev = *lower;
    }
    const auto members = members_.find(netdev);
    if (members == members_.end() || snapshot_.text(netdev, "kind") != "bond") return {netdev};
    return members->second;
}

Ports::Ports(const Snapshot& snapshot) {
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (const auto device = snapshot.reference(port, "device")) of_[*device].push_back(port);
    }
}

const std::vector<Entity>& Ports::of(const Entity& device) const {
    static const std::vector<Entity> none;
    const auto found = of_.find(device);
    return found == of_.end() ? none : found->second;
}

}  // namespace rd::collectors
