// SPDX-License-Identifier: GPL-2.0-or-later
// How often the mlx5 driver made and removed memory keys: registrations that its caches could not serve. Software counters of the
// command interface; reading them asks the firmware nothing.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view doc) {
    return {Kind::device, name, Type::integer, Nature::counter, "", doc};
}

constexpr FactSpec kFacts[] = {
    counter("mkeys_created", "Memory keys that the firmware was asked for: debugfs mlx5 commands/CREATE_MKEY/n"),
    counter("mkeys_refused", "Memory keys that the firmware refused: debugfs mlx5 commands/CREATE_MKEY/failed"),
    {Kind::device, "mkey_create_time", Type::integer, Nature::gauge, "ns",
     "Time of one such command, average since the driver was loaded: debugfs mlx5 commands/CREATE_MKEY/average"},
    counter("mkeys_destroyed", "Memory keys that were given back: debugfs mlx5 commands/DESTROY_MKEY/n"),
    {Kind::device, "commands_in_flight", Type::integer, Nature::gauge, "",
     "Firmware commands that wait for an answer now: debugfs mlx5 commands/slots_inuse"},
};

constexpr Source kFiles[] = {
    {"CREATE_MKEY/n", row(kFacts, Kind::device, "mkeys_created"), as_counter},
    {"CREATE_MKEY/failed", row(kFacts, Kind::device, "mkeys_refused"), as_counter},
    {"CREATE_MKEY/average", row(kFacts, Kind::device, "mkey_create_time"), as_counter},
    {"DESTROY_MKEY/n", row(kFacts, Kind::device, "mkeys_destroyed"), as_counter},
    {"slots_inuse", row(kFacts, Kind::device, "commands_in_flight"), as_counter},
};

constexpr std::string_view kDebug = "/sys/kernel/debug/mlx5";

// Under the name of the function, or of the sub-function: 0000:41:00.0, mlx5_core.sf.4.
std::string directory_of(const Host& host, const RdmaDevice& device) {
    const auto real = host.link(device.path);
    const auto place = real ? pci_place(*real) : std::nullopt;
    const bool part = place && !place->part.empty();
    return fmt::format("{}/{}/commands", kDebug, part ? "mlx5_core." + place->part : device.pci.value_or("?"));
}

bool is_mlx5(const Host& host, const RdmaDevice& device) {
    const auto driver = host.link(device.path + "/device/driver");
    if (driver) return driver->ends_with("/mlx5_core") || driver->ends_with("/mlx5_core.sf");
    return device.name.starts_with("mlx5_");
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        const bool counted = device.pci && !device.soft.value_or(false) && is_mlx5(host, device);
        for (const Source& file : kFiles) {
            if (counted) {
                plan.read(fmt::format("{}/{}", directory_of(host, device), file.name), device.entity, file.spec,
                          file.parser);
            } else {
                plan.gap(device.entity, file.spec,
                         not_offered(fmt::format("{}: only mlx5 counts its commands", device.path)));
            }
        }
    }
}

}  // namespace

extern const Collector mlx5_commands;
constinit const Collector mlx5_commands{"mlx5_commands", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
