// SPDX-License-Identifier: GPL-2.0-or-later
// A text that names no RDMA device and shows one network adapter. What is pasted to a tool for RDMA is what RDMA is used with, and much of
// what ails an adapter (lanes, link, priorities) is seen without the name of the device: so it is taken for one, and the report says so.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/unnamed.h"
#include "core/ingest/host_text.h"

namespace rd::ingest {
namespace {

constexpr std::string_view kInfiniband = "/sys/class/infiniband/";
constexpr std::string_view kPci = "/sys/bus/pci/devices/";
constexpr std::size_t kAddress = 12;

// Drivers of adapters that can do RDMA.
constexpr std::array<std::string_view, 14> kCapable{"mlx5_core", "mlx4_core", "mlx4_en", "bnxt_en", "ice",
                                                    "i40e",      "qede",      "cxgb4",   "hns3",    "ionic",
                                                    "mana",      "enic",      "efa",     "erdma"};
// Bonds, bridges and the like: the adapter is below them.
constexpr std::array<std::string_view, 9> kMade{"bond", "br", "vlan", "team", "lo", "docker", "veth", "virbr", "ib"};

bool is_capable(std::string_view driver) {
    return std::find(kCapable.begin(), kCapable.end(), driver) != kCapable.end();
}

bool is_hardware(std::string_view netdev) {
    return netdev.find('.') == std::string_view::npos &&
           std::none_of(kMade.begin(), kMade.end(), [&](std::string_view made) { return starts_with(netdev, made); });
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

// The network adapters of the text of which more is told than that they are there: one of each card.
std::vector<std::string> HostText::adapters_shown() const {
    std::vector<std::string> found;
    for (auto at = state_.lower_bound(kPci); at != state_.end() && starts_with(at->first, kPci); ++at) {
        const std::string address = at->first.substr(kPci.size(), kAddress);
        if (at->first != std::string(kPci) + address + "/class" || !at->second.piece.text) continue;
        if (!starts_with(*at->second.piece.text, "0x02")) continue;
        if (!state_.contains(std::string(kPci) + address + "/current_link_width")) continue;
        const auto driver = links_.find(std::string(kPci) + address + "/driver");
        if (driver != links_.end() && !is_capable(base_name(driver->second))) continue;
        const auto same_card = [&](const std::string& other) { return other.substr(0, 10) == address.substr(0, 10); };
        if (std::none_of(found.begin(), found.end(), same_card)) found.push_back(address);
    }
    return found;
}

std::vector<std::string> HostText::interfaces_shown(const std::set<std::string>& netdevs) const {
    std::vector<std::string> found;
    for (const std::string& netdev : netdevs) {
        if (!is_hardware(netdev)) continue;
        const auto driver = state_.find("ethtool.driver/" + netdev);
        const auto record = driver != state_.end() && !driver->second.piece.records.empty()
                                ? driver->second.piece.records.front().get("driver")
                                : std::nullopt;
        if (!record || is_capable(*record)) found.push_back(netdev);
    }
    return found;
}

// The one port of which the text shows anything, if it is of mlx5 or mlx4 and not said to be of an interface or of InfiniBand; else empty.
std::string HostText::port_without_interface(const std::set<std::string>& paths) const {
    std::string found;
    for (auto at = paths.lower_bound(std::string(kInfiniband)); at != paths.end() && starts_with(*at, kInfiniband);
         ++at) {
        const auto parts = split(std::string_view(*at).substr(kInfiniband.size()), '/');
        if (parts.size() < 3 || parts[1] != "ports") {
            if (found.empty() || starts_with(*at, found.substr(0, found.find("/ports/")))) continue;
            return {};
        }
        const std::string port = std::string(kInfiniband) + std::string(parts[0]) + "/ports/" + std::string(parts[2]);
        if (!found.empty() && port != found) return {};
        found = port;
        if (parts.size() > 4 && parts[3] == "gid_attrs") return {};
    }
    if (!starts_with(found, std::string(kInfiniband) + "mlx")) return {};
    const auto text_of = [&](std::string_view file) {
        const auto state = state_.find(found + std::string(file));
        return state != state_.end() && state->second.piece.text ? std::string(trim(*state->second.piece.text))
                                                                 : std::string();
    };
    const std::string layer = text_of("/link_layer"), lid = text_of("/lid");
    if ((!layer.empty() && layer != "Ethernet") || (!lid.empty() && lid != "0" && lid != "0x0")) return {};
    const auto place = split(std::string_view(found).substr(kInfiniband.size()), '/');
    const auto told = state_.find("rdma.port/" + std::string(place[0]) + "/" + std::string(place[2]));
    const bool has_netdev =
        told != state_.end() && !told->second.piece.records.empty() && told->second.piece.records.front().get("netdev");
    return has_netdev ? std::string() : found;
}

// mlnx_qos and dcb speak of Ethernet that can be lossless: on a host with one port of an mlx5 it is that port's.
void HostText::take_lone_interface(std::set<std::string>& paths, const std::set<std::string>& netdevs) {
    const std::vector<std::string> interfaces = interfaces_shown(netdevs);
    if (interfaces.size() != 1 || interfaces.front() == kUnnamedNetdev) return;
    if (!state_.contains("dcb.pfc/" + interfaces.front())) return;
    const std::string port = port_without_interface(paths);
    if (port.empty()) return;
    suppose(port + "/gid_attrs/ndevs/0", interfaces.front(), paths);
    suppose(port + "/link_layer", "Ethernet", paths);
    note("the text shows one port of an adapter and the priorities of one interface (" + interfaces.front() +
         "): they are taken to belong together");
}

void HostText::take_lone_adapter(std::set<std::string>& paths, const std::set<std::string>& netdevs) {
    const auto named = paths.lower_bound(std::string(kInfiniband));
    if (named != paths.end() && starts_with(*named, kInfiniband)) return take_lone_interface(paths, netdevs);
    // Nor where it says that there is none.
    const std::string_view folder = kInfiniband.substr(0, kInfiniband.size() - 1);
    if (lists_.contains(folder) || state_.contains(folder)) return;
    const std::vector<std::string> adapters = adapters_shown(), interfaces = interfaces_shown(netdevs);
    if (adapters.size() > 1 || interfaces.size() > 1 || (adapters.empty() && interfaces.empty())) return;
    const std::string device = std::string(kInfiniband) + std::string(kUnnamedDevice), port = device + "/ports/1";
    const auto add = [&](std::map<std::string, std::string, std::less<>>& links, const std::string& path,
                         const std::string& target) {
        links.emplace(path, target);
        paths.insert(path);
    };
    if (!adapters.empty()) {
        const std::string function = std::string(kPci) + adapters.front();
        const auto real = links_.find(function);
        const std::string target = real != links_.end()
                                       ? real->second
                                       : "/sys/devices/pci" + adapters.front().substr(0, 7) + "/" + adapters.front();
        add(links_, device + "/device", target);
        if (!interfaces.empty()) add(links_, "/sys/class/net/" + interfaces.front() + "/device", target);
    }
    if (!interfaces.empty()) {
        const std::string& netdev = interfaces.front();
        suppose(port + "/gid_attrs/ndevs/0", netdev == kUnnamedNetdev ? std::string(kUnnamed) : netdev, paths);
        suppose(port + "/link_layer", "Ethernet", paths);
    }
    paths.insert(port);
    const std::string shown = interfaces.empty() || interfaces.front() == kUnnamedNetdev
                                  ? (adapters.empty() ? std::string("the interface") : adapters.front())
                                  : interfaces.front();
    note("the text names no RDMA device: its one adapter (" + shown + ") is taken for one");
}

}  // namespace rd::ingest
