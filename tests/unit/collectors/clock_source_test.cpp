// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> clocked_host() {
    auto host = roce_host();
    host->file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    return host;
}

TEST(ClockSource, OfAHost) {
    const Snapshot now = sweep(clocked_host(), {"clock_source"});
    EXPECT_EQ(value(now, Kind::host, "", "clocksource"), "tsc");
    expect_complete(now, collector("clock_source"));
}

TEST(ClockSource, SurvivesBadInput) { expect_bad_input_is_survived(clocked_host, "clock_source"); }

}  // namespace
}  // namespace rd::collectors::test
