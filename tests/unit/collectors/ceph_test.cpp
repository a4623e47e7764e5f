// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kKeys[] = {"ms_type",
                                      "ms_public_type",
                                      "ms_cluster_type",
                                      "ms_async_rdma_device_name",
                                      "ms_async_rdma_port_num",
                                      "ms_async_rdma_gid_idx",
                                      "ms_async_rdma_local_gid",
                                      "ms_async_rdma_roce_ver",
                                      "ms_async_rdma_dscp",
                                      "ms_async_rdma_cm",
                                      "ms_async_rdma_type",
                                      "ms_async_rdma_support_srq",
                                      "ms_async_rdma_receive_queue_len",
                                      "ms_async_rdma_receive_buffers",
                                      "ms_async_rdma_send_buffers",
                                      "ms_async_rdma_buffer_size",
                                      "ms_async_rdma_polling_us"};

std::string subject(std::string_view key) { return fmt::format("config.ini/{}/etc/ceph/ceph.conf", key); }

// OSD 3, and a ceph.conf that sets nothing.
std::shared_ptr<FakeHost> osd_host(std::string_view program = "ceph-osd") {
    auto host = roce_host();
    host->file("/proc/4242/status", fmt::format("Name:\t{}\nUid:\t0\t0\t0\t0\nCapEff:\t0\n", program))
        .file("proc.option/4242/--id", "value=3\n")
        .directory("/sys/bus/rbd/devices", {})
        .directory("/sys/class/bdi", {"8:0"});
    for (const std::string_view key : kKeys) host->file(subject(key), "");
    return host;
}

std::string of(std::shared_ptr<FakeHost> host, std::string_view fact, std::string_view id = "ceph-osd.3") {
    return value(sweep(std::move(host), {"ceph"}), Kind::service, id, fact);
}

TEST(Ceph, NothingIsSet) {
    const Snapshot now = sweep(osd_host(), {"ceph"});
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "ceph_rdma_declared"), "false");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "declared_ms_type"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "ceph_receive_queue"), "4096");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "ceph_registers"),
              std::to_string((1024LL + 2 * 4096) * 131072 + (64 << 20)));
    EXPECT_EQ(value(now, Kind::host, "", "ceph_kernel_clients"), "0");
    expect_complete(now, collector("ceph"));
}

TEST(Ceph, TheNearestSectionCounts) {
    auto host = osd_host();
    host->file(subject("ms_async_rdma_gid_idx"),
               "at=osd.3 value=5\nat=global value=1\nat=osd value=3\nat=mon value=7\n");
    EXPECT_EQ(of(host, "declared_ms_async_rdma_gid_idx"), "5");
    host->file(subject("ms_async_rdma_gid_idx"), "at=global value=1\nat=osd value=3\nat=osd value=4\n");
    EXPECT_EQ(of(host, "declared_ms_async_rdma_gid_idx"), "4") << "the last one of a section";
    host->file(subject("ms_async_rdma_gid_idx"), "at=global value=1\nat=mon value=3\n");
    EXPECT_EQ(of(host, "declared_ms_async_rdma_gid_idx"), "1");
}

TEST(Ceph, TheIndexOfTheGid) {
    auto host = osd_host();
    EXPECT_EQ(of(host, "ceph_gid_index"), "gap(not offered)") << "nothing there is about RDMA";
    host->file(subject("ms_type"), "at=global value=async+rdma\n");
    EXPECT_EQ(of(host, "ceph_gid_index"), "0") << "the default";
    host->file(subject("ms_async_rdma_gid_idx"), "at=global value=3\n");
    EXPECT_EQ(of(host, "ceph_gid_index"), "3");
    host->file(subject("ms_async_rdma_gid_idx"), "at=global value=third\n");
    EXPECT_EQ(of(host, "ceph_gid_index"), "gap(error)");
    host->error(subject("ms_async_rdma_gid_idx"), denied(subject("ms_async_rdma_gid_idx")));
    EXPECT_EQ(of(host, "ceph_gid_index"), "gap(no privilege)");
}

