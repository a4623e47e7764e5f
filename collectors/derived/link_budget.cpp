// SPDX-License-Identifier: GPL-2.0-or-later
// What the way to a device through PCI Express can carry, and what its ports could ask for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::pci, "link_width_limit", Type::integer, Nature::config, "lanes",
     "Widest link both ends can do: the smaller of link_width_max here and at the parent"},
    {Kind::pci, "link_speed_limit", Type::real, Nature::config, "GT/s",
     "Fastest link both ends can do: the smaller of link_speed_max here and at the parent"},
    {Kind::pci, "link_alone", Type::boolean, Nature::config, "",
     "An adapter, not a virtual function, of whose link only this end was collected: lspci of one device"},
    {Kind::device, "path_gbps", Type::real, Nature::gauge, "Gbit/s",
     "What the narrowest link up to the root port carries each way: GT/s × lanes × encoding, before packet headers"},
    reference(Kind::device, "path_limit", Kind::pci, "The lower end of the narrowest link up to the root port"),
    {Kind::device, "port_gbps", Type::real, Nature::gauge, "Gbit/s",
     "Rates of the ACTIVE ports of all devices in the same PCI slot, added"},
};
constexpr const FactSpec& kWidthLimit = row(kFacts, Kind::pci, "link_width_limit");
constexpr const FactSpec& kSpeedLimit = row(kFacts, Kind::pci, "link_speed_limit");
constexpr const FactSpec& kAlone = row(kFacts, Kind::pci, "link_alone");
constexpr const FactSpec& kPath = row(kFacts, Kind::device, "path_gbps");
constexpr const FactSpec& kPathLimit = row(kFacts, Kind::device, "path_limit");
constexpr const FactSpec& kPorts = row(kFacts, Kind::device, "port_gbps");

constexpr std::array<std::string_view, 19> kReads{"pci.link_width",
                                                  "pci.link_width_max",
                                                  "pci.link_speed",
                                                  "pci.link_speed_max",
                                                  "pci.parent",
                                                  "pci.is_vf",
                                                  "pci.physfn",
                                                  "pci.class",
                                                  "device.pci",
                                                  "device.soft",
                                                  "device.sys_image_guid",
                                                  "port.device",
                                                  "port.state",
                                                  "port.rate",
                                                  "port.link_layer",
                                                  "port.netdev",
                                                  "netdev.speed",
                                                  "netdev.lower",
                                                  "netdev.master"};

constexpr std::size_t kMostHops = 32;

// 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, flits of 236 bytes in 256 above.
double gbps(double speed, std::int64_t lanes) {
    const double encoding = speed < 8 ? 8.0 / 10 : speed < 64 ? 128.0 / 130 : 236.0 / 256;
    return speed * static_cast<double>(lanes) * encoding;
}

// Links from the root complex down to a function: odd at the lower end of a link, even at a port whose link leads down.
std::size_t depth_of(const Snapshot& snapshot, const Entity& pci) {
    std::size_t depth = 0;
    for (auto above = snapshot.reference(pci, "parent"); above && depth < kMostHops; ++depth) {
        above = snapshot.reference(*above, "parent");
    }
    return depth;
}

// A graphics processor at rest trains its link down, and a port's link is judged at the device below.
bool may_be_adapter(const Snapshot& snapshot, const Entity& pci) {
    const auto code = snapshot.text(pci, "class");
    return !code || code->starts_with("0x02");
}

void derive_alone(Snapshot& snapshot, const Entity& pci) {
    const Reading& parent = snapshot.get(pci, "parent");
    const bool unseen = !parent && parent.error().kind == GapClass::not_collected;
    snapshot.put(pci, kAlone,
                 unseen && may_be_adapter(snapshot, pci) && !snapshot.boolean(pci, "is_vf").value_or(false));
}

