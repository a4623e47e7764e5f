// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNetdev = "pci-0000:41:00.0/0";

std::shared_ptr<FakeHost> host_with_module() {
    const auto host = roce_host();
    host->file(
        "ethtool.module/ens1f0",
        "identifier=QSFP28 map=sff8636 vendor=VENDOR part=QSFP28-SR4 copper=0 lanes=4 temperature=41.5 voltage=3.3 "
        "rx_power_1=0.9 rx_power_2=1 rx_power_3=1.1 rx_power_4=1.2 bias_1=6 bias_2=7 bias_3=6 bias_4=6 tx_power_1=0.8 "
        "tx_power_2=0.8 tx_power_3=0.7 tx_power_4=0.8 temperature_high_alarm=75 temperature_low_alarm=-5 "
        "temperature_high_warning=70 temperature_low_warning=0 rx_power_high_alarm=3.4673 rx_power_low_alarm=0.0467 "
        "rx_power_high_warning=1.7377 rx_power_low_warning=0.0933\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"module"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::netdev, kNetdev, fact); }

TEST(Module, Optical) {
    const Snapshot now = look(host_with_module());
    EXPECT_EQ(of(now, "module_type"), "QSFP28");
    EXPECT_EQ(of(now, "module_vendor"), "VENDOR");
    EXPECT_EQ(of(now, "module_part"), "QSFP28-SR4");
    EXPECT_EQ(of(now, "module_copper"), "false");
    EXPECT_EQ(of(now, "module_lanes"), "4");
    EXPECT_EQ(of(now, "module_temperature"), "41.5");
    EXPECT_EQ(of(now, "module_voltage"), "3.3");
    EXPECT_EQ(of(now, "module_rx_power_min"), "0.9");
    EXPECT_EQ(of(now, "module_rx_power_max"), "1.2");
    EXPECT_EQ(of(now, "module_tx_power_min"), "0.7");
    EXPECT_EQ(of(now, "module_bias_max"), "7");
    EXPECT_EQ(of(now, "module_rx_power_lanes"), "0.9, 1, 1.1, 1.2");
    EXPECT_EQ(of(now, "module_temperature_high_alarm"), "75");
    EXPECT_EQ(of(now, "module_temperature_high_warning"), "70");
    EXPECT_EQ(of(now, "module_temperature_low_alarm"), "-5");
    EXPECT_EQ(of(now, "module_rx_power_low_alarm"), "0.0467");
    EXPECT_EQ(of(now, "module_voltage_high_alarm"), "gap(not offered)");
    expect_complete(now, collector("module"));
}

TEST(Module, Copper) {
    const auto host = roce_host();
    host->file("ethtool.module/ens1f0", "identifier=QSFP28 map=sff8636 vendor=VENDOR copper=1 lanes=4\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "module_copper"), "true");
    EXPECT_EQ(of(now, "module_temperature"), "gap(not offered)");
    EXPECT_EQ(of(now, "module_rx_power_min"), "gap(not offered)");
    expect_complete(now, collector("module"));
}

TEST(Module, NeedsPrivilege) {
    const auto host = roce_host();
    host->error("ethtool.module/ens1f0",
                {Errc::no_privilege, "ethtool.module/ens1f0: Operation not permitted", "run as root (CAP_NET_ADMIN)"});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "module_temperature"), "gap(no privilege)");
    EXPECT_EQ(now.get({Kind::netdev, std::string(kNetdev)}, "module_temperature").error().remedy,
              "run as root (CAP_NET_ADMIN)");
}

TEST(Module, ALaneThatMakesNoSenseIsAnError) {
    const auto host = host_with_module();
    host->file("ethtool.module/ens1f0", "identifier=QSFP28 rx_power_1=0.9 rx_power_2=dark temperature=4x\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "module_rx_power_min"), "gap(error)");
    EXPECT_EQ(of(now, "module_temperature"), "gap(error)");
    expect_complete(now, collector("module"));
}

TEST(Module, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_module, "module", {{"/sys/class/net/ens1f0/dev_port"}});
}

}  // namespace
}  // namespace rd::collectors::test
