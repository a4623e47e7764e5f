// SPDX-License-Identifier: GPL-2.0-or-later
// Errors of the memory of the host, as its memory controllers count them (EDAC). Correcting one costs time on all processors when the
// firmware does it, and registered memory is not moved away from a bad place.
#include <fmt/format.h>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "memory_errors_corrected", Type::integer, Nature::counter, "errors",
     "Errors of memory that were corrected, of all controllers: /sys/devices/system/edac/mc/mcN/ce_count"},
    {Kind::host, "memory_errors_uncorrected", Type::integer, Nature::counter, "errors",
     "Errors of memory that could not be corrected: /sys/devices/system/edac/mc/mcN/ue_count"},
};

const Entity kHost{Kind::host, ""};
constexpr std::string_view kControllers = "/sys/devices/system/edac/mc";

Result<Value> sum(const Host& host, const std::vector<std::string>& controllers, std::string_view file) {
    std::int64_t total = 0;
    for (const std::string& controller : controllers) {
        const std::string path = fmt::format("{}/{}/{}", kControllers, controller, file);
        const auto text = host.read(path);
        if (!text) return tl::unexpected<Error>(text.error());
        const auto count = parse_counter(*text);
        if (!count) return tl::unexpected<Error>(named(path, count.error()));
        total += *count;
    }
    return Value(total);
}

void discover(const Host& host, Plan& plan) {
    const FactSpec &corrected = row(kFacts, Kind::host, "memory_errors_corrected"),
                   &uncorrected = row(kFacts, Kind::host, "memory_errors_uncorrected");
    const auto both = [&](const Gap& gap) {
        plan.gap(kHost, corrected, gap);
        plan.gap(kHost, uncorrected, gap);
    };
    const auto names = list_subsystem(host, kControllers, "/sys/devices/system");
    if (!names) return both(gap_from(names.error()));
    std::vector<std::string> controllers;
    for (const std::string& name : *names) {
        if (number_after(name, "mc") >= 0) controllers.push_back(name);
    }
    if (controllers.empty())
        return both(not_offered(fmt::format("{}: no memory controller reports here", kControllers)));
    plan.set(kHost, corrected, sum(host, controllers, "ce_count"));
    plan.set(kHost, uncorrected, sum(host, controllers, "ue_count"));
}

}  // namespace

extern const Collector memory_errors;
constinit const Collector memory_errors{"memory_errors", kFacts, {}, Seconds(10), Rediscover::always, discover};

}  // namespace rd::collectors
