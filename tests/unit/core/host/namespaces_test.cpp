// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/namespaces.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/host/live.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::HasSubstr;

class NamespacesTest : public testing::Test {
protected:
    NamespacesTest() {
        directory_.file("sys/class/net/ens1f0/ifindex", "2\n");
        directory_.file("sys/class/net/lo/ifindex", "1\n");
        directory_.file("sys/class/net/bonding_masters", "\n");
        directory_.file("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
        directory_.file("sys/kernel/x", "1\n");
        directory_.file("proc/sys/kernel/hostname", "pod-7\n");
    }
    [[nodiscard]] Files files() const {
        return Files(Descriptor(::open(directory_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), false);
    }
    [[nodiscard]] std::unique_ptr<Host> host() const { return std::move(*rooted_host(directory_.path())); }

    TempDirectory directory_;
};

TEST_F(NamespacesTest, TheNetworkIsTheSameWhenEveryInterfaceHasItsIndex) {
    EXPECT_TRUE(same_interfaces(files(), {{"lo", 1}, {"ens1f0", 2}}));
    EXPECT_FALSE(same_interfaces(files(), {{"lo", 1}, {"ens1f0", 3}}));
    EXPECT_FALSE(same_interfaces(files(), {{"lo", 1}, {"eth0", 2}}));
    EXPECT_FALSE(same_interfaces(files(), {{"lo", 1}}));
    EXPECT_FALSE(same_interfaces(files(), {{"lo", 1}, {"ens1f0", 2}, {"eth0", 5}}));
    EXPECT_FALSE(same_interfaces(files(), {}));
}

TEST_F(NamespacesTest, TheRdmaDevicesAreTheSameWhenTheNamesAre) {
    EXPECT_TRUE(same_rdma_devices(files(), {"mlx5_0"}));
    EXPECT_FALSE(same_rdma_devices(files(), {"mlx5_0", "mlx5_1"}));
    EXPECT_FALSE(same_rdma_devices(files(), {}));
    std::filesystem::remove_all(directory_ / "sys/class/infiniband");
    EXPECT_TRUE(same_rdma_devices(files(), {}));
    EXPECT_FALSE(same_rdma_devices(files(), {"mlx5_0"}));
}

TEST_F(NamespacesTest, ProcessIdsAreTheSameInOneNamespaceOnly) {
    EXPECT_FALSE(same_process_ids(files()));
    directory_.file("proc/self/status", "Name:\tx\nPid:\t4711\nNSpid:\t4711\n");
    EXPECT_TRUE(same_process_ids(files()));
    directory_.file("proc/self/status", "Name:\tx\nPid:\t4711\nNSpid:\t4711\t7\n");
    EXPECT_FALSE(same_process_ids(files()));
}

TEST_F(NamespacesTest, PidsCanBeTakenOut) {
    EXPECT_EQ(without_pids("lqpn=17 pid=7 state=RTS\npid=8 kern=x\nctxn=1 pid=9\n"),
              "lqpn=17 state=RTS\nkern=x\nctxn=1\n");
    EXPECT_EQ(without_pids(""), "");
}

TEST_F(NamespacesTest, AHostBelowARootReadsItsFilesAndSaysWhatItCannotAsk) {
    // No machine that runs this has these.
    directory_.file("sys/class/net/ens1f0/ifindex", "2147483646\n");
    directory_.file("sys/class/infiniband/nobody_has_this/node_type", "1: CA\n");
    directory_.file("proc/sys/net/ipv4/conf/all/arp_ignore", "0\n");
    const auto rooted = host();
    EXPECT_EQ(rooted->read("/proc/sys/net/ipv4/conf/all/arp_ignore").error().code, Errc::not_collected);
    EXPECT_EQ(rooted->list("/proc/sys/net/ipv4/conf").error().code, Errc::not_collected);
    EXPECT_EQ(rooted->read("/sys/kernel/x"), "1\n");
    EXPECT_EQ(rooted->read("/etc/passwd").error().code, Errc::not_found);
    const Error network = rooted->read("dcb.pfc/ens1f0").error();
    EXPECT_EQ(network.code, Errc::not_collected);
    EXPECT_THAT(network.what, HasSubstr("in another network namespace than the files below " + directory_.path()));
    EXPECT_THAT(network.remedy, HasSubstr("hostNetwork"));
    EXPECT_EQ(rooted->read("rdma.devices").error().code, Errc::not_collected);
    EXPECT_EQ(rooted->write("/sys/kernel/x", "2").error().code, Errc::not_supported);
    EXPECT_TRUE(rooted->advance(std::chrono::nanoseconds(0)));
}

TEST_F(NamespacesTest, FilesBelowARootAreReadAnewEachTime) {
    const auto rooted = host();
    const auto handle = rooted->open("/sys/kernel/x");
    Buffer buffer;
    ASSERT_TRUE(handle->read(buffer).has_value());
    std::filesystem::remove(directory_ / "sys/kernel/x");
    directory_.file("sys/kernel/x", "22\n");
    ASSERT_TRUE(handle->read(buffer).has_value());
    EXPECT_EQ(buffer.text(), "22\n");
}

TEST_F(NamespacesTest, TheNameOfTheHostIsInItsOwnFileWhereItIsMounted) {
    EXPECT_EQ(host()->identity().hostname, "pod-7");
    directory_.file("etc/hostname", "gpu-node-11\n");
    EXPECT_EQ(host()->identity().hostname, "gpu-node-11");
    EXPECT_EQ(host()->identity().source, "live, files below " + directory_.path());
}

TEST_F(NamespacesTest, ARootHasTheFilesOfAHost) {
    const TempDirectory empty;
    EXPECT_EQ(rooted_host(empty.path()).error().code, Errc::bad_input);
    EXPECT_EQ(rooted_host(empty.path() + "/none").error().code, Errc::not_found);
}

}  // namespace
}  // namespace rd
