// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/identity.h"
#include "core/base/records.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr std::string_view kDevices = "/sys/bus/pci/devices";

// Drivers whose functions come up with an RDMA device each. With others (bnxt_en, ice, ionic …) it takes a second module that a
// site may leave out on purpose.
constexpr std::array<std::string_view, 8> kRdmaDrivers{"mlx5_core", "mlx4_core", "efa",      "erdma",
                                                       "hfi1",      "ib_qib",    "ib_mthca", "vmw_pvrdma"};
constexpr std::string_view kMellanox = "0x15b3";

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

// A link that says something by being there. Its absence is certain only when the kernel, or a listing, says so.
Result<std::string> optional_link(const Host& host, const std::string& directory, std::string_view name,
                                  std::string_view absent) {
    const std::string path = fmt::format("{}/{}", directory, name);
    auto target = host.link(path);
    if (target) return base_name(*target);
    bool certain = target.error().code == Errc::not_found;
    if (target.error().code == Errc::not_collected) {
        const auto names = host.list(directory);
        certain = names && std::find(names->begin(), names->end(), name) == names->end();
    }
    if (certain) return fail(Errc::not_found, fmt::format("{}: {}", path, absent));
    return tl::unexpected<Error>(std::move(target.error()));
}

bool is_capable(const Host& host, const PciFunction& function) {
    if (function.driver) {
        return std::find(kRdmaDrivers.begin(), kRdmaDrivers.end(), *function.driver) != kRdmaDrivers.end();
    }
    // Virtual functions are often left without a driver, for a guest. What the source does not say is no other driver.
    const Errc why = function.driver.error().code;
    if ((why != Errc::not_found && why != Errc::not_collected) || function.physfn) return false;
    const auto vendor = host.read(pci_path_of(function.address) + "/vendor");
    return vendor && trim(*vendor) == kMellanox;
}

PciFunction function_at(const Host& host, const std::string& address) {
    PciFunction function{address, {}, std::string(), std::string()};
    const std::string path = pci_path_of(address);
    if (const auto real = host.link(path)) function.hops = pci_path(*real);
    if (function.hops.empty() || function.hops.back() != address) function.hops = {address};
    function.driver = optional_link(host, path, "driver", "no driver is bound");
    function.physfn = optional_link(host, path, "physfn", "not a virtual function");
    function.capable = is_capable(host, function);
    return function;
}

// Network controllers (class 02) and the class InfiniBand adapters had before (0c06).
bool is_network(const Host& host, std::string_view address) {
    const auto text = host.read(pci_path_of(address) + "/class");
    return text && (text->starts_with("0x02") || text->starts_with("0x0c06"));
}

std::string slot_of(std::string_view address) { return std::string(address.substr(0, address.rfind('.'))); }

// A bond makes one RDMA device of the ports of a card: the functions that lost theirs are not missing one. Their interfaces belong
// to the same master as an interface of a function that has it.
std::map<std::string, std::set<std::string>> masters_by_function(const Host& host, const std::vector<Netdev>& all) {
    std::map<std::string, std::set<std::string>> masters;
    for (const Netdev& netdev : all) {
        if (!netdev.pci) continue;
        if (const auto master = host.link(netdev.path + "/master")) masters[*netdev.pci].insert(*master);
    }
    return masters;
}

using Functions = std::map<std::string, PciFunction>;

void share_bonded_devices(const Host& host, const std::vector<Netdev>& all, Functions& functions) {
    const auto masters = masters_by_function(host, all);
    std::set<std::pair<std::string, std::set<std::string>>> with_device;  // slot, and the masters of a function in it
    for (const auto& [address, its] : masters) {
        const auto function = functions.find(address);
        if (function != functions.end() && function->second.owns_device()) with_device.emplace(slot_of(address), its);
    }
    for (auto& [address, function] : functions) {
        const auto own = masters.find(address);
        if (function.owns_device() || own == masters.end()) continue;
        if (with_device.contains({slot_of(address), own->second})) function.has_device = true;
    }
}

// mlx5_core shows what a function is for as auxiliary devices below it (mlx5_core.eth.0, mlx5_core.rdma.0; Linux 5.11 and later). With
// one for RDMA its device is missing. Without, RDMA is switched off, or the driver has given it up after a fault.
void ask_mlx5(const Host& host, PciFunction& function) {
    const auto names = host.list(pci_path_of(function.address));
    const auto shows = [&](std::string_view prefix) {
        return names &&
               std::any_of(names->begin(), names->end(), [&](const auto& name) { return name.starts_with(prefix); });
    };
    if (shows("mlx5_core.rdma.") || shows("mlx5_core.rdma-rep.") || !shows("mlx5_core.")) return;
    if (shows("mlx5_core.multiport.")) {  // its port belongs to the device of another function of the card
        function.capable = false;
        return;
    }
    function.has_device = fail(
        Errc::io,
        pci_path_of(function.address) +
            ": mlx5_core offers no RDMA on this function: switched off, or given up after a fault",
        fmt::format("devlink dev param show pci/{} name enable_rdma: false is on purpose; else look at the kernel log",
                    function.address));
}

