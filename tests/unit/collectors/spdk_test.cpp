// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kNames[] = {"trtype",
                                       "in_capsule_data_size",
                                       "max_queue_depth",
                                       "max_srq_depth",
                                       "no_srq",
                                       "iobuf_large_cache_size",
                                       "buf_cache_size",
                                       "num_shared_buffers",
                                       "io_unit_size",
                                       "large_pool_count",
                                       "name",
                                       "ctrlr_loss_timeout_sec",
                                       "keep_alive_timeout_ms",
                                       "timeout_us",
                                       "transport_tos",
                                       "listen_address.trtype",
                                       "listen_address.traddr"};

std::string param(std::string_view name) { return fmt::format("config.yaml/params.{}/etc/spdk.json", name); }
constexpr std::string_view kMethods = "config.yaml/config.method/etc/spdk.json";

std::string at(int call, std::string_view rest) { return fmt::format("at=subsystems.1.config.{}.{}", call, rest); }

// A target with transports of TCP and RDMA, and a controller of another one over two paths.
std::shared_ptr<FakeHost> target_host() {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\tnvmf_tgt\nUid:\t0\t0\t0\t0\nCapEff:\t0\n")
        .file("proc.option/4242/--json", "")
        .file("proc.option/4242/--config", "")
        .file("proc.option/4242/-c", "value=/etc/spdk.json\n");
    for (const std::string_view name : kNames) host->file(param(name), "");
    host->file(kMethods, at(0, "method value=nvmf_create_transport\n") + at(1, "method value=nvmf_create_transport\n") +
                             at(2, "method value=bdev_nvme_attach_controller\n") +
                             at(3, "method value=bdev_nvme_attach_controller\n") +
                             at(4, "method value=nvmf_subsystem_add_listener\n") +
                             at(5, "method value=nvmf_subsystem_add_listener\n"))
        .file(param("trtype"), at(0, "params.trtype value=TCP\n") + at(1, "params.trtype value=RDMA\n") +
                                   at(2, "params.trtype value=rdma\n") + at(3, "params.trtype value=RDMA\n"))
        .file(param("in_capsule_data_size"),
              at(0, "params.in_capsule_data_size value=65536\n") + at(1, "params.in_capsule_data_size value=8192\n"))
        .file(param("buf_cache_size"), at(1, "params.buf_cache_size value=64\n"))
        .file(param("name"), at(2, "params.name value=Nvme0\n") + at(3, "params.name value=Nvme0\n"))
        .file(param("listen_address.trtype"),
              at(4, "params.listen_address.trtype value=RDMA\n") + at(5, "params.listen_address.trtype value=RDMA\n"))
        .file(param("listen_address.traddr"), at(4, "params.listen_address.traddr value=10.9.0.1\n") +
                                                  at(5, "params.listen_address.traddr value=192.0.2.9\n"))
        .file("verbs.gids/mlx5_0",
              "port=1 index=3 gid=0000:0000:0000:0000:0000:ffff:0a09:0001 type=RoCEv2 ifindex=2\n");
    return host;
}

std::string of(std::shared_ptr<FakeHost> host, std::string_view fact) {
    return value(sweep(std::move(host), {"spdk"}), Kind::service, "nvmf_tgt", fact);
}

TEST(Spdk, OnlyCallsOfRdmaCount) {
    const Snapshot now = sweep(target_host(), {"spdk"});
    const auto fact = [&](std::string_view name) { return value(now, Kind::service, "nvmf_tgt", name); };
    EXPECT_EQ(fact("declared_config"), "/etc/spdk.json");
    EXPECT_EQ(fact("declared_rdma_transports"), "1");
    EXPECT_EQ(fact("declared_in_capsule_data_size"), "8192");
    EXPECT_EQ(fact("declared_max_queue_depth"), "128");
    EXPECT_EQ(fact("declared_no_srq"), "false");
    EXPECT_EQ(fact("declared_buffer_cache"), "64");
    EXPECT_EQ(fact("declared_old_buffer_options"), "1");
    EXPECT_EQ(fact("declared_rdma_controllers"), "2");
    EXPECT_EQ(fact("declared_rdma_paths_more"), "1");
    EXPECT_EQ(fact("declared_ctrlr_loss_timeout"), "0");
    EXPECT_EQ(fact("declared_listeners_elsewhere"), "1") << "192.0.2.9";
    expect_complete(now, collector("spdk"));
}

TEST(Spdk, WithoutATransportOfRdmaThereIsNoDefault) {
    auto host = target_host();
    host->file(param("trtype"), at(0, "params.trtype value=TCP\n"));
    EXPECT_EQ(of(host, "declared_in_capsule_data_size"), "gap(not offered)");
    EXPECT_EQ(of(host, "declared_large_pool"), "1024");
}

TEST(Spdk, ListenersOnAnyAddressAndOnIpoib) {
    auto host = target_host();
    host->file(param("listen_address.traddr"), at(4, "params.listen_address.traddr value=0.0.0.0\n"));
    EXPECT_EQ(of(host, "declared_listeners_elsewhere"), "gap(not offered)");
    host->file(param("listen_address.traddr"), at(4, "params.listen_address.traddr value=192.0.2.9\n"))
        .file("rtnl.link", "ifindex=9 ifname=ib0 type=32\n")
        .file("rtnl.addr", "ifindex=9 address=192.0.2.9 prefix=24\n");
    EXPECT_EQ(of(host, "declared_listeners_elsewhere"), "0");
}

