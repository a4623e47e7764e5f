// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

using namespace std::string_literals;

constexpr std::string_view kCpus = "/sys/devices/system/cpu";

void add_cpu(FakeHost& host, int cpu, std::string_view driver, std::string_view governor, std::string_view preference) {
    const std::string folder = fmt::format("{}/cpu{}", kCpus, cpu);
    host.file(folder + "/topology/physical_package_id", fmt::format("{}\n", cpu / 2))
        .file(folder + "/cpufreq/scaling_driver", fmt::format("{}\n", driver))
        .file(folder + "/cpufreq/scaling_governor", fmt::format("{}\n", governor))
        .file(folder + "/cpufreq/scaling_max_freq", "3500000\n")
        .file(folder + "/cpufreq/scaling_min_freq", "800000\n")
        .file(folder + "/cpufreq/cpuinfo_max_freq", "3500000\n");
    if (!preference.empty())
        host.file(folder + "/cpufreq/energy_performance_preference", fmt::format("{}\n", preference));
    constexpr std::array<std::pair<std::string_view, int>, 3> kStates{{{"POLL", 0}, {"C1E", 4}, {"C6", 170}}};
    for (std::size_t i = 0; i < kStates.size(); ++i) {
        const std::string state = fmt::format("{}/cpuidle/state{}", folder, i);
        host.file(state + "/name", fmt::format("{}\n", kStates[i].first))
            .file(state + "/latency", fmt::format("{}\n", kStates[i].second))
            .file(state + "/disable", "0\n");
    }
}

std::shared_ptr<FakeHost> four_cpus(std::string_view driver = "intel_pstate", std::string_view governor = "powersave",
                                    std::string_view preference = "balance_performance") {
    auto host = std::make_shared<FakeHost>();
    host->file(fmt::format("{}/online", kCpus), "0-3\n")
        .file(fmt::format("{}/isolated", kCpus), "\n")
        .file(fmt::format("{}/smt/active", kCpus), "1\n")
        .file(fmt::format("{}/cpuidle/current_driver", kCpus), "intel_idle\n")
        .file("/dev/cpu_dma_latency", "\x00\x94\x35\x77"s);
    for (int cpu = 0; cpu < 4; ++cpu) add_cpu(*host, cpu, driver, governor, preference);
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"cpu"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }
std::string slow(std::string_view driver, std::string_view governor, std::string_view preference) {
    return of(look(four_cpus(driver, governor, preference)), "cpus_slow_governor");
}

TEST(Cpu, OfAHost) {
    const Snapshot now = look(four_cpus());
    EXPECT_EQ(of(now, "cpus"), "4");
    EXPECT_EQ(of(now, "sockets"), "2");
    EXPECT_EQ(of(now, "smt"), "true");
    EXPECT_EQ(of(now, "isolated_cpus"), "none");
    EXPECT_EQ(of(now, "cpufreq_driver"), "intel_pstate");
    EXPECT_EQ(of(now, "governors"), "powersave 4");
    EXPECT_EQ(of(now, "energy_preferences"), "balance_performance 4");
    EXPECT_EQ(of(now, "cpus_capped"), "0");
    EXPECT_EQ(of(now, "cpu_frequency_max"), "3500");
    EXPECT_EQ(of(now, "cpu_frequency_min"), "800");
    EXPECT_EQ(of(now, "cpuidle_driver"), "intel_idle");
    EXPECT_EQ(of(now, "cstate_latency"), "170");
    EXPECT_EQ(of(now, "cstate_deepest"), "C6");
    EXPECT_EQ(of(now, "cpu_latency_limit"), "2000000000");
    expect_complete(now, collector("cpu"));
}

