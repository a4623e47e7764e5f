// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::string launcher(std::string_view key) {
    return fmt::format("config.toml/ib_devices.{}/opt/3fs/etc/storage_main_launcher.toml", key);
}
std::string main_file(std::string_view key) { return fmt::format("config.toml/{}/opt/3fs/etc/storage_main.toml", key); }

std::shared_ptr<FakeHost> storage_host() {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\tstorage_main\nUid:\t0\t0\t0\t0\nCapEff:\t0\n")
        .file("/proc/sys/fs/aio-nr", "100\n")
        .file("/proc/sys/fs/aio-max-nr", "65536\n")
        .file(launcher("device_filter"),
              "at=ib_devices.device_filter.0 value=mlx5_0\nat=ib_devices.device_filter.1 value=mlx5_1\n")
        .file(launcher("default_traffic_class"), "at=ib_devices.default_traffic_class value=106\n")
        .file(launcher("skip_inactive_ports"), "")
        .file(main_file("ibsocket.traffic_class"), "")
        .file(main_file("ibsocket.timeout"), "at=server.base.groups.0.io_worker.ibsocket.timeout value=18\n")
        .file(main_file("ibsocket.rnr_retry"), "")
        .file(main_file("force_use_tcp"), "");
    return host;
}

std::string of(std::shared_ptr<FakeHost> host, std::string_view fact) {
    return value(sweep(std::move(host), {"hf3fs"}), Kind::service, "storage_main", fact);
}

TEST(Hf3fs, WhatIsSetAndWhatIsTheDefault) {
    const Snapshot now = sweep(storage_host(), {"hf3fs"});
    const auto fact = [&](std::string_view name) { return value(now, Kind::service, "storage_main", name); };
    EXPECT_EQ(fact("declared_device_filter"), "mlx5_0 mlx5_1");
    EXPECT_EQ(fact("declared_default_traffic_class"), "106");
    EXPECT_EQ(fact("declared_skip_inactive_ports"), "true");
    EXPECT_EQ(fact("declared_ibsocket_traffic_class"), "gap(not offered)");
    EXPECT_EQ(fact("declared_ibsocket_timeout"), "18");
    EXPECT_EQ(fact("declared_ibsocket_rnr_retry"), "0");
    EXPECT_EQ(fact("declared_force_use_tcp"), "false");
    EXPECT_EQ(fact("hf3fs_registers"), "8589934592") << "one device";
    EXPECT_EQ(value(now, Kind::host, "", "aio_max"), "65536");
    expect_complete(now, collector("hf3fs"));
}

TEST(Hf3fs, NoFilterIsEveryDevice) {
    auto host = storage_host();
    host->file(launcher("device_filter"), "");
    EXPECT_EQ(of(host, "declared_device_filter"), "gap(not offered)");
}

TEST(Hf3fs, OtherProgramsRegisterLess) {
    auto host = storage_host();
    host->file("/proc/4242/status", "Name:\tmeta_main\n");
    const Snapshot now = sweep(host, {"hf3fs"});
    EXPECT_EQ(value(now, Kind::service, "meta_main", "hf3fs_registers"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::service, "meta_main", "declared_device_filter"), "gap(not collected)")
        << "a file of its own";
}

TEST(Hf3fs, OnlyConfigured) {
    auto host = storage_host();
    host->file("rdma.ctx/mlx5_0", "");
    const Snapshot now = sweep(host, {"hf3fs"});
    EXPECT_EQ(value(now, Kind::service, "3fs", "declared_device_filter"), "mlx5_0 mlx5_1");
    expect_complete(now, collector("hf3fs"));
}

TEST(Hf3fs, SurvivesBadInput) {
    expect_bad_input_is_survived(storage_host, "hf3fs",
                                 {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status"}});
}

}  // namespace
}  // namespace rd::collectors::test
