// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

// A chain of virtual netdevs (VLAN on bond on port) is followed no further.
constexpr int kMostLayers = 4;
// Entries of a GID table looked at: the first ones belong to the netdev itself.
constexpr std::size_t kMostGids = 16;

bool is_soft_path(std::string_view real) { return real.find("/devices/virtual/") != std::string_view::npos; }

std::optional<std::string> word(const Host& host, const std::string& path) {
    const auto text = host.read(path);
    if (!text) return std::nullopt;
    auto label = as_label(*text);
    if (!label) return std::nullopt;
    return std::get<std::string>(std::move(*label));
}

Error virtual_netdev(std::string_view name) {
    return {Errc::not_supported, fmt::format("{}/{}/device: a virtual device has no PCI function", kNet, name), {}};
}

// The PCI function of a netdev, or of what lies below a VLAN, a bond and their like.
Result<PciPlace> place_of_netdev(const Host& host, const std::string& name, int layers) {
    const std::string path = fmt::format("{}/{}", kNet, name);
    const auto device = host.link(path + "/device");
    if (device) {
        if (auto place = pci_place(*device)) return std::move(*place);
        return fail(Errc::not_supported, path + "/device: not a PCI device: " + *device);
    }
    if (layers > 0) {
        for (const std::string& entry : host.list(path).value_or(std::vector<std::string>{})) {
            if (!entry.starts_with("lower_")) continue;
            if (auto place = place_of_netdev(host, entry.substr(6), layers - 1)) return place;
        }
    }
    if (device.error().code == Errc::not_found) return tl::unexpected<Error>(virtual_netdev(name));
    return tl::unexpected<Error>(device.error());
}

std::string id_without_pci(const Host& host, const RdmaDevice& device) {
    const auto text = host.read(device.path + "/node_guid");
    const auto guid = text ? as_guid(*text) : Result<Value>(fail(Errc::not_found, {}));
    if (guid) {
        const auto& digits = std::get<std::string>(*guid);
        if (digits.find_first_not_of("0:") != std::string::npos) return "guid-" + digits;
    }
    return "name-" + device.name;
}

Result<bool> is_soft(const Host& host, const RdmaDevice& device, const Result<std::string>& link) {
    if (link) return is_soft_path(*link);
    const auto self = host.link(device.path);
    if ((self && is_soft_path(*self)) || device.parent) return true;
    if (link.error().code == Errc::not_found) return true;
    return tl::unexpected<Error>(link.error());
}

Result<std::string> pci_of_soft(const Host& host, const RdmaDevice& device) {
    std::optional<std::string> below = device.parent;
    if (!below) {
        const std::string subject = fmt::format("rdma.port/{}/1", device.name);
        const auto text = host.read(subject);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto record = parse_record(*text);
        if (record) below = record->get("netdev");
    }
    if (!below) return fail(Errc::not_supported, device.path + ": no netdev below this software device");
    auto place = place_of_netdev(host, *below, kMostLayers);
    if (!place) return tl::unexpected<Error>(std::move(place.error()));
    return std::move(place->address);
}

RdmaDevice device_named(const Host& host, const std::string& name) {
    RdmaDevice device{name, fmt::format("{}/{}", kInfiniband, name), {Kind::device, {}}, std::string(), false, {},
                      name};
    const auto link = host.link(device.path + "/device");
    if (!link) device.parent = word(host, device.path + "/parent");
    device.soft = is_soft(host, device, link);
    const auto place = link && !device.soft.value_or(false) ? pci_place(*link) : std::nullopt;
    if (place) {
        device.pci = device.lane = place->address;
        device.entity.id = "pci-" + place->address + (place->part.empty() ? "" : "#" + place->part);
        return device;
    }
    if (device.soft.value_or(false)) {
        device.pci = pci_of_soft(host, device);
    } else if (link) {
        device.pci = fail(Errc::not_supported, device.path + "/device: not a PCI device: " + *link);
    } else {
        device.pci = tl::unexpected<Error>(link.error());
    }
    device.entity.id = id_without_pci(host, device);
    return device;
}

// "pf0vf3", "pf0sf88", "c1pf0": stands for a function elsewhere. The uplink is "p0".
bool is_representor(const std::string& port_name) {
    return port_name.starts_with("pf") || (port_name.starts_with("c") && port_name.find("pf") != std::string::npos);
}

// What the switch driver calls the port a netdev stands for ("pf0vf3"); empty for ordinary netdevs.
std::string port_name_of(const Host& host, const Netdev& netdev) {
    return word(host, netdev.path + "/phys_port_name").value_or(std::string());
}

void part_netdevs(const Host& host, std::vector<Netdev*>& same) {
    std::vector<std::string> port_names;
    for (const Netdev* netdev : same) port_names.push_back(port_name_of(host, *netdev));
    const auto own = std::find_if_not(port_names.begin(), port_names.end(), is_representor);
    const std::size_t first = own == port_names.end() ? 0 : static_cast<std::size_t>(own - port_names.begin());
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (i == first) continue;
        same[i]->entity.id += "#" + (is_representor(port_names[i]) ? port_names[i] : same[i]->name);
    }
}

}  // namespace

