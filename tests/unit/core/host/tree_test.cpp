// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/host/live.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Tree : public testing::Test {
protected:
    Tree() {
        directory_.file("sys/devices/pci0000:40/0000:41:00.0/numa_node", "1\n");
        directory_.file("sys/class/net/ens1f0/mtu", "9000\n");
        directory_.file("proc/sys/kernel/hostname", "gpu7\n");
        directory_.file("proc/sys/kernel/osrelease", "5.14.0-427.el9.x86_64\n");
        directory_.file("proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
        directory_.file("proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme hypervisor lm\n\n");
    }
    void link(const std::string& target, std::string_view name) const { fs::create_symlink(target, directory_ / name); }
    [[nodiscard]] std::unique_ptr<Host> open() const { return std::move(*tree_host(directory_.path())); }

    TempDirectory directory_;
};

TEST_F(Tree, ReadsBelowItsRoot) {
    const auto host = open();
    EXPECT_EQ(host->read("/sys/class/net/ens1f0/mtu"), "9000\n");
    EXPECT_THAT(*host->list("/sys/class/net"), ElementsAre("ens1f0"));
    EXPECT_THAT(*host->list("/"), ElementsAre("proc", "sys"));
    EXPECT_EQ(host->read("/etc/passwd").error().code, Errc::not_found);
    EXPECT_EQ(host->read("/../../../../../etc/passwd").error().code, Errc::not_found);
}

TEST_F(Tree, WhatCannotBeListedIsAbsentOnlyWhereNothingHasTheName) {
    directory_.file("sys/class/infiniband", "a file in the place of a directory");
    ASSERT_EQ(::mkfifo((directory_ / "sys/class/nvme").c_str(), 0600), 0);
    link("../../devices/virtual/dmi", "sys/class/dmi");
    const auto host = open();
    EXPECT_EQ(host->list("/sys/class/infiniband").error(),
              (Error{Errc::io, "/sys/class/infiniband: is not a directory", ""}));
    EXPECT_EQ(host->list("/sys/class/nvme").error().code, Errc::io);
    EXPECT_EQ(host->list("/sys/class/dmi").error(),
              (Error{Errc::not_collected, "/sys/class/dmi: a link to what this copy does not have",
                     "copy what it leads to as well"}));
    EXPECT_EQ(host->list("/sys/class/usb").error().code, Errc::not_found);
    EXPECT_EQ(host->list("/sys/class/infiniband/mlx5_0").error().code, Errc::not_found);
}

TEST_F(Tree, TakesTheNamesOfTheHostFromItsFiles) {
    const auto host = open();
    const HostIdentity& who = host->identity();
    EXPECT_EQ(who.source, directory_.path());
    EXPECT_EQ(who.hostname, "gpu7");
    EXPECT_EQ(who.kernel, "5.14.0-427.el9.x86_64");
    EXPECT_EQ(who.boot_id, "11111111-2222-3333-4444-555555555555");
    EXPECT_TRUE(who.hypervisor);
}

TEST_F(Tree, LinksStayInside) {
    link("../../../devices/pci0000:40/0000:41:00.0", "sys/class/net/ens1f0/device");
    link("/sys/class/net", "sys/absolute");
    link("/etc/passwd", "sys/outside");
    link("../../../../../../../../etc/passwd", "sys/climbing");
    const auto host = open();
    EXPECT_EQ(host->read("/sys/class/net/ens1f0/device/numa_node"), "1\n");
    EXPECT_EQ(host->link("/sys/class/net/ens1f0/device"), "/sys/devices/pci0000:40/0000:41:00.0");
    EXPECT_EQ(host->link("/sys/class/net/ens1f0/device/numa_node"), "/sys/devices/pci0000:40/0000:41:00.0/numa_node");
    EXPECT_EQ(host->link("/sys/absolute"), "/sys/class/net");
    EXPECT_THAT(*host->list("/sys/absolute"), ElementsAre("ens1f0"));
    EXPECT_EQ(host->read("/sys/outside").error().code, Errc::not_found);
    EXPECT_EQ(host->read("/sys/climbing").error().code, Errc::not_found);
    EXPECT_EQ(host->link("/"), "/");
}

TEST_F(Tree, ALinkWhoseTargetWasNotCopiedStillTellsIt) {
    link("../../../devices/pci0000:80/0000:81:00.0", "sys/class/net/ens1f0/device");
    link("../../../../../../../../x", "sys/climbing");
    const auto host = open();
    EXPECT_EQ(host->link("/sys/class/net/ens1f0/device"), "/sys/devices/pci0000:80/0000:81:00.0");
    EXPECT_EQ(host->link("/sys/climbing"), "/x");
    EXPECT_EQ(host->link("/sys/none").error().code, Errc::not_found);
    EXPECT_EQ(host->link("/sys/class/net/ens1f0/device/below").error().code, Errc::not_found);
}

TEST_F(Tree, LoopsOfLinksAreErrors) {
    link("b", "sys/a");
    link("a", "sys/b");
    const auto host = open();
    EXPECT_FALSE(host->read("/sys/a"));
    EXPECT_FALSE(host->link("/sys/a"));
    EXPECT_FALSE(host->list("/sys/a"));
}

TEST_F(Tree, DeviceNodesAreNotOpened) {
    if (::mknod((directory_ / "sys/zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) GTEST_SKIP() << "needs root";
    EXPECT_EQ(open()->read("/sys/zero").error().code, Errc::no_privilege);
}

TEST_F(Tree, AFifoInACopyDoesNotHang) {
    ASSERT_EQ(::mkfifo((directory_ / "sys/fifo").c_str(), 0600), 0);
    EXPECT_EQ(open()->read("/sys/fifo").error().code, Errc::timed_out);
}

TEST_F(Tree, HoldsOnlyFilesOfOneMoment) {
    const auto host = open();
    const Error error = host->read("dcb.pfc/ens1f0").error();
    EXPECT_EQ(error.code, Errc::not_collected);
    EXPECT_EQ(error.what, "dcb.pfc/ens1f0: this source holds only files: " + directory_.path());
    EXPECT_FALSE(error.remedy.empty());
    EXPECT_EQ(host->write("/sys/class/net/ens1f0/mtu", "1").error().code, Errc::not_supported);
    const Stamp stamp = host->now();
    EXPECT_FALSE(host->advance(std::chrono::seconds(1)));
    EXPECT_EQ(host->now(), stamp);
}

TEST_F(Tree, HandlesOutliveTheHost) {
    auto host = open();
    const auto handle = host->open("/sys/class/net/ens1f0/mtu");
    host.reset();
    Buffer buffer;
    ASSERT_TRUE(handle->read(buffer));
    EXPECT_EQ(buffer.text(), "9000\n");
}

TEST(TreeRoot, MustLookLikeAHost) {
    const TempDirectory directory;
    const auto host = tree_host(directory.path());
    ASSERT_FALSE(host);
    EXPECT_THAT(host.error().what, HasSubstr("has neither sys/ nor proc/ below it"));
    EXPECT_EQ(tree_host(directory / "missing").error().code, Errc::not_found);
}

}  // namespace
}  // namespace rd
