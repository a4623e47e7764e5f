// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the NVMe target of the kernel really listens where it is set up to, and what its hosts take of a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "nvmet_deaf", Type::text, Nature::config, "",
     "Those of nvmet_addresses where no device listens, or none: device.nvmet_listeners"},
    {Kind::host, "nvmet_foreign", Type::text, Nature::config, "",
     "Those of nvmet_deaf whose address no interface with RDMA has, or none: netdev.ip_addresses, roce_gids"},
    {Kind::device, "nvmet_queues", Type::integer, Nature::gauge, "queues",
     "Queue pairs of the NVMe target of the kernel: device.qp_holders"},
};
constexpr const FactSpec& kDeaf = row(kFacts, Kind::host, "nvmet_deaf");
constexpr const FactSpec& kForeign = row(kFacts, Kind::host, "nvmet_foreign");
constexpr const FactSpec& kQueues = row(kFacts, Kind::device, "nvmet_queues");

constexpr std::array<std::string_view, 6> kReads{"host.nvmet_addresses", "device.nvmet_listeners", "device.qp_holders",
                                                 "netdev.ip_addresses",  "netdev.roce_gids",       "port.netdev"};

const Entity kHost{Kind::host, ""};

using Words = std::set<std::string>;

// "none" is an empty list.
Words list_of(const std::string& text) {
    Words list;
    for (const std::string_view word : words(text)) {
        if (word != "none") list.emplace(word);
    }
    return list;
}

std::string joined(const Words& list) { return list.empty() ? "none" : fmt::format("{}", fmt::join(list, " ")); }

// 192.0.2.1:4420, [fd00::1]:4420
std::string_view address_of(std::string_view endpoint) {
    const std::string_view address = endpoint.substr(0, endpoint.rfind(':'));
    const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
    return bracketed ? address.substr(1, address.size() - 2) : address;
}
std::string_view service_of(std::string_view endpoint) { return endpoint.substr(endpoint.rfind(':') + 1); }

bool any_address(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

Known<Words> deaf(const Snapshot& snapshot, const Words& wanted) {
    Words heard;
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto listeners = snapshot.text(device, "nvmet_listeners");
        if (!listeners) return tl::unexpected<Gap>(needs(snapshot, device, "nvmet_listeners"));
        heard.merge(list_of(*listeners));
    }
    Words result;
    for (const std::string& endpoint : wanted) {
        const bool listens = std::any_of(heard.begin(), heard.end(), [&](const std::string& one) {
            return one == endpoint || (any_address(address_of(one)) && service_of(one) == service_of(endpoint));
        });
        if (!listens) result.insert(endpoint);
    }
    return result;
}

Known<Words> foreign(const Snapshot& snapshot, const Words& endpoints) {
    std::set<Entity> of_ports;
    for (const Entity& port : snapshot.entities(Kind::port)) {
        if (const auto netdev = snapshot.reference(port, "netdev")) of_ports.insert(*netdev);
    }
    Words own;
    for (const Entity& netdev : snapshot.entities(Kind::netdev)) {
        if (!of_ports.contains(netdev) && snapshot.integer(netdev, "roce_gids").value_or(0) == 0) continue;
        const auto addresses = snapshot.text(netdev, "ip_addresses");
        if (!addresses) return tl::unexpected<Gap>(needs(snapshot, netdev, "ip_addresses"));
        own.merge(list_of(*addresses));
    }
    Words result;
    for (const std::string& endpoint : endpoints) {
        const std::string address(address_of(endpoint));
        if (!any_address(address) && !own.contains(address)) result.insert(endpoint);
    }
    return result;
}

void derive_addresses(Snapshot& snapshot) {
    const auto gap = [&](const Gap& why) {
        snapshot.gap(kHost, kDeaf, why);
        snapshot.gap(kHost, kForeign, why);
    };
    const auto text = snapshot.text(kHost, "nvmet_addresses");
    if (!text) return gap(needs(snapshot, kHost, "nvmet_addresses"));
    const Words wanted = list_of(*text);
    // Nothing is exported: whatever the devices say.
    if (wanted.empty()) {
        snapshot.put(kHost, kDeaf, std::string("none"));
        snapshot.put(kHost, kForeign, std::string("none"));
        return;
    }
    if (const Gap* unlisted = snapshot.kind_gap(Kind::device)) return gap(*unlisted);
    const auto silent = deaf(snapshot, wanted);
    if (!silent) return gap(silent.error());
    snapshot.put(kHost, kDeaf, joined(*silent));
    const auto other = foreign(snapshot, *silent);
    if (other) {
        snapshot.put(kHost, kForeign, joined(*other));
    } else {
        snapshot.gap(kHost, kForeign, other.error());
    }
}

void derive_queues(Snapshot& snapshot) {
    constexpr std::string_view kModule = "nvmet_rdma=";
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto holders = snapshot.text(device, "qp_holders");
        if (!holders) {
            snapshot.gap(device, kQueues, needs(snapshot, device, "qp_holders"));
            continue;
        }
        std::int64_t queues = 0;
        for (const std::string_view word : words(*holders)) {
            if (word.starts_with(kModule)) queues = parse_counter(word.substr(kModule.size())).value_or(0);
        }
        snapshot.put(device, kQueues, queues);
    }
}

void derive(const Site&, Snapshot& snapshot) {
    derive_addresses(snapshot);
    derive_queues(snapshot);
}

}  // namespace

extern const Derivation nvmet_ports;
constinit const Derivation nvmet_ports{"nvmet_ports", kFacts, kReads, derive};

}  // namespace rd::collectors