std::optional<PciPlace> pci_place(std::string_view path) {
    std::optional<PciPlace> place;
    for (const std::string_view part : split(path, '/')) {
        if (is_pci_address(part)) {
            place = PciPlace{std::string(part), {}};
        } else if (place && part.starts_with("usb")) {
            return std::nullopt;
        } else if (const std::size_t at = part.find(".sf."); place && at != std::string_view::npos) {
            place->part = part.substr(at + 1);
        }
    }
    return place;
}

std::vector<std::string> pci_path(std::string_view path) {
    std::vector<std::string> hops;
    for (const std::string_view part : split(path, '/')) {
        if (is_pci_address(part)) hops.emplace_back(part);
    }
    return hops;
}

Entity pci_entity(std::string_view address) { return {Kind::pci, std::string(address)}; }
Entity numa_entity(std::int64_t node) { return {Kind::numa, std::to_string(node)}; }

Result<std::vector<std::string>> list_subsystem(const Host& host, std::string_view path, std::string_view siblings) {
    auto names = host.list(path);
    if (names || names.error().code != Errc::not_found) return names;
    const auto others = host.list(siblings);
    if (others) return std::vector<std::string>{};
    if (others.error().code != Errc::not_found) return others;
    return fail(Errc::not_collected, names.error().what, fmt::format("use a source that holds {}", siblings));
}

Result<std::vector<RdmaDevice>> rdma_devices(const Host& host) {
    std::vector<RdmaDevice> devices;
    const auto names = list_subsystem(host, kInfiniband, "/sys/class");
    if (!names) return tl::unexpected<Error>(names.error());
    std::map<std::string, int> taken;
    for (const std::string& name : *names) {
        RdmaDevice& device = devices.emplace_back(device_named(host, name));
        if (taken[device.entity.id]++ > 0) device.entity.id += "#" + name;
    }
    return devices;
}

Result<std::vector<int>> port_numbers(const Host& host, const RdmaDevice& device) {
    const auto names = host.list(device.path + "/ports");
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<int> numbers;
    for (const std::string& name : *names) {
        const auto number = parse_integer(name);
        if (number && *number > 0 && *number < 256) numbers.push_back(static_cast<int>(*number));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Entity port_entity(const RdmaDevice& device, int number) {
    return {Kind::port, fmt::format("{}/{}", device.entity.id, number)};
}

Result<std::vector<Netdev>> netdevs(const Host& host) {
    const auto names = host.list(kNet);
    if (!names && names.error().code == Errc::not_found) {
        return fail(Errc::not_collected, names.error().what, fmt::format("use a source that holds {}", kNet));
    }
    if (!names) return tl::unexpected<Error>(names.error());
    std::vector<Netdev> found;
    for (const std::string& name : *names) {
        if (name == "bonding_masters") continue;  // a file, not a netdev
        Netdev netdev{name, fmt::format("{}/{}", kNet, name), {Kind::netdev, "name-" + name}, std::string(), name};
        auto place = place_of_netdev(host, name, 0);
        if (place) {
            const auto text = host.read(netdev.path + "/dev_port");
            const auto port = text ? parse_integer(*text) : Result<std::int64_t>(0);
            netdev.entity.id = fmt::format("pci-{}{}{}/{}", place->address, place->part.empty() ? "" : "#", place->part,
                                           port ? std::max<std::int64_t>(*port, 0) : 0);
            netdev.pci = netdev.lane = place->address;
        } else {
            netdev.pci = tl::unexpected<Error>(std::move(place.error()));
        }
        found.push_back(std::move(netdev));
    }
    std::map<std::string, std::vector<Netdev*>> by_id;
    for (Netdev& netdev : found) by_id[netdev.entity.id].push_back(&netdev);
    for (auto& [id, same] : by_id) {
        if (same.size() > 1) part_netdevs(host, same);
    }
    return found;
}

NetdevIndex::NetdevIndex(const std::vector<Netdev>& netdevs) {
    for (const Netdev& netdev : netdevs) {
        by_name_.emplace(netdev.name, &netdev);
        by_id_.emplace(netdev.entity.id, &netdev);
    }
}

const Netdev* NetdevIndex::named(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

const Netdev* NetdevIndex::with_id(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

Result<Entity> netdev_of_port(const Host& host, const RdmaDevice& device, int number, const NetdevIndex& netdevs) {
    const auto named = [&](const std::optional<std::string>& name) { return name ? netdevs.named(*name) : nullptr; };
    if (const auto text = host.read(fmt::format("rdma.port/{}/{}", device.name, number))) {
        const auto record = parse_record(*text);
        if (const Netdev* netdev = record ? named(record->get("netdev")) : nullptr) return netdev->entity;
    }
    const std::string table = fmt::format("{}/ports/{}/gid_attrs/ndevs", device.path, number);
    for (std::size_t i = 0; i < kMostGids; ++i) {
        if (const Netdev* netdev = named(word(host, fmt::format("{}/{}", table, i)))) return netdev->entity;
    }
    if (const Netdev* netdev = named(device.parent)) return netdev->entity;
    if (const Netdev* netdev = netdevs.with_id(fmt::format("{}/{}", device.entity.id, number - 1))) {
        return netdev->entity;
    }
    return fail(
        Errc::not_supported,
        fmt::format("{}/ports/{}: no netdev in this network namespace belongs to this port", device.path, number));
}

}  // namespace rd::collectors
