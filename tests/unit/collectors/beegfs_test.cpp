// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

const std::string kFolder = "/proc/fs/beegfs/1-A-client1";

void add_client(FakeHost& host, const std::string& folder) {
    host.file(folder + "/config",
              "cfgFile = /etc/beegfs/beegfs-client.conf\nconnUseRDMA = 1\nconnMaxInternodeNum = 12\nconnRDMABufSize = "
              "8192\nconnRDMAFragmentSize = 4096\nconnRDMATypeOfService = 0\nconnRDMAKeyType = global\n")
        .file(folder + "/meta_nodes",
              "meta1 [ID: 1]\n   Root: <yes>\n   Connections: RDMA: 4 (10.9.0.1:8005); \nmeta2 [ID: 2]\n   "
              "Connections: <none>\n")
        .file(folder + "/storage_nodes",
              "storage1 [ID: 1]\n   Connections: TCP: 2 (10.0.0.3:8003 [fallback route]); RDMA: 1 (10.9.0.3:8003); \n");
}

std::shared_ptr<FakeHost> client() {
    auto host = std::make_shared<FakeHost>();
    add_client(*host, kFolder);
    host->directory("/sys/module", {"ib_core", "nvidia_fs"});
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"beegfs"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Beegfs, OfAClient) {
    const Snapshot now = look(client());
    EXPECT_EQ(of(now, "beegfs_clients"), "1");
    EXPECT_EQ(of(now, "beegfs_use_rdma"), "true");
    EXPECT_EQ(of(now, "beegfs_rdma_connections"), "5");
    EXPECT_EQ(of(now, "beegfs_tcp_connections"), "2");
    EXPECT_EQ(of(now, "beegfs_mixed_servers"), "storage1");
    EXPECT_EQ(of(now, "beegfs_tos"), "0");
    EXPECT_EQ(of(now, "beegfs_key_type"), "global");
    EXPECT_EQ(of(now, "beegfs_buffer_fragment"), "4096");
    EXPECT_EQ(of(now, "beegfs_connections_max"), "12");
    EXPECT_EQ(of(now, "gds_loaded"), "true");
    expect_complete(now, collector("beegfs"));
}

TEST(Beegfs, AllOnTcpIsNoMixture) {
    const auto host = client();
    host->file(kFolder + "/meta_nodes", "")
        .file(kFolder + "/storage_nodes", "s1 [ID: 1]\n   Connections: TCP: 2 (x); \n");
    EXPECT_EQ(of(look(host), "beegfs_mixed_servers"), "none");
    EXPECT_EQ(of(look(host), "beegfs_rdma_connections"), "0");
    EXPECT_EQ(of(look(host), "beegfs_tcp_connections"), "2");
}

TEST(Beegfs, SeveralMounts) {
    const auto host = client();
    add_client(*host, "/proc/fs/beegfs/2-B-client1");
    EXPECT_EQ(of(look(host), "beegfs_rdma_connections"), "10");
    EXPECT_EQ(of(look(host), "beegfs_use_rdma"), "true");
    host->file("/proc/fs/beegfs/2-B-client1/config", "connUseRDMA = 0\n");
    EXPECT_EQ(of(look(host), "beegfs_use_rdma"), "gap(not offered)") << "they differ";
}

TEST(Beegfs, BuffersInOnePiece) {
    const auto host = client();
    host->file(kFolder + "/config", "connUseRDMA = 1\nconnRDMABufSize = 65536\nconnRDMAFragmentSize = 0\n");
    EXPECT_EQ(of(look(host), "beegfs_buffer_fragment"), "65536");
    EXPECT_EQ(of(look(host), "beegfs_tos"), "gap(not offered)") << "an old client";
}

TEST(Beegfs, AHostWithout) {
    EXPECT_EQ(of(look(std::make_shared<FakeHost>()), "beegfs_clients"), "gap(not collected)");
    const auto host = std::make_shared<FakeHost>();
    host->directory("/proc/fs/beegfs", {}).directory("/sys/module", {"ib_core"});
    EXPECT_EQ(of(look(host), "gds_loaded"), "false");
    EXPECT_EQ(of(look(host), "beegfs_clients"), "0");
    EXPECT_EQ(of(look(host), "beegfs_use_rdma"), "gap(not offered)");
}

TEST(Beegfs, SurvivesBadInput) { expect_bad_input_is_survived(client, "beegfs"); }

}  // namespace
}  // namespace rd::collectors::test
