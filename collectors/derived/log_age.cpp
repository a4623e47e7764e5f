// SPDX-License-Identifier: GPL-2.0-or-later
// How long ago the kernel log said something: a line from the last start of the driver says nothing about now.
#include <algorithm>
#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec age(Kind kind, std::string_view name) {
    return {kind, name, Type::real, Nature::gauge, "seconds", "Time since the last such line: kernel log"};
}

constexpr FactSpec kFacts[] = {
    age(Kind::pci, "log_command_timeout_age"), age(Kind::pci, "log_firmware_health_age"),
    age(Kind::pci, "log_command_refused_age"), age(Kind::pci, "log_mkey_refused_age"),
    age(Kind::pci, "log_module_error_age"),    age(Kind::pci, "log_module_hot_age"),
    age(Kind::pci, "log_slot_power_age"),      age(Kind::pci, "log_aer_corrected_age"),
    age(Kind::pci, "log_aer_uncorrected_age"), age(Kind::pci, "log_dma_fault_age"),
    age(Kind::pci, "log_queue_error_age"),     age(Kind::host, "log_nvme_timeout_age"),
    age(Kind::host, "log_nvme_reconnect_age"), age(Kind::host, "log_nvme_refused_age"),
};

// In the order of the rows.
constexpr std::array<std::string_view, std::size(kFacts)> kReads{
    "pci.log_command_timeout_at", "pci.log_firmware_health_at", "pci.log_command_refused_at",
    "pci.log_mkey_refused_at",    "pci.log_module_error_at",    "pci.log_module_hot_at",
    "pci.log_slot_power_at",      "pci.log_aer_corrected_at",   "pci.log_aer_uncorrected_at",
    "pci.log_dma_fault_at",       "pci.log_queue_error_at",     "host.log_nvme_timeout_at",
    "host.log_nvme_reconnect_at", "host.log_nvme_refused_at",
};

consteval bool are_pairs() {
    for (std::size_t i = 0; i < std::size(kFacts); ++i) {
        const std::string_view name = kFacts[i].name, read = kReads[i].substr(kReads[i].find('.') + 1);
        if (name.substr(0, name.rfind('_')) != read.substr(0, read.rfind('_'))) return false;
    }
    return true;
}
static_assert(are_pairs());

void derive(const Site&, Snapshot& snapshot) {
    const double now = static_cast<double>(snapshot.stamp().boot_ns) / 1e9;
    for (std::size_t i = 0; i < std::size(kFacts); ++i) {
        const FactSpec& spec = kFacts[i];
        const std::string_view at = kReads[i].substr(kReads[i].find('.') + 1);
        for (const Entity& entity : snapshot.entities(spec.kind)) {
            if (const auto time = snapshot.real(entity, at)) {
                snapshot.put(entity, spec, std::max(now - *time, 0.0));
            } else {
                snapshot.gap(entity, spec, needs(snapshot, entity, at));
            }
        }
    }
}

}  // namespace

extern const Derivation log_age;
constinit const Derivation log_age{"log_age", kFacts, kReads, derive};

}  // namespace rd::collectors
