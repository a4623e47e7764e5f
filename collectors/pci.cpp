// SPDX-License-Identifier: GPL-2.0-or-later
// The way of each RDMA device through PCI Express, from its function up to the root port: links, NUMA node, driver, and the
// settings that only root can read. Functions that should have an RDMA device and have none are here too.
//
// Nothing here asks the firmware of the device: a lane of its own keeps the links visible when that hangs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::pci, name, Type::text, Nature::config, "", doc};
}
constexpr FactSpec bytes_row(std::string_view name, std::string_view doc) {
    return {Kind::pci, name, Type::integer, Nature::config, "bytes", doc};
}

constexpr FactSpec kFacts[] = {
    text_row("name", "PCI address (0000:41:00.0)"),
    reference(Kind::pci, "parent", Kind::pci, "The port or bridge above; a root port has none: path in /sys/devices"),
    {Kind::pci, "link_speed", Type::real, Nature::gauge, "GT/s", "Speed of the link now: file current_link_speed"},
    {Kind::pci, "link_speed_max", Type::real, Nature::config, "GT/s",
     "Fastest link this end can do: file max_link_speed"},
    {Kind::pci, "link_width", Type::integer, Nature::gauge, "lanes", "Width of the link now: file current_link_width"},
    {Kind::pci, "link_width_max", Type::integer, Nature::config, "lanes",
     "Widest link this end can do: file max_link_width"},
    reference(Kind::pci, "numa", Kind::numa,
              "NUMA node of the slot: file numa_node; -1 means the firmware does not say"),
    text_row("local_cpus", "CPUs near the slot (0-15,64-79): file local_cpulist"),
    text_row("vendor", "Vendor id (0x15b3): file vendor"),
    text_row("device_id", "Device id (0x1021): file device"),
    text_row("class", "Class code (0x020000 Ethernet, 0x020700 InfiniBand): file class"),
    text_row("driver", "Bound driver (mlx5_core): link driver"),
    {Kind::pci, "is_vf", Type::boolean, Nature::config, "", "A virtual function: link physfn exists"},
    reference(Kind::pci, "physfn", Kind::pci, "The physical function of a virtual one: link physfn"),
    text_row("type", "endpoint, root-port, upstream, downstream …: PCI Express capability"),
    bytes_row("mrrs", "Largest read request: PCI Express Device Control"),
    bytes_row("mps", "Largest payload in use: PCI Express Device Control"),
    bytes_row("mps_max", "Largest payload this end can do: PCI Express Device Capabilities"),
    {Kind::pci, "relaxed_ordering", Type::boolean, Nature::config, "",
     "Relaxed ordering is enabled: PCI Express Device Control"},
    {Kind::pci, "rdma_capable", Type::boolean, Nature::config, "",
     "A function that always gives an RDMA device when all is well: by its driver (mlx5_core, mlx4_core, efa …), or an "
     "adapter of "
     "vendor 15b3 without a driver. mlx5 can be told not to (devlink enable_roce)"},
    {Kind::pci, "has_device", Type::boolean, Nature::config, "",
     "An RDMA device sits on this function, or on another one bonded with it"},
};

constexpr std::string_view kDevices = "/sys/bus/pci/devices";

// Drivers whose functions come up with an RDMA device each. With others (bnxt_en, ice, ionic …) it takes a second module that a
// site may leave out on purpose.
constexpr std::array<std::string_view, 8> kRdmaDrivers{"mlx5_core", "mlx4_core", "efa",      "erdma",
                                                       "hfi1",      "ib_qib",    "ib_mthca", "vmw_pvrdma"};
constexpr std::string_view kMellanox = "0x15b3";

constexpr const FactSpec& kNuma = row(kFacts, Kind::pci, "numa");

Result<Value> as_speed(std::string_view text) {
    if (trim(text).starts_with("Unknown")) return fail(Errc::not_supported, "the function does not say: 'Unknown'");
    return as_leading_number(text);
}