TEST(Ceph, WhoSpeaksOnWhichNetwork) {
    const auto wishes = [](std::string_view program) {
        auto host = osd_host(program);
        host->file(subject("ms_cluster_type"), "at=global value=async+rdma\n");
        const Snapshot now = sweep(host, {"ceph"});
        const std::string id = fmt::format("{}.3", program);
        return value(now, Kind::service, id, "ceph_rdma_declared") + value(now, Kind::service, id, "ceph_rdma_public");
    };
    EXPECT_EQ(wishes("ceph-osd"), "truefalse");
    EXPECT_EQ(wishes("ceph-mon"), "falsefalse");
}

TEST(Ceph, OneNetworkMayDiffer) {
    auto host = osd_host();
    host->file(subject("ms_type"), "at=global value=async+rdma\n")
        .file(subject("ms_public_type"), "at=global value=async+posix\n");
    EXPECT_EQ(of(host, "ceph_rdma_declared"), "true");
    EXPECT_EQ(of(host, "ceph_rdma_public"), "false");
}

TEST(Ceph, Sizes) {
    auto host = osd_host();
    host->file(subject("ms_async_rdma_buffer_size"), "at=osd value=64K\n")
        .file(subject("ms_async_rdma_send_buffers"), "at=osd value=16\n")
        .file(subject("ms_async_rdma_receive_queue_len"), "at=osd value=8\n");
    EXPECT_EQ(of(host, "ceph_registers"), std::to_string((16LL + 2 * 8) * 65536 + (64 << 20)));
    host->file(subject("ms_async_rdma_send_buffers"), "at=osd value=9223372036854775807\n");
    EXPECT_EQ(of(host, "ceph_registers"), "gap(error)");
}

TEST(Ceph, AFileThatIsNotThereAsksForNothing) {
    auto host = osd_host();
    for (const std::string_view key : kKeys) host->error(subject(key), absent(subject(key)));
    EXPECT_EQ(of(host, "ceph_rdma_declared"), "false");
    EXPECT_EQ(of(host, "ceph_receive_buffers"), "32768");
    EXPECT_EQ(of(host, "declared_ms_type"), "gap(not offered)");
}

TEST(Ceph, DeniedAndGarbage) {
    auto host = osd_host();
    host->error(subject("ms_type"), denied(subject("ms_type")))
        .file(subject("ms_async_rdma_cm"), "at=osd value=perhaps\n")
        .file(subject("ms_async_rdma_dscp"), "garbage");
    const Snapshot now = sweep(host, {"ceph"});
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "declared_ms_type"), "gap(no privilege)");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "ceph_rdma_declared"), "gap(no privilege)");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "declared_ms_async_rdma_cm"), "gap(error)");
    EXPECT_EQ(value(now, Kind::service, "ceph-osd.3", "declared_ms_async_rdma_dscp"), "gap(error)");
    expect_complete(now, collector("ceph"));
}

TEST(Ceph, ClientsInTheKernel) {
    auto host = osd_host();
    host->directory("/sys/bus/rbd/devices", {"0", "1"}).directory("/sys/class/bdi", {"ceph-1", "8:0", "cephalopod"});
    const Snapshot now = sweep(host, {"ceph"});
    EXPECT_EQ(value(now, Kind::host, "", "ceph_kernel_clients"), "3");
}

TEST(Ceph, WithoutCephNothingIsLookedFor) {
    const Snapshot now = sweep(roce_host(), {"ceph"});
    EXPECT_TRUE(now.entities(Kind::service).empty());
    EXPECT_EQ(value(now, Kind::host, "", "ceph_kernel_clients"), "gap(not collected)");
}

TEST(Ceph, SurvivesBadInput) {
    expect_bad_input_is_survived(
        [] { return osd_host(); }, "ceph",
        {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status", "proc.option/4242/--id"}});
}

}  // namespace
}  // namespace rd::collectors::test