// In exclusive mode each network namespace sees its own RDMA devices only: those of the others may be anywhere.
bool sees_own_devices_only(const Host& host) {
    const auto text = host.read("rdma.system");
    const auto record = text ? parse_record(*text) : Result<Record>(tl::unexpected<Error>(text.error()));
    return record && record->get("netns") == "exclusive";
}

// Functions without a device, unless it may be there unseen.
void doubt_absence(const Host& host, const Result<std::vector<RdmaDevice>>& devices,
                   const Result<std::vector<Netdev>>& netdevs, Functions& functions) {
    std::optional<Error> unseen;
    std::set<std::string> slots;  // where a bond may have taken the device of one function for two
    if (!devices) unseen = devices.error();
    for (const RdmaDevice& device : devices.value_or(std::vector<RdmaDevice>{})) {
        if (device.pci) {
            slots.insert(slot_of(*device.pci));
        } else if (device.pci.error().code != Errc::not_supported && !unseen) {
            unseen = device.pci.error();
        }
    }
    // Pasted text names some devices; that it names all cannot be known.
    if (const auto classes = host.list("/sys/class"); !unseen && !classes) {
        if (classes.error().code == Errc::not_collected && devices && !devices->empty()) unseen = classes.error();
    }
    if (!unseen && sees_own_devices_only(host)) {
        unseen =
            Error{Errc::not_collected,
                  "rdma.system: each network namespace has RDMA devices of its own, and others are not seen from here",
                  "look in the other namespaces: ip netns exec NAME rdma dev"};
    }
    for (auto& [address, function] : functions) {
        if (function.owns_device()) continue;
        if (unseen) {
            function.has_device = tl::unexpected<Error>(*unseen);
        } else if (!netdevs && slots.contains(slot_of(address))) {
            function.has_device = tl::unexpected<Error>(netdevs.error());
        } else if (function.driver == std::string("mlx5_core")) {
            ask_mlx5(host, function);
        }
    }
}

Functions functions_of(const Host& host, const Result<std::vector<RdmaDevice>>& devices,
                       const std::vector<std::string>& addresses) {
    Functions functions;
    for (const RdmaDevice& device : devices.value_or(std::vector<RdmaDevice>{})) {
        if (!device.pci) continue;
        auto [it, added] = functions.try_emplace(*device.pci);
        if (added) it->second = function_at(host, *device.pci);
        it->second.has_device = true;
    }
    const auto listed = netdevs(host);
    const auto all = listed.value_or(std::vector<Netdev>{});
    std::set<std::string> candidates;
    for (const std::string& address : addresses) {
        if (is_pci_address(address) && is_network(host, address)) candidates.insert(address);
    }
    for (const Netdev& netdev : all) {
        if (netdev.pci) candidates.insert(*netdev.pci);
    }
    for (const std::string& address : candidates) {
        if (functions.contains(address)) continue;
        PciFunction function = function_at(host, address);
        if (function.capable) functions.emplace(address, std::move(function));
    }
    share_bonded_devices(host, all, functions);
    doubt_absence(host, devices, listed, functions);
    return functions;
}

}  // namespace

std::string pci_path_of(std::string_view address) { return fmt::format("{}/{}", kDevices, address); }

PciFunctions pci_functions(const Host& host) {
    PciFunctions result;
    const auto devices = rdma_devices(host);
    const auto addresses = list_subsystem(host, kDevices, "/sys/bus");
    if (!devices) result.gap = gap_from(devices.error());
    if (!addresses) result.gap = gap_from(addresses.error());
    const Functions functions = functions_of(host, devices, addresses.value_or(std::vector<std::string>{}));
    // The ways up, and those of the physical functions: the link of a virtual function is theirs.
    std::set<std::string> hops;
    for (const auto& [address, function] : functions) {
        hops.insert(function.hops.begin(), function.hops.end());
        if (!function.physfn) continue;
        const PciFunction owner = function_at(host, *function.physfn);
        hops.insert(owner.hops.begin(), owner.hops.end());
    }
    for (const std::string& address : hops) {
        const auto known = functions.find(address);
        result.found.push_back(known != functions.end() ? known->second : function_at(host, address));
    }
    return result;
}

}  // namespace rd::collectors
