// SPDX-License-Identifier: GPL-2.0-or-later
// What lies near to what, LLDP, configuration files and benchmarks.
#include "core/base/records.h"
#include "tests/unit/core/ingest/forms/facts_of.h"

namespace rd::ingest::test {
namespace {

std::string logs_of(const Pasted& pasted) {
    const auto& moment = pasted.ingested().hosts.front().bundle.moments.back();
    const auto found = moment.reads.find("logs");
    std::string lines;
    if (found == moment.reads.end() || !found->second) return lines;
    for (const Record& record : parse_records(*found->second).value_or(std::vector<Record>{}))
        lines += record.get("text").value_or(std::string()) + "\n";
    return lines;
}

TEST(PlacementForms, GpusFarFromEveryAdapter) {
    const Pasted pasted(R"($ nvidia-smi topo -m
	GPU0	GPU1	NIC0	NIC1	CPU Affinity	NUMA Affinity
GPU0	 X 	NV2	PIX	SYS	0-23,48-71	0
GPU1	NV2	 X 	SYS	SYS	24-47,72-95	1
NIC0	PIX	SYS	 X 	SYS
NIC1	SYS	SYS	SYS	 X

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  PIX  = Connection traversing at most a single PCIe bridge

NIC Legend:

  NIC0: mlx5_0
  NIC1: mlx5_1
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_TRUE(pasted.there(Kind::device, "mlx5_1"));
    const std::string logs = logs_of(pasted);
    EXPECT_NE(logs.find("GPU1: no adapter is nearer than SYS"), std::string::npos) << logs;
    EXPECT_EQ(logs.find("GPU0:"), std::string::npos) << logs;
    // Without adapters nothing is said of them.
    const Pasted alone(
        "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-7\nGPU1\tSYS\t X \t8-15\n$ uname -r\n6.8.0-90-generic\n");
    EXPECT_EQ(logs_of(alone), "");
    for (const char* const garbage :
         {"GPU0\tGPU1\tmlx5_0\tCPU Affinity\nGPU0\tX\n", "GPU0 GPU1 CPU Affinity\nGPU0 X X X X X X\n"}) {
        const Pasted any(garbage);
        (void)any.not_understood();
    }
}

TEST(PlacementForms, CpupowerTellsGovernorAndLimits) {
    const Pasted pasted(R"(# cpupower frequency-info
analyzing CPU 0:
  driver: acpi-cpufreq
  CPUs which run at the same hardware frequency: 0
  hardware limits: 800 MHz - 3.50 GHz
  available cpufreq governors: performance powersave
  current policy: frequency should be within 800 MHz and 3.50 GHz.
                  The governor "powersave" may decide which speed to use
                  within this range.
  current CPU frequency: 1.20 GHz (asserted by call to hardware)
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::host, "", "cpus_slow_governor"), "1");
    EXPECT_EQ(pasted.fact(Kind::host, "", "cpu_frequency_max"), "3500");
}

TEST(PlacementForms, WhatNothingIsAskedOfIsUnderstood) {
    const Pasted pasted(
        "$ ip route\ndefault via 192.0.2.254 dev eno1 proto static metric 100\n192.0.2.0/24 dev ens1f0 proto kernel "
        "scope link "
        "src 192.0.2.5\n$ ip rule\n0:\tfrom all lookup local\n32766:\tfrom all lookup main\n$ tc -s qdisc show dev "
        "ens1f0\n"
        "qdisc mq 0: root\n Sent 12 bytes 3 pkt (dropped 0, overlimits 0 requeues 0)\n$ modinfo mlx5_core | head -3\n"
        "filename:       /lib/modules/6.8.0/updates/dkms/mlx5_core.ko\nlicense:        Dual BSD/GPL\nversion:        "
        "24.10\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
}

TEST(PlacementForms, LldptoolOfTheNeighbour) {
    const Pasted pasted(R"($ ibdev2netdev
mlx5_0 port 1 ==> ens1f0 (Up)
# lldptool -tin ens1f0
Chassis ID TLV
	MAC: 98:03:9b:aa:bb:cc
Port ID TLV
	Ifname: Eth1/7
System Name TLV
	leaf3
IEEE 8021QAZ PFC TLV
	 Willing: no
	 MACsec Bypass Capable: no
	 PFC capable traffic classes: 8
	 PFC enabled: 3 4
IEEE 8021QAZ APP TLV
	 App#0:
	  Priority: 3
	  Sel: 3
	  Port: 4791
Maximum Frame Size TLV
	9416
End of LLDPDU TLV
# lldptool -ti ens1f0 -V PFC -c enabled
enabled=none
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_system"), "leaf3");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_pfc_mask"), "24");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_pfc_willing"), "false");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_roce_priority"), "3");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_max_frame"), "9416");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "pfc_mask"), "0");
}