void derive_limits(Snapshot& snapshot, const Entity& pci) {
    const auto parent = snapshot.reference(pci, "parent");
    if (parent && depth_of(snapshot, pci) % 2 == 0) {
        const Gap gap =
            not_offered(snapshot.label(pci) + ": a downstream port; its link is judged at the device below");
        snapshot.gap(pci, kWidthLimit, gap);
        return snapshot.gap(pci, kSpeedLimit, gap);
    }
    if (!parent) {
        const Gap gap = needs(snapshot, pci, "parent");
        snapshot.gap(pci, kWidthLimit, gap);
        return snapshot.gap(pci, kSpeedLimit, gap);
    }
    const auto limit = [&](std::string_view fact, const FactSpec& spec, auto to_value) {
        const auto own = snapshot.real(pci, fact), above = snapshot.real(*parent, fact);
        if (!own) return snapshot.gap(pci, spec, needs(snapshot, pci, fact));
        if (!above) return snapshot.gap(pci, spec, needs(snapshot, *parent, fact));
        snapshot.put(pci, spec, to_value(std::min(*own, *above)));
    };
    limit("link_width_max", kWidthLimit, [](double lanes) { return Value(static_cast<std::int64_t>(lanes)); });
    limit("link_speed_max", kSpeedLimit, [](double speed) { return Value(speed); });
}

// The link of a virtual function is that of its physical one.
Known<Entity> function_with_link(const Snapshot& snapshot, const Entity& device) {
    const auto pci = snapshot.reference(device, "pci");
    if (!pci) return tl::unexpected<Gap>(needs(snapshot, device, "pci"));
    if (snapshot.boolean(*pci, "is_vf").value_or(false)) {
        const auto owner = snapshot.reference(*pci, "physfn");
        if (!owner) return tl::unexpected<Gap>(needs(snapshot, *pci, "physfn"));
        return *owner;
    }
    return *pci;
}

Known<double> capacity(const Snapshot& snapshot, const Entity& pci) {
    const auto speed = snapshot.real(pci, "link_speed");
    if (!speed) return tl::unexpected<Gap>(needs(snapshot, pci, "link_speed"));
    const auto lanes = snapshot.integer(pci, "link_width");
    if (!lanes) return tl::unexpected<Gap>(needs(snapshot, pci, "link_width"));
    return gbps(*speed, *lanes);
}

struct Narrowest {
    double gbps;
    Entity lower_end;
};

// Both ends of a link describe it; one of them is enough. Counted from the root port, ends come in pairs: root port and what is
// plugged in, downstream port of a switch and what is below it; between the ports of a switch there is no link.
Known<Narrowest> narrowest(const Snapshot& snapshot, const std::vector<Entity>& hops) {
    if (hops.size() < 2) {
        return tl::unexpected<Gap>(
            not_offered(fmt::format("{} is part of the root complex: there is no link", snapshot.label(hops.front()))));
    }
    std::optional<Narrowest> found;
    const auto consider = [&](double link, const Entity& lower_end) {
        if (!found || link < found->gbps) found = Narrowest{link, lower_end};
    };
    std::size_t at = 0;
    if (hops.size() % 2 != 0) {  // behind a bridge to conventional PCI: the function may still say something itself
        if (const auto own = capacity(snapshot, hops[0])) consider(*own, hops[0]);
        at = 1;
    }
    for (; at + 1 < hops.size(); at += 2) {
        const auto lower = capacity(snapshot, hops[at]), upper = capacity(snapshot, hops[at + 1]);
        if (!lower && !upper) return tl::unexpected<Gap>(lower.error());
        if (lower) consider(*lower, hops[at]);
        if (upper) consider(*upper, hops[at]);
    }
    return *found;
}

void derive_path(Snapshot& snapshot, const Entity& device) {
    const auto hops =
        function_with_link(snapshot, device).and_then([&](const Entity& pci) { return path_to_root(snapshot, pci); });
    const auto found = hops ? narrowest(snapshot, *hops) : Known<Narrowest>(tl::unexpected<Gap>(hops.error()));
    if (!found) {
        snapshot.gap(device, kPath, found.error());
        return snapshot.gap(device, kPathLimit, found.error());
    }
    snapshot.put(device, kPath, found->gbps);
    snapshot.put(device, kPathLimit, found->lower_end);
}

// Domain, bus and device of an address: functions of one slot share its link.
std::string slot_of(const Entity& pci) { return pci.id.substr(0, pci.id.rfind('.')); }

// Of an ACTIVE port. The speed of the interface is more truthful than the rate for Ethernet (old kernels know no rate above 100).
Known<double> rate_of(const Snapshot& snapshot, const Entity& port, const Wires& wires) {
    if (snapshot.text(port, "link_layer") == "Ethernet") {
        double sum = 0;
        bool known = true;
        for (const Entity& netdev : wires.of(port).value_or(std::vector<Entity>{})) {
            const auto speed = snapshot.real(netdev, "speed");
            known = known && speed;
            sum += speed.value_or(0);
        }
        if (known && sum > 0) return sum;
    }
    const auto rate = snapshot.real(port, "rate");
    if (!rate) return tl::unexpected<Gap>(needs(snapshot, port, "rate"));
    return *rate;
}

