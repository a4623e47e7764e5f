// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "0000:41:00.0";
constexpr std::string_view kRoot = "0000:40:01.0";

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"pci"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::pci, kCard, fact); }

// One more function of the card, with an interface where `netdev` is not empty.
void add_function(FakeHost& host, const std::string& address, const std::string& driver,
                  const std::string& netdev = {}) {
    const std::string path = "/sys/bus/pci/devices/" + address,
                      real = "/sys/devices/pci0000:40/0000:40:01.0/" + address;
    host.file(path + "/class", "0x020000\n").file(path + "/vendor", "0x15b3\n").link(path, real);
    if (!driver.empty()) host.link(path + "/driver", "/sys/bus/pci/drivers/" + driver);
    if (!netdev.empty()) host.link("/sys/class/net/" + netdev + "/device", real);
}

TEST(Pci, OfACard) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "name"), kCard);
    EXPECT_EQ(of(now, "parent"), "pci:0000:40:01.0");
    EXPECT_EQ(of(now, "link_speed"), "32");
    EXPECT_EQ(of(now, "link_speed_max"), "32");
    EXPECT_EQ(of(now, "link_width"), "16");
    EXPECT_EQ(of(now, "link_width_max"), "16");
    EXPECT_EQ(of(now, "numa"), "numa:1");
    EXPECT_EQ(of(now, "local_cpus"), "2-3");
    EXPECT_EQ(of(now, "vendor"), "0x15b3");
    EXPECT_EQ(of(now, "device_id"), "0x1021");
    EXPECT_EQ(of(now, "class"), "0x020000");
    EXPECT_EQ(of(now, "driver"), "mlx5_core");
    EXPECT_EQ(of(now, "is_vf"), "false");
    EXPECT_EQ(of(now, "physfn"), "gap(not offered)");
    EXPECT_EQ(of(now, "type"), "endpoint");
    EXPECT_EQ(of(now, "mrrs"), "4096");
    EXPECT_EQ(of(now, "mps"), "256");
    EXPECT_EQ(of(now, "mps_max"), "512");
    EXPECT_EQ(of(now, "relaxed_ordering"), "true");
    EXPECT_EQ(of(now, "rdma_capable"), "true");
    EXPECT_EQ(of(now, "has_device"), "true");
    expect_complete(now, collector("pci"));
}

TEST(Pci, WhatOnlySomeFunctionsSay) {
    const auto host = roce_host();
    const std::string path = "/sys/bus/pci/devices/0000:41:00.0/";
    host->file(path + "power_state", "D0\n").file(path + "d3cold_allowed", "1\n");
    host->file("pci.config/0000:41:00.0",
               "pcie=1 type=endpoint mps=256 mps_max=512 mrrs=4096 relaxed_ordering=1 extended_tag=1 target_speed=320 "
               "acs_control=12\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "power_state"), "D0");
    EXPECT_EQ(of(now, "d3cold_allowed"), "true");
    EXPECT_EQ(of(now, "extended_tag"), "true");
    EXPECT_EQ(of(now, "link_speed_target"), "32");
    EXPECT_EQ(of(now, "acs_control"), "12");
    EXPECT_EQ(of(now, "acs_redirect"), "true");
    host->file("pci.config/0000:41:00.0", "pcie=1 type=endpoint acs_control=17\n");
    EXPECT_EQ(of(look(host), "acs_redirect"), "false") << "source validation and upstream forwarding redirect nothing";
    EXPECT_EQ(value(now, Kind::pci, kRoot, "acs_redirect"), "gap(not offered)");
}

TEST(Pci, OfTheRootPort) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(value(now, Kind::pci, kRoot, "parent"), "gap(not offered)");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "type"), "root-port");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "rdma_capable"), "false");
    EXPECT_EQ(value(now, Kind::pci, kRoot, "has_device"), "false");
}

TEST(Pci, BelowSoftRoce) {
    const Snapshot now = look(rxe_host());
    EXPECT_EQ(of(now, "has_device"), "true");
    EXPECT_EQ(of(now, "link_width"), "16");
}

TEST(Pci, ASpeedThatNoLinkHasIsNoSpeed) {
    for (const char* text : {"-1\n", "0\n", "0.0 GT/s PCIe\n", "999999999999 GT/s PCIe\n"}) {
        const auto host = roce_host();
        host->file("/sys/bus/pci/devices/0000:41:00.0/current_link_speed", text);
        EXPECT_EQ(value(sweep(host, {"pci"}), Kind::pci, "0000:41:00.0", "link_speed"), "gap(error)") << text;
    }
}

