// SPDX-License-Identifier: GPL-2.0-or-later
// PCI Express errors that the kernel counted on each hop between an RDMA device and its root port, since boot or hotplug.
//
// They are there only where the operating system handles these errors. Where the firmware of the host does (firmware first),
// the files are missing or stay at zero, and only the kernel log speaks.
#include <fmt/format.h>

#include "collectors/common/functions.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view doc) {
    return {Kind::pci, name, Type::integer, Nature::counter, "", doc};
}

constexpr FactSpec kFacts[] = {
    counter("aer_correctable", "Errors that were corrected: file aer_dev_correctable, TOTAL_ERR_COR"),
    counter("aer_nonfatal",
            "Uncorrectable errors that left the link usable: file aer_dev_nonfatal, TOTAL_ERR_NONFATAL"),
    counter("aer_fatal", "Uncorrectable errors that need a reset: file aer_dev_fatal, TOTAL_ERR_FATAL"),
    counter("aer_receiver_errors", "Symbols or packets received in error: file aer_dev_correctable, RxErr"),
    counter("aer_bad_tlp", "Packets received with a bad checksum or sequence: file aer_dev_correctable, BadTLP"),
    counter("aer_bad_dllp", "Link packets received with a bad checksum: file aer_dev_correctable, BadDLLP"),
    counter("aer_replay_rollover", "Four replays in a row, then a retraining: file aer_dev_correctable, Rollover"),
    counter("aer_replay_timeout", "The other end did not acknowledge in time: file aer_dev_correctable, Timeout"),
    counter("aer_advisory", "Uncorrectable errors reported as advisory: file aer_dev_correctable, NonFatalErr"),
    {Kind::pci, "aer_nonfatal_kinds", Type::text, Nature::gauge, "",
     "The non-fatal errors there were (CmpltTO 2, PoisonTLPBlocked 1), or none: file aer_dev_nonfatal"},
    {Kind::pci, "aer_fatal_kinds", Type::text, Nature::gauge, "",
     "The fatal errors there were (DLP 1, SDES 1), or none: file aer_dev_fatal"},
    counter("aer_root_correctable", "Messages of corrected errors from below: file aer_rootport_total_err_cor"),
    counter("aer_root_nonfatal", "Messages of non-fatal errors from below: file aer_rootport_total_err_nonfatal"),
    counter("aer_root_fatal", "Messages of fatal errors from below: file aer_rootport_total_err_fatal"),
};

constexpr const FactSpec& kNonfatalKinds = row(kFacts, Kind::pci, "aer_nonfatal_kinds");
constexpr const FactSpec& kFatalKinds = row(kFacts, Kind::pci, "aer_fatal_kinds");

constexpr Source kCorrectable[] = {
    {"TOTAL_ERR_COR", row(kFacts, Kind::pci, "aer_correctable"), as_counter},
    {"RxErr", row(kFacts, Kind::pci, "aer_receiver_errors"), as_counter},
    {"BadTLP", row(kFacts, Kind::pci, "aer_bad_tlp"), as_counter},
    {"BadDLLP", row(kFacts, Kind::pci, "aer_bad_dllp"), as_counter},
    {"Rollover", row(kFacts, Kind::pci, "aer_replay_rollover"), as_counter},
    {"Timeout", row(kFacts, Kind::pci, "aer_replay_timeout"), as_counter},
    {"NonFatalErr", row(kFacts, Kind::pci, "aer_advisory"), as_counter},
};
constexpr Source kNonfatal[] = {{"TOTAL_ERR_NONFATAL", row(kFacts, Kind::pci, "aer_nonfatal"), as_counter}};
constexpr Source kFatal[] = {{"TOTAL_ERR_FATAL", row(kFacts, Kind::pci, "aer_fatal"), as_counter}};
constexpr Source kRootFiles[] = {
    {"aer_rootport_total_err_cor", row(kFacts, Kind::pci, "aer_root_correctable"), as_counter},
    {"aer_rootport_total_err_nonfatal", row(kFacts, Kind::pci, "aer_root_nonfatal"), as_counter},
    {"aer_rootport_total_err_fatal", row(kFacts, Kind::pci, "aer_root_fatal"), as_counter},
};

// Lines "NAME COUNT", the total among them.
Result<Record> counts_of(const std::string& path, std::string_view text) {
    Record record;
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.empty()) continue;
        if (fields.size() != 2 || !parse_counter(fields[1])) {
            return fail(Errc::bad_input, fmt::format("{}: not a count: '{}'", path, printable(line)));
        }
        record.set(fields[0], fields[1]);
    }
    return record;
}

std::string kinds_of(const Record& record) {
    std::string kinds;
    for (const auto& [name, count] : record.fields()) {
        if (count == "0" || name.starts_with("TOTAL")) continue;
        kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", printable(name), count);
    }
    return kinds.empty() ? "none" : kinds;
}

// `kinds`: where their names go, nullptr when each kind has a row.
void plan_counts(const std::string& path, const Entity& entity, std::span<const Source> sources, const FactSpec* kinds,
                 Plan& plan) {
    std::vector<Cover> covers = covers_of(entity, sources);
    if (kinds != nullptr) covers.push_back({entity, kinds});
    plan.decode(path, covers, [=](std::string_view text, Facts& out) {
        const auto record = counts_of(path, text);
        if (!record) return gap_all(covers, gap_from(record.error()), out);
        Answer(path, *record).put(entity, sources, out, "this kernel does not count it");
        if (kinds != nullptr) out.put(entity, *kinds, kinds_of(*record));
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.watch(std::string(kNet));
    const PciFunctions functions = pci_functions(host);
    if (functions.gap) plan.kind_gap(Kind::pci, *functions.gap);
    for (const PciFunction& function : functions.found) {
        const Entity entity = pci_entity(function.address);
        const std::string path = pci_path_of(function.address);
        plan.lane("pci " + function.address);
        plan_counts(path + "/aer_dev_correctable", entity, kCorrectable, nullptr, plan);
        plan_counts(path + "/aer_dev_nonfatal", entity, kNonfatal, &kNonfatalKinds, plan);
        plan_counts(path + "/aer_dev_fatal", entity, kFatal, &kFatalKinds, plan);
        for (const Source& file : kRootFiles) {
            plan.read(fmt::format("{}/{}", path, file.name), entity, file.spec, file.parser);
        }
    }
}

}  // namespace

extern const Collector pci_errors;
constinit const Collector pci_errors{"pci_errors", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
