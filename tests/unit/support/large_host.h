// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with as many adapters as wanted, to see how work grows.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/support/fake_host.h"

namespace rd {

// Cards of eight functions, their interfaces in one bond. The last function of each has lost its device; every sixteenth interface
// has soft-RoCE on it, and every second device a process.
inline std::shared_ptr<FakeHost> large_host(int functions) {
    auto host = std::make_shared<FakeHost>();
    std::vector<std::string> devices, netdevs, addresses;
    std::string links, records;
    const auto device = [&](const std::string& name, int i) {
        const std::string path = "/sys/class/infiniband/" + name;
        devices.push_back(name);
        host->directory(path, {"node_guid", "node_type", "ports", "sys_image_guid"})
            .directory(path + "/ports", {"1"})
            .file(path + "/node_type", "1: CA\n")
            .file(path + "/node_guid", fmt::format("0200:{:04x}:{:04x}:00{:02x}\n", i / 65536, i % 65536, name[0]))
            .file(path + "/sys_image_guid", fmt::format("0200:0000:{:04x}:0001\n", i / 8))
            .file(path + "/ports/1/state", "4: ACTIVE\n")
            .file(path + "/ports/1/rate", "100 Gb/sec (4X EDR)\n")
            .file(path + "/ports/1/link_layer", "Ethernet\n");
        records += fmt::format("index={} name={} protocol=roce\n", devices.size(), name);
        if (i % 2 == 0) {
            host->file("rdma.ctx/" + name, fmt::format("ctxn=1 pid={}\n", 1000 + i))
                .file(fmt::format("/proc/{}/status", 1000 + i), "Name:\tjob\nCpus_allowed_list:\t0-7\n");
        } else {
            host->file("rdma.ctx/" + name, "");
        }
    };
    for (int i = 0; i < functions; ++i) {
        const std::string address = fmt::format("{:04x}:{:02x}:{:02x}.{}", i / 65536, i / 256 % 256, i / 8 % 32, i % 8);
        const std::string real = "/sys/devices/pci0000:00/" + address;
        const std::string function = "/sys/bus/pci/devices/" + address, name = fmt::format("mlx5_{}", i);
        const std::string netdev = fmt::format("en{}", i), interface = "/sys/class/net/" + netdev;
        addresses.push_back(address);
        host->link(function, real)
            .link(function + "/driver", "/sys/bus/pci/drivers/mlx5_core")
            .file(function + "/class", "0x020000\n")
            .file(function + "/vendor", "0x15b3\n");
        netdevs.push_back(netdev);
        host->link(interface + "/device", real)
            .link(interface + "/master", fmt::format("/sys/devices/virtual/net/bond{}", i / 8))
            .directory(interface, {"device", "master"});
        links += fmt::format("ifname={} master=bond{}\n", netdev, i / 8);
        host->file("dcb.pfc/" + netdev, "cap=8 enabled=8\n")
            .file("dcb.buffer/" + netdev, "prio_buffer_0=0 prio_buffer_3=1 size_0=20000 size_1=40000 total=60000\n");
        if (i % 8 == 7) continue;
        device(name, i);
        host->link("/sys/class/infiniband/" + name, real + "/infiniband/" + name)
            .link("/sys/class/infiniband/" + name + "/device", real);
        if (i % 16 != 0) continue;
        const std::string soft = fmt::format("rxe{}", i);
        device(soft, i);
        host->link("/sys/class/infiniband/" + soft, "/sys/devices/virtual/infiniband/" + soft)
            .error("/sys/class/infiniband/" + soft + "/device", {Errc::not_found, soft + ": no device", {}})
            .file("/sys/class/infiniband/" + soft + "/parent", netdev + "\n");
    }
    for (int i = 0; i < functions; i += 8) {
        const std::string bond = fmt::format("bond{}", i / 8);
        netdevs.push_back(bond);
        links += fmt::format("ifname={} kind=bond\n", bond);
        host->directory("/sys/class/net/" + bond, {"ifindex"})
            .error("/sys/class/net/" + bond + "/device", {Errc::not_found, bond + ": no device", {}});
    }
    host->file("rtnl.link", links).file("rdma.devices", records);
    host->directory("/sys/kernel/config/rdma_cm", devices);
    host->directory("/sys/class", {"infiniband", "net"})
        .directory("/sys/class/infiniband", devices)
        .directory("/sys/class/net", netdevs)
        .directory("/sys/bus/pci/devices", addresses);
    return host;
}

}  // namespace rd
