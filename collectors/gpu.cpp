// SPDX-License-Identifier: GPL-2.0-or-later
// GPUs, only as far as RDMA adapters reach their memory: where each sits in the PCI Express tree, seen from the adapters, and whether
// a switch between them sends their traffic up to the processor and back (access control services).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/functions.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec count_row(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::integer, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    count_row(Kind::host, "gpus", "GPUs by PCI class and vendor (NVIDIA, AMD, Intel): files class, vendor"),
    count_row(Kind::host, "gpus_nvidia", "Those of NVIDIA (vendor 10de)"),
    count_row(Kind::host, "gpus_far", "GPUs with no RDMA adapter on their NUMA node; a gap when a node is not known"),
    {Kind::host, "gpu_aperture_min", Type::integer, Nature::config, "bytes",
     "Memory that other devices can reach of the GPU that shows least of it (largest BAR): files resource"},
    count_row(Kind::host, "adapters", "PCI functions with an RDMA device of their own, virtual functions not included"),
    {Kind::device, "gpu_distance", Type::text, Nature::config, "",
     "Way to the nearest GPU: switch (below the same PCIe switch), root port, host bridge, node, remote: paths in "
     "/sys/devices"},
    count_row(Kind::device, "gpus_same_switch", "GPUs below the same PCIe switch"),
    count_row(Kind::device, "gpus_same_node", "GPUs on the same NUMA node"),
    count_row(Kind::device, "acs_redirects",
              "Switch ports between it and GPUs below the same switch that redirect requests between devices to the "
              "processor: "
              "PCI Express ACS control, P2P request redirect, completion redirect, egress control"),
};

constexpr const FactSpec& kGpus = row(kFacts, Kind::host, "gpus");
constexpr const FactSpec& kNvidia = row(kFacts, Kind::host, "gpus_nvidia");
constexpr const FactSpec& kFar = row(kFacts, Kind::host, "gpus_far");
constexpr const FactSpec& kAperture = row(kFacts, Kind::host, "gpu_aperture_min");
constexpr const FactSpec& kAdapters = row(kFacts, Kind::host, "adapters");
constexpr const FactSpec& kDistance = row(kFacts, Kind::device, "gpu_distance");
constexpr const FactSpec& kSwitch = row(kFacts, Kind::device, "gpus_same_switch");
constexpr const FactSpec& kNode = row(kFacts, Kind::device, "gpus_same_node");
constexpr const FactSpec& kRedirects = row(kFacts, Kind::device, "acs_redirects");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kDevices = "/sys/bus/pci/devices";

// Nearer ones first.
enum class Distance { same_switch, root_port, host_bridge, node, remote };
constexpr std::array<std::string_view, 5> kDistances{"switch", "root port", "host bridge", "node", "remote"};

struct Place {
    std::string address;
    std::string bridge;             // pci0000:40
    std::vector<std::string> hops;  // from the root port to itself
    Result<std::int64_t> node;
};

Place place_of(const Host& host, const std::string& address) {
    Place place{address, {}, {address}, 0};
    const std::string path = fmt::format("{}/{}", kDevices, address);
    if (const auto real = host.link(path)) {
        place.hops = pci_path(*real);
        for (const std::string_view part : split(*real, '/')) {
            if (part.starts_with("pci") && part.size() > 3) place.bridge = part;
        }
    }
    if (place.hops.empty() || place.hops.back() != address) place.hops = {address};
    place.node = read_number(host, path + "/numa_node");
    if (place.node && *place.node < 0) {
        place.node = fail(Errc::not_supported, path + "/numa_node: the firmware of the host does not say");
    }
    return place;
}

std::size_t common_hops(const Place& a, const Place& b) {
    const std::size_t most = std::min(a.hops.size(), b.hops.size());
    const auto differ =
        std::mismatch(a.hops.begin(), a.hops.begin() + static_cast<std::ptrdiff_t>(most), b.hops.begin());
    return static_cast<std::size_t>(differ.first - a.hops.begin());
}

// Nothing: the nodes are needed and not known.
std::optional<Distance> distance(const Place& a, const Place& b) {
    const std::size_t common = common_hops(a, b);
    if (common >= 2) return Distance::same_switch;
    if (common == 1) return Distance::root_port;
    if (!a.bridge.empty() && a.bridge == b.bridge) return Distance::host_bridge;
    if (!a.node || !b.node) return std::nullopt;
    return *a.node == *b.node ? Distance::node : Distance::remote;
}

