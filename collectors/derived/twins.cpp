// SPDX-License-Identifier: GPL-2.0-or-later
// Devices of one board on one host are bought and set up alike: the one that is not is where to look first. Compared with what most
// of its twins have; where there is no majority, nobody is told apart from the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::device, "twins", Type::integer, Nature::config, "",
     "Other devices of the same board on this host, virtual functions and software not included"},
    {Kind::device, "differs_from_twins", Type::boolean, Nature::config, "",
     "It has something that most of its twins have otherwise: firmware, MTU, PFC, trust, PCIe link, MRRS"},
    {Kind::device, "twin_differences", Type::text, Nature::config, "",
     "What it has and what most twins have (mtu 1500, of twins 9000), or none"},
    {Kind::device, "firmware_of_twins", Type::text, Nature::config, "",
     "Newest firmware that it or one of its twins runs"},
};
constexpr const FactSpec& kTwins = row(kFacts, Kind::device, "twins");
constexpr const FactSpec& kDiffers = row(kFacts, Kind::device, "differs_from_twins");
constexpr const FactSpec& kDifferences = row(kFacts, Kind::device, "twin_differences");
constexpr const FactSpec& kFirmware = row(kFacts, Kind::device, "firmware_of_twins");

constexpr std::array<std::string_view, 16> kReads{
    "device.board",   "device.soft", "device.pci",           "device.firmware_running",
    "pci.is_vf",      "pci.vendor",  "pci.device_id",        "pci.link_width",
    "pci.link_speed", "pci.mrrs",    "pci.relaxed_ordering", "port.device",
    "port.netdev",    "netdev.mtu",  "netdev.pfc_mask",      "netdev.trust"};

struct Property {
    std::string_view name;
    Kind kind;  // of the entity that has it: the device, its function, or the interface of its first port
    std::string_view fact;
};
constexpr std::array<Property, 8> kProperties{{
    {"firmware", Kind::device, "firmware_running"},
    {"mtu", Kind::netdev, "mtu"},
    {"pfc mask", Kind::netdev, "pfc_mask"},
    {"trust", Kind::netdev, "trust"},
    {"PCIe width", Kind::pci, "link_width"},
    {"PCIe speed", Kind::pci, "link_speed"},
    {"MRRS", Kind::pci, "mrrs"},
    {"relaxed ordering", Kind::pci, "relaxed_ordering"},
}};

struct Twin {
    Entity device;
    std::array<std::optional<std::string>, kProperties.size()> values;
};

std::optional<Entity> holder(const Snapshot& snapshot, const Entity& device, const Ports& ports, Kind kind) {
    if (kind == Kind::device) return device;
    if (kind == Kind::pci) return snapshot.reference(device, "pci");
    const auto& own = ports.of(device);
    return own.empty() ? std::nullopt : snapshot.reference(own.front(), "netdev");
}

Twin twin_of(const Snapshot& snapshot, const Entity& device, const Ports& ports) {
    Twin twin{device, {}};
    for (std::size_t i = 0; i < kProperties.size(); ++i) {
        const auto entity = holder(snapshot, device, ports, kProperties[i].kind);
        if (!entity) continue;
        const Reading& reading = snapshot.get(*entity, kProperties[i].fact);
        if (reading) twin.values[i] = print(*reading);
    }
    return twin;
}

// What makes devices twins. A gap: nothing says what it is.
Known<std::string> family_of(const Snapshot& snapshot, const Entity& device) {
    if (snapshot.boolean(device, "soft").value_or(false)) {
        return tl::unexpected<Gap>(not_offered("software has no board"));
    }
    const auto pci = snapshot.reference(device, "pci");
    if (!pci) return tl::unexpected<Gap>(needs(snapshot, device, "pci"));
    if (snapshot.boolean(*pci, "is_vf").value_or(false)) {
        return tl::unexpected<Gap>(not_offered("a virtual function is set up for its guest"));
    }
    if (device.id.find('#') != std::string::npos)
        return tl::unexpected<Gap>(not_offered("a sub-function has no board of its own"));
    if (const auto board = snapshot.text(device, "board")) return *board;
    const auto vendor = snapshot.text(*pci, "vendor"), id = snapshot.text(*pci, "device_id");
    if (vendor && id) return fmt::format("{}:{}", *vendor, *id);
    return tl::unexpected<Gap>(needs(snapshot, device, "board"));
}

// The value that more than half of those have who have any.
std::optional<std::string> usual(const std::vector<Twin>& twins, std::size_t property) {
    std::map<std::string, std::size_t> counts;
    std::size_t all = 0;
    for (const Twin& twin : twins) {
        if (!twin.values[property]) continue;
        ++all;
        ++counts[*twin.values[property]];
    }
    for (const auto& [value, count] : counts) {
        if (2 * count > all) return value;
    }
    return std::nullopt;
}

bool older(const std::string& a, const std::string& b) {
    const auto left = split(a, '.'), right = split(b, '.');
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        const auto x = parse_counter(left[i]), y = parse_counter(right[i]);
        if (x && y && *x != *y) return *x < *y;
        if ((!x || !y) && left[i] != right[i]) return left[i] < right[i];
    }
    return left.size() < right.size();
}

void compare(Snapshot& snapshot, const std::vector<Twin>& twins) {
    std::array<std::optional<std::string>, kProperties.size()> most;
    for (std::size_t i = 0; i < kProperties.size(); ++i) most[i] = usual(twins, i);
    std::optional<std::string> newest;
    for (const Twin& twin : twins) {
        if (twin.values[0] && (!newest || older(*newest, *twin.values[0]))) newest = twin.values[0];
    }
    for (const Twin& twin : twins) {
        std::string text;
        for (std::size_t i = 0; i < kProperties.size(); ++i) {
            if (!twin.values[i] || !most[i] || twin.values[i] == most[i]) continue;
            text += fmt::format("{}{} {}, of twins {}", text.empty() ? "" : "; ", kProperties[i].name, *twin.values[i],
                                *most[i]);
        }
        snapshot.put(twin.device, kTwins, static_cast<std::int64_t>(twins.size()) - 1);
        snapshot.put(twin.device, kDiffers, !text.empty());
        snapshot.put(twin.device, kDifferences, text.empty() ? std::string("none") : text);
        if (newest) {
            snapshot.put(twin.device, kFirmware, *newest);
        } else {
            snapshot.gap(twin.device, kFirmware, needs(snapshot, twin.device, "firmware_running"));
        }
    }
}

void derive(const Site&, Snapshot& snapshot) {
    const Ports ports(snapshot);
    std::map<std::string, std::vector<Twin>> families;
    for (const Entity& device : snapshot.entities(Kind::device)) {
        const auto family = family_of(snapshot, device);
        if (family) {
            families[*family].push_back(twin_of(snapshot, device, ports));
            continue;
        }
        for (const FactSpec& spec : kFacts) snapshot.gap(device, spec, family.error());
    }
    for (const auto& [family, twins] : families) compare(snapshot, twins);
}

}  // namespace

extern const Derivation twins;
constinit const Derivation twins{"twins", kFacts, kReads, derive};

}  // namespace rd::collectors
