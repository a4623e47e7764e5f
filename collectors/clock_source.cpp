// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel reads the time from. Programs that measure latency or poll with a time-out ask for the time in each turn; with a clock
// that a program cannot read by itself, each of these questions is a call of the kernel or an access of a device.
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "clocksource", Type::text, Nature::config, "",
     "tsc, kvm-clock, hpet, acpi_pm, arch_sys_counter …: "
     "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
};

void discover(const Host&, Plan& plan) {
    plan.read("/sys/devices/system/clocksource/clocksource0/current_clocksource", {Kind::host, ""},
              row(kFacts, Kind::host, "clocksource"), as_label);
}

}  // namespace

extern const Collector clock_source;
constinit const Collector clock_source{"clock_source", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
