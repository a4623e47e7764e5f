// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kFolder = "/sys/devices/system/edac/mc";

std::shared_ptr<FakeHost> counting_host() {
    auto host = roce_host();
    host->directory(kFolder, {"mc0", "mc1", "power", "uevent"});
    for (const std::string name : {"mc0", "mc1"})
        host->file(kFolder + "/" + name + "/ce_count", "3\n").file(kFolder + "/" + name + "/ue_count", "0\n");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"memory_errors"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(MemoryErrors, OfAllControllers) {
    const Snapshot now = look(counting_host());
    EXPECT_EQ(of(now, "memory_errors_corrected"), "6");
    EXPECT_EQ(of(now, "memory_errors_uncorrected"), "0");
    expect_complete(now, collector("memory_errors"));
}

TEST(MemoryErrors, NoControllerReports) {
    const auto host = counting_host();
    host->directory(kFolder, {"power"});
    EXPECT_EQ(of(look(host), "memory_errors_corrected"), "gap(not offered)");
    expect_complete(look(roce_host()), collector("memory_errors"));
}

TEST(MemoryErrors, ACounterThatCannotBeReadIsNotLeftOut) {
    const auto host = counting_host();
    host->file(kFolder + "/mc1/ce_count", "many\n");
    EXPECT_EQ(of(look(host), "memory_errors_corrected"), "gap(error)");
    EXPECT_EQ(of(look(host), "memory_errors_uncorrected"), "0");
}

TEST(MemoryErrors, SurvivesBadInput) { expect_bad_input_is_survived(counting_host, "memory_errors"); }

}  // namespace
}  // namespace rd::collectors::test
