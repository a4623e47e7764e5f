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
     "PCI functions that should have an RDMA device and have none (pci.rdma_capable and not pci.has_device)"},
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

constexpr std::array<std::string_view, 7> kReads{"pci.rdma_capable", "pci.has_device", "device.firmware",
                                                 "device.board_id",  "port.device",    "port.netdev",
                                                 "netdev.firmware"};

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

void derive_host(const Site& site, Snapshot& snapshot) {
    if (const Gap* gap = snapshot.kind_gap(Kind::device)) {
        snapshot.gap(kHost, kDevices, *gap);
    } else {
        snapshot.put(kHost, kDevices, static_cast<std::int64_t>(snapshot.entities(Kind::device).size()));
    }
    if (const Gap* gap = snapshot.kind_gap(Kind::pci)) {
        snapshot.gap(kHost, kWithout, *gap);
    } else {
        const auto functions = snapshot.entities(Kind::pci);
        snapshot.put(
            kHost, kWithout,
            static_cast<std::int64_t>(std::count_if(functions.begin(), functions.end(), [&](const Entity& pci) {
                return snapshot.boolean(pci, "rdma_capable").value_or(false) &&
                       !snapshot.boolean(pci, "has_device").value_or(true);
            })));
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
Known<Firmware> of_interface(const Snapshot& snapshot, const Entity& device, const Ports& ports) {
    std::optional<Gap> reason;
    for (const Entity& port : ports.of(device)) {
        const auto below = wires(snapshot, port);
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

void derive_firmware(const Site& site, Snapshot& snapshot, const Entity& device, const Ports& ports) {
    const auto other = of_interface(snapshot, device, ports);
    if (const auto own = snapshot.text(device, "firmware")) {
        snapshot.put(device, kRunning, *own);
    } else if (other && !other->version.empty()) {
        snapshot.put(device, kRunning, other->version);
    } else {
        snapshot.gap(device, kRunning, needs(snapshot, device, "firmware"));
    }
    auto board = snapshot.text(device, "board_id");
    if (!board && other) board = other->board;
    if (board) {
        snapshot.put(device, kBoard, *board);
    } else {
        snapshot.gap(device, kBoard, needs(snapshot, device, "board_id"));
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
    derive_host(site, snapshot);
    const Ports ports(snapshot);
    for (const Entity& device : snapshot.entities(Kind::device)) derive_firmware(site, snapshot, device, ports);
}

}  // namespace

extern const Derivation expectation;
constinit const Derivation expectation{"expectation", kFacts, kReads, derive};

}  // namespace rd::collectors
