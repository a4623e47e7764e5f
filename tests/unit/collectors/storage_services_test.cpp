// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "collectors/common/services.h"
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kSlice = "/sys/fs/cgroup/system.slice";
constexpr std::string_view kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max locked memory         65536                65536                bytes     \n"
    "Max open files            1024                 524288               files     \n";

std::string status_of(std::string_view name) {
    return fmt::format("Name:\t{}\nUid:\t167\t167\t167\t167\nCapEff:\t0000000000000000\n", name);
}

// An OSD that uses RDMA, and one under a unit that does not.
std::shared_ptr<FakeHost> ceph_host() {
    auto host = roce_host();
    host->directory(kSlice, {"cron.service", R"(system-ceph\x2dosd.slice)", "system-getty.slice"})
        .directory(fmt::format("{}/system-ceph\\x2dosd.slice", kSlice),
                   {"ceph-osd@3.service", "ceph-osd@4.service", "cpu.max"})
        .file(fmt::format("{}/system-ceph\\x2dosd.slice/ceph-osd@3.service/cgroup.procs", kSlice), "4242\n")
        .file(fmt::format("{}/system-ceph\\x2dosd.slice/ceph-osd@4.service/cgroup.procs", kSlice), "5000\n");
    for (const auto& [pid, id] : {std::pair(4242, 3), std::pair(5000, 4)}) {
        host->file(fmt::format("/proc/{}/status", pid), status_of("ceph-osd"))
            .file(fmt::format("/proc/{}/limits", pid), kLimits)
            .file(fmt::format("/proc/{}/stat", pid),
                  fmt::format("{} (a ) b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {} 9 9", pid, 50))
            .file(fmt::format("/proc/{}/cgroup", pid),
                  fmt::format("0::/system.slice/system-ceph\\x2dosd.slice/ceph-osd@{}.service\n", id))
            .file(fmt::format("proc.option/{}/--id", pid), fmt::format("value={}\n", id))
            .directory(fmt::format("/proc/{}/fd", pid), {"0", "1", "2"});
    }
    return host;
}

std::string of(const Snapshot& now, std::string_view id, std::string_view fact) {
    return value(now, Kind::service, id, fact);
}

TEST(StorageServices, ByContextAndByUnit) {
    const Snapshot now = sweep(ceph_host(), {"storage_services"});
    ASSERT_EQ(now.entities(Kind::service).size(), 2u);
    EXPECT_EQ(of(now, "ceph-osd.3", "uses_rdma"), "true");
    EXPECT_EQ(of(now, "ceph-osd.3", "process"), "process:4242");
    EXPECT_EQ(of(now, "ceph-osd.3", "device"), "device:pci-0000:41:00.0");
    EXPECT_EQ(of(now, "ceph-osd.4", "uses_rdma"), "false");
    EXPECT_EQ(of(now, "ceph-osd.4", "process"), "gap(not offered)");
    EXPECT_EQ(of(now, "ceph-osd.4", "system"), "ceph");
    EXPECT_EQ(of(now, "ceph-osd.4", "unit"), "ceph-osd@4.service");
    EXPECT_EQ(of(now, "ceph-osd.4", "as_root"), "false");
    EXPECT_EQ(of(now, "ceph-osd.4", "age"), "1") << "1 s after boot, started half a second after boot";
    EXPECT_EQ(of(now, "ceph-osd.4", "memlock_limit"), "65536");
    EXPECT_EQ(of(now, "ceph-osd.4", "files_limit"), "1024");
    EXPECT_EQ(of(now, "ceph-osd.4", "files_open"), "3");
    expect_complete(now, collector("storage_services"));
}

TEST(StorageServices, WithoutAnInstanceTheyAreNumbered) {
    auto host = ceph_host();
    host->gone("proc.option/4242/--id").gone("proc.option/5000/--id");
    EXPECT_EQ(of(sweep(host, {"storage_services"}), "ceph-osd.3", "pid"), "4242") << "the name of the unit tells it";
    host->file("/proc/4242/cgroup", "0::/\n").file("/proc/5000/cgroup", "0::/\n");
    const Snapshot now = sweep(host, {"storage_services"});
    EXPECT_EQ(of(now, "ceph-osd#0", "pid"), "4242");
    EXPECT_EQ(of(now, "ceph-osd#1", "pid"), "5000");
}

