// SPDX-License-Identifier: GPL-2.0-or-later
// Over which interface the connection of an NVMe controller goes, so that what is wrong with that interface explains what is wrong with
// the controller: the one whose IPv4 network has the address of the target.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <optional>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    reference(
        Kind::nvme, "netdev", Kind::netdev,
        "The interface with the IPv4 network of the target (traddr); a gap where several have it, and behind a router"),
};
constexpr const FactSpec& kNetdev = row(kFacts, Kind::nvme, "netdev");

constexpr std::array<std::string_view, 3> kReads{"nvme.transport", "nvme.address", "netdev.ipv4_networks"};

std::optional<std::uint32_t> ipv4(std::string_view text) {
    in_addr address{};
    if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

// "traddr=10.0.0.2,trsvcid=4420"
std::optional<std::uint32_t> target_of(std::string_view address) {
    constexpr std::string_view kKey = "traddr=";
    for (const std::string_view part : split(address, ',')) {
        if (part.starts_with(kKey)) return ipv4(part.substr(kKey.size()));
    }
    return std::nullopt;
}

// "10.9.0.0/24"
bool holds(std::string_view network, std::uint32_t address) {
    const std::size_t slash = network.find('/');
    if (slash == std::string_view::npos) return false;
    const auto base = ipv4(network.substr(0, slash));
    const auto prefix = parse_counter(network.substr(slash + 1));
    if (!base || !prefix || *prefix < 1 || *prefix > 32) return false;
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - *prefix);
    return (*base & mask) == (address & mask);
}

Known<Entity> path_of(const Snapshot& snapshot, const Entity& controller) {
    const auto transport = snapshot.text(controller, "transport"), address = snapshot.text(controller, "address");
    if (!transport) return tl::unexpected<Gap>(needs(snapshot, controller, "transport"));
    if (!address) return tl::unexpected<Gap>(needs(snapshot, controller, "address"));
    if (*transport != "rdma" && *transport != "tcp") {
        return tl::unexpected<Gap>(not_offered(fmt::format("{} goes over no interface", *transport)));
    }
    const auto target = target_of(*address);
    if (!target) return tl::unexpected<Gap>(not_offered("the address of the target is no IPv4 address"));
    std::optional<Entity> found;
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        const std::string networks = snapshot.text(netdev, "ipv4_networks").value_or(std::string());
        for (const std::string_view network : words(networks)) {
            if (!holds(network, *target)) continue;
            if (found && *found != netdev) {
                return tl::unexpected<Gap>(not_offered("several interfaces have the network of the target"));
            }
            found = netdev;
        }
    }
    if (!found) return tl::unexpected<Gap>(not_offered("no interface has the network of the target"));
    return *found;
}

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& controller : snapshot.entities(Kind::nvme)) {
        const auto netdev = path_of(snapshot, controller);
        if (netdev) {
            snapshot.put(controller, kNetdev, *netdev);
        } else {
            snapshot.gap(controller, kNetdev, netdev.error());
        }
    }
}

}  // namespace

extern const Derivation nvme_path;
constinit const Derivation nvme_path{"nvme_path", kFacts, kReads, derive};

}  // namespace rd::collectors
