// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/core/ingest/forms/facts_of.h"

namespace rd::ingest::test {
namespace {

TEST(MachineForms, LspciTellsOfFunctionsAndTheWayUp) {
    const Pasted pasted(R"($ sudo lspci -vvv
40:01.0 PCI bridge: Intel Corporation Device 352a (rev 04) (prog-if 00 [Normal decode])
	Bus: primary=40, secondary=41, subordinate=41, sec-latency=0
	Capabilities: [40] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #1, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)
41:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
	NUMA node: 1
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		DevCap:	MaxPayload 512 bytes, PhantFunc 0, Latency L0s unlimited, L1 unlimited
			ExtTag+ AttnBtn- AttnInd- PwrInd- RBE+ FLReset+ SlotPowerLimit 75.000W
		DevCtl:	CorrErr+ NonFatalErr+ FatalErr+ UnsupReq+
			RlxdOrd+ ExtTag- PhantFunc- AuxPwr- NoSnoop+ FLReset-
			MaxPayload 256 bytes, MaxReadReq 4096 bytes
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)
		LnkCtl2: Target Link Speed: 16GT/s, EnterCompliance- SpeedDis-
	Capabilities: [1c0 v1] Access Control Services
		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
	Kernel driver in use: mlx5_core
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    const auto fact = [&](std::string_view name) { return pasted.fact(Kind::pci, "0000:41:00.0", name); };
    EXPECT_EQ(fact("link_speed"), "8");
    EXPECT_EQ(fact("link_width_max"), "16");
    EXPECT_EQ(fact("numa"), "numa:1");
    EXPECT_EQ(fact("mps"), "256");
    EXPECT_EQ(fact("mps_max"), "512");
    EXPECT_EQ(fact("mrrs"), "4096");
    EXPECT_EQ(fact("relaxed_ordering"), "true");
    EXPECT_EQ(fact("extended_tag"), "false");
    EXPECT_EQ(fact("link_speed_target"), "16");
    EXPECT_EQ(fact("acs_control"), "29");
    EXPECT_EQ(fact("type"), "endpoint");
    EXPECT_EQ(fact("driver"), "mlx5_core");
    EXPECT_EQ(fact("parent"), "pci:0000:40:01.0");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:40:01.0", "type"), "root-port");
}

TEST(MachineForms, AFunctionThatOneLineNames) {
    const Pasted pasted(
        "# lspci -s 41:00.0 -vvv | grep -E 'ConnectX|LnkSta:'\n"
        "41:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]\n"
        "\t\tLnkSta:\tSpeed 16GT/s, Width x16\n");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:41:00.0", "link_speed"), "16");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:41:00.0", "link_width"), "16");
    // The one adapter of a text that names no RDMA device is taken for one.
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:41:00.0", "has_device"), "true");
}

TEST(MachineForms, AnAdapterWhoseAddressAnotherToolGives) {
    const Pasted pasted(
        "$ sudo lspci -vvv -d 15b3: | grep Lnk\n\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n"
        "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)\n"
        "$ mstflint -d 01:00.0 q | grep -E 'FW Version|PSID'\nFW Version:            16.35.4030\n"
        "PSID:                  MT_0000000009\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:01:00.0", "link_speed"), "8");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:01:00.0", "link_width_max"), "16");
    EXPECT_EQ(pasted.fact(Kind::device, "unnamed", "firmware"), "16.35.4030");
    EXPECT_EQ(pasted.fact(Kind::device, "unnamed", "board_id"), "MT_0000000009");
}

