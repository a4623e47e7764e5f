// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> host_with_modules() {
    auto host = roce_host();
    host->directory("/sys/module", {"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm", "nvidia"})
        .file("/lib/modules/6.1.0-57-amd64/modules.builtin", "kernel/drivers/nvme/host/nvme-core.ko\n")
        .file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15\n")
        .file("/proc/cmdline",
              "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet iommu=pt intel_idle.max_cstate=1 isolcpus=2-3\n")
        .file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        .directory("/sys/class/iommu", {"dmar0"})
        .directory("/sys/fs/cgroup/system.slice", {"irqbalance.service", "ssh.service"})
        .directory("/etc/modules-load.d", {"gpu.conf", "README"})
        .file("/etc/modules-load.d/gpu.conf", "# GPUs\nnvidia-peermem\n")
        .file("/etc/modules", "")
        .file("/etc/default/irqbalance",
              "# IRQBALANCE_ONESHOT=1\nIRQBALANCE_ARGS=\"--banmod=mlx5_core\"\nIRQBALANCE_X=\"\"\n");
    for (const std::string module : {"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm"}) {
        host->file("/sys/module/" + module + "/taint", "\n");
    }
    host->error("/sys/module/mlx5_core/version", absent("/sys/module/mlx5_core/version"));
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"kernel"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Kernel, Modules) {
    const auto host = host_with_modules();
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "module_ib_core"), "true");
    EXPECT_EQ(of(now, "module_nvme_rdma"), "false");
    EXPECT_EQ(of(now, "module_nvidia"), "true");
    EXPECT_EQ(of(now, "module_peermem"), "false");
    EXPECT_EQ(of(now, "nvidia_open"), "true");
    EXPECT_EQ(of(now, "peermem_wanted"), "true");
    EXPECT_EQ(of(now, "rxe_wanted"), "false");
    EXPECT_EQ(of(now, "rxe_packaged"), "gap(not collected)") << "nobody asked";
    expect_complete(now, collector("kernel"));
    host->file("/lib/modules/6.1.0-57-amd64/modules.builtin", "kernel/drivers/nvme/host/nvme_rdma.ko\n");
    EXPECT_EQ(of(look(host), "module_nvme_rdma"), "true") << "built in";
    host->directory("/sys/module", {"nv_peer_mem"});
    EXPECT_EQ(of(look(host), "module_peermem"), "true");
}

TEST(Kernel, OneModuleThatIsThereIsEnough) {
    const auto host = host_with_modules();
    host->gone("/sys/module").error("/sys/module", {Errc::not_collected, "/sys/module: not in the text", {}});
    EXPECT_EQ(of(look(host), "module_peermem"), "gap(not collected)");
    host->file("/sys/module/nvidia_peermem/refcnt", "0\n");
    EXPECT_EQ(of(look(host), "module_peermem"), "true") << "nothing is known of nv_peer_mem";
}

TEST(Kernel, PeerMemoryThatTheStackKnows) {
    const std::string folder = "/sys/kernel/mm/memory_peers";
    const auto host = host_with_modules();
    host->error(folder, absent(folder));
    EXPECT_EQ(of(look(host), "peermem_registered"), "false");
    host->directory(folder, {"nv_mem", "nv_mem_nc"})
        .error(folder + "/nv_mem/version", absent(folder + "/nv_mem/version"))
        .error(folder + "/nv_mem_nc/version", absent(folder + "/nv_mem_nc/version"));
    EXPECT_EQ(of(look(host), "peermem_registered"), "false") << "somebody looked, and they were not there";
    host->file(folder + "/nv_mem_nc/version", "1.0\n");
    EXPECT_EQ(of(look(host), "peermem_registered"), "true");
    host->error(folder + "/nv_mem/version", denied(folder + "/nv_mem/version"));
    EXPECT_EQ(of(look(host), "peermem_registered"), "true") << "one that is there is enough";
    host->error(folder + "/nv_mem_nc/version", absent(folder + "/nv_mem_nc/version"));
    EXPECT_EQ(of(look(host), "peermem_registered"), "gap(no privilege)");
    host->directory(folder, {"other"});
    EXPECT_EQ(of(look(host), "peermem_registered"), "false");
}

