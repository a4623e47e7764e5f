// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <chrono>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";

// An asynchronous and three completion vectors of the adapter, one of something else, CPU 1 offline.
constexpr std::string_view kInterrupts =
    "           CPU0       CPU2       CPU3       \n"
    "  1:          9          0          0  IR-IO-APIC    1-edge      i8042\n"
    " 30:          1          2          4  IR-PCI-MSIX-0000:41:00.0    0-edge      mlx5_async0@pci:0000:41:00.0\n"
    " 31:        100          0          0  IR-PCI-MSIX-0000:41:00.0    1-edge      mlx5_comp0@pci:0000:41:00.0\n"
    " 32:          0         50          0  IR-PCI-MSIX-0000:41:00.0    2-edge      mlx5_comp1@pci:0000:41:00.0\n"
    " 33:          0          0         50  IR-PCI-MSIX-0000:41:00.0    3-edge      mlx5_comp2@pci:0000:41:00.0\n"
    " 40:         77         77         77  IR-PCI-MSIX-0000:61:00.0    0-edge      nvme0q0\n"
    "NMI:          0          0          0   Non-maskable interrupts\n"
    "ERR:          0\n";

std::shared_ptr<FakeHost> host_with(std::string_view interrupts = kInterrupts) {
    auto host = roce_host();
    host->directory("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", {"30", "31", "32", "33"})
        .file("/proc/interrupts", interrupts);
    for (const auto& [irq, cpu] : {std::pair{30, 0}, {31, 0}, {32, 2}, {33, 3}}) {
        host->file(fmt::format("/proc/irq/{}/smp_affinity_list", irq), "0-3\n")
            .file(fmt::format("/proc/irq/{}/effective_affinity_list", irq), fmt::format("{}\n", cpu));
    }
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"irq"}); }
std::string of(const Snapshot& now, std::string_view irq, std::string_view fact) {
    return value(now, Kind::irq, irq, fact);
}
std::string card(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kCard, fact); }

TEST(Irq, VectorsOfTheAdapter) {
    const Snapshot now = look(host_with());
    EXPECT_EQ(now.entities(Kind::irq).size(), 4u);
    EXPECT_EQ(of(now, "32", "name"), "mlx5_comp1@pci:0000:41:00.0");
    EXPECT_EQ(of(now, "32", "device"), "device:pci-0000:41:00.0");
    EXPECT_EQ(of(now, "32", "completion"), "true");
    EXPECT_EQ(of(now, "30", "completion"), "false");
    EXPECT_EQ(of(now, "32", "affinity"), "0-3");
    EXPECT_EQ(of(now, "32", "effective"), "2");
    EXPECT_EQ(of(now, "30", "count"), "7");
    expect_complete(now, collector("irq"));
}

TEST(Irq, SumsOfTheDevice) {
    const Snapshot now = look(host_with());
    EXPECT_EQ(card(now, "interrupts"), "200") << "commands and events do not count";
    EXPECT_EQ(card(now, "interrupts_remote"), "100") << "CPU 0 is on another node";
    EXPECT_EQ(card(now, "interrupts_busiest_cpu"), "50");
}

TEST(Irq, NamesOfOtherDrivers) {
    const auto completion = [](std::string_view name) {
        return of(look(host_with(fmt::format("  CPU0 CPU1\n 31:  1  0  PCI-MSI 5-edge  {}\n", name))), "31",
                  "completion");
    };
    EXPECT_EQ(completion("mlx5_comp63@pci:0000:41:00.0"), "true");
    EXPECT_EQ(completion("ens1f0-TxRx-3"), "true");
    EXPECT_EQ(completion("bnxt_re-nq-1@pci:0000:41:00.0"), "true");
    EXPECT_EQ(completion("irdma-CEQ-3"), "true");
    EXPECT_EQ(completion("irdma-AEQ"), "false");
    EXPECT_EQ(completion("efa-mgmnt@pci:0000:41:00.0"), "false");
    EXPECT_EQ(completion("mlx5_async@pci:0000:41:00.0"), "false");
    EXPECT_EQ(completion("mlx5_pages_eq@pci:0000:41:00.0"), "false");
}

TEST(Irq, AVectorNobodyUses) {
    const auto host = host_with();
    host->directory("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", {"30", "31", "32", "33", "34"});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "34", "count"), "gap(not offered)");
    EXPECT_EQ(of(now, "34", "effective"), "gap(not collected)");
    EXPECT_EQ(card(now, "interrupts"), "200");
    expect_complete(now, collector("irq"));
}

