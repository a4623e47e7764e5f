// SPDX-License-Identifier: GPL-2.0-or-later
// How much of the time work waits for a processor or for memory, as the kernel measures it itself. Shares over its last ten seconds: no
// two looks are needed.
#include <fmt/format.h>

#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "cpu_waiting", Type::real, Nature::gauge, "%",
     "Time in which some task was ready to run and had no CPU, of the last ten seconds: /proc/pressure/cpu"},
    {Kind::host, "memory_stalled", Type::real, Nature::gauge, "%",
     "Time in which all tasks waited for memory at once, of the last ten seconds: /proc/pressure/memory"},
};

const Entity kHost{Kind::host, ""};

// "some avg10=1.53 avg60=0.87 avg300=0.50 total=5462"
Result<Value> average(std::string_view text, std::string_view who) {
    constexpr std::string_view kKey = "avg10=";
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        if (fields.size() < 2 || fields[0] != who || !fields[1].starts_with(kKey)) continue;
        return parse_number(fields[1].substr(kKey.size())).map([](double share) { return Value(share); });
    }
    return fail(Errc::bad_input, fmt::format("no line \"{} {}…\"", who, kKey));
}
Result<Value> of_some(std::string_view text) { return average(text, "some"); }
Result<Value> of_all(std::string_view text) { return average(text, "full"); }

void discover(const Host&, Plan& plan) {
    plan.read("/proc/pressure/cpu", kHost, row(kFacts, Kind::host, "cpu_waiting"), of_some);
    plan.read("/proc/pressure/memory", kHost, row(kFacts, Kind::host, "memory_stalled"), of_all);
}

}  // namespace

extern const Collector pressure;
constinit const Collector pressure{"pressure", kFacts, {}, Seconds(5), Rediscover::on_change, discover};

}  // namespace rd::collectors