bool is_gpu(std::string_view pci_class, std::string_view vendor) {
    const bool maker = vendor == "0x10de" || vendor == "0x1002";
    if (pci_class.starts_with("0x0300"))
        return maker;  // the management controller's and the processor's own are no GPUs for us
    const bool compute =
        pci_class.starts_with("0x0302") || pci_class.starts_with("0x0380") || pci_class.starts_with("0x1200");
    return compute && (maker || vendor == "0x8086");
}

struct Gpus {
    std::vector<Place> places;
    std::int64_t nvidia = 0;
    std::optional<Result<Value>> aperture;  // of the one with the smallest; none without a GPU
};

// "0x10de", "0x030200": `size` characters.
Result<std::string> id_in(const Host& host, const std::string& path, std::size_t size) {
    auto id = read_word(host, path);
    if (id && (id->size() != size || !parse_hex(*id))) {
        return fail(Errc::bad_input, fmt::format("{}: not an id: '{}'", path, printable(*id)));
    }
    return id;
}

// The largest of the six BARs: lines "0xfirst 0xlast 0xflags", zeros for what there is not.
Result<std::int64_t> largest_bar(const Host& host, const std::string& path) {
    constexpr std::size_t kBars = 6;
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto lines = split(*text, '\n');
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < std::min(lines.size(), kBars); ++i) {
        if (trim(lines[i]).empty()) continue;
        const auto fields = words(lines[i]);
        if (fields.size() != 3) return fail(Errc::bad_input, fmt::format("{}: '{}'", path, printable(lines[i])));
        const auto first = parse_hex(fields[0]), last = parse_hex(fields[1]);
        if (!first || !last || *last < *first) {
            return fail(Errc::bad_input, fmt::format("{}: no range: '{}'", path, printable(lines[i])));
        }
        if (*last > 0) largest = std::max(largest, *last - *first + 1);
    }
    if (largest == 0) return fail(Errc::not_supported, path + ": the firmware of the host gave it no memory");
    return static_cast<std::int64_t>(largest);
}

Result<Gpus> gpus_of(const Host& host, const std::vector<std::string>& addresses) {
    Gpus gpus;
    for (const std::string& address : addresses) {
        if (!is_pci_address(address)) continue;
        const std::string path = fmt::format("{}/{}", kDevices, address);
        const auto pci_class = id_in(host, path + "/class", 8);
        if (!pci_class) return tl::unexpected<Error>(pci_class.error());
        if (!pci_class->starts_with("0x03") && !pci_class->starts_with("0x12")) continue;
        const auto vendor = id_in(host, path + "/vendor", 6);
        if (!vendor) return tl::unexpected<Error>(vendor.error());
        if (!is_gpu(*pci_class, *vendor) || host.link(path + "/physfn")) continue;
        gpus.places.push_back(place_of(host, address));
        gpus.nvidia += *vendor == "0x10de";
        const auto bar = largest_bar(host, path + "/resource");
        if (!bar) {
            gpus.aperture = tl::unexpected<Error>(bar.error());
        } else if (!gpus.aperture || (*gpus.aperture && *bar < std::get<std::int64_t>(**gpus.aperture))) {
            gpus.aperture = Value(*bar);
        }
    }
    return gpus;
}

// The ports that requests between two devices below one switch go through; the device itself and what is above are not among them.
void add_ports(const Place& place, std::size_t common, std::set<std::string>& ports) {
    for (std::size_t i = common; i + 1 < place.hops.size(); ++i) ports.insert(place.hops[i]);
}

Result<Value> redirects(const Host& host, const std::set<std::string>& ports) {
    std::int64_t count = 0;
    for (const std::string& port : ports) {
        const std::string subject = "pci.config/" + port;
        const auto text = host.read(subject);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto record = parse_record(*text);
        if (!record) return fail(record.error().code, subject + ": " + record.error().what);
        const auto control = record->get("acs_control");
        if (!control) continue;  // the port has no such capability
        const auto bits = parse_counter(*control);
        if (!bits) return fail(bits.error().code, fmt::format("{}: acs_control: {}", subject, bits.error().what));
        count += redirects_peers(*bits);
    }
    return Value(count);
}

