// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/priorities.h"

#include <fmt/format.h>

namespace rd::collectors {
namespace {

// The driver's statistics tell priorities apart.
bool counts_priorities(const Host& host, const Netdev& netdev) {
    const auto text = host.read("ethtool.stats/" + netdev.name);
    return text && (text->find("_prio") != std::string::npos || text->find("_pri0") != std::string::npos);
}

}  // namespace

std::vector<Entity> priorities_of(const Host& host, const Netdev& netdev) {
    std::vector<Entity> priorities;
    // Without a PCI function it is virtual, or the source does not say.
    if (!netdev.pci && netdev.pci.error().code != Errc::not_collected) return priorities;
    const auto pfc = host.read("dcb.pfc/" + netdev.name);
    const bool counted = !pfc && pfc.error().code == Errc::not_collected && counts_priorities(host, netdev);
    if (!pfc && !counted && !host.list(netdev.path + "/ecn")) return priorities;
    for (int i = 0; i < kPriorities; ++i) {
        priorities.push_back({Kind::priority, fmt::format("{}/{}", netdev.entity.id, i)});
    }
    return priorities;
}

}  // namespace rd::collectors
