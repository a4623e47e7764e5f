// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

constexpr std::string_view kCard = "pci-0000:41:00.0";

// 16 MiB, 256 MiB, nothing; the expansion ROM comes seventh.
constexpr std::string_view kBars =
    "0x00000000de000000 0x00000000deffffff 0x0000000000040200\n"
    "0x00000000c0000000 0x00000000cfffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";

void add_function(FakeHost& host, const std::string& path, std::string_view pci_class, std::string_view vendor,
                  int node) {
    const std::string address = path.substr(path.rfind('/') + 1);
    const std::string folder = "/sys/bus/pci/devices/" + address;
    host.link(folder, "/sys/devices/" + path)
        .file(folder + "/class", fmt::format("{}\n", pci_class))
        .file(folder + "/vendor", fmt::format("{}\n", vendor))
        .file(folder + "/numa_node", fmt::format("{}\n", node))
        .file(folder + "/resource", kBars)
        .error(folder + "/physfn", absent(folder + "/physfn"));
}

void add_gpu(FakeHost& host, const std::string& path, int node) {
    add_function(host, path, "0x030200", "0x10de", node);
}

// The adapter sits directly below its root port, 0000:40:01.0.
std::shared_ptr<FakeHost> host_with_gpu() {
    auto host = roce_host();
    host->error("/sys/bus/pci/devices/0000:41:00.0/physfn", absent("physfn"));
    add_gpu(*host, "pci0000:40/0000:40:02.0/0000:51:00.0", 1);
    return host;
}

// Adapter and GPU below one switch: upstream port 42:00.0, downstream ports 43:00.0 and 43:01.0.
std::shared_ptr<FakeHost> host_with_switch(std::string_view first = "0", std::string_view second = "0") {
    auto host = roce_host();
    const std::string upstream = "pci0000:40/0000:40:01.0/0000:42:00.0";
    const std::string card = "/sys/devices/" + upstream + "/0000:43:00.0/0000:41:00.0";
    host->link("/sys/class/infiniband/mlx5_0/device", card).link("/sys/bus/pci/devices/0000:41:00.0", card);
    host->error("/sys/bus/pci/devices/0000:41:00.0/physfn", absent("physfn"));
    add_gpu(*host, upstream + "/0000:43:01.0/0000:51:00.0", 1);
    host->file("pci.config/0000:43:00.0", fmt::format("pcie=1 type=downstream acs_control={}\n", first))
        .file("pci.config/0000:43:01.0", fmt::format("pcie=1 type=downstream acs_control={}\n", second));
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"gpu"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::device, kCard, fact); }
std::string host_fact(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Gpu, OfAHost) {
    const Snapshot now = look(host_with_gpu());
    EXPECT_EQ(host_fact(now, "gpus"), "1");
    EXPECT_EQ(host_fact(now, "gpus_nvidia"), "1");
    EXPECT_EQ(host_fact(now, "gpus_far"), "0");
    EXPECT_EQ(host_fact(now, "gpu_aperture_min"), "268435456");
    EXPECT_EQ(host_fact(now, "adapters"), "1");
    EXPECT_EQ(of(now, "gpu_distance"), "host bridge");
    EXPECT_EQ(of(now, "gpus_same_switch"), "0");
    EXPECT_EQ(of(now, "gpus_same_node"), "1");
    EXPECT_EQ(of(now, "acs_redirects"), "0");
    expect_complete(now, collector("gpu"));
}

TEST(Gpu, None) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(host_fact(now, "gpus"), "0");
    EXPECT_EQ(host_fact(now, "gpus_far"), "0");
    EXPECT_EQ(of(now, "gpu_distance"), "gap(not offered)");
    EXPECT_EQ(of(now, "gpus_same_node"), "0");
}

TEST(Gpu, WhatIsOne) {
    const auto counted = [](std::string_view pci_class, std::string_view vendor) {
        const auto host = roce_host();
        add_function(*host, "pci0000:40/0000:40:02.0/0000:51:00.0", pci_class, vendor, 1);
        return host_fact(look(host), "gpus");
    };
    EXPECT_EQ(counted("0x030000", "0x10de"), "1");
    EXPECT_EQ(counted("0x038000", "0x1002"), "1");
    EXPECT_EQ(counted("0x120000", "0x1002"), "1");
    EXPECT_EQ(counted("0x038000", "0x8086"), "1");
    EXPECT_EQ(counted("0x030000", "0x1a03"), "0") << "the management controller's";
    EXPECT_EQ(counted("0x030000", "0x8086"), "0") << "the processor's own";
    EXPECT_EQ(counted("0x040300", "0x10de"), "0") << "its sound";
}