TEST(MachineForms, ModulesThatAFilterShowsOrDoesNot) {
    const Pasted shown("$ lsmod | grep peermem\nnvidia_peermem         16384  0\n");
    EXPECT_EQ(shown.fact(Kind::host, "", "module_peermem"), "true");
    EXPECT_EQ(shown.fact(Kind::host, "", "module_mlx5_core"), "gap(not collected)");
    const Pasted silent("$ lsmod | grep rdma_rxe\n$ uname -r\n6.8.0-90-generic\n");
    EXPECT_EQ(silent.fact(Kind::host, "", "module_rdma_rxe"), "false");
    EXPECT_EQ(silent.fact(Kind::host, "", "kernel"), "6.8.0-90-generic");
    const Pasted all(
        "$ lsmod\nModule                  Size  Used by\nmlx5_ib               450560  0\nib_core  430080  1 "
        "mlx5_ib\n");
    EXPECT_EQ(all.fact(Kind::host, "", "module_mlx5_ib"), "true");
    EXPECT_EQ(all.fact(Kind::host, "", "module_peermem"), "false");
}

TEST(MachineForms, LimitsOfTheShell) {
    const Pasted pasted(
        "$ ulimit -a\ncore file size          (blocks, -c) 0\nmax locked memory       (kbytes, -l) 64\n"
        "open files                      (-n) 1024\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::host, "", "shell_memlock_limited"), "true");
    EXPECT_EQ(pasted.fact(Kind::host, "", "shell_memlock_limit"), "65536");
    EXPECT_EQ(pasted.fact(Kind::host, "", "shell_open_files"), "1024");
    const Pasted one("$ ulimit -l\nunlimited\n");
    EXPECT_EQ(one.fact(Kind::host, "", "shell_memlock_limited"), "false");
    EXPECT_EQ(one.fact(Kind::host, "", "shell_open_files"), "gap(error)");
}

TEST(MachineForms, MemoryAndNodes) {
    const Pasted pasted(
        "$ grep Huge /proc/meminfo\nHugePages_Total:    1024\nHugePages_Free:        0\nHugepagesize:       2048 kB\n"
        "$ numactl -H\navailable: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 64000 MB\nnode 1 cpus: 4 5 6 7\n"
        "node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::host, "", "hugepages_2m"), "1024");
    EXPECT_EQ(pasted.fact(Kind::host, "", "hugepages_2m_free"), "0");
    EXPECT_EQ(pasted.fact(Kind::numa, "node1", "cpu_count"), "4");
    EXPECT_EQ(pasted.fact(Kind::numa, "node0", "memory"), "67108864000");
}

TEST(MachineForms, WhoMayOpenTheDevice) {
    const Pasted pasted(
        "$ ls -l /dev/infiniband\ntotal 0\ncrw------- 1 root root 231,  64 Dec  1 10:00 rdma_cm\n"
        "crw------- 1 root root 231, 192 Dec  1 10:00 uverbs0\n"
        "$ cat /sys/class/infiniband_verbs/uverbs0/ibdev\nmlx5_0\n$ ibstat mlx5_0\nCA 'mlx5_0'\n\tPort 1:\n\t\tState: "
        "Active\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "uverbs_mode"), "0600");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "uverbs_root_only"), "true");
}

TEST(MachineForms, NamesOfClassFolders) {
    const Pasted pasted(
        "$ ls /sys/class/infiniband\nmlx5_0  mlx5_1\nmlx5_2\n\nSee above.\n$ ls /sys/class/net/\nens1 lo\n"
        "$ ls /dev/infiniband\nls: cannot access '/dev/infiniband': No such file or directory\n");
    EXPECT_EQ(pasted.not_understood(), 1U);
    EXPECT_TRUE(pasted.there(Kind::device, "mlx5_1") && pasted.there(Kind::device, "mlx5_2"));
    EXPECT_FALSE(pasted.there(Kind::device, "See"));
    const Pasted prose(
        "$ ls -l /sys/class/infiniband\ntotal 0\n$ ls /sys/class/infiniband\nmlx5_0\nand it still fails\n");
    EXPECT_TRUE(prose.there(Kind::device, "mlx5_0"));
    EXPECT_FALSE(prose.there(Kind::device, "total") || prose.there(Kind::device, "0") ||
                 prose.there(Kind::device, "and"));
    EXPECT_TRUE(pasted.there(Kind::netdev, "ens1"));
    EXPECT_EQ(pasted.ingested().hosts.front().log_lines, 1U) << "what cannot be listed is for the rules";
}

TEST(MachineForms, AProcessFarFromItsDevice) {
    const std::string text =
        "$ numactl -H\navailable: 2 nodes (0-1)\nnode 0 cpus: 0 2\nnode 1 cpus: 1 3\n"
        "$ cat /sys/class/infiniband/mlx5_0/device/numa_node\n1\n"
        "$ rdma resource show qp link mlx5_0/1\nlink mlx5_0/1 lqpn 4187 rqpn 2209 type RC state RTS pid 20377 comm "
        "osd\n";
    const Pasted pasted(text +
                        "$ grep -E 'Name|Cpus_allowed_list' /proc/20377/status\nName:\tosd\nCpus_allowed_list:\t0,2\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::process, "osd (20377)", "cpus_allowed"), "0,2");
    EXPECT_EQ(pasted.fact(Kind::process, "osd (20377)", "cpus_local"), "false");
    EXPECT_EQ(Pasted(text).fact(Kind::process, "", "cpus_local"), "gap(not collected)");
    // Of one device of two; and that they are all of them nobody says.
    const Pasted second(
        "$ rdma link\nlink mlx5_0/1 state ACTIVE\nlink mlx5_1/1 state ACTIVE\n"
        "$ rdma resource show qp link mlx5_1/1\nlink mlx5_1/1 lqpn 7 type RC state RTS pid 20377 comm osd\n");
    EXPECT_TRUE(second.there(Kind::process, "process (20377)"));
    EXPECT_EQ(second.fact(Kind::host, "", "pinned_by_processes"), "gap(not collected)");
}

TEST(MachineForms, AValueOfEachDeviceByALoop) {
    const auto node = [](std::string_view loop, std::string_view line) {
        return Pasted("$ " + std::string(loop) + "\n" + std::string(line) + "\nmlx5_1 1\n")
            .fact(Kind::device, "mlx5_0", "node_guid");
    };
    const auto of = [](std::string_view text) { return Pasted(text).fact(Kind::port, "mlx5_0/1", "state"); };
    EXPECT_EQ(of("$ for d in /sys/class/infiniband/*; do echo $(basename $d) $(cat $d/ports/1/state); done\n"
                 "mlx5_0 4: ACTIVE\nmlx5_1 1: DOWN\n"),
              "ACTIVE");
    EXPECT_EQ(of("$ for d in /sys/class/infiniband/mlx5_*; do echo \"$d: $(cat ${d}/ports/1/state)\"; done\n"
                 "/sys/class/infiniband/mlx5_0: 4: ACTIVE\n"),
              "ACTIVE");
    // Not of what it does not print, or from a place that is none.
    EXPECT_EQ(of("$ for d in /sys/class/infiniband/*; do echo $(basename $d); done\nmlx5_0 4: ACTIVE\n"), "");
    EXPECT_EQ(node("for d in /sys/class/infiniband/*; do echo $d $(cat $d/../../secret); done", "mlx5_0 1"), "");
    EXPECT_FALSE(
        Pasted("$ for d in /sys/class/infiniband/mlx5_*; do echo $d $(cat $d/node_guid); done\nmlx5_0 1\nAny 2\n")
            .there(Kind::device, "Any"));
    EXPECT_EQ(
        node("for d in /sys/class/infiniband/*; do echo $d $(cat $d/node_guid) $(cat $d/fw_ver); done", "mlx5_0 1"),
        "");
    EXPECT_EQ(node("for d in /sys/class/infiniband/*; do echo $(cat $d/node_guid) $d; done", "mlx5_0 1"), "");
    EXPECT_EQ(node("for d in /tmp/*; do echo $d $(cat $d/node_guid); done", "mlx5_0 1"), "");
}

TEST(MachineForms, FilesThatABraceNames) {
    const Pasted pasted(
        "$ cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/{out_of_sequence,packet_seq_err}\n7\n9\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "out_of_sequence"), "7");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "packet_seq_err"), "9");
    EXPECT_FALSE(Pasted("$ cat /sys/class/infiniband/mlx5_{0..1}/ports/1/state\n4: ACTIVE\n4: ACTIVE\n")
                     .there(Kind::device, "mlx5_0..1"));
}

TEST(MachineForms, LinksOfClassFolders) {
    const Pasted pasted(
        "$ ls -l /sys/class/infiniband\ntotal 0\nlrwxrwxrwx 1 root root 0 Dec  1 10:00 mlx5_0 -> "
        "../../devices/pci0000:40/0000:40:01.0/0000:41:00.0/infiniband/mlx5_0\n");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "pci"), "pci:0000:41:00.0");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:41:00.0", "parent"), "pci:0000:40:01.0");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "soft"), "false");
}

TEST(MachineForms, NamesThatHoldThePlaceOfAFunctionInTheText) {
    const Pasted pasted(
        "/sys/bus/pci/devices/0000:41:00.1/numa_node:1\n$ ethtool enp65s0f1np1\nSettings for enp65s0f1np1:\n"
        "\tLink detected: yes\n$ ethtool enp66s0f0\nSettings for enp66s0f0:\n\tLink detected: yes\n"
        "$ ethtool enp65s0f1v0\nSettings for enp65s0f1v0:\n\tLink detected: yes\n"
        "$ cat /sys/class/infiniband/rocep65s0f1/fw_ver\n28.40.1000\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "enp65s0f1np1", "pci"), "pci:0000:41:00.1");
    EXPECT_EQ(pasted.fact(Kind::device, "rocep65s0f1", "pci"), "pci:0000:41:00.1");
    EXPECT_EQ(pasted.fact(Kind::netdev, "enp66s0f0", "pci"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::netdev, "enp65s0f1v0", "pci"), "gap(not collected)");
}

TEST(MachineForms, OneFileOneLine) {
    const Pasted pasted("$ cat /sys/class/infiniband/mlx5_0/fw_ver\n28.45.4028\niperf3: 12.86 Gbits/sec\n");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "firmware"), "28.45.4028");
    EXPECT_EQ(pasted.not_understood(), 1U);
}

TEST(MachineForms, FilesBelowTheirNames) {
    const Pasted pasted("/sys/class/net/ens1/mtu\n9000\n/sys/class/net/ens2/mtu\n1500\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "mtu"), "9000");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens2", "mtu"), "1500");
}

TEST(MachineForms, ServicesAndSettings) {
    const Pasted pasted(
        "$ systemctl is-active irqbalance\ninactive\n$ sysctl net.ipv4.conf.ens1.arp_ignore\n"
        "net.ipv4.conf.ens1.arp_ignore = 1\nnet.ipv4.conf.all.arp_ignore = 0\n$ ip link show ens1\n4: ens1: "
        "<BROADCAST,UP,LOWER_UP> mtu 1500 state UP\n");
    EXPECT_EQ(pasted.fact(Kind::host, "", "irqbalance"), "false");
    EXPECT_EQ(pasted.fact(Kind::host, "", "tuned"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "arp_ignore"), "1");
}

TEST(MachineForms, Nvme) {
    const Pasted pasted(
        "$ nvme list-subsys\nnvme-subsys1 - NQN=nqn.2016-06.io.spdk:cnode1\n\\\n"
        " +- nvme1 rdma traddr=198.51.100.9,trsvcid=4420 connecting\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::nvme, "", "transport"), "rdma");
    EXPECT_EQ(pasted.fact(Kind::nvme, "", "state"), "connecting");
}

TEST(MachineForms, Benchmarks) {
    const Pasted pasted(
        "$ ib_write_bw\n---------------------------------\n                    RDMA_Write BW Test\n"
        " Dual-port       : OFF\t\tDevice         : mlx5_0\n Link type       : IB\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
        " 65536      1000             11793.36            11792.73                  0.188684\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "link_layer"), "InfiniBand");
}

TEST(MachineForms, OnlyVariablesThatAreMeantAreKept) {
    const Pasted pasted("$ env\nNCCL_IB_GID_INDEX=1\nAWS_SECRET_ACCESS_KEY=hidden\n");
    ASSERT_EQ(pasted.ingested().hosts.size(), 1U);
    const auto& reads = pasted.ingested().hosts.front().bundle.moments.back().reads;
    const auto logs = reads.find("logs");
    ASSERT_NE(logs, reads.end());
    EXPECT_NE(logs->second->find("NCCL_IB_GID_INDEX"), std::string::npos);
    EXPECT_EQ(logs->second->find("hidden"), std::string::npos);
    const auto variables = reads.find("environment");
    ASSERT_NE(variables, reads.end());
    EXPECT_EQ(*variables->second, "NCCL_IB_GID_INDEX=1\n");
}

TEST(MachineForms, VariablesThatWereTyped) {
    const Pasted pasted(
        "$ export UCX_TLS=rc,sm\n$ UCX_NET_DEVICES=mlx5_1:1 mpirun -x NCCL_IB_HCA=mlx5_0 ./osu_bw\n"
        "# OSU MPI Bandwidth Test v5.7\n# Size      Bandwidth (MB/s)\n65536               18442.38\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    ASSERT_EQ(pasted.ingested().hosts.size(), 1U);
    const auto& reads = pasted.ingested().hosts.front().bundle.moments.back().reads;
    ASSERT_TRUE(reads.contains("environment"));
    const std::string& variables = *reads.find("environment")->second;
    EXPECT_NE(variables.find("UCX_TLS=rc,sm"), std::string::npos);
    EXPECT_NE(variables.find("UCX_NET_DEVICES=mlx5_1:1"), std::string::npos);
    EXPECT_NE(variables.find("NCCL_IB_HCA=mlx5_0"), std::string::npos);
}

TEST(MachineForms, SentencesAreNoRows) {
    const Pasted pasted("link is up again\n0: nothing: here\ndev complains about it\n");
    EXPECT_EQ(pasted.not_understood(), 3U);
    EXPECT_FALSE(pasted.there(Kind::device, "nothing"));
}

TEST(MachineForms, MountsAsMountPrintsThem) {
    const Pasted pasted("$ mount | grep nfs\nhostA:/pool on /pool type nfs4 (rw,vers=4.2,proto=rdma,port=20049)\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    ASSERT_EQ(pasted.ingested().hosts.size(), 1U);
    const auto& reads = pasted.ingested().hosts.front().bundle.moments.back().reads;
    ASSERT_TRUE(reads.contains("/proc/self/mounts"));
    EXPECT_EQ(*reads.find("/proc/self/mounts")->second,
              "hostA:/pool /pool nfs4 rw,vers=4.2,proto=rdma,port=20049 0 0\n");
}

TEST(MachineForms, SettingsThatNoAnswerHasBecomeLinesOfALog) {
    const Pasted pasted(
        "$ mlxconfig -d 3d:00.1 q\n         ROCE_CC_PRIO_MASK_P1                255\n"
        "         UNRELATED_SETTING                   1\n"
        "$ devlink health show\npci/0000:af:00.0:\n  name fw_fatal\n    state error error 1 recover 0\n"
        "$ iptables -S\n-P INPUT ACCEPT\n-A INPUT -p udp --dport 4791 -j DROP\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    ASSERT_EQ(pasted.ingested().hosts.size(), 1U);
    const auto& reads = pasted.ingested().hosts.front().bundle.moments.back().reads;
    ASSERT_TRUE(reads.contains("logs"));
    const std::string& logs = *reads.find("logs")->second;
    EXPECT_NE(logs.find("ROCE_CC_PRIO_MASK_P1"), std::string::npos);
    EXPECT_EQ(logs.find("UNRELATED"), std::string::npos);
    EXPECT_NE(logs.find("state%20error"), std::string::npos);
    EXPECT_NE(logs.find("4791"), std::string::npos);
}

}  // namespace
}  // namespace rd::ingest::test
