// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel log says about the devices that are looked at, by class: how many lines, when the last one came, and its words.
//
// The log is a ring: old lines go, so a number may shrink and is no counter. Fresh is what matters, see the ages that are derived.
#include <fmt/format.h>

#include "collectors/common/functions.h"
#include "collectors/common/identity.h"
#include "collectors/common/kernel_log.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec lines_of(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::integer, Nature::gauge, "lines", doc};
}
constexpr FactSpec last_of(Kind kind, std::string_view name) {
    return {kind, name, Type::real, Nature::gauge, "seconds", "When the last such line came, since boot: kernel log"};
}
constexpr FactSpec text_of(Kind kind, std::string_view name) {
    return {kind, name, Type::text, Nature::gauge, "", "The last such line: kernel log"};
}

constexpr FactSpec kFacts[] = {
    {Kind::host, "log_begin", Type::real, Nature::gauge, "seconds",
     "Time of the oldest line that is still there, since boot: kernel log"},
    lines_of(Kind::host, "log_lines", "Lines of the kernel that are still there: kernel log"),
    lines_of(Kind::pci, "log_command_timeout",
             "A firmware command did not come back; what it held is lost until the driver is loaded again: kernel log"),
    last_of(Kind::pci, "log_command_timeout_at"),
    text_of(Kind::pci, "log_command_timeout_line"),
    lines_of(Kind::pci, "log_firmware_health",
             "The firmware reported a fault or stopped answering; a recovery that succeeded ends it: kernel log"),
    last_of(Kind::pci, "log_firmware_health_at"),
    text_of(Kind::pci, "log_firmware_health_line"),
    lines_of(
        Kind::pci, "log_command_refused",
        "The firmware refused a command; refusals of register access, which every boot has, are left out: kernel log"),
    last_of(Kind::pci, "log_command_refused_at"),
    text_of(Kind::pci, "log_command_refused_line"),
    lines_of(Kind::pci, "log_mkey_refused", "The firmware refused a memory key as malformed: kernel log"),
    last_of(Kind::pci, "log_mkey_refused_at"),
    text_of(Kind::pci, "log_mkey_refused_line"),
    lines_of(Kind::pci, "log_module_error", "A module or cable was refused, shorted, without memory …: kernel log"),
    last_of(Kind::pci, "log_module_error_at"),
    text_of(Kind::pci, "log_module_error_line"),
    lines_of(Kind::pci, "log_module_hot", "A module or the adapter was too hot: kernel log"),
    last_of(Kind::pci, "log_module_hot_at"),
    text_of(Kind::pci, "log_module_hot_line"),
    lines_of(Kind::pci, "log_slot_power",
             "The slot does not give the power that the adapter needs; \"sufficient power\" ends it: kernel log"),
    last_of(Kind::pci, "log_slot_power_at"),
    text_of(Kind::pci, "log_slot_power_line"),
    lines_of(
        Kind::pci, "log_aer_corrected",
        "PCI Express errors that were corrected, those that the firmware of the host handles included: kernel log"),
    last_of(Kind::pci, "log_aer_corrected_at"),
    text_of(Kind::pci, "log_aer_corrected_line"),
    lines_of(
        Kind::pci, "log_aer_uncorrected",
        "PCI Express errors that were not corrected, those that the firmware of the host handles included: kernel log"),
    last_of(Kind::pci, "log_aer_uncorrected_at"),
    text_of(Kind::pci, "log_aer_uncorrected_line"),
    lines_of(Kind::pci, "log_dma_fault", "The IOMMU refused an access of the device: kernel log"),
    last_of(Kind::pci, "log_dma_fault_at"),
    text_of(Kind::pci, "log_dma_fault_line"),
    lines_of(Kind::pci, "log_queue_error",
             "A completion queue overran, a queue pair failed (mlx5: Linux 6.3), or the driver met an abnormal event "
             "(irdma): kernel log"),
    last_of(Kind::pci, "log_queue_error_at"),
    text_of(Kind::pci, "log_queue_error_line"),
    lines_of(Kind::host, "log_nvme_timeout", "NVMe requests over a fabric timed out: kernel log"),
    last_of(Kind::host, "log_nvme_timeout_at"),
    text_of(Kind::host, "log_nvme_timeout_line"),
    lines_of(Kind::host, "log_nvme_reconnect", "NVMe controllers reconnect: kernel log"),
    last_of(Kind::host, "log_nvme_reconnect_at"),
    text_of(Kind::host, "log_nvme_reconnect_line"),
    lines_of(Kind::host, "log_nvme_refused", "NVMe connections were refused or failed: kernel log"),
    last_of(Kind::host, "log_nvme_refused_at"),
    text_of(Kind::host, "log_nvme_refused_line"),
};

