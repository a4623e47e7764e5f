// SPDX-License-Identifier: GPL-2.0-or-later
// The way of each RDMA device through PCI Express, from its function up to the root port: links, NUMA node, driver, and the
// settings that only root can read. Functions that should have an RDMA device and have none are here too.
//
// Nothing here asks the firmware of the device: a lane of its own keeps the links visible when that hangs.
#include <fmt/format.h>

#include "collectors/common/functions.h"
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
    {Kind::pci, "extended_tag", Type::boolean, Nature::config, "",
     "More than 32 reads may be under way: PCI Express Device Control"},
    {Kind::pci, "link_speed_target", Type::real, Nature::config, "GT/s",
     "Speed the link is told not to exceed: PCI Express Link Control 2"},
    {Kind::pci, "acs_control", Type::integer, Nature::config, "",
     "Bits of the ACS control register; none of a function without ACS: extended capability 0x0d"},
    {Kind::pci, "acs_redirect", Type::boolean, Nature::config, "",
     "ACS sends traffic between two devices below up to the root complex: request or completion redirect, or egress "
     "control"},
    {Kind::pci, "power_state", Type::text, Nature::gauge, "", "D0, D3hot, D3cold …: file power_state (Linux 5.11)"},
    {Kind::pci, "d3cold_allowed", Type::boolean, Nature::config, "",
     "The kernel may cut the power of the idle function: file d3cold_allowed"},
    {Kind::pci, "rdma_capable", Type::boolean, Nature::config, "",
     "A function that always gives an RDMA device when all is well: by its driver (mlx5_core, mlx4_core, efa …), or an "
     "adapter of "
     "vendor 15b3 without a driver. mlx5 can be told not to (devlink enable_rdma)"},
    {Kind::pci, "has_device", Type::boolean, Nature::config, "",
     "An RDMA device sits on this function, or on another one bonded with it"},
};

constexpr const FactSpec& kNuma = row(kFacts, Kind::pci, "numa");

Result<Value> as_speed(std::string_view text) {
    if (trim(text).starts_with("Unknown")) return fail(Errc::not_supported, "the function does not say: 'Unknown'");
    auto speed = as_leading_number(text);
    // PCIe 1.0 to 7.0: from 2.5 to 128 GT/s.
    if (speed && (std::get<double>(*speed) < 2.5 || std::get<double>(*speed) > 256)) {
        return fail(Errc::bad_input, fmt::format("no link runs at '{}'", printable(text)));
    }
    return speed;
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

Result<Value> as_tenths(std::string_view text) {
    const auto tenths = parse_counter(text);
    if (!tenths) return tl::unexpected<Error>(tenths.error());
    return Value(static_cast<double>(*tenths) / 10.0);
}

Result<Value> as_redirect(std::string_view text) {
    const auto control = parse_counter(text);
    if (!control) return tl::unexpected<Error>(control.error());
    return Value(redirects_peers(*control));
}

constexpr Source kLinkFiles[] = {
    {"current_link_speed", row(kFacts, Kind::pci, "link_speed"), as_speed},
    {"max_link_speed", row(kFacts, Kind::pci, "link_speed_max"), as_speed},
    {"current_link_width", row(kFacts, Kind::pci, "link_width"), as_width},
    {"max_link_width", row(kFacts, Kind::pci, "link_width_max"), as_width},
};
constexpr Source kFiles[] = {
    {"power_state", row(kFacts, Kind::pci, "power_state"), as_label},
    {"d3cold_allowed", row(kFacts, Kind::pci, "d3cold_allowed"), as_switch},
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
    {"extended_tag", row(kFacts, Kind::pci, "extended_tag"), as_switch},
};
constexpr Source kAcs[] = {
    {"acs_control", row(kFacts, Kind::pci, "acs_control"), as_counter},
    {"acs_control", row(kFacts, Kind::pci, "acs_redirect"), as_redirect},
};
constexpr Source kTarget[] = {{"target_speed", row(kFacts, Kind::pci, "link_speed_target"), as_tenths}};

void plan_hop(const Host& host, const PciFunction& function, Plan& plan) {
    const Entity entity = pci_entity(function.address);
    const std::string path = pci_path_of(function.address);
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
    plan.put(entity, row(kFacts, Kind::pci, "rdma_capable"), function.capable || function.owns_device());
    plan.set(entity, row(kFacts, Kind::pci, "has_device"),
             function.has_device.map([](bool has) { return Value(has); }));

    plan.lane("pci " + function.address);
    plan.every(Seconds(30));
    for (const Source& file : kLinkFiles)
        plan.read(fmt::format("{}/{}", path, file.name), entity, file.spec, file.parser);
    plan.every(Seconds(60));
    for (const Source& file : kFiles) plan.read(fmt::format("{}/{}", path, file.name), entity, file.spec, file.parser);
    const std::string config = "pci.config/" + function.address;
    decode_fields(plan, config, entity, kConfig, "not a PCI Express function");
    decode_fields(plan, config, entity, kAcs, "the function has no ACS");
    decode_fields(plan, config, entity, kTarget, "the link has no target speed");
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const PciFunctions functions = pci_functions(host);
    if (functions.gap) plan.kind_gap(Kind::pci, *functions.gap);
    for (const PciFunction& function : functions.found) plan_hop(host, function, plan);
}

}  // namespace

extern const Collector pci;
constinit const Collector pci{"pci", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