TEST(PlacementForms, LldpcliOfTheNeighbour) {
    const Pasted pasted(
        "$ lldpcli show "
        "neighbors\n-------------------------------------------------------------------------------\nLLDP "
        "neighbors:\n-------------------------------------------------------------------------------\nInterface:    "
        "ens1f0, via: "
        "LLDP, RID: 1, Time: 0 day, 00:12:13\n  Chassis:\n    ChassisID:    mac 98:03:9b:aa:bb:cc\n    SysName:      "
        "leaf3\n  "
        "Port:\n    PortID:       ifname Eth1/7\n    MFS:          9236\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_port"), "Eth1/7");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "lldp_max_frame"), "9236");
}

TEST(ConfigurationForms, CephConfWithAndWithoutItsName) {
    for (const std::string before : {"$ cat /etc/ceph/ceph.conf\n", "", "my settings:\n\n"}) {
        const Pasted pasted(before +
                            "[global]\nms_type = async+rdma\nms_async_rdma_device_name = bond0\n$ ibdev2netdev\n"
                            "mlx5_bond_0 port 1 ==> bond0 (Up)\n");
        EXPECT_EQ(pasted.fact(Kind::service, "", "declared_ms_async_rdma_device_name"), "bond0") << before;
        EXPECT_EQ(pasted.fact(Kind::service, "", "declared_names_unknown"), "1") << before;
    }
    const Pasted other("[Unit]\nDescription=x\n[global]\nname = y\n");
    EXPECT_FALSE(other.there(Kind::service, "ceph"));
}

TEST(BenchmarkForms, TheBestOfATableInOneDirection) {
    const std::string head =
        "---------------------------------------------------------------------------------------\n"
        "                    RDMA_Write BW Test\n Device         : mlx5_1\n Link type       : IB\n";
    const Pasted gigabits(head +
                          " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
                          " 65536      5000             96.58              96.57              0.184203\n"
                          " 1048576    5000             90.59              90.59              0.011515\n");
    EXPECT_EQ(gigabits.fact(Kind::host, "", "benchmark_gbps"), "96.57");
    EXPECT_EQ(gigabits.fact(Kind::host, "", "benchmark_ports"), "1");
    const Pasted megabytes(head +
                           " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
                           " 65536      5000             11000.00           10000.00           0.184203\n");
    EXPECT_EQ(megabytes.fact(Kind::host, "", "benchmark_gbps"), "83.89");
    const Pasted osu(
        "# UCX_NET_DEVICES=mlx5_1:1,mlx5_0:1  mpirun -np 2 ./osu_bw\n#OSU MPI Bandwidth Test v5.7\n#Size              "
        "Bandwidth "
        "(MB/s)\n4194304             21307.34\n");
    EXPECT_EQ(osu.fact(Kind::host, "", "benchmark_gbps"), "170.46");
    EXPECT_EQ(osu.fact(Kind::host, "", "benchmark_ports"), "2");
    const Pasted none("$ uname -r\n6.8.0-90-generic\n");
    EXPECT_EQ(none.fact(Kind::host, "", "benchmark_gbps"), "gap(not offered)");
}