Result<Value> as_width(std::string_view text) {
    const auto width = parse_counter(text);
    if (!width) return tl::unexpected<Error>(width.error());
    if (*width == 0 || *width == 255) {
        return fail(Errc::not_supported, fmt::format("the function does not say: {}", *width));
    }
    if (*width > 32) return fail(Errc::bad_input, fmt::format("no link has {} lanes", *width));
    return Value(*width);
}

Result<Value> as_node(std::string_view text) {
    const auto node = parse_integer(text);
    if (!node) return tl::unexpected<Error>(node.error());
    if (*node < 0) return fail(Errc::not_supported, "the firmware of the host does not say");
    return Value(numa_entity(*node));
}

constexpr Source kLinkFiles[] = {
    {"current_link_speed", row(kFacts, Kind::pci, "link_speed"), as_speed},
    {"max_link_speed", row(kFacts, Kind::pci, "link_speed_max"), as_speed},
    {"current_link_width", row(kFacts, Kind::pci, "link_width"), as_width},
    {"max_link_width", row(kFacts, Kind::pci, "link_width_max"), as_width},
};
constexpr Source kFiles[] = {
    {"numa_node", kNuma, as_node},
    {"local_cpulist", row(kFacts, Kind::pci, "local_cpus"), as_text},
    {"vendor", row(kFacts, Kind::pci, "vendor"), as_label},
    {"device", row(kFacts, Kind::pci, "device_id"), as_label},
    {"class", row(kFacts, Kind::pci, "class"), as_label},
};
constexpr Source kConfig[] = {
    {"type", row(kFacts, Kind::pci, "type"), as_label},
    {"mrrs", row(kFacts, Kind::pci, "mrrs"), as_counter},
    {"mps", row(kFacts, Kind::pci, "mps"), as_counter},
    {"mps_max", row(kFacts, Kind::pci, "mps_max"), as_counter},
    {"relaxed_ordering", row(kFacts, Kind::pci, "relaxed_ordering"), as_switch},
};

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string path_of(std::string_view address) { return fmt::format("{}/{}", kDevices, address); }

// One function as far as it must be known to decide what to look at.
struct Function {
    std::string address;
    std::vector<std::string> hops;  // from the root port to itself
    Result<std::string> driver;
    Result<std::string> physfn;  // address; not_found: not a virtual function
    bool capable = false;
    bool has_device = false;
};

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

bool is_capable(const Host& host, const Function& function) {
    if (function.driver) {
        return std::find(kRdmaDrivers.begin(), kRdmaDrivers.end(), *function.driver) != kRdmaDrivers.end();
    }
    // Virtual functions are often left without a driver, for a guest.
    if (function.driver.error().code != Errc::not_found || function.physfn) return false;
    const auto vendor = host.read(path_of(function.address) + "/vendor");
    return vendor && trim(*vendor) == kMellanox;
}

Function function_at(const Host& host, const std::string& address) {
    Function function{address, {}, std::string(), std::string(), false, false};
    const std::string path = path_of(address);
    if (const auto real = host.link(path)) function.hops = pci_path(*real);
    if (function.hops.empty() || function.hops.back() != address) function.hops = {address};
    function.driver = optional_link(host, path, "driver", "no driver is bound");
    function.physfn = optional_link(host, path, "physfn", "not a virtual function");
    function.capable = is_capable(host, function);
    return function;
}