TEST(Spdk, WithoutAConfiguration) {
    auto host = target_host();
    host->file("proc.option/4242/-c", "value=relative.json\n");
    EXPECT_EQ(of(host, "declared_config"), "gap(not offered)");
    host->file("proc.option/4242/-c", "");
    EXPECT_EQ(of(host, "declared_config"), "gap(not offered)");
    host->file("proc.option/4242/-c", "value=/etc/spdk.json\n").error(kMethods, denied(kMethods));
    const Snapshot now = sweep(host, {"spdk"});
    EXPECT_EQ(value(now, Kind::service, "nvmf_tgt", "declared_config"), "/etc/spdk.json");
    EXPECT_EQ(value(now, Kind::service, "nvmf_tgt", "declared_transport_tos"), "gap(no privilege)");
    expect_complete(now, collector("spdk"));
}

TEST(Spdk, SurvivesBadInput) {
    // One call is told by several reads: what is lost of one changes what the others mean.
    std::set<std::string> names{"rdma.ctx/mlx5_0",     "/proc/self/status",       "/proc/4242/status",
                                "proc.option/4242/-c", "proc.option/4242/--json", "proc.option/4242/--config",
                                std::string(kMethods)};
    for (const std::string_view name : kNames) names.insert(param(name));
    expect_bad_input_is_survived(target_host, "spdk", {names});
}

constexpr std::string_view kTask = "/proc/4242/task";

std::string thread(std::string_view name, std::string_view cpus) {
    return fmt::format("Name:\t{}\nCpus_allowed_list:\t{}\n", name, cpus);
}

// Two reactors and another thread, on a host whose adapter is on the second node.
std::shared_ptr<FakeHost> reactor_host() {
    auto host = roce_host();
    host->file("/proc/4242/status", "Name:\treactor_2\nUid:\t0\t0\t0\t0\nCapEff:\t0\n")
        .link("/proc/4242/exe", "/usr/bin/spdk_tgt")
        .directory(kTask, {"4242", "4243", "4244"})
        .file("/proc/4242/task/4242/status", thread("reactor_2", "2"))
        .file("/proc/4242/task/4243/status", thread("reactor_0", "0"))
        .file("/proc/4242/task/4244/status", thread("eal-intr", "0-3"))
        .file("/sys/devices/system/node/node1/cpulist", "2-3\n")
        .file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "1\n")
        .file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n")
        .file("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
    return host;
}

TEST(SpdkReactors, WhereTheyRun) {
    const Snapshot now = sweep(reactor_host(), {"spdk_reactors"});
    const auto fact = [&](std::string_view name) { return value(now, Kind::service, "spdk_tgt", name); };
    EXPECT_EQ(fact("reactors"), "2");
    EXPECT_EQ(fact("reactors_remote"), "1");
    EXPECT_EQ(fact("reactors_siblings"), "2");
    EXPECT_EQ(fact("reactors_shared"), "0");
    expect_complete(now, collector("spdk_reactors"));
}

TEST(SpdkReactors, SharedWithAnotherProgram) {
    auto host = reactor_host();
    host->file("rdma.ctx/mlx5_0", "ctxn=1 pid=4242\nctxn=2 pid=5000\n")
        .file("/proc/5000/status", "Name:\tnvmf_tgt\n")
        .directory("/proc/5000/task", {"5000"})
        .file("/proc/5000/task/5000/status", thread("reactor_0", "0"));
    const Snapshot now = sweep(host, {"spdk_reactors"});
    EXPECT_EQ(value(now, Kind::service, "spdk_tgt", "reactors_shared"), "1");
    EXPECT_EQ(value(now, Kind::service, "nvmf_tgt", "reactors_shared"), "1");
}

TEST(SpdkReactors, ANodeThatIsNotKnown) {
    auto host = reactor_host();
    host->file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "-1\n");
    EXPECT_EQ(value(sweep(host, {"spdk_reactors"}), Kind::service, "spdk_tgt", "reactors_remote"), "gap(not offered)");
}

TEST(SpdkReactors, AThreadThatEndsAndOneThatIsHidden) {
    const std::string path = "/proc/4242/task/4243/status";
    auto host = reactor_host();
    host->error(path, absent(path));
    EXPECT_EQ(value(sweep(host, {"spdk_reactors"}), Kind::service, "spdk_tgt", "reactors"), "1");
    host->error(path, denied(path));
    EXPECT_EQ(value(sweep(host, {"spdk_reactors"}), Kind::service, "spdk_tgt", "reactors"), "gap(no privilege)");
    host->file(path, "garbage");
    EXPECT_EQ(value(sweep(host, {"spdk_reactors"}), Kind::service, "spdk_tgt", "reactors"), "gap(error)");
}

TEST(SpdkReactors, SurvivesBadInput) {
    expect_bad_input_is_survived(
        reactor_host, "spdk_reactors",
        {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", "/proc/4242/exe", "/proc/4242/task/4242/status",
          "/proc/4242/task/4243/status", "/proc/4242/task/4244/status"}});
}

}  // namespace
}  // namespace rd::collectors::test