TEST(Kernel, WhoseModulesTheyAre) {
    const auto host = host_with_modules();
    EXPECT_EQ(of(look(host), "rdma_stack"), "inbox");
    EXPECT_EQ(of(look(host), "modules_out_of_tree"), "none");
    host->file("/sys/module/mlx5_core/taint", "OE\n").file("/sys/module/mlx5_core/version", "24.10-1.1.4\n");
    EXPECT_EQ(of(look(host), "rdma_stack"), "mixed");
    EXPECT_EQ(of(look(host), "modules_out_of_tree"), "mlx5_core");
    EXPECT_EQ(of(look(host), "ofed_version"), "24.10-1.1.4");
    for (const std::string module : {"ib_core", "ib_uverbs", "mlx5_ib", "rdma_cm"}) {
        host->file("/sys/module/" + module + "/taint", "OE\n");
    }
    EXPECT_EQ(of(look(host), "rdma_stack"), "out-of-tree");
    host->error("/sys/module/ib_core/taint", absent("taint"));
    EXPECT_EQ(of(look(host), "rdma_stack"), "mixed") << "built in is inbox";
    host->directory("/sys/module", {"nvidia"});
    EXPECT_EQ(of(look(host), "rdma_stack"), "gap(not offered)");
}

TEST(Kernel, SoftRoceThatIsWanted) {
    const auto host = host_with_modules();
    host->file("/etc/modules", "# soft\nrdma_rxe\n").file("/lib/modules/6.1.0-57-amd64/modules.dep", "kernel/a.ko: \n");
    EXPECT_EQ(of(look(host), "rxe_wanted"), "true");
    EXPECT_EQ(of(look(host), "rxe_packaged"), "false");
    host->file("/lib/modules/6.1.0-57-amd64/modules.dep",
               "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.zst: kernel/x.ko\n");
    EXPECT_EQ(of(look(host), "rxe_packaged"), "true");
}

TEST(Kernel, WhatItWasStartedWith) {
    const auto host = host_with_modules();
    EXPECT_EQ(of(look(host), "cmdline_flags"), "iommu=pt intel_idle.max_cstate=1 isolcpus=2-3");
    EXPECT_EQ(of(look(host), "lockdown"), "integrity");
    EXPECT_EQ(of(look(host), "iommu"), "true");
    host->file("/proc/cmdline", "quiet\n").directory("/sys/class/iommu", {});
    EXPECT_EQ(of(look(host), "cmdline_flags"), "none");
    EXPECT_EQ(of(look(host), "iommu"), "false");
}

TEST(Kernel, Services) {
    const auto host = host_with_modules();
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "irqbalance"), "true");
    EXPECT_EQ(of(now, "iwpmd"), "false");
    EXPECT_EQ(of(now, "irqbalance_options"), "IRQBALANCE_ARGS=\"--banmod=mlx5_core\"");
    EXPECT_EQ(of(now, "irqbalance_exempts"), "true");
    host->file("/etc/default/irqbalance", "#\n");
    EXPECT_EQ(of(look(host), "irqbalance_options"), "none");
    EXPECT_EQ(of(look(host), "irqbalance_exempts"), "false");
    host->gone("/sys/fs/cgroup/system.slice")
        .error("/sys/fs/cgroup/system.slice", absent("system.slice"))
        .directory("/sys/fs/cgroup/systemd/system.slice", {"iwpmd.service"});
    EXPECT_EQ(of(look(host), "irqbalance"), "false") << "the older tree of control groups";
    EXPECT_EQ(of(look(host), "iwpmd"), "true");
    host->gone("/sys/fs/cgroup/systemd/system.slice").error("/sys/fs/cgroup/systemd/system.slice", absent("systemd"));
    EXPECT_EQ(of(look(host), "irqbalance"), "gap(not offered)") << "without systemd nobody says";
}

TEST(Kernel, SurvivesBadInput) {
    Exceptions lists;  // an unreadable list of built-in modules, or of what is to be loaded, is an empty one
    lists.names = {"/lib/modules/6.1.0-57-amd64/modules.builtin",
                   "/etc/modules",
                   "/etc/modules-load.d/gpu.conf",
                   "/etc/default/irqbalance",
                   "/proc/driver/nvidia/version",
                   "/proc/cmdline"};
    for (const std::string module : {"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm"}) {
        lists.names.insert("/sys/module/" + module + "/taint");  // without it: built in
    }
    expect_bad_input_is_survived(host_with_modules, "kernel", lists);
}

}  // namespace
}  // namespace rd::collectors::test