// Network controllers (class 02) and the class InfiniBand adapters had before (0c06).
bool is_network(const Host& host, std::string_view address) {
    const auto text = host.read(path_of(address) + "/class");
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

using Functions = std::map<std::string, Function>;

void share_bonded_devices(const Host& host, const std::vector<Netdev>& all, Functions& functions) {
    const auto masters = masters_by_function(host, all);
    for (auto& [address, function] : functions) {
        const auto own = masters.find(address);
        if (function.has_device || own == masters.end()) continue;
        for (const auto& [other, its] : masters) {
            const auto partner = functions.find(other);
            if (partner == functions.end() || !partner->second.has_device || slot_of(other) != slot_of(address))
                continue;
            function.has_device = function.has_device || its == own->second;
        }
    }
}

Functions functions_of(const Host& host, const std::vector<RdmaDevice>& devices,
                       const std::vector<std::string>& addresses) {
    Functions functions;
    for (const RdmaDevice& device : devices) {
        if (!device.pci) continue;
        auto [it, added] = functions.try_emplace(*device.pci);
        if (added) it->second = function_at(host, *device.pci);
        it->second.has_device = true;
    }
    const auto all = netdevs(host).value_or(std::vector<Netdev>{});
    std::set<std::string> candidates;
    for (const std::string& address : addresses) {
        if (is_pci_address(address) && is_network(host, address)) candidates.insert(address);
    }
    for (const Netdev& netdev : all) {
        if (netdev.pci) candidates.insert(*netdev.pci);
    }
    for (const std::string& address : candidates) {
        if (functions.contains(address)) continue;
        Function function = function_at(host, address);
        if (function.capable) functions.emplace(address, std::move(function));
    }
    share_bonded_devices(host, all, functions);
    return functions;
}

void plan_hop(const Host& host, const Function& function, Plan& plan) {
    const Entity entity = pci_entity(function.address);
    const std::string path = path_of(function.address);
    plan.put(entity, row(kFacts, Kind::pci, "name"), function.address);
    const FactSpec& parent = row(kFacts, Kind::pci, "parent");
    if (function.hops.size() > 1) {
        plan.put(entity, parent, pci_entity(function.hops[function.hops.size() - 2]));
    } else if (const auto real = host.link(path)) {
        plan.gap(entity, parent, not_offered(*real + ": nothing above: a root port, or part of the root complex"));
    } else {
        plan.gap(entity, parent, gap_from(real.error()));
    }
    plan.set(entity, row(kFacts, Kind::pci, "driver"),
             function.driver.map([](const std::string& name) { return Value(name); }));
    plan.set(entity, row(kFacts, Kind::pci, "physfn"),
             function.physfn.map([](const std::string& address) { return Value(pci_entity(address)); }));
    const FactSpec& is_vf = row(kFacts, Kind::pci, "is_vf");
    if (function.physfn || function.physfn.error().code == Errc::not_found) {
        plan.put(entity, is_vf, function.physfn.has_value());
    } else {
        plan.gap(entity, is_vf, gap_from(function.physfn.error()));
    }
    plan.put(entity, row(kFacts, Kind::pci, "rdma_capable"), function.capable || function.has_device);
    plan.put(entity, row(kFacts, Kind::pci, "has_device"), function.has_device);

    plan.lane("pci " + function.address);
    plan.every(Seconds(30));
    for (const Source& file : kLinkFiles)
        plan.read(fmt::format("{}/{}", path, file.name), entity, file.spec, file.parser);
    plan.every(Seconds(60));
    for (const Source& file : kFiles) plan.read(fmt::format("{}/{}", path, file.name), entity, file.spec, file.parser);
    decode_fields(plan, "pci.config/" + function.address, entity, kConfig, "not a PCI Express function");
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const auto devices = rdma_devices(host);
    const auto addresses = host.list(kDevices);
    if (!devices) plan.kind_gap(Kind::pci, gap_from(devices.error()));
    if (!addresses && addresses.error().code != Errc::not_found) plan.kind_gap(Kind::pci, gap_from(addresses.error()));
    const Functions functions =
        functions_of(host, devices.value_or(std::vector<RdmaDevice>{}), addresses.value_or(std::vector<std::string>{}));
    // The ways up, and those of the physical functions: the link of a virtual function is theirs.
    std::set<std::string> hops;
    for (const auto& [address, function] : functions) {
        hops.insert(function.hops.begin(), function.hops.end());
        if (!function.physfn) continue;
        const Function owner = function_at(host, *function.physfn);
        hops.insert(owner.hops.begin(), owner.hops.end());
    }
    for (const std::string& address : hops) {
        const auto known = functions.find(address);
        plan_hop(host, known != functions.end() ? known->second : function_at(host, address), plan);
    }
}

}  // namespace

extern const Collector pci;
constinit const Collector pci{"pci", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
