// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kFolder = "/sys/bus/pci/devices/0000:41:00.0/hwmon";

std::shared_ptr<FakeHost> warm_host() {
    auto host = roce_host();
    host->directory(kFolder, {"hwmon4"})
        .file(kFolder + "/hwmon4/temp1_input", "61500\n")
        .file(kFolder + "/hwmon4/temp1_crit", "105000\n");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"temperature"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::pci, "0000:41:00.0", fact); }

TEST(Temperature, OfAnAdapter) {
    const Snapshot now = look(warm_host());
    EXPECT_EQ(of(now, "temperature"), "61.5");
    EXPECT_EQ(of(now, "temperature_critical"), "105");
    expect_complete(now, collector("temperature"));
}

TEST(Temperature, ALimitByAnotherName) {
    const auto host = warm_host();
    host->error(kFolder + "/hwmon4/temp1_crit", absent(kFolder + "/hwmon4/temp1_crit"))
        .file(kFolder + "/hwmon4/temp1_max", "100000\n");
    EXPECT_EQ(of(look(host), "temperature_critical"), "100");
}

TEST(Temperature, ADriverWithoutSensors) {
    const auto host = roce_host();
    host->error(kFolder, absent(kFolder));
    EXPECT_EQ(of(look(host), "temperature"), "gap(not offered)");
    EXPECT_EQ(of(look(host), "temperature_critical"), "gap(not offered)");
    host->directory(kFolder, {});
    EXPECT_EQ(of(look(host), "temperature"), "gap(not offered)");
}

TEST(Temperature, ASensorThatSaysNonsense) {
    const auto host = warm_host();
    host->file(kFolder + "/hwmon4/temp1_input", "hot\n");
    EXPECT_EQ(of(look(host), "temperature"), "gap(error)");
}

}  // namespace
}  // namespace rd::collectors::test