TEST(BenchmarkForms, WhatFailsBeforeTheFirstResultIsToldApart) {
    const std::string head =
        "$ ib_write_bw -d mlx5_0 192.0.2.2\n                    RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
    const std::string failed =
        "host1:1:2 [0] transport/net_ib.cc:839 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, "
        "vendor err 129\n";
    EXPECT_NE(logs_of(Pasted(head + failed)).find("before the first result: host1:1:2"), std::string::npos);
    const std::string later =
        logs_of(Pasted(head + " 65536      5000             11000.00           10000.00           0.18\n" + failed));
    EXPECT_NE(later.find("error 12"), std::string::npos);
    EXPECT_EQ(later.find("before the first"), std::string::npos);
}

TEST(VendorForms, PcieOfMlxlinkAndParametersOfDevlink) {
    const Pasted pasted(R"(# mlxlink -d mlx5_0 --port_type PCIE
PCIe Operational (Enabled) Info
-------------------------------
Depth, pcie index, node         : 0, 0, 0
Link Speed Active (Enabled)     : 16G-Gen 4 (16G-Gen 4)
Link Width Active (Enabled)     : 8X (16X)
# devlink dev param show pci/0000:41:00.0
pci/0000:41:00.0:
  name enable_roce type generic
    values:
      cmode driverinit value false
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_NE(logs_of(pasted).find("devlink param pci/0000:41:00.0 enable_roce false"), std::string::npos);
}

TEST(LoneAdapter, IsTakenForAnRdmaDeviceAndSaidSo) {
    const Pasted pasted(
        "# lspci -s 08:00.0 -vv\n08:00.0 Ethernet controller: QLogic Corp. FastLinQ QL41000 Series (rev "
        "02)\n\t\tLnkCap:\tPort #0, "
        "Speed 8GT/s, Width x8, ASPM not supported\n\t\tLnkSta:\tSpeed 8GT/s, Width x2 (downgraded)\n");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:08:00.0", "link_width"), "2");
    EXPECT_EQ(pasted.ingested().hosts.front().notes.size(), 1U);
    // Not of a driver that has no RDMA, of one of several, or where the text says that there is none.
    EXPECT_FALSE(
        Pasted("$ ethtool -i eno1\ndriver: igb\nversion: 5.6\n$ ethtool eno1\nSettings for eno1:\n\tSpeed: 1000Mb/s\n")
            .there(Kind::device, "unnamed"));
    EXPECT_FALSE(
        Pasted("$ ethtool ens1\nSettings for ens1:\n\tSpeed: 25000Mb/s\n$ ethtool ens2\nSettings for ens2:\n\tSpeed: "
               "25000Mb/s\n")
            .there(Kind::device, "unnamed"));
    const Pasted lone("$ ethtool ens1\nSettings for ens1:\n\tSpeed: 25000Mb/s\n");
    EXPECT_TRUE(lone.there(Kind::device, "unnamed"));
    EXPECT_EQ(lone.fact(Kind::port, "unnamed/1", "link_layer"), "Ethernet");
}

TEST(LoneAdapter, PrioritiesOfOneInterfaceAreThoseOfTheOnePort) {
    const std::string interface =
        "$ mlnx_qos -i ens1\nDCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n"
        "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0\n";
    const auto netdev = [](const std::string& text, std::string_view port = "mlx5_0/1") {
        return Pasted(text).fact(Kind::port, port, "netdev");
    };
    const std::string counters = "$ cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence\n7\n";
    const Pasted both(interface + counters);
    EXPECT_EQ(netdev(interface + counters), "netdev:name-ens1");
    EXPECT_EQ(both.fact(Kind::port, "mlx5_0/1", "link_layer"), "Ethernet");
    EXPECT_EQ(both.ingested().hosts.front().notes.size(), 1U);
    EXPECT_EQ(netdev(interface + "$ cat /sys/class/infiniband/mlx5_0/ports/2/state\n4: ACTIVE\n", "mlx5_0/2"),
              "netdev:name-ens1");
    // Not where the text says otherwise, or shows several, or another interface that may be anything.
    for (const char* more : {"$ cat /sys/class/infiniband/mlx5_1/ports/1/state\n4: ACTIVE\n",
                             "$ cat /sys/class/infiniband/mlx5_0/ports/2/state\n4: ACTIVE\n",
                             "$ ethtool ens2\nSettings for ens2:\n\tSpeed: 25000Mb/s\n",
                             "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: InfiniBand\n",
                             "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tBase lid: 7\n",
                             "$ rdma link\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens7\n"}) {
        EXPECT_NE(netdev(interface + counters + more), "netdev:name-ens1") << more;
    }
    EXPECT_NE(netdev(counters + "$ ethtool ens1\nSettings for ens1:\n\tSpeed: 1000Mb/s\n"), "netdev:name-ens1");
}

TEST(EnvironmentForms, AnIndexChoosesATypeOfGid) {
    const std::string table =
        "$ show_gids mlx5_0\nDEV     PORT    INDEX   GID                                     IPv4            VER     "
        "DEV\n---     ----    "
        "-----   ---                                     ------------    ---     ---\n"
        "mlx5_0  1       2       0000:0000:0000:0000:0000:ffff:c633:6405 198.51.100.5    v1      ens1\n"
        "mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:c633:6405 198.51.100.5    v2      ens1\n";
    const auto chosen = [&](std::string_view more) {
        return Pasted(table + std::string(more)).fact(Kind::port, "mlx5_0/1", "gid_type_chosen");
    };
    EXPECT_EQ(chosen("$ env\nNCCL_IB_GID_INDEX=2\n"), "IB/RoCE v1");
    EXPECT_EQ(chosen("$ env\nUCX_IB_GID_INDEX=3\n"), "RoCE v2");
    EXPECT_EQ(chosen("$ env\nNCCL_IB_GID_INDEX=3\nUCX_IB_GID_INDEX=2\n"), "IB/RoCE v1") << "one of them is enough";
    EXPECT_EQ(chosen("$ env\nNCCL_IB_GID_INDEX=7\n"), "gap(not offered)");
    EXPECT_EQ(chosen(""), "gap(not offered)");
    EXPECT_EQ(
        Pasted(
            "$ env\nNCCL_IB_GID_INDEX=2\n$ rdma link\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
            .fact(Kind::port, "mlx5_0/1", "gid_type_chosen"),
        "gap(not collected)");
    EXPECT_EQ(Pasted(table).fact(Kind::port, "mlx5_0/1", "gid_indices_v1"), "2");
    EXPECT_EQ(Pasted(table).fact(Kind::port, "mlx5_0/1", "gid_indices_v2"), "3");
}

TEST(Loops, OverWordsThatAreWrittenOut) {
    const Pasted pasted(
        "$ for i in 160 161; do cat /proc/irq/$i/smp_affinity_list; done\n0\n3\n$ for q in {162..163}; do cat "
        "/proc/irq/${q}/smp_affinity_list; done\n4\n5\n");
    const auto& reads = pasted.ingested().hosts.front().bundle.moments.back().reads;
    EXPECT_EQ(*reads.at("/proc/irq/161/smp_affinity_list"), "3\n");
    EXPECT_EQ(*reads.at("/proc/irq/163/smp_affinity_list"), "5\n");
}

TEST(RdmaForms, QueuePairsOfOneStateAreAllOfThem) {
    const std::string rows =
        "link mlx5_0/1 lqpn 901 rqpn 22 type RC state ERR rq-psn 1 sq-psn 2 path-mig-state MIGRATED pid 4242 comm app\n"
        "link mlx5_0/1 lqpn 902 rqpn 23 type RC state ERR rq-psn 1 sq-psn 2 path-mig-state MIGRATED pid 4242 comm "
        "app\n";
    const Pasted pasted("$ rdma res show qp | grep ERR\n" + rows);
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_error"), "2");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_error_lqpn"), "901");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_rts"), "gap(not collected)");
    const Pasted other("$ rdma res show qp | grep 4242\n" + rows);
    EXPECT_EQ(other.fact(Kind::port, "mlx5_0/1", "qps_error"), "gap(not collected)");
}

}  // namespace
}  // namespace rd::ingest::test
