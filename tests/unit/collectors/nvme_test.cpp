// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kRemote = "nqn.2024-01.org.example:s1#traddr=10.0.0.2,trsvcid=4420";
constexpr std::string_view kLocal = "nqn.2014.08.org.nvmexpress:ssd#0000:21:00.0";

void add_remote(FakeHost& host, const std::string& name, std::string_view address) {
    const std::string folder = "/sys/class/nvme/" + name;
    host.file(folder + "/subsysnqn", "nqn.2024-01.org.example:s1\n")
        .file(folder + "/address", fmt::format("{}\n", address))
        .file(folder + "/transport", "rdma\n")
        .file(folder + "/state", "live\n")
        .file(folder + "/queue_count", "17\n")
        .file(folder + "/sqsize", "127\n")
        .file(folder + "/kato", "5\n")
        .file(folder + "/ctrl_loss_tmo", "600\n")
        .file(folder + "/reconnect_delay", "10\n")
        .file(folder + "/fast_io_fail_tmo", "off\n")
        .file(folder + "/numa_node", "1\n")
        .file(folder + "/nvme1c1n1/ana_state", "optimized\n")
        .file(folder + "/nvme1c1n2/ana_state", "inaccessible\n");
}

std::shared_ptr<FakeHost> host_with_nvme() {
    auto host = std::make_shared<FakeHost>();
    add_remote(*host, "nvme1", "traddr=10.0.0.2,trsvcid=4420");
    const std::string local = "/sys/class/nvme/nvme0";
    host->file(local + "/subsysnqn", "nqn.2014.08.org.nvmexpress:ssd\n")
        .file(local + "/address", "0000:21:00.0\n")
        .file(local + "/transport", "pcie\n")
        .file(local + "/state", "live\n")
        .file(local + "/queue_count", "65\n")
        .file(local + "/sqsize", "1023\n")
        .file(local + "/kato", "0\n")
        .file(local + "/numa_node", "0\n")
        .file(local + "/nvme0n1/size", "1\n")
        .file("/sys/class/nvme-subsystem/nvme-subsys1/subsysnqn", "nqn.2024-01.org.example:s1\n")
        .file("/sys/class/nvme-subsystem/nvme-subsys1/iopolicy", "numa\n")
        .file("/sys/module/nvme_core/parameters/multipath", "Y\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"nvme"}); }
std::string of(const Snapshot& now, std::string_view id, std::string_view fact) {
    return value(now, Kind::nvme, id, fact);
}

TEST(Nvme, OverRdma) {
    const Snapshot now = look(host_with_nvme());
    EXPECT_EQ(of(now, kRemote, "name"), "nvme1");
    EXPECT_EQ(of(now, kRemote, "transport"), "rdma");
    EXPECT_EQ(of(now, kRemote, "state"), "live");
    EXPECT_EQ(of(now, kRemote, "reconnecting"), "0");
    EXPECT_EQ(of(now, kRemote, "io_queues"), "16") << "the admin queue does not count";
    EXPECT_EQ(of(now, kRemote, "queue_depth"), "128");
    EXPECT_EQ(of(now, kRemote, "keep_alive"), "5");
    EXPECT_EQ(of(now, kRemote, "ctrl_loss_tmo"), "600");
    EXPECT_EQ(of(now, kRemote, "reconnect_delay"), "10");
    EXPECT_EQ(of(now, kRemote, "fast_io_fail_tmo"), "gap(not offered)") << "off";
    EXPECT_EQ(of(now, kRemote, "numa"), "numa:1");
    EXPECT_EQ(of(now, kRemote, "namespaces"), "2");
    EXPECT_EQ(of(now, kRemote, "ana_state"), "optimized");
    EXPECT_EQ(of(now, kRemote, "paths"), "1");
    EXPECT_EQ(of(now, kRemote, "iopolicy"), "numa");
    EXPECT_EQ(value(now, Kind::host, "", "nvme_controllers"), "2");
    EXPECT_EQ(value(now, Kind::host, "", "nvme_multipath"), "true");
    expect_complete(now, collector("nvme"));
}

TEST(Nvme, Local) {
    const Snapshot now = look(host_with_nvme());
    EXPECT_EQ(of(now, kLocal, "transport"), "pcie");
    EXPECT_EQ(of(now, kLocal, "numa"), "numa:0");
    EXPECT_EQ(of(now, kLocal, "namespaces"), "1");
    EXPECT_EQ(of(now, kLocal, "ctrl_loss_tmo"), "gap(not collected)");
    EXPECT_EQ(of(now, kLocal, "ana_state"), "gap(not offered)");
    EXPECT_EQ(of(now, kLocal, "iopolicy"), "gap(not offered)");
}

TEST(Nvme, States) {
    const auto state = [](std::string_view text) {
        const auto host = host_with_nvme();
        host->file("/sys/class/nvme/nvme1/state", text);
        const Snapshot now = look(host);
        return of(now, kRemote, "state") + " " + of(now, kRemote, "reconnecting");
    };
    EXPECT_EQ(state("connecting\n"), "connecting 1");
    EXPECT_EQ(state("resetting\n"), "resetting 1");
    EXPECT_EQ(state("deleting (no IO)\n"), "deleting (no IO) 0");
    EXPECT_EQ(state("\n"), "gap(not offered) gap(not offered)");
}

TEST(Nvme, PathsOfOneSubsystem) {
    const auto host = host_with_nvme();
    add_remote(*host, "nvme2", "traddr=10.0.1.2,trsvcid=4420");
    add_remote(*host, "nvme3", "traddr=10.0.1.2,trsvcid=4420");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, kRemote, "paths"), "3");
    EXPECT_EQ(of(now, "nqn.2024-01.org.example:s1#traddr=10.0.1.2,trsvcid=4420", "name"), "nvme2");
    EXPECT_EQ(of(now, "nqn.2024-01.org.example:s1#traddr=10.0.1.2,trsvcid=4420#nvme3", "name"), "nvme3")
        << "the same address twice";
}

TEST(Nvme, AHostWithout) {
    const auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class", {"net"}).error("/sys/class/nvme", absent("/sys/class/nvme"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::nvme).empty());
    EXPECT_EQ(now.kind_gap(Kind::nvme), nullptr);
    EXPECT_EQ(value(now, Kind::host, "", "nvme_controllers"), "0");
    host->error("/sys/class/nvme", denied("/sys/class/nvme"));
    EXPECT_NE(look(host).kind_gap(Kind::nvme), nullptr);
    host->gone("/sys/class/nvme");
    EXPECT_EQ(look(host).kind_gap(Kind::nvme), nullptr) << "a source that says nothing of NVMe";
    EXPECT_EQ(value(look(host), Kind::host, "", "nvme_controllers"), "gap(not collected)");
}

TEST(Nvme, SurvivesBadInput) {
    Exceptions names;  // what the entity is called, and who is its subsystem
    for (const std::string_view name : {"nvme0", "nvme1"}) {
        names.names.insert(fmt::format("/sys/class/nvme/{}/subsysnqn", name));
        names.names.insert(fmt::format("/sys/class/nvme/{}/address", name));
    }
    names.names.insert("/sys/class/nvme-subsystem/nvme-subsys1/subsysnqn");
    expect_bad_input_is_survived(host_with_nvme, "nvme", names);
}

}  // namespace
}  // namespace rd::collectors::test
