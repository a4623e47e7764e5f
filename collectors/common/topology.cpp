// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/topology.h"

#include <fmt/format.h>

namespace rd::collectors {
namespace {

constexpr int kMostLayers = 4;

}  // namespace

Gap needs(const Snapshot& snapshot, const Entity& entity, std::string_view fact) {
    const Reading& reading = snapshot.get(entity, fact);
    Gap gap = reading ? Gap{GapClass::error, "has an unexpected value", {}} : reading.error();
    gap.reason = fmt::format("{} {}.{}: {}", snapshot.label(entity), name_of(entity.kind), fact, gap.reason);
    return gap;
}

Known<std::vector<Entity>> wires(const Snapshot& snapshot, const Entity& port) {
    auto netdev = snapshot.reference(port, "netdev");
    if (!netdev) return tl::unexpected<Gap>(needs(snapshot, port, "netdev"));
    for (int layer = 0; layer < kMostLayers; ++layer) {
        const auto lower = snapshot.reference(*netdev, "lower");
        if (!lower) break;
        netdev = lower;
    }
    std::vector<Entity> members;
    for (const Entity& other : snapshot.entities(Kind::netdev)) {
        if (snapshot.reference(other, "master") == netdev) members.push_back(other);
    }
    if (members.empty() || snapshot.text(*netdev, "kind") != "bond") return std::vector<Entity>{*netdev};
    return members;
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