TEST(Gpu, Distances) {
    const auto distance = [](const std::string& path, int node) {
        const auto host = roce_host();
        add_gpu(*host, path, node);
        return of(look(host), "gpu_distance");
    };
    EXPECT_EQ(of(look(host_with_switch()), "gpu_distance"), "switch");
    EXPECT_EQ(distance("pci0000:40/0000:40:01.0/0000:41:00.1", 1), "root port");
    EXPECT_EQ(distance("pci0000:40/0000:40:02.0/0000:51:00.0", 1), "host bridge");
    EXPECT_EQ(distance("pci0000:60/0000:60:02.0/0000:61:00.0", 1), "node");
    EXPECT_EQ(distance("pci0000:10/0000:10:02.0/0000:11:00.0", 0), "remote");
    EXPECT_EQ(distance("pci0000:10/0000:10:02.0/0000:11:00.0", -1), "gap(not offered)");
}

TEST(Gpu, FarFromEveryAdapter) {
    const auto host = host_with_gpu();
    add_gpu(*host, "pci0000:10/0000:10:02.0/0000:11:00.0", 0);
    EXPECT_EQ(host_fact(look(host), "gpus_far"), "1");
    host->file("/sys/bus/pci/devices/0000:41:00.0/numa_node", "-1\n");
    EXPECT_EQ(host_fact(look(host), "gpus_far"), "gap(not offered)");
}

TEST(Gpu, RedirectingPorts) {
    const auto count = [](std::string_view first, std::string_view second) {
        return of(look(host_with_switch(first, second)), "acs_redirects");
    };
    EXPECT_EQ(of(look(host_with_switch()), "gpus_same_switch"), "1");
    EXPECT_EQ(count("0", "0"), "0");
    EXPECT_EQ(count("1", "16"), "0") << "source validation and upstream forwarding redirect nothing";
    EXPECT_EQ(count("29", "0"), "1");
    EXPECT_EQ(count("8", "4"), "2");
    EXPECT_EQ(count("32", "x"), "gap(error)");
    const auto host = host_with_switch();
    host->file("pci.config/0000:43:00.0", "pcie=1 type=downstream\n");
    EXPECT_EQ(of(look(host), "acs_redirects"), "0") << "without the capability";
    host->error("pci.config/0000:43:00.0", denied("pci.config/0000:43:00.0"));
    EXPECT_EQ(of(look(host), "acs_redirects"), "gap(no privilege)");
}

TEST(Gpu, SurvivesBadInput) {
    expect_bad_input_is_survived(host_with_gpu, "gpu");
    expect_bad_input_is_survived([] { return host_with_switch("29", "0"); }, "gpu");
}

TEST(Gpu, TheSmallestAperture) {
    const auto host = host_with_gpu();
    add_gpu(*host, "pci0000:40/0000:40:03.0/0000:52:00.0", 1);
    const std::string file = "/sys/bus/pci/devices/0000:52:00.0/resource";
    const auto smallest = [&](std::string_view text) {
        host->file(file, text);
        return host_fact(look(host), "gpu_aperture_min");
    };
    EXPECT_EQ(smallest("0x0000380000000000 0x0000381fffffffff 0x000000000014220c\n"), "268435456") << "128 GiB here";
    EXPECT_EQ(smallest("0x00000000de000000 0x00000000deffffff 0x0000000000040200\n"), "16777216");
    EXPECT_EQ(smallest("0x0 0x0 0x0\n"), "gap(not offered)") << "it was given none";
    EXPECT_EQ(smallest("0x2 0x1 0x0\n"), "gap(error)");
    EXPECT_EQ(smallest("nonsense\n"), "gap(error)");
    host->error(file, denied(file));
    EXPECT_EQ(host_fact(look(host), "gpu_aperture_min"), "gap(no privilege)");
}

}  // namespace
}  // namespace rd::collectors::test
