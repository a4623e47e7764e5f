// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kTransport =
    "\txprt:\trdma 0 1 3 0 12 5000 4990 0 90000 70 11 12 400 1048576 2097152 7 8 9 2 1 0 5 6 100 0 0 0\n";

std::string statistics(std::string_view transports) {
    return fmt::format(
        "device proc mounted on /proc with fstype proc\ndevice srv:/a mounted on /a with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2,proto=rdma\n{}\tper-op statistics\n",
        transports);
}

std::shared_ptr<FakeHost> host_with_nfs() {
    auto host = std::make_shared<FakeHost>();
    host->file("config.mounts/etc/fstab",
               "# comment\nsrv:/a /a nfs4 proto=rdma,port=20049 0 0\nsrv:/b /b nfs rdma,vers=3\nsrv:/c /c nfs rw\n"
               "/dev/sda1 / ext4\n")
        .file("/proc/self/mounts",
              "srv:/a /a nfs4 rw,vers=4.2,proto=rdma,port=20049 0 0\nsrv:/b /b nfs rw,proto=tcp 0 0\nsrv:/c /c nfs "
              "rw,proto=tcp 0 0\n")
        .file("/proc/self/mountstats", statistics(kTransport))
        .file("/etc/nfs.conf", "[general]\nrdma=n\n[nfsd]\n# rdma=n\nrdma = y\nrdma-port=20049\n")
        .directory("/etc/nfs.conf.d", {"local.conf", "README"})
        .file("/etc/nfs.conf.d/local.conf", "[nfsd]\nthreads=16\n")
        .file("/proc/fs/nfsd/threads", "16\n")
        .file("/proc/fs/nfsd/portlist", "rdma 20049\ntcp 2049\n")
        .file("/proc/sys/sunrpc/rdma_slot_table_entries", "128\n")
        .file("/proc/sys/sunrpc/svc_rdma/max_requests", "64\n")
        .file("/proc/sys/sunrpc/svc_rdma/rdma_stat_sq_starve", "4\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"nfs"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Nfs, Client) {
    const Snapshot now = look(host_with_nfs());
    EXPECT_EQ(of(now, "declared_nfs_rdma"), "/a /b");
    EXPECT_EQ(of(now, "nfs_rdma"), "/a");
    EXPECT_EQ(of(now, "nfs_rdma_on_tcp"), "/b");
    EXPECT_EQ(of(now, "nfs_rdma_slots"), "128");
    EXPECT_EQ(of(now, "nfs_rdma_connects"), "3");
    EXPECT_EQ(of(now, "nfs_rdma_requests"), "5000");
    EXPECT_EQ(of(now, "nfs_rdma_reply_chunks"), "400");
    EXPECT_EQ(of(now, "nfs_rdma_failed"), "3");
    EXPECT_EQ(of(now, "nfs_rdma_mrs_lost"), "11");
    expect_complete(now, collector("nfs"));
}

TEST(Nfs, Server) {
    const auto host = host_with_nfs();
    EXPECT_EQ(of(look(host), "nfsd_rdma_wanted"), "true");
    EXPECT_EQ(of(look(host), "nfsd_threads"), "16");
    EXPECT_EQ(of(look(host), "nfsd_rdma"), "true");
    EXPECT_EQ(of(look(host), "nfsd_rdma_credits"), "64");
    EXPECT_EQ(of(look(host), "nfsd_rdma_sq_starved"), "4");
    host->file("/proc/fs/nfsd/portlist", "tcp 2049\n").file("/etc/nfs.conf.d/local.conf", "[nfsd]\nrdma=n\n");
    EXPECT_EQ(of(look(host), "nfsd_rdma"), "false");
    EXPECT_EQ(of(look(host), "nfsd_rdma_wanted"), "false") << "the last setting counts";
    host->file("/etc/nfs.conf.d/local.conf", "[nfsd]\nrdma=20049\n").file("/proc/fs/nfsd/portlist", "");
    EXPECT_EQ(of(look(host), "nfsd_rdma_wanted"), "true");
    EXPECT_EQ(of(look(host), "nfsd_rdma"), "false") << "no listener at all";
}

TEST(Nfs, MountsOfOneServerShareATransport) {
    const auto host = host_with_nfs();
    host->file("/proc/self/mountstats", statistics(std::string(kTransport) + std::string(kTransport)));
    EXPECT_EQ(of(look(host), "nfs_rdma_requests"), "5000");
    std::string other(kTransport);
    other.replace(other.find("5000"), 4, "6000");
    host->file("/proc/self/mountstats", statistics(std::string(kTransport) + other));
    EXPECT_EQ(of(look(host), "nfs_rdma_requests"), "11000");
    host->file("/proc/self/mountstats", statistics("\txprt:\ttcp 0 1 1 0 0 5 5 0 5 0 2 1 1\n"));
    EXPECT_EQ(of(look(host), "nfs_rdma_requests"), "0");
}

TEST(Nfs, AnOldKernelCountsLess) {
    const auto host = host_with_nfs();
    host->file("/proc/self/mountstats", statistics("\txprt:\trdma 0 1 3 0 12 5000\n"));
    EXPECT_EQ(of(look(host), "nfs_rdma_requests"), "gap(not offered)");
    host->file("/proc/self/mountstats",
               statistics("\txprt:\trdma 0 1 x 0 12 5000 4990 0 90000 70 11 12 400 1 2 7 8 9 2 1 0 5 6 100 0 0 0\n"));
    EXPECT_EQ(of(look(host), "nfs_rdma_connects"), "gap(error)");
    EXPECT_EQ(of(look(host), "nfs_rdma_requests"), "5000");
}

TEST(Nfs, SurvivesBadInput) { expect_bad_input_is_survived(host_with_nfs, "nfs"); }

}  // namespace
}  // namespace rd::collectors::test