TEST(Irq, ALineThatCannotBeReadIsNotLeftOutOfTheSum) {
    const Snapshot now =
        look(host_with("  CPU0 CPU1\n 31:  1  x  PCI-MSI 5-edge  mlx5_comp0\n 32: 1 1 PCI-MSI 6-edge mlx5_comp1\n"));
    EXPECT_EQ(of(now, "31", "count"), "gap(error)");
    EXPECT_EQ(of(now, "32", "count"), "2");
    EXPECT_EQ(card(now, "interrupts"), "gap(error)");
}

TEST(Irq, FarAndNearNeedTheNode) {
    const auto host = host_with();
    host->file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "-1\n");
    EXPECT_EQ(card(look(host), "interrupts_remote"), "gap(not offered)");
    EXPECT_EQ(card(look(host), "interrupts"), "200");
    host->gone("/sys/devices/system/node/node1");
    EXPECT_EQ(card(look(host), "interrupts_remote"), "0") << "with one node all is near";
}

TEST(Irq, WithoutAnInterruptThereIsNoShare) {
    const Snapshot now = look(host_with("  CPU0 CPU1\n 31:  0  0  PCI-MSI 5-edge  mlx5_comp0\n"));
    EXPECT_EQ(card(now, "interrupts"), "0");
    EXPECT_EQ(card(now, "interrupts_busiest_cpu"), "gap(not offered)");
}

TEST(Irq, WithOneCpuThereIsNoBusiest) {
    const Snapshot now = look(host_with("  CPU0\n 31:  9  PCI-MSI 5-edge  mlx5_comp0\n"));
    EXPECT_EQ(card(now, "interrupts"), "9");
    EXPECT_EQ(card(now, "interrupts_busiest_cpu"), "gap(not offered)") << "all on one CPU is no finding there";
}

TEST(Irq, SoftwareUsesTheVectorsBelowIt) {
    const auto host = rxe_host();
    host->directory("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", {"31"}).file("/proc/interrupts", kInterrupts);
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "31", "device"), "device:guid-0200:00ff:fe00:0001");
    EXPECT_EQ(value(now, Kind::device, "guid-0200:00ff:fe00:0001", "interrupts"), "100");
}

TEST(Irq, AFunctionWithoutVectors) {
    const auto host = roce_host();
    host->error("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", absent("msi_irqs"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::irq).empty());
    EXPECT_EQ(now.kind_gap(Kind::irq), nullptr);
    EXPECT_EQ(card(now, "interrupts"), "gap(not offered)");
}

// 256 CPUs and 2,000 vectors, a quarter of them of the adapter: the time goes with the size of the text.
TEST(Irq, ALargeHost) {
    constexpr int kCpus = 256, kVectors = 2000, kOwn = 500;
    std::string text(11, ' ');
    for (int cpu = 0; cpu < kCpus; ++cpu) text += fmt::format("{:<11}", fmt::format("CPU{}", cpu));
    text += '\n';
    std::vector<std::string> own;
    for (int irq = 0; irq < kVectors; ++irq) {
        text += fmt::format("{:>4}:", irq);
        for (int cpu = 0; cpu < kCpus; ++cpu) text += fmt::format(" {:>10}", cpu == irq % kCpus ? 1'000'000 : 0);
        text += fmt::format("  IR-PCI-MSIX-0000:41:00.0 {}-edge      mlx5_comp{}@pci:0000:41:00.0\n", irq, irq);
        if (irq < kOwn) own.push_back(std::to_string(irq));
    }
    EXPECT_GT(text.size(), 5'000'000u);
    const auto host = host_with(text);
    host->directory("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", own);
    const Snapshot now = look(host);
    EXPECT_EQ(now.entities(Kind::irq).size(), std::size_t{kOwn});
    EXPECT_EQ(card(now, "interrupts"), "500000000");
}

TEST(Irq, SurvivesBadInput) {
    expect_bad_input_is_survived([] { return host_with(); }, "irq");
    expect_bad_input_is_survived(
        [] {
            const auto host = rxe_host();
            host->directory("/sys/bus/pci/devices/0000:41:00.0/msi_irqs", {"31"}).file("/proc/interrupts", kInterrupts);
            return host;
        },
        "irq", {{"/sys/class/infiniband/rxe0/parent", "/sys/class/infiniband/rxe0/node_guid", "rdma.port/rxe0/1"}});
}

}  // namespace
}  // namespace rd::collectors::test
