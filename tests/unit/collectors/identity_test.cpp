// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/identity.h"

#include <filesystem>

#include "core/host/live.h"
#include "tests/unit/collectors/support.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::collectors::test {
namespace {

const std::string kCard = "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0";

std::vector<std::string> ids(const std::vector<RdmaDevice>& devices) {
    std::vector<std::string> out;
    for (const RdmaDevice& device : devices) out.push_back(device.entity.id);
    return out;
}

std::vector<std::string> ids(const std::vector<Netdev>& netdevs) {
    std::vector<std::string> out;
    for (const Netdev& netdev : netdevs) out.push_back(netdev.entity.id);
    return out;
}

TEST(PciPlace, IsTheLastFunctionOfThePath) {
    EXPECT_EQ(pci_place(kCard + "/net/ens1f0")->address, "0000:41:00.0");
    EXPECT_EQ(pci_place(kCard + "/mlx5_core.sf.4/infiniband/mlx5_2")->part, "sf.4");
    EXPECT_EQ(pci_place("/sys/devices/pci0000:00/0000:00:03.0/virtio0")->address, "0000:00:03.0");
    EXPECT_EQ(pci_place("/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:01.0/10000:e1:00.0")->address,
              "10000:e1:00.0");
}

TEST(PciPlace, IsNoneForOtherBuses) {
    EXPECT_FALSE(pci_place("/sys/devices/virtual/net/bond0"));
    EXPECT_FALSE(pci_place("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0"));
    EXPECT_FALSE(pci_place(""));
}

TEST(PciPath, NamesEveryHop) { EXPECT_THAT(pci_path(kCard), ::testing::ElementsAre("0000:40:01.0", "0000:41:00.0")); }

TEST(RdmaDevices, AreNamedByPciFunction) {
    const auto devices = rdma_devices(*roce_host());
    ASSERT_TRUE(devices);
    ASSERT_THAT(ids(*devices), ::testing::ElementsAre("pci-0000:41:00.0"));
    EXPECT_EQ(devices->front().lane, "0000:41:00.0");
    EXPECT_EQ(devices->front().soft, Result<bool>(false));
}

TEST(ListSubsystem, OnlyADirectoryMissingBesideOthersIsNone) {
    const TempDirectory directory;
    const auto list = [&] {
        return list_subsystem(**tree_host(directory.path()), "/sys/class/infiniband", "/sys/class");
    };
    directory.file("proc/uptime", "");
    EXPECT_EQ(list().error(), (Error{Errc::not_collected, "/sys/class/infiniband: No such file or directory",
                                     "use a source that holds /sys/class"}));
    directory.file("sys/class", "a file");
    EXPECT_EQ(list().error(), (Error{Errc::io, "/sys/class: is not a directory", ""}));
    std::filesystem::remove(directory / "sys/class");
    std::filesystem::create_directories(directory / "sys/class/net");
    EXPECT_THAT(*list(), ::testing::IsEmpty());
    directory.file("sys/class/infiniband", "a file");
    EXPECT_EQ(list().error(), (Error{Errc::io, "/sys/class/infiniband: is not a directory", ""}));
    std::filesystem::remove(directory / "sys/class/infiniband");
    directory.file("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
    EXPECT_THAT(*list(), ::testing::ElementsAre("mlx5_0"));
}

TEST(RdmaDevices, SubFunctionsOfOneFunctionDiffer) {
    const auto host = roce_host();
    for (const std::string number : {"4", "5"}) {
        host->file("/sys/class/infiniband/sf" + number + "/node_type", "1: CA\n")
            .link("/sys/class/infiniband/sf" + number + "/device", kCard + "/mlx5_core.sf." + number);
    }
    EXPECT_THAT(ids(*rdma_devices(*host)),
                ::testing::ElementsAre("pci-0000:41:00.0", "pci-0000:41:00.0#sf.4", "pci-0000:41:00.0#sf.5"));
}

TEST(RdmaDevices, TwoOnOneFunctionDiffer) {
    const auto host = roce_host();
    host->link("/sys/class/infiniband/mlx5_bond_0/device", kCard);
    EXPECT_THAT(ids(*rdma_devices(*host)), ::testing::ElementsAre("pci-0000:41:00.0", "pci-0000:41:00.0#mlx5_bond_0"));
}

TEST(RdmaDevices, SoftwareIsNamedByGuidAndLeadsToTheCardBelow) {
    const auto devices = rdma_devices(*rxe_host());
    ASSERT_THAT(ids(*devices), ::testing::ElementsAre("guid-0200:00ff:fe00:0001"));
    EXPECT_EQ(devices->front().soft, Result<bool>(true));
    EXPECT_EQ(devices->front().pci, Result<std::string>("0000:41:00.0"));
    EXPECT_EQ(devices->front().lane, "rxe0");
}

TEST(RdmaDevices, SoftwareOnAVlanLeadsToTheCardBelowThat) {
    const auto host = rxe_host();
    host->file("/sys/class/infiniband/rxe0/parent", "ens1f0.100\n")
        .directory("/sys/class/net/ens1f0.100", {"ifindex", "lower_ens1f0"})
        .error("/sys/class/net/ens1f0.100/device", absent("device"));
    EXPECT_EQ(rdma_devices(*host)->front().pci, Result<std::string>("0000:41:00.0"));
}

TEST(RdmaDevices, SoftwareOnVirtualInterfacesHasNoPciFunction) {
    const auto host = rxe_host();
    host->file("/sys/class/infiniband/rxe0/parent", "dummy0\n").error("/sys/class/net/dummy0/device", absent("device"));
    ASSERT_FALSE(rdma_devices(*host)->front().pci);
    EXPECT_EQ(rdma_devices(*host)->front().pci.error().code, Errc::not_supported);
}

TEST(RdmaDevices, AGuidThatSaysNothingIsNotUsed) {
    const auto host = rxe_host();
    host->file("/sys/class/infiniband/rxe0/node_guid", "0000:0000:0000:0000\n");
    EXPECT_THAT(ids(*rdma_devices(*host)), ::testing::ElementsAre("name-rxe0"));
    host->error("/sys/class/infiniband/rxe0/node_guid", denied("node_guid"));
    EXPECT_THAT(ids(*rdma_devices(*host)), ::testing::ElementsAre("name-rxe0"));
}

TEST(RdmaDevices, NoDirectoryMeansNoDevices) {
    FakeHost host;
    host.directory("/sys/class", {"net"}).error("/sys/class/infiniband", absent("/sys/class/infiniband"));
    ASSERT_TRUE(rdma_devices(host));
    EXPECT_TRUE(rdma_devices(host)->empty());
}

TEST(RdmaDevices, ASourceWithoutSysSaysNothing) {
    const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "without-sys";
    std::filesystem::create_directories(folder / "proc");
    const auto host = tree_host(folder);
    ASSERT_TRUE(host);
    ASSERT_FALSE(rdma_devices(**host));
    EXPECT_EQ(rdma_devices(**host).error().code, Errc::not_collected);
}

TEST(RdmaDevices, ADeniedListIsAnError) {
    FakeHost host;
    host.error("/sys/class/infiniband", denied("/sys/class/infiniband"));
    ASSERT_FALSE(rdma_devices(host));
    EXPECT_EQ(rdma_devices(host).error().code, Errc::no_privilege);
}

TEST(Netdevs, AreNamedByPciFunctionAndPort) {
    const auto host = roce_host();
    host->link("/sys/class/net/ens1f1/device", kCard).file("/sys/class/net/ens1f1/dev_port", "1\n");
    EXPECT_THAT(ids(*netdevs(*host)), ::testing::ElementsAre("pci-0000:41:00.0/0", "pci-0000:41:00.0/1", "name-lo"));
}

TEST(Netdevs, RepresentorsGiveWayToTheUplink) {
    const auto host = roce_host();
    host->link("/sys/class/net/eth0/device", kCard)
        .file("/sys/class/net/eth0/phys_port_name", "pf0vf3\n")
        .file("/sys/class/net/ens1f0/phys_port_name", "p0\n");
    EXPECT_THAT(ids(*netdevs(*host)),
                ::testing::ElementsAre("pci-0000:41:00.0/0", "pci-0000:41:00.0/0#pf0vf3", "name-lo"));
    host->link("/sys/class/net/zz0.8001/device", kCard);
    EXPECT_THAT(ids(*netdevs(*host)), ::testing::Contains("pci-0000:41:00.0/0#zz0.8001"));
}

TEST(Netdevs, BondingMastersIsNoNetdev) {
    const auto host = roce_host();
    host->file("/sys/class/net/bonding_masters", "bond0\n");
    EXPECT_THAT(ids(*netdevs(*host)), ::testing::ElementsAre("pci-0000:41:00.0/0", "name-lo"));
}

TEST(Netdevs, PlumbingIsLeftOutUnlessSoftRdmaSitsOnIt) {
    const auto host = rxe_host();
    host->file("rtnl.link", "ifname=veth0 kind=veth\nifname=veth1 kind=veth\nifname=bond0 kind=bond\n")
        .file("rdma.port/rxe0/1", "state=4 netdev=veth1\n");
    for (const std::string name : {"veth0", "veth1", "bond0"}) {
        host->file("/sys/class/net/" + name + "/ifindex", "9\n")
            .error("/sys/class/net/" + name + "/device", absent("device"));
    }
    EXPECT_THAT(ids(*rdma_netdevs(*host)), ::testing::ElementsAre("name-bond0", "pci-0000:41:00.0/0", "name-veth1"));
}

TEST(NetdevOfPort, TakesTheFirstSourceThatAnswers) {
    const auto host = roce_host();
    const auto device = rdma_devices(*host)->front();
    const auto netdevs = *collectors::netdevs(*host);
    const NetdevIndex all(netdevs);
    const Entity expected{Kind::netdev, "pci-0000:41:00.0/0"};
    EXPECT_EQ(netdev_of_port(*host, device, 1, all), Result<Entity>(expected));
    host->gone("rdma.port/mlx5_0/1");
    EXPECT_EQ(netdev_of_port(*host, device, 1, all), Result<Entity>(expected)) << "the GID table";
    host->gone("/sys/class/infiniband/mlx5_0/ports/1/gid_attrs");
    EXPECT_EQ(netdev_of_port(*host, device, 1, all), Result<Entity>(expected)) << "the same PCI function";
    EXPECT_FALSE(netdev_of_port(*host, device, 2, all)) << "no interface has that port number";
}

TEST(NetdevOfPort, OfSoftwareIsWhatItSitsOn) {
    const auto host = rxe_host();
    host->gone("rdma.port/rxe0/1");
    const auto all = *netdevs(*host);
    EXPECT_EQ(netdev_of_port(*host, rdma_devices(*host)->front(), 1, NetdevIndex(all)),
              Result<Entity>(Entity{Kind::netdev, "pci-0000:41:00.0/0"}));
}

}  // namespace
}  // namespace rd::collectors::test