TEST(Cpu, WhichGovernorSavesPower) {
    EXPECT_EQ(slow("intel_pstate", "powersave", "balance_performance"), "0") << "the ordinary setting";
    EXPECT_EQ(slow("intel_pstate", "powersave", "performance"), "0");
    EXPECT_EQ(slow("intel_pstate", "powersave", "balance_power"), "4");
    EXPECT_EQ(slow("amd-pstate-epp", "powersave", "power"), "4");
    EXPECT_EQ(slow("intel_pstate", "powersave", "128"), "0");
    EXPECT_EQ(slow("intel_pstate", "powersave", "129"), "4");
    EXPECT_EQ(slow("intel_pstate", "performance", "power"), "0");
    EXPECT_EQ(slow("acpi-cpufreq", "performance", ""), "0");
    EXPECT_EQ(slow("acpi-cpufreq", "schedutil", ""), "4");
    EXPECT_EQ(slow("intel_cpufreq", "powersave", ""), "4") << "passive mode: the lowest clock";
}

TEST(Cpu, SomeAreSetOtherwise) {
    const auto host = four_cpus("acpi-cpufreq", "performance", "");
    add_cpu(*host, 3, "acpi-cpufreq", "ondemand", "");
    host->file(fmt::format("{}/cpu2/cpufreq/scaling_max_freq", kCpus), "2000000\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "governors"), "ondemand 1, performance 3");
    EXPECT_EQ(of(now, "cpus_slow_governor"), "1");
    EXPECT_EQ(of(now, "cpus_capped"), "1");
    EXPECT_EQ(of(now, "cpu_frequency_max"), "2000");
    EXPECT_EQ(of(now, "energy_preferences"), "gap(not collected)");
}

TEST(Cpu, DisabledStatesAreNotEntered) {
    const auto host = four_cpus();
    for (int cpu = 0; cpu < 4; ++cpu) host->file(fmt::format("{}/cpu{}/cpuidle/state2/disable", kCpus, cpu), "1\n");
    EXPECT_EQ(of(look(host), "cstate_latency"), "4");
    EXPECT_EQ(of(look(host), "cstate_deepest"), "C1E");
    host->file(fmt::format("{}/cpu1/cpuidle/state2/disable", kCpus), "0\n");
    EXPECT_EQ(of(look(host), "cstate_latency"), "170") << "one CPU is enough";
}

TEST(Cpu, AVirtualMachineHasNeither) {
    const auto host = std::make_shared<FakeHost>();
    host->file(fmt::format("{}/online", kCpus), "0-1\n").file(fmt::format("{}/isolated", kCpus), "1\n");
    for (int cpu = 0; cpu < 2; ++cpu) {
        const std::string folder = fmt::format("{}/cpu{}", kCpus, cpu);
        host->file(folder + "/topology/physical_package_id", "0\n");
        for (const auto& name : {folder + "/cpufreq/scaling_governor", folder + "/cpuidle"})
            host->error(name, absent(name));
    }
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "governors"), "gap(not offered)");
    EXPECT_EQ(of(now, "cpus_slow_governor"), "gap(not offered)");
    EXPECT_EQ(of(now, "cstate_latency"), "gap(not offered)");
    EXPECT_EQ(of(now, "isolated_cpus"), "1");
    expect_complete(now, collector("cpu"));
}

TEST(Cpu, TheLatencyLimit) {
    const auto limit = [](const std::string& bytes) {
        const auto host = four_cpus();
        host->file("/dev/cpu_dma_latency", bytes);
        return of(look(host), "cpu_latency_limit");
    };
    EXPECT_EQ(limit("\x00\x00\x00\x00"s), "0");
    EXPECT_EQ(limit("\x0a\x00\x00\x00"s), "10");
    EXPECT_EQ(limit("\x0a\x00\x00"s), "gap(error)");
    EXPECT_EQ(limit("\xff\xff\xff\xff"s), "gap(error)");
}

TEST(Cpu, SurvivesBadInput) {
    Exceptions summed;  // a CPU without a clock, a preference or a sleep state is not counted, which changes the sums
    for (int cpu = 0; cpu < 4; ++cpu) {
        const std::string folder = fmt::format("{}/cpu{}", kCpus, cpu);
        for (const std::string_view name : {"scaling_governor", "scaling_driver", "energy_performance_preference"}) {
            summed.names.insert(fmt::format("{}/cpufreq/{}", folder, name));
        }
    }
    expect_bad_input_is_survived([] { return four_cpus(); }, "cpu", summed);
}

}  // namespace
}  // namespace rd::collectors::test
