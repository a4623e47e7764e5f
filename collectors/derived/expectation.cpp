// SPDX-License-Identifier: GPL-2.0-or-later
// What the site says of this host beside what is there: devices, rate, firmware.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "devices", Type::integer, Nature::gauge, "", "RDMA devices that are there"},
    {Kind::host, "functions_without_device", Type::integer, Nature::gauge, "",
     "PCI functions that should have an RDMA device and have none (pci.rdma_capable and not pci.has_device), where no "
     "other network "
     "namespace may have it"},
    {Kind::host, "intent", Type::text, Nature::config, "", "lossless or lossy: `intent` of the configuration"},
    {Kind::host, "expected_devices", Type::integer, Nature::config, "", "[expect] devices of the configuration"},
    {Kind::host, "expected_rate", Type::real, Nature::config, "Gbit/s", "[expect] rate of the configuration"},
    {Kind::device, "firmware_running", Type::text, Nature::config, "",
     "Firmware version: of the device, else of its interface without the board in parentheses"},
    {Kind::device, "board", Type::text, Nature::config, "",
     "Board: board_id, else what the firmware of its interface has in parentheses"},
    {Kind::device, "firmware_minimum", Type::text, Nature::config, "",
     "Lowest firmware the site wants on this board: [expect.firmware] of the configuration, \"*\" for any board"},
};
constexpr const FactSpec& kDevices = row(kFacts, Kind::host, "devices");
constexpr const FactSpec& kWithout = row(kFacts, Kind::host, "functions_without_device");
constexpr const FactSpec& kRunning = row(kFacts, Kind::device, "firmware_running");
constexpr const FactSpec& kBoard = row(kFacts, Kind::device, "board");
constexpr const FactSpec& kMinimum = row(kFacts, Kind::device, "firmware_minimum");

constexpr std::array<std::string_view, 10> kReads{
    "pci.rdma_capable", "pci.has_device", "device.firmware",    "device.board_id",        "port.device",
    "port.netdev",      "device.soft",    "host.initial_netns", "host.devices_elsewhere", "netdev.firmware"};

const Entity kHost{Kind::host, ""};

Gap not_configured(std::string_view key) { return not_collected(fmt::format("no {} in the configuration", key)); }

template <class T>
void put_setting(Snapshot& snapshot, std::string_view fact, std::string_view key, const std::optional<T>& setting) {
    for (const FactSpec& spec : kFacts) {
        if (spec.kind != Kind::host || spec.name != fact) continue;
        if (setting) {
            snapshot.put(kHost, spec, Value(*setting));
        } else {
            snapshot.gap(kHost, spec, not_configured(key));
        }
    }
}

// Why the device of a function may be one that cannot be seen from here: namespaces hide devices, and interfaces, by which soft-RoCE
// belongs to a function.
std::optional<Gap> hidden_devices(const Snapshot& snapshot, const Ports& ports) {
    if (snapshot.boolean(kHost, "initial_netns") == false) {
        return not_collected("this is the network namespace of a container: the host may have the devices");
    }
    if (const auto elsewhere = snapshot.integer(kHost, "devices_elsewhere"); elsewhere && *elsewhere > 0) {
        return not_collected(fmt::format("other network namespaces have {} RDMA devices", *elsewhere));
    }
    for (const Entity& device : snapshot.entities(Kind::device)) {
        if (snapshot.boolean(device, "soft") != true) continue;
        for (const Entity& port : ports.of(device)) {
            if (!snapshot.reference(port, "netdev")) {
                return not_collected(
                    fmt::format("the interface of {} is not in this network namespace", print(device)));
            }
        }
    }
    return std::nullopt;
}

// A function that is known to lack its device counts whatever could not be read of others; "none" takes that all could be. Where
// functions or devices could not be enumerated, none is known to lack anything.
Known<std::int64_t> functions_without_device(const Snapshot& snapshot, const Ports& ports) {
    for (const Kind kind : {Kind::pci, Kind::device}) {
        if (const Gap* gap = snapshot.kind_gap(kind)) return tl::unexpected<Gap>(*gap);
    }
    std::int64_t count = 0;
    std::optional<Gap> doubt;
    for (const Entity& pci : snapshot.entities(Kind::pci)) {
        const auto capable = snapshot.boolean(pci, "rdma_capable"), has_device = snapshot.boolean(pci, "has_device");
        if (capable == false || has_device == true) continue;
        if (capable && has_device) {
            ++count;
        } else if (!doubt) {
            doubt = needs(snapshot, pci, capable ? "has_device" : "rdma_capable");
        }
    }
    if (count > 0) doubt = hidden_devices(snapshot, ports);
    if (doubt) return tl::unexpected<Gap>(std::move(*doubt));
    return count;
}