TEST(Pci, WhatAFunctionDoesNotSayIsAGap) {
    const auto host = roce_host();
    const std::string path = "/sys/bus/pci/devices/0000:41:00.0/";
    host->file(path + "current_link_speed", "Unknown\n")
        .file(path + "current_link_width", "0\n")
        .file(path + "max_link_width", "255\n")
        .file(path + "max_link_speed", "8 GT/s\n")
        .file(path + "numa_node", "-1\n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "link_speed"), "gap(not offered)");
    EXPECT_EQ(of(now, "link_width"), "gap(not offered)");
    EXPECT_EQ(of(now, "link_width_max"), "gap(not offered)");
    EXPECT_EQ(of(now, "link_speed_max"), "8") << "as kernels before 5.? wrote it";
    EXPECT_EQ(of(now, "numa"), "gap(not offered)");
    host->file(path + "current_link_width", "33\n");
    EXPECT_EQ(of(look(host), "link_width"), "gap(error)");
}

TEST(Pci, ConfigurationSpaceNeedsRoot) {
    const auto host = roce_host();
    host->error("pci.config/0000:41:00.0",
                {Errc::no_privilege, "pci.config/0000:41:00.0: only 64 bytes", "run as root"});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "mrrs"), "gap(no privilege)");
    EXPECT_EQ(now.get({Kind::pci, std::string(kCard)}, "mrrs").error().remedy, "run as root");
    EXPECT_EQ(of(now, "link_width"), "16");
}

TEST(Pci, AVirtualFunctionBringsItsPhysicalOne) {
    const auto host = roce_host();
    add_function(*host, "0000:41:00.2", "mlx5_core");
    host->link("/sys/bus/pci/devices/0000:41:00.2/physfn", "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0")
        .gone("/sys/class/infiniband/mlx5_0/device")
        .link("/sys/class/infiniband/mlx5_0/device", "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.2");
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.2", "is_vf"), "true");
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.2", "physfn"), "pci:0000:41:00.0");
    EXPECT_EQ(of(now, "link_width"), "16");
    expect_complete(now, collector("pci"));
}

TEST(Pci, AFunctionWithoutItsDeviceIsSeen) {
    const auto host = roce_host();
    host->gone("/sys/class/infiniband/mlx5_0").directory("/sys/class/infiniband", {});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "rdma_capable"), "true");
    EXPECT_EQ(of(now, "has_device"), "false");
    expect_complete(now, collector("pci"));
}

TEST(Pci, OnlyDriversThatAlwaysGiveADeviceCount) {
    const auto host = roce_host();
    add_function(*host, "0000:41:00.1", "bnxt_en");
    add_function(*host, "0000:41:00.2", "mlx5_core");
    add_function(*host, "0000:41:00.3", "vfio-pci");
    const Snapshot now = look(host);
    EXPECT_FALSE(now.has({Kind::pci, "0000:41:00.1"})) << "RDMA of bnxt_en is a module of its own";
    EXPECT_FALSE(now.has({Kind::pci, "0000:41:00.3"})) << "given to a guest";
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.2", "rdma_capable"), "true");
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.2", "has_device"), "false");
}

TEST(Pci, AnAdapterWithoutDriverCountsUnlessItIsVirtual) {
    const auto host = roce_host();
    for (const std::string address : {"0000:41:00.1", "0000:41:00.2"}) add_function(*host, address, "");
    host->error("/sys/bus/pci/devices/0000:41:00.1/driver", absent("driver"));
    host->link("/sys/bus/pci/devices/0000:41:00.2/physfn", "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0");
    const Snapshot now = look(host);
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.1", "rdma_capable"), "true");
    EXPECT_EQ(value(now, Kind::pci, "0000:41:00.1", "driver"), "gap(not offered)");
    EXPECT_FALSE(now.has({Kind::pci, "0000:41:00.2"}));
}

TEST(Pci, ABondSharesItsDevice) {
    const auto host = roce_host();
    add_function(*host, "0000:41:00.1", "mlx5_core", "ens1f1");
    EXPECT_EQ(value(look(host), Kind::pci, "0000:41:00.1", "has_device"), "false");
    for (const std::string name : {"ens1f0", "ens1f1"}) {
        host->link("/sys/class/net/" + name + "/master", "/sys/devices/virtual/net/bond0");
    }
    EXPECT_EQ(value(look(host), Kind::pci, "0000:41:00.1", "has_device"), "true");
}

TEST(Pci, NoFunctionLacksADeviceThatMayBeThereUnseen) {
    const std::string devices = "/sys/class/infiniband";
    const auto host = roce_host();
    host->gone(devices).error(devices, {Errc::io, devices + ": is not a directory", ""});
    Snapshot now = look(host);
    EXPECT_EQ(of(now, "rdma_capable"), "true");
    EXPECT_EQ(of(now, "has_device"), "gap(error)");
    ASSERT_NE(now.kind_gap(Kind::pci), nullptr);
    EXPECT_EQ(now.kind_gap(Kind::pci)->reason, devices + ": is not a directory");

    // A device whose function is not known may sit on this one.
    const auto hidden = roce_host();
    hidden->gone(devices + "/mlx5_0/device").error(devices + "/mlx5_0/device", denied("device"));
    EXPECT_EQ(of(look(hidden), "has_device"), "gap(no privilege)");
}