TEST(StorageServices, SpdkIsNamedByItsFirstReactor) {
    auto host = roce_host();
    host->file("/proc/4242/status", status_of("reactor_0")).link("/proc/4242/exe", "/usr/bin/nvmf_tgt");
    EXPECT_EQ(of(sweep(host, {"storage_services"}), "nvmf_tgt", "system"), "spdk");
    host->gone("/proc/4242/exe").error("/proc/4242/exe", denied("/proc/4242/exe"));
    EXPECT_EQ(of(sweep(host, {"storage_services"}), "spdk", "pid"), "4242");
}

TEST(StorageServices, WhatIsOnlyConfigured) {
    auto host = roce_host();
    host->directory(kSlice, {})
        .file("config.ini/ms_type/etc/ceph/ceph.conf", "")
        .file("config.yaml/engines.fabric_iface/etc/daos/daos_server.yml",
              "at=engines.0.fabric_iface value=ib0\nat=engines.1.fabric_iface value=ib1\n");
    const Snapshot now = sweep(host, {"storage_services"});
    EXPECT_EQ(of(now, "ceph", "running"), "false");
    EXPECT_EQ(of(now, "ceph", "uses_rdma"), "false");
    EXPECT_EQ(of(now, "ceph", "memlock_limit"), "gap(not offered)");
    EXPECT_EQ(of(now, "ceph", "program"), "gap(not offered)");
    EXPECT_EQ(of(now, "daos_engine.1", "running"), "false");
    EXPECT_EQ(of(now, "daos_engine.1", "program"), "daos_engine");
    EXPECT_EQ(now.entities(Kind::service).size(), 3u);
    expect_complete(now, collector("storage_services"));
}

TEST(StorageServices, AFileThatMayNotBeReadIsThere) {
    auto host = roce_host();
    constexpr std::string_view kProbe = "config.ini/ms_type/etc/ceph/ceph.conf";
    host->error(kProbe, denied(kProbe));
    EXPECT_EQ(sweep(host, {"storage_services"}).entities(Kind::service).size(), 1u);
}

TEST(StorageServices, NothingToFind) {
    const Snapshot now = sweep(roce_host(), {"storage_services"});
    EXPECT_TRUE(now.entities(Kind::service).empty());
    EXPECT_EQ(now.kind_gap(Kind::service), nullptr) << "the users of RDMA were looked through";
}

TEST(StorageServices, BlindInBothWays) {
    auto host = roce_tree();
    host->file("config.ini/ms_type/etc/ceph/ceph.conf", "");
    const Snapshot now = sweep(host, {"storage_services"});
    EXPECT_NE(now.kind_gap(Kind::service), nullptr);
    EXPECT_EQ(of(now, "ceph", "running"), "gap(not collected)");
    EXPECT_EQ(of(now, "ceph", "uses_rdma"), "gap(not collected)");
}

TEST(StorageServices, SurvivesBadInput) {
    expect_bad_input_is_survived(
        ceph_host, "storage_services",
        {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", "/proc/5000/status", "proc.option/4242/--id",
          "proc.option/5000/--id", fmt::format("{}/system-ceph\\x2dosd.slice/ceph-osd@4.service/cgroup.procs", kSlice),
          fmt::format("{}/system-ceph\\x2dosd.slice", kSlice), std::string(kSlice)}});
}

TEST(UnitOfAProcess, FromItsControlGroup) {
    const auto unit = [](std::string_view text) { return unit_in_cgroup(text).value_or("error"); };
    EXPECT_EQ(unit("0::/system.slice/a.service\n"), "a.service");
    EXPECT_EQ(unit("5:cpu:/\n1:name=systemd:/system.slice/a.service/payload\n"), "a.service");
    EXPECT_EQ(unit("0::/user.slice/user-0.slice/user@0.service/session.slice/x.scope\n"), "");
    EXPECT_EQ(unit("0::/machine.slice/libpod-1.scope\n"), "");
    EXPECT_EQ(unit("garbage/a.b\n"), "error");
}

}  // namespace
}  // namespace rd::collectors::test