struct Neighbour {
    Entity device;
    std::string slot;
    std::optional<std::string> card;  // sys_image_guid that says anything
    bool counts = true;               // owns its ports: not a virtual function, sub-function or software
    bool soft = false;
};

std::vector<Neighbour> neighbours(const Snapshot& snapshot) {
    std::vector<Neighbour> all;
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto function = function_with_link(snapshot, device);
        if (!function) continue;
        Neighbour one{device, slot_of(*function), snapshot.text(device, "sys_image_guid"), true,
                      snapshot.boolean(device, "soft").value_or(false)};
        if (one.card && one.card->find_first_not_of("0:") == std::string::npos) one.card.reset();
        const bool is_virtual = snapshot.reference(device, "pci") != *function;
        one.counts = !is_virtual && device.id.find('#') == std::string::npos;
        all.push_back(std::move(one));
    }
    // Software counts only where there is nothing else; virtual functions likewise.
    std::set<std::string> owned;
    for (const Neighbour& one : all) {
        if (one.counts && !one.soft) owned.insert(one.slot);
    }
    for (Neighbour& one : all) {
        if (one.soft) one.counts = !owned.contains(one.slot);
    }
    return all;
}

// What the devices of each slot ask for together.
class Slots {
public:
    Slots(const Snapshot& snapshot, const std::vector<Neighbour>& all);
    [[nodiscard]] Known<double> rate_for(const Neighbour& one) const;

private:
    std::map<std::string, Known<double>> rates_;
    std::map<std::string, std::set<std::string>> slots_of_card_;
};

Slots::Slots(const Snapshot& snapshot, const std::vector<Neighbour>& all) {
    const Ports ports(snapshot);
    const Wires wires(snapshot);
    const auto add = [&](const Entity& port, Known<double>& sum) {
        const auto state = snapshot.text(port, "state");
        if (!state) {
            sum = tl::unexpected<Gap>(needs(snapshot, port, "state"));
        } else if (*state == "ACTIVE") {
            const auto rate = rate_of(snapshot, port, wires);
            sum = rate ? Known<double>(*sum + *rate) : rate;
        }
    };
    for (const Neighbour& one : all) {
        if (one.card && !one.soft) slots_of_card_[*one.card].insert(one.slot);
        Known<double>& sum = rates_.try_emplace(one.slot, 0.0).first->second;
        if (!one.counts) continue;
        for (const Entity& port : ports.of(one.device)) {
            if (sum) add(port, sum);  // one port that cannot be read leaves the whole unknown
        }
    }
}

Known<double> Slots::rate_for(const Neighbour& one) const {
    const auto card = one.card ? slots_of_card_.find(*one.card) : slots_of_card_.end();
    if (card != slots_of_card_.end() && card->second.size() > 1) {
        return tl::unexpected<Gap>(not_offered(fmt::format(
            "the card sits in {} slots (Socket Direct or multi-host): their links add up and share its ports",
            card->second.size())));
    }
    return rates_.at(one.slot);
}

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& pci : snapshot.entities(Kind::pci)) {
        derive_limits(snapshot, pci);
        derive_alone(snapshot, pci);
    }
    const auto all = neighbours(snapshot);
    const Slots slots(snapshot, all);
    std::map<Entity, const Neighbour*> known;
    for (const Neighbour& one : all) known.emplace(one.device, &one);
    for (const Entity& device : snapshot.entities(Kind::device)) {
        derive_path(snapshot, device);
        const auto own = known.find(device);
        if (own == known.end()) {
            snapshot.gap(device, kPorts, function_with_link(snapshot, device).error());
            continue;
        }
        const auto rate = slots.rate_for(*own->second);
        if (rate) {
            snapshot.put(device, kPorts, *rate);
        } else {
            snapshot.gap(device, kPorts, rate.error());
        }
    }
}

}  // namespace

extern const Derivation link_budget;
constinit const Derivation link_budget{"link_budget", kFacts, kReads, derive};

}  // namespace rd::collectors