TEST(Pci, ADeviceMayBelongToAnotherNetworkNamespace) {
    const std::string other = "0000:41:00.1";
    const auto look_in = [&](const std::string& mode) {
        const auto host = roce_host();
        add_function(*host, other, "mlx5_core");
        host->file("rdma.system", "netns=" + mode + "\n");
        return look(host);
    };
    EXPECT_EQ(value(look_in("shared"), Kind::pci, other, "has_device"), "false");
    const Snapshot now = look_in("exclusive");
    EXPECT_EQ(of(now, "has_device"), "true");
    EXPECT_EQ(value(now, Kind::pci, other, "has_device"), "gap(not collected)");
}

TEST(Pci, WithoutInterfacesABondMayHaveTakenTheDevice) {
    const std::string lost = "0000:41:00.1", other = "0000:42:00.0";
    const auto host = roce_host();
    add_function(*host, lost, "mlx5_core");
    add_function(*host, other, "mlx5_core");
    host->gone("/sys/class/net").error("/sys/class/net", {Errc::io, "/sys/class/net: is not a directory", ""});
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "has_device"), "true");
    EXPECT_EQ(value(now, Kind::pci, lost, "has_device"), "gap(error)");
    EXPECT_EQ(value(now, Kind::pci, other, "has_device"), "false") << "bonds are made within a card";
}

TEST(Pci, FunctionsThatCannotBeListedAreNotNone) {
    const std::string functions = "/sys/bus/pci/devices";
    const auto host = roce_host();
    const auto gap_of = [&](const Error& error) {
        host->gone("/sys/bus").error(functions, error);
        const Snapshot now = look(host);
        const Gap* const gap = now.kind_gap(Kind::pci);
        return gap == nullptr ? std::string("none") : std::string(name_of(gap->kind));
    };
    EXPECT_EQ(gap_of({Errc::io, functions + ": is not a directory", ""}), "error");
    EXPECT_EQ(gap_of({Errc::not_collected, functions + ": not in the bundle", ""}), "not collected");
    host->gone("/sys/bus").error(functions, absent(functions)).directory("/sys/bus", {"virtio"});
    EXPECT_EQ(look(host).kind_gap(Kind::pci), nullptr) << "a kernel without PCI";
}

// By the names that mlx5_core gives auxiliary devices below a function.
TEST(Pci, AFunctionThatOffersNoRdma) {
    const std::string path = "/sys/bus/pci/devices/0000:41:00.0";
    const auto with = [&](std::vector<std::string> names) {
        const auto host = roce_host();
        host->gone("/sys/class/infiniband/mlx5_0").directory("/sys/class/infiniband", {});
        if (!names.empty()) host->directory(path, std::move(names));
        return look(host);
    };
    EXPECT_EQ(of(with({}), "has_device"), "false") << "kernels before 5.11 name none";
    EXPECT_EQ(of(with({"class", "mlx5_core.eth.0", "mlx5_core.rdma.0"}), "has_device"), "false");
    EXPECT_EQ(of(with({"mlx5_core.eth-rep.0", "mlx5_core.rdma-rep.0"}), "has_device"), "false");

    const Snapshot off = with({"class", "mlx5_core.eth.0", "mlx5_core.vnet.0"});
    EXPECT_EQ(of(off, "rdma_capable"), "true");
    EXPECT_EQ(of(off, "has_device"), "gap(error)");
    const Gap& gap = off.get({Kind::pci, std::string(kCard)}, "has_device").error();
    EXPECT_EQ(gap.reason,
              path + ": mlx5_core offers no RDMA on this function: switched off, or given up after a fault");
    EXPECT_THAT(gap.remedy, ::testing::HasSubstr("devlink dev param show pci/0000:41:00.0 name enable_rdma"));

    const Snapshot second = with({"mlx5_core.eth.1", "mlx5_core.multiport.1"});
    EXPECT_EQ(of(second, "rdma_capable"), "false") << "the second port of a device on another function";
    EXPECT_EQ(of(second, "has_device"), "false");
}

TEST(Pci, WithoutDevicesNothingIsLookedAt) {
    const auto host = std::make_shared<FakeHost>();
    host->directory("/sys/class", {"net"})
        .error("/sys/class/infiniband", absent("/sys/class/infiniband"))
        .directory("/sys/class/net", {})
        .directory("/sys/bus/pci/devices", {});
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::pci).empty());
    EXPECT_EQ(now.kind_gap(Kind::pci), nullptr);
}

TEST(Pci, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "pci", {{"/sys/class/net/ens1f0/dev_port"}});
    expect_bad_input_is_survived(
        rxe_host, "pci",
        {{"/sys/class/infiniband/rxe0/parent", "/sys/class/infiniband/rxe0/node_guid", "rdma.port/rxe0/1"}});
}

}  // namespace
}  // namespace rd::collectors::test