void plan_device(const Host& host, const Entity& device, const Place& place, const Gpus& gpus, Plan& plan) {
    std::optional<Distance> nearest;
    std::int64_t same_switch = 0, same_node = 0;
    bool unknown = false;
    std::optional<Error> node_error = place.node ? std::nullopt : std::optional(place.node.error());
    std::set<std::string> ports;
    for (const Place& gpu : gpus.places) {
        const auto one = distance(place, gpu);
        unknown = unknown || !one;
        if (one && (!nearest || *one < *nearest)) nearest = one;
        same_node += place.node && place.node == gpu.node;
        if (!gpu.node && !node_error) node_error = gpu.node.error();
        if (one != Distance::same_switch) continue;
        ++same_switch;
        const std::size_t common = common_hops(place, gpu);
        add_ports(place, common, ports);
        add_ports(gpu, common, ports);
    }
    plan.put(device, kSwitch, same_switch);
    if (nearest && !(nearest == Distance::remote && unknown)) {
        plan.put(device, kDistance, std::string(kDistances[static_cast<std::size_t>(*nearest)]));
    } else if (gpus.places.empty()) {
        plan.gap(device, kDistance, not_offered(fmt::format("{}: no GPU", kDevices)));
    } else {
        plan.gap(device, kDistance, gap_from(*node_error));
    }
    if (gpus.places.empty() || !node_error) {
        plan.put(device, kNode, same_node);
    } else {
        plan.gap(device, kNode, gap_from(*node_error));
    }
    plan.set(device, kRedirects, redirects(host, ports));
}

// A GPU whose own node is known is far when every adapter is known to be elsewhere.
Result<Value> far_gpus(const std::vector<Place>& adapters, const Gpus& gpus) {
    std::int64_t far = 0;
    for (const Place& gpu : gpus.places) {
        if (!gpu.node) return tl::unexpected<Error>(gpu.node.error());
        bool near = false;
        std::optional<Error> unknown;
        for (const Place& adapter : adapters) {
            near = near || gpu.node == adapter.node;
            if (!adapter.node) unknown = adapter.node.error();
        }
        if (!near && unknown) return tl::unexpected<Error>(*unknown);
        far += !near;
    }
    return Value(far);
}

void gap_host(const Error& error, Plan& plan) {
    for (const FactSpec* spec : {&kGpus, &kNvidia, &kFar, &kAperture, &kAdapters})
        plan.gap(kHost, *spec, gap_from(error));
}

void gap_device(const Entity& device, const Error& error, Plan& plan) {
    for (const FactSpec* spec : {&kDistance, &kSwitch, &kNode, &kRedirects}) plan.gap(device, *spec, gap_from(error));
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) {
        gap_host(devices.error(), plan);
        return plan.kind_gap(Kind::device, gap_from(devices.error()));
    }
    const auto addresses = list_subsystem(host, kDevices, "/sys/bus");
    auto found = addresses.and_then([&](const auto& names) { return gpus_of(host, names); });
    // Pasted text names some functions: that it names no GPU says nothing.
    const auto buses = host.list("/sys/bus");
    if (found && found->places.empty() && !buses && buses.error().code == Errc::not_collected) {
        found = tl::unexpected<Error>(buses.error());
    }
    if (!found) {
        gap_host(found.error(), plan);
        for (const RdmaDevice& device : *devices) gap_device(device.entity, found.error(), plan);
        return;
    }
    const Gpus& gpus = *found;
    plan.put(kHost, kGpus, static_cast<std::int64_t>(gpus.places.size()));
    plan.put(kHost, kNvidia, gpus.nvidia);
    if (gpus.aperture) {
        plan.set(kHost, kAperture, *gpus.aperture);
    } else {
        plan.gap(kHost, kAperture, not_offered(fmt::format("{}: no GPU", kDevices)));
    }
    std::map<std::string, Place> adapters;
    for (const RdmaDevice& device : *devices) {
        if (!device.pci) {
            gap_device(device.entity, device.pci.error(), plan);
            continue;
        }
        const Place place = place_of(host, *device.pci);
        plan_device(host, device.entity, place, gpus, plan);
        const bool own = !device.soft.value_or(true) && !host.link(fmt::format("{}/{}/physfn", kDevices, *device.pci));
        if (own) adapters.emplace(*device.pci, place);
    }
    plan.put(kHost, kAdapters, static_cast<std::int64_t>(adapters.size()));
    std::vector<Place> places;
    for (const auto& [address, place] : adapters) places.push_back(place);
    plan.set(kHost, kFar, far_gpus(places, gpus));
}

}  // namespace

extern const Collector gpu;
constinit const Collector gpu{"gpu", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
