// SPDX-License-Identifier: GPL-2.0-or-later
// How hot the adapters are, from the sensors their drivers register with the kernel (hwmon; mlx5 since Linux 6.7, bnxt and ice). The
// first sensor is the chip itself; those of modules are read from the modules.
#include <fmt/format.h>

#include <optional>

#include "collectors/common/files.h"
#include "collectors/common/functions.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::pci, "temperature", Type::real, Nature::gauge, "°C", "Temperature of the adapter's chip: hwmon temp1_input"},
    {Kind::pci, "temperature_critical", Type::real, Nature::config, "°C",
     "Where its maker calls it critical: hwmon temp1_crit, else temp1_max"},
};

constexpr const FactSpec& kTemperature = row(kFacts, Kind::pci, "temperature");
constexpr const FactSpec& kCritical = row(kFacts, Kind::pci, "temperature_critical");

// Thousandths of a degree; below zero where the adapter is cold.
Result<Value> as_degrees(std::string_view text) {
    const auto thousandths = parse_integer(text);
    if (!thousandths) return tl::unexpected<Error>(thousandths.error());
    return Value(static_cast<double>(*thousandths) / 1000.0);
}

Result<Value> critical_of(const Host& host, const std::string& folder) {
    auto value = read_value(host, folder + "/temp1_crit", as_degrees);
    if (!value && value.error().code == Errc::not_found) value = read_value(host, folder + "/temp1_max", as_degrees);
    return value;
}

void plan_function(const Host& host, const PciFunction& function, Plan& plan) {
    const Entity entity = pci_entity(function.address);
    const std::string parent = pci_path_of(function.address) + "/hwmon";
    const auto sensors = host.list(parent);
    const auto none = [&](const Gap& gap) {
        plan.gap(entity, kTemperature, gap);
        plan.gap(entity, kCritical, gap);
    };
    if (!sensors && sensors.error().code != Errc::not_found) return none(gap_from(sensors.error()));
    if (!sensors || sensors->empty()) return none(not_offered(parent + ": its driver registers no sensor"));
    const std::string folder = fmt::format("{}/{}", parent, sensors->front());
    plan.lane(function.address);
    plan.read(folder + "/temp1_input", entity, kTemperature, as_degrees);
    plan.set(entity, kCritical, critical_of(host, folder));
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const PciFunctions functions = pci_functions(host);
    if (functions.gap) plan.kind_gap(Kind::pci, *functions.gap);
    for (const PciFunction& function : functions.found) plan_function(host, function, plan);
}

}  // namespace

extern const Collector temperature;
constinit const Collector temperature{"temperature", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
