// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "0000:41:00.0";
constexpr std::string_view kRoot = "0000:40:01.0";

std::shared_ptr<FakeHost> sick_host() {
    const auto host = roce_host();
    host->file(
        "kmsg",
        "level=6 facility=0 seq=1 us=250000 text=Linux%20version%206.1.0\n"
        "level=3 facility=0 seq=2 us=500000 text=mlx5_core%200000:41:00.0:%20poll_health:825:(pid%200):%20device's%20"
        "health%20compromised%20-%20reached%20miss%20count subsystem=pci device=%2Bpci:0000:41:00.0\n"
        "level=3 facility=0 seq=3 us=600000 text=pcieport%200000:40:01.0:%20PCIe%20Bus%20Error:%20severity%3D"
        "Corrected,%20type%3DPhysical%20Layer\n"
        "level=3 facility=0 seq=4 us=700000 text=infiniband%20mlx5_0:%20mlx5_0/1:%20QP%2017%20error:%20x\n"
        "level=4 facility=0 seq=5 us=800000 text=nvme%20nvme0:%20Reconnecting%20in%2010%20seconds...\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"kmsg"}, {"log_age"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::pci, kCard, fact); }

TEST(Kmsg, ByTheDeviceThatALineNames) {
    const Snapshot now = look(sick_host());
    EXPECT_EQ(of(now, "log_firmware_health"), "1");
    EXPECT_EQ(of(now, "log_firmware_health_at"), "0.5");
    EXPECT_EQ(of(now, "log_firmware_health_age"), "0.5");
    EXPECT_THAT(of(now, "log_firmware_health_line"), ::testing::HasSubstr("reached miss count"));
    EXPECT_EQ(of(now, "log_queue_error"), "1");
    EXPECT_EQ(of(now, "log_aer_corrected"), "0");
    EXPECT_EQ(of(now, "log_aer_corrected_at"), "gap(not offered)");
    EXPECT_EQ(of(now, "log_aer_corrected_age"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "log_aer_corrected"), "1");
    EXPECT_EQ(value(now, Kind::host, "", "log_nvme_reconnect"), "1");
    EXPECT_EQ(value(now, Kind::host, "", "log_lines"), "5");
    EXPECT_EQ(value(now, Kind::host, "", "log_begin"), "0.25");
    expect_complete(now, collector("kmsg"));
}

TEST(Kmsg, AnEmptyLogSaysNothing) {
    const auto host = sick_host();
    host->file("kmsg", "");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "log_firmware_health"), "0");
    EXPECT_EQ(value(now, Kind::host, "", "log_begin"), "gap(not offered)");
    expect_complete(now, collector("kmsg"));
}

TEST(Kmsg, WithoutTheRightNothingIsHealthy) {
    const auto host = sick_host();
    host->error("kmsg", denied("kmsg"));
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "log_firmware_health"), "gap(no privilege)");
    EXPECT_EQ(of(now, "log_firmware_health_age"), "gap(no privilege)");
    expect_complete(now, collector("kmsg"));
}

TEST(Kmsg, SurvivesBadInput) { expect_bad_input_is_survived(sick_host, "kmsg", {{"/sys/class/net/ens1f0/dev_port"}}); }

}  // namespace
}  // namespace rd::collectors::test