struct Class {
    LogClass what;
    const FactSpec& count;
    const FactSpec& at;
    const FactSpec& line;
};
constexpr Class kOfFunction[] = {
    {LogClass::command_timeout, row(kFacts, Kind::pci, "log_command_timeout"),
     row(kFacts, Kind::pci, "log_command_timeout_at"), row(kFacts, Kind::pci, "log_command_timeout_line")},
    {LogClass::firmware_health, row(kFacts, Kind::pci, "log_firmware_health"),
     row(kFacts, Kind::pci, "log_firmware_health_at"), row(kFacts, Kind::pci, "log_firmware_health_line")},
    {LogClass::command_refused, row(kFacts, Kind::pci, "log_command_refused"),
     row(kFacts, Kind::pci, "log_command_refused_at"), row(kFacts, Kind::pci, "log_command_refused_line")},
    {LogClass::mkey_refused, row(kFacts, Kind::pci, "log_mkey_refused"), row(kFacts, Kind::pci, "log_mkey_refused_at"),
     row(kFacts, Kind::pci, "log_mkey_refused_line")},
    {LogClass::module_error, row(kFacts, Kind::pci, "log_module_error"), row(kFacts, Kind::pci, "log_module_error_at"),
     row(kFacts, Kind::pci, "log_module_error_line")},
    {LogClass::module_hot, row(kFacts, Kind::pci, "log_module_hot"), row(kFacts, Kind::pci, "log_module_hot_at"),
     row(kFacts, Kind::pci, "log_module_hot_line")},
    {LogClass::slot_power, row(kFacts, Kind::pci, "log_slot_power"), row(kFacts, Kind::pci, "log_slot_power_at"),
     row(kFacts, Kind::pci, "log_slot_power_line")},
    {LogClass::aer_corrected, row(kFacts, Kind::pci, "log_aer_corrected"),
     row(kFacts, Kind::pci, "log_aer_corrected_at"), row(kFacts, Kind::pci, "log_aer_corrected_line")},
    {LogClass::aer_uncorrected, row(kFacts, Kind::pci, "log_aer_uncorrected"),
     row(kFacts, Kind::pci, "log_aer_uncorrected_at"), row(kFacts, Kind::pci, "log_aer_uncorrected_line")},
    {LogClass::dma_fault, row(kFacts, Kind::pci, "log_dma_fault"), row(kFacts, Kind::pci, "log_dma_fault_at"),
     row(kFacts, Kind::pci, "log_dma_fault_line")},
    {LogClass::queue_error, row(kFacts, Kind::pci, "log_queue_error"), row(kFacts, Kind::pci, "log_queue_error_at"),
     row(kFacts, Kind::pci, "log_queue_error_line")},
};
constexpr Class kOfHost[] = {
    {LogClass::nvme_timeout, row(kFacts, Kind::host, "log_nvme_timeout"),
     row(kFacts, Kind::host, "log_nvme_timeout_at"), row(kFacts, Kind::host, "log_nvme_timeout_line")},
    {LogClass::nvme_reconnect, row(kFacts, Kind::host, "log_nvme_reconnect"),
     row(kFacts, Kind::host, "log_nvme_reconnect_at"), row(kFacts, Kind::host, "log_nvme_reconnect_line")},
    {LogClass::nvme_refused, row(kFacts, Kind::host, "log_nvme_refused"),
     row(kFacts, Kind::host, "log_nvme_refused_at"), row(kFacts, Kind::host, "log_nvme_refused_line")},
};
constexpr const FactSpec& kBegin = row(kFacts, Kind::host, "log_begin");
constexpr const FactSpec& kLines = row(kFacts, Kind::host, "log_lines");

constexpr std::string_view kSubject = "kmsg";
const Entity kHost{Kind::host, ""};

void put(const Entity& entity, std::span<const Class> classes, const LogTallies& tallies, Facts& out) {
    for (const Class& one : classes) {
        const LogTally& tally = tallies[one.what];
        out.put(entity, one.count, tally.count);
        if (tally.count == 0) {
            const Gap gap = not_offered(fmt::format("{}: no such line", kSubject));
            out.gap(entity, one.at, gap);
            out.gap(entity, one.line, gap);
            continue;
        }
        out.put(entity, one.at, tally.at);
        out.put(entity, one.line, tally.line);
    }
}

void cover(const Entity& entity, std::span<const Class> classes, std::vector<Cover>& covers) {
    for (const Class& one : classes) {
        for (const FactSpec* spec : {&one.count, &one.at, &one.line}) covers.push_back({entity, spec});
    }
}

LogNames names_on(const Host& host) {
    LogNames names;
    for (const RdmaDevice& device : rdma_devices(host).value_or(std::vector<RdmaDevice>{})) {
        if (device.pci) names.emplace(device.name, *device.pci);
    }
    for (const Netdev& netdev : netdevs(host).value_or(std::vector<Netdev>{})) {
        if (netdev.pci) names.emplace(netdev.name, *netdev.pci);
    }
    return names;
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const PciFunctions functions = pci_functions(host);
    if (functions.gap) plan.kind_gap(Kind::pci, *functions.gap);
    std::vector<Cover> covers{{kHost, &kBegin}, {kHost, &kLines}};
    cover(kHost, kOfHost, covers);
    std::vector<std::string> addresses;
    for (const PciFunction& function : functions.found) {
        addresses.push_back(function.address);
        cover(pci_entity(function.address), kOfFunction, covers);
    }
    plan.lane("kernel log");
    plan.decode(std::string(kSubject), covers, [=, names = names_on(host)](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            const Error error{records.error().code, fmt::format("{}: {}", kSubject, records.error().what), {}};
            return gap_all(covers, gap_from(error), out);
        }
        KernelLog log = read_kernel_log(*records, names);
        out.put(kHost, kLines, log.lines);
        if (log.begin) {
            out.put(kHost, kBegin, *log.begin);
        } else {
            out.gap(kHost, kBegin, not_offered(fmt::format("{}: the log is empty", kSubject)));
        }
        put(kHost, kOfHost, log.all, out);
        for (const std::string& address : addresses)
            put(pci_entity(address), kOfFunction, log.by_address[address], out);
    });
}

}  // namespace

extern const Collector kmsg;
constinit const Collector kmsg{"kmsg", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
