// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> pressed_host() {
    auto host = roce_host();
    host->file("/proc/pressure/cpu",
               "some avg10=12.50 avg60=3.00 avg300=0.50 total=5462\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        .file("/proc/pressure/memory",
              "some avg10=7.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=1.25 avg60=0.00 avg300=0.00 total=3\n");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"pressure"}); }

TEST(Pressure, OfAHost) {
    const Snapshot now = look(pressed_host());
    EXPECT_EQ(value(now, Kind::host, "", "cpu_waiting"), "12.5") << "some, not full";
    EXPECT_EQ(value(now, Kind::host, "", "memory_stalled"), "1.25") << "full, not some";
    expect_complete(now, collector("pressure"));
}

TEST(Pressure, KernelsBefore513HaveNoFullLineOfTheProcessor) {
    const auto host = pressed_host();
    host->file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
    EXPECT_EQ(value(look(host), Kind::host, "", "cpu_waiting"), "0");
    host->file("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
    EXPECT_EQ(value(look(host), Kind::host, "", "memory_stalled"), "gap(error)");
}

TEST(Pressure, SurvivesBadInput) { expect_bad_input_is_survived(pressed_host, "pressure"); }

}  // namespace
}  // namespace rd::collectors::test
