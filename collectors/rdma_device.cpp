// SPDX-License-Identifier: GPL-2.0-or-later
// The host and its RDMA devices: what they are, which firmware they run. Asks no firmware.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "name", Type::text, Nature::config, "", "Host name"},
    {Kind::host, "kernel", Type::text, Nature::config, "", "Kernel release (uname -r)"},
    {Kind::host, "virtual", Type::boolean, Nature::config, "", "A virtual machine: CPU flag `hypervisor`"},
    {Kind::host, "rdma_core", Type::boolean, Nature::config, "", "ib_core is loaded: /sys/class/infiniband exists"},
    {Kind::device, "name", Type::text, Nature::config, "", "Name of the RDMA device (mlx5_0); may be renamed by udev"},
    reference(Kind::device, "pci", Kind::pci,
              "PCI function of the device; of soft-RoCE: of the netdev below it (/sys/class/infiniband/DEV/device)"),
    {Kind::device, "node_type", Type::text, Nature::config, "", "CA, RNIC (iWARP), switch …: file node_type"},
    {Kind::device, "node_guid", Type::text, Nature::config, "", "File node_guid"},
    {Kind::device, "sys_image_guid", Type::text, Nature::config, "",
     "Equal on all functions and ports of one card: file sys_image_guid"},
    {Kind::device, "firmware", Type::text, Nature::config, "",
     "Firmware version (28.39.1002): file fw_ver; empty for soft-RoCE and drivers without firmware"},
    {Kind::device, "board_id", Type::text, Nature::config, "",
     "Board (PSID, MT_0000000838): file board_id; bnxt_re, irdma, efa and soft-RoCE have none"},
    {Kind::device, "hca_type", Type::text, Nature::config, "",
     "Adapter type (MT4129): file hca_type; the format differs by driver, some have none"},
    {Kind::device, "protocol", Type::text, Nature::config, "",
     "roce, ib, iw, opa, usnic: netlink DEV_PROTOCOL, else from node type and link layer"},
    {Kind::device, "soft", Type::boolean, Nature::config, "",
     "Software on top of a netdev (rxe, siw): no parent device"},
};

const Entity kHost{Kind::host, ""};

constexpr const FactSpec& kFirmware = row(kFacts, Kind::device, "firmware");
constexpr const FactSpec& kProtocol = row(kFacts, Kind::device, "protocol");

constexpr Source kFiles[] = {
    {"node_type", row(kFacts, Kind::device, "node_type"), as_state_name},
    {"node_guid", row(kFacts, Kind::device, "node_guid"), as_guid},
    {"sys_image_guid", row(kFacts, Kind::device, "sys_image_guid"), as_guid},
    {"fw_ver", kFirmware, as_label},
};
// Files that only some drivers have.
constexpr Source kDriverFiles[] = {
    {"board_id", row(kFacts, Kind::device, "board_id"), as_label},
    {"hca_type", row(kFacts, Kind::device, "hca_type"), as_label},
};
// What RDMA netlink says of each device, by name.
using Records = std::unordered_map<std::string, Record>;

Result<Records> device_records(const Host& host) {
    const auto text = host.read("rdma.devices");
    if (!text) return tl::unexpected<Error>(text.error());
    auto records = parse_records(*text);
    if (!records) return fail(records.error().code, "rdma.devices: " + records.error().what);
    Records by_name;
    for (Record& record : *records) {
        if (auto name = record.get("name")) by_name.emplace(std::move(*name), std::move(record));
    }
    return by_name;
}

// Where netlink does not answer: iWARP has a node type of its own, and the link layer tells RoCE from InfiniBand.
Result<Value> protocol_from_files(const Host& host, const RdmaDevice& device, const Error& why) {
    const auto type = host.read(device.path + "/node_type");
    const auto node_type = type ? as_state_name(*type) : Result<Value>(tl::unexpected<Error>(type.error()));
    if (node_type == Value(std::string("RNIC"))) return Value(std::string("iw"));
    const auto layer = host.read(device.path + "/ports/1/link_layer");
    if (node_type == Value(std::string("CA")) && layer) {
        if (trim(*layer) == "Ethernet") return Value(std::string("roce"));
        if (trim(*layer) == "InfiniBand") return Value(std::string("ib"));
    }
    return tl::unexpected<Error>(why);
}

Result<Value> protocol_of(const Host& host, const RdmaDevice& device, const Result<Records>& records) {
    if (!records) return protocol_from_files(host, device, records.error());
    const auto record = records->find(device.name);
    const auto protocol = record == records->end() ? std::nullopt : record->second.get("protocol");
    if (protocol) return as_label(*protocol);
    return protocol_from_files(host, device, {Errc::not_supported, "rdma.devices: no protocol for " + device.name, {}});
}

void plan_device(const Host& host, const RdmaDevice& device, const Result<Records>& records, Plan& plan) {
    plan.put(device.entity, row(kFacts, Kind::device, "name"), device.name);
    const auto& pci = device.pci;
    plan.set(device.entity, row(kFacts, Kind::device, "pci"),
             pci.map([](const std::string& address) { return Value(pci_entity(address)); }));
    plan.set(device.entity, row(kFacts, Kind::device, "soft"), device.soft.map([](bool soft) { return Value(soft); }));
    plan.set(device.entity, kProtocol, protocol_of(host, device, records));

    plan.every(Seconds(60));
    for (const Source& file : kFiles) {
        plan.read(fmt::format("{}/{}", device.path, file.name), device.entity, file.spec, file.parser);
    }
    const auto listing = host.list(device.path);
    for (const Source& file : kDriverFiles) {
        const bool absent = listing && std::find(listing->begin(), listing->end(), file.name) == listing->end();
        const std::string path = fmt::format("{}/{}", device.path, file.name);
        if (absent) {
            plan.gap(device.entity, file.spec, not_offered(path + ": the driver of this device has no such file"));
        } else {
            plan.read(path, device.entity, file.spec, file.parser);
        }
    }
}

Value text_value(const std::string& text) { return Value(text); }

void plan_host(const Host& host, const Result<std::vector<RdmaDevice>>& devices, Plan& plan) {
    const HostIdentity& identity = host.identity();
    const auto known = [&](const FactSpec& spec, const std::string& text) {
        if (text.empty()) return plan.gap(kHost, spec, not_collected("the source does not say it"));
        plan.put(kHost, spec, text_value(text));
    };
    known(row(kFacts, Kind::host, "name"), identity.hostname);
    known(row(kFacts, Kind::host, "kernel"), identity.kernel);
    plan.put(kHost, row(kFacts, Kind::host, "virtual"), identity.hypervisor);
    const FactSpec& core = row(kFacts, Kind::host, "rdma_core");
    if (!devices) return plan.gap(kHost, core, gap_from(devices.error()));
    plan.put(kHost, core, !devices->empty() || host.list(kInfiniband).has_value());
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const auto devices = rdma_devices(host);
    plan_host(host, devices, plan);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    if (devices->empty()) return;
    const auto records = device_records(host);
    for (const RdmaDevice& device : *devices) plan_device(host, device, records, plan);
}

}  // namespace

extern const Collector rdma_device;
constinit const Collector rdma_device{"rdma_device", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
