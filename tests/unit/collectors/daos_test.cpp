// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::string subject(std::string_view key) { return fmt::format("config.yaml/{}/etc/daos/daos_server.yml", key); }

// Engine 0 runs, engine 1 is configured.
std::shared_ptr<FakeHost> daos_host() {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\tdaos_engine\nUid:\t0\t0\t0\t0\nCapEff:\t0\n")
        .file("proc.option/4242/-I", "value=0\n")
        .file("proc.env/4242", "D_INTERFACE=ens1f0\n")
        .file("/proc/sys/vm/max_map_count", "65530\n")
        .file("/proc/sys/net/ipv4/conf/all/accept_local", "0\n")
        .file("/sys/bus/pci/devices/0000:81:00.0/numa_node", "1\n")
        .file("/sys/bus/pci/devices/0000:82:00.0/numa_node", "0\n")
        .file(subject("engines.fabric_iface"),
              "at=engines.0.fabric_iface value=ens1f0\nat=engines.1.fabric_iface value=ens1f0\n")
        .file(subject("engines.fabric_iface_port"),
              "at=engines.0.fabric_iface_port value=31316\nat=engines.1.fabric_iface_port value=31318\n")
        .file(subject("engines.pinned_numa_node"), "at=engines.0.pinned_numa_node value=0\n")
        .file(subject("engines.targets"), "at=engines.0.targets value=16\n")
        .file(subject("bdev_list"),
              "at=engines.0.storage.1.bdev_list.0 value=0000:81:00.0\nat=engines.0.storage.1.bdev_list.1 "
              "value=0000:82:00.0\n"
              "at=engines.0.storage.1.bdev_list.2 value=aio\n")
        .file(subject("provider"), "at=provider value=ofi+verbs%3Bofi_rxm\n")
        .file(subject("allow_thp"), "")
        .file(subject("disable_hugepages"), "at=disable_hugepages value=true\n");
    return host;
}

std::string of(std::shared_ptr<FakeHost> host, std::string_view id, std::string_view fact) {
    return value(sweep(std::move(host), {"daos"}), Kind::service, id, fact);
}

TEST(Daos, EachEngineHasItsOwn) {
    const Snapshot now = sweep(daos_host(), {"daos"});
    const auto engine = [&](int number, std::string_view fact) {
        return value(now, Kind::service, fmt::format("daos_engine.{}", number), fact);
    };
    EXPECT_EQ(engine(0, "declared_fabric_iface"), "ens1f0");
    EXPECT_EQ(engine(0, "declared_targets"), "16");
    EXPECT_EQ(engine(1, "declared_targets"), "gap(not offered)");
    EXPECT_EQ(engine(0, "daos_port_distance"), "2");
    EXPECT_EQ(engine(1, "daos_port_distance"), "2");
    EXPECT_EQ(engine(0, "daos_ssds_elsewhere"), "1");
    EXPECT_EQ(engine(1, "daos_ssds_elsewhere"), "gap(not offered)") << "it is pinned to none";
    EXPECT_EQ(engine(1, "declared_provider_family"), "verbs");
    EXPECT_EQ(engine(1, "daos_rdma_declared"), "true");
    EXPECT_EQ(engine(0, "declared_disable_hugepages"), "true");
    EXPECT_EQ(engine(0, "declared_allow_thp"), "gap(not offered)");
    EXPECT_EQ(engine(1, "daos_environment_old"), "gap(not offered)") << "it does not run";
    EXPECT_EQ(value(now, Kind::host, "", "max_map_count"), "65530");
    expect_complete(now, collector("daos"));
}

TEST(Daos, Providers) {
    const auto family = [](std::string_view provider) {
        auto host = daos_host();
        host->file(subject("provider"), fmt::format("at=provider value={}\n", provider));
        return of(host, "daos_engine.0", "declared_provider_family") + " " +
               of(host, "daos_engine.0", "daos_rdma_declared");
    };
    EXPECT_EQ(family("ofi+verbs"), "verbs true");
    EXPECT_EQ(family("ucx+dc_x"), "ucx true");
    EXPECT_EQ(family("ucx+tcp"), "tcp false");
    EXPECT_EQ(family("ofi+sockets"), "tcp false");
    EXPECT_EQ(family("ofi+cxi"), "other false");
}

TEST(Daos, AnEngineAloneOnItsInterface) {
    auto host = daos_host();
    host->file(subject("engines.fabric_iface"),
               "at=engines.0.fabric_iface value=ens1f0\nat=engines.1.fabric_iface value=ib1\n");
    EXPECT_EQ(of(host, "daos_engine.0", "daos_port_distance"), "gap(not offered)");
}

TEST(Daos, Environment) {
    auto host = daos_host();
    host->file("proc.env/4242", "OFI_INTERFACE=ib0 OFI_PORT=1 UCX_RCACHE_ENABLE=y FI_UNIVERSE_SIZE=256\n");
    EXPECT_EQ(of(host, "daos_engine.0", "daos_environment_old"), "2");
    EXPECT_EQ(of(host, "daos_engine.0", "daos_environment_overridden"), "1");
    EXPECT_EQ(of(host, "daos_engine.0", "daos_universe_size"), "256");
    host->file("proc.env/4242", "CRT_MRC_ENABLE=1 UCX_RCACHE_ENABLE=y\n");
    EXPECT_EQ(of(host, "daos_engine.0", "daos_environment_overridden"), "0");
    host->error("proc.env/4242", denied("proc.env/4242"));
    EXPECT_EQ(of(host, "daos_engine.0", "daos_environment_old"), "gap(no privilege)");
}

TEST(Daos, ADiskThatIsGoneIsNotCounted) {
    auto host = daos_host();
    host->gone("/sys/bus/pci/devices/0000:81:00.0/numa_node");
    host->error("/sys/bus/pci/devices/0000:81:00.0/numa_node", absent("/sys/bus/pci/devices/0000:81:00.0/numa_node"));
    EXPECT_EQ(of(host, "daos_engine.0", "daos_ssds_elsewhere"), "0");
}

TEST(Daos, AnAgentHasNoEngine) {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\tdaos_agent\n");
    const Snapshot now = sweep(host, {"daos"});
    EXPECT_EQ(value(now, Kind::service, "daos_agent", "declared_fabric_iface"), "gap(not offered)");
    expect_complete(now, collector("daos"));
}

TEST(Daos, SurvivesBadInput) {
    // Which engine is meant, and what there is of them, comes from these.
    expect_bad_input_is_survived(daos_host, "daos",
                                 {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", "proc.option/4242/-I",
                                   subject("engines.fabric_iface"), subject("engines.fabric_iface_port"),
                                   "/sys/bus/pci/devices/0000:81:00.0/numa_node"}});
}

}  // namespace
}  // namespace rd::collectors::test