void derive_host(const Site& site, Snapshot& snapshot, const Ports& ports) {
    if (const Gap* gap = snapshot.kind_gap(Kind::device)) {
        snapshot.gap(kHost, kDevices, *gap);
    } else {
        snapshot.put(kHost, kDevices, static_cast<std::int64_t>(snapshot.entities(Kind::device).size()));
    }
    if (const auto without = functions_without_device(snapshot, ports)) {
        snapshot.put(kHost, kWithout, *without);
    } else {
        snapshot.gap(kHost, kWithout, without.error());
    }
    put_setting(snapshot, "intent", "intent", site.intent);
    put_setting(snapshot, "expected_devices", "[expect] devices", site.expected_devices);
    put_setting(snapshot, "expected_rate", "[expect] rate", site.expected_rate);
}

// "28.39.1002 (MT_0000000838)"
struct Firmware {
    std::string version;
    std::optional<std::string> board;
};

Firmware parts_of(std::string_view text) {
    const std::size_t open = text.find('('), close = text.find(')');
    Firmware firmware{std::string(trim(text.substr(0, open))), std::nullopt};
    if (open != std::string_view::npos && close != std::string_view::npos && close > open + 1) {
        firmware.board = std::string(trim(text.substr(open + 1, close - open - 1)));
    }
    return firmware;
}

// As the interface of its first port tells it.
Known<Firmware> of_interface(const Snapshot& snapshot, const Entity& device, const Ports& ports, const Wires& wires) {
    std::optional<Gap> reason;
    for (const Entity& port : ports.of(device)) {
        const auto below = wires.of(port);
        if (!below) {
            reason = below.error();
            continue;
        }
        const auto text = snapshot.text(below->front(), "firmware");
        if (text) return parts_of(*text);
        reason = needs(snapshot, below->front(), "firmware");
    }
    return tl::unexpected<Gap>(reason.value_or(not_collected("no port of the device is known")));
}

// Of the two places a text may be read from: the reason that leaves open whether there is one.
Gap open_reason(Gap own, const Known<Firmware>& other) {
    const bool settled = own.kind == GapClass::not_offered || own.kind == GapClass::not_collected;
    return settled && !other && other.error().kind != GapClass::not_collected ? other.error() : std::move(own);
}

void derive_firmware(const Site& site, Snapshot& snapshot, const Entity& device, const Ports& ports,
                     const Wires& wires) {
    const auto other = of_interface(snapshot, device, ports, wires);
    if (const auto own = snapshot.text(device, "firmware")) {
        snapshot.put(device, kRunning, *own);
    } else if (other && !other->version.empty()) {
        snapshot.put(device, kRunning, other->version);
    } else {
        snapshot.gap(device, kRunning, open_reason(needs(snapshot, device, "firmware"), other));
    }
    auto board = snapshot.text(device, "board_id");
    if (!board && other) board = other->board;
    if (board) {
        snapshot.put(device, kBoard, *board);
    } else {
        const Gap gap = open_reason(needs(snapshot, device, "board_id"), other);
        snapshot.gap(device, kBoard, gap);
        // A board that could not be read may be one the site names. One that no driver tells of never is.
        const bool named = std::any_of(site.firmware.begin(), site.firmware.end(),
                                       [](const auto& entry) { return entry.first != "*"; });
        if (named && gap.kind != GapClass::not_offered) return snapshot.gap(device, kMinimum, gap);
    }
    auto minimum = board ? site.firmware.find(*board) : site.firmware.end();
    if (minimum == site.firmware.end()) minimum = site.firmware.find("*");
    if (minimum != site.firmware.end()) {
        snapshot.put(device, kMinimum, minimum->second);
    } else {
        snapshot.gap(device, kMinimum, not_configured("[expect.firmware] for this board"));
    }
}

void derive(const Site& site, Snapshot& snapshot) {
    const Ports ports(snapshot);
    derive_host(site, snapshot, ports);
    const Wires wires(snapshot);
    for (const Entity& device : snapshot.entities(Kind::device)) derive_firmware(site, snapshot, device, ports, wires);
}

}  // namespace

extern const Derivation expectation;
constinit const Derivation expectation{"expectation", kFacts, kReads, derive};

}  // namespace rd::collectors
