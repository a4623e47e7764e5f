// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/core/ingest/forms/facts_of.h"

namespace rd::ingest::test {
namespace {

TEST(NetworkForms, DriverNamesThePciFunction) {
    const Pasted pasted(
        "$ ethtool -i ens1\ndriver: mlx5_core\nversion: 5.0-2.1.8\nfirmware-version: 14.28.2006 (MT_2420110034)\n"
        "bus-info: 0000:2f:00.0\nsupports-statistics: yes\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "driver"), "mlx5_core");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "pci"), "pci:0000:2f:00.0");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:2f:00.0", "driver"), "mlx5_core");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:2f:00.0", "parent"), "gap(not collected)");
}

TEST(NetworkForms, SettingsOfAnInterface) {
    const Pasted pasted(R"(Settings for ens1:
	Supported ports: [ FIBRE ]
	Speed: 25000Mb/s
	Duplex: Full
	Auto-negotiation: off
	Link detected: yes
Pause parameters for ens1:
Autonegotiate:	off
RX:		on
TX:		on
$ ethtool --show-fec ens1
FEC parameters for ens1:
Configured FEC encodings: Auto RS
Active FEC encoding: RS
$ ethtool -c ens1
Coalesce parameters for ens1:
Adaptive RX: off  TX: off
rx-usecs:	64
rx-frames:	128
$ ethtool -g ens1
Ring parameters for ens1:
Pre-set maximums:
RX:		8192
TX:		8192
Current hardware settings:
RX:		1024
TX:		512
$ ethtool -l ens1
Channel parameters for ens1:
Pre-set maximums:
Combined:	63
Current hardware settings:
Combined:	8
$ ethtool -k ens1 | grep -E 'large|generic'
generic-receive-offload: on
large-receive-offload: off [fixed]
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    const auto fact = [&](std::string_view name) { return pasted.fact(Kind::netdev, "ens1", name); };
    EXPECT_EQ(fact("speed"), "25");
    EXPECT_EQ(fact("autoneg"), "false");
    EXPECT_EQ(fact("carrier"), "true");
    EXPECT_EQ(fact("pause_rx"), "true");
    EXPECT_EQ(fact("fec_active"), "rs");
    EXPECT_EQ(fact("fec_auto"), "true");
    EXPECT_EQ(fact("adaptive_rx"), "false");
    EXPECT_EQ(fact("coalesce_rx_usecs"), "64");
    EXPECT_EQ(fact("ring_rx"), "1024");
    EXPECT_EQ(fact("ring_rx_max"), "8192");
    EXPECT_EQ(fact("channels"), "8");
    EXPECT_EQ(fact("channels_max"), "63");
    EXPECT_EQ(fact("gro"), "true");
    EXPECT_EQ(fact("lro"), "false");
    EXPECT_EQ(fact("ntuple"), "gap(not collected)");
    EXPECT_EQ(fact("link_lanes"), "gap(not collected)");
}

TEST(NetworkForms, ALinkThatIsDownSaysWhy) {
    const Pasted pasted("Settings for ens1:\n\tSpeed: Unknown!\n\tLink detected: no (No cable)\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "link_reason"), "no_cable");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "carrier"), "false");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "speed"), "gap(not collected)");
}

TEST(NetworkForms, FilteredStatistics) {
    const Pasted pasted(
        "# ethtool -S eth2 | egrep 'discard|prio3'\n     rx_discards_phy: 17\n     rx_prio3_pause: 5\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "eth2", "rx_discards_phy"), "17");
    EXPECT_EQ(pasted.fact(Kind::priority, "eth2 priority 3", "rx_pause"), "5");
    EXPECT_EQ(pasted.fact(Kind::netdev, "eth2", "rx_crc_errors_phy"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::priority, "eth2 priority 3", "pfc_enabled"), "gap(not collected)");
}

TEST(NetworkForms, StatisticsWithoutTheirInterface) {
    const Pasted bare("     rx_discards_phy: 17\n     outbound_pci_stalled_rd: 0\n");
    EXPECT_EQ(bare.form(), "ethtool -S");
    EXPECT_EQ(bare.fact(Kind::netdev, "unnamed", "rx_discards_phy"), "17");
    const Pasted prefixed("eth2:     rx_discards_phy: 17\neth3:     rx_discards_phy: 18\n");
    EXPECT_EQ(prefixed.fact(Kind::netdev, "eth3", "rx_discards_phy"), "18");
    const Pasted loop(
        "$ for i in eth2 eth3; do echo $i; ethtool -S $i | grep discards_phy; done\n"
        "eth2\n     rx_discards_phy: 1\neth3\n     rx_discards_phy: 2\n");
    EXPECT_EQ(loop.fact(Kind::netdev, "eth2", "rx_discards_phy"), "1");
    EXPECT_EQ(loop.fact(Kind::netdev, "eth3", "rx_discards_phy"), "2");
}

TEST(NetworkForms, LinksAndAddresses) {
    const Pasted pasted(R"($ ip -d -s addr
4: ens1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP group default qlen 1000
    link/ether b8:59:9f:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 198.51.100.7/24 brd 198.51.100.255 scope global ens1
    inet6 fe80::ba59:9fff:fe00:1/64 scope link
    RX:  bytes packets errors dropped  missed   mcast
       4110204   90411      0       3       7       0
    TX:  bytes packets errors dropped carrier collsns
        204110    1204      0       0       0       0
6: ens1.100@ens1: <BROADCAST,MULTICAST> mtu 1500 qdisc noqueue state DOWN
    link/ether b8:59:9f:00:00:01 brd ff:ff:ff:ff:ff:ff
    vlan protocol 802.1Q id 100 <REORDER_HDR>
      egress-qos-map { 3:3 }
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "mtu"), "9000");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "operstate"), "UP");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "carrier"), "true");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "admin_up"), "true");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "ipv4_networks"), "198.51.100.0/24");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "rx_missed"), "7");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1.100", "vlan_id"), "100");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1.100", "vlan_egress"), "3:3");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1.100", "admin_up"), "false");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "kind"), "gap(not collected)");
    EXPECT_TRUE(pasted.there(Kind::netdev, "bond0"));
}

TEST(NetworkForms, PrioritiesOfMlnxQos) {
    const Pasted pasted(
        "$ mlnx_qos -i ens1\nDCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
        "\tprio:3 dscp:31,30,29,28,27,26,25,24,\nCable len: 10\nPFC configuration:\n"
        "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n"
        "\tbuffer      0   0   0   1   0   0   0   0   \n"
        "tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%\n\t priority:  3\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "trust"), "dscp");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "pfc_mask"), "8");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "dcbx_host"), "true");
    EXPECT_EQ(pasted.fact(Kind::priority, "ens1 priority 3", "pfc_enabled"), "true");
    EXPECT_EQ(pasted.fact(Kind::priority, "ens1 priority 3", "bandwidth"), "50");
    EXPECT_EQ(pasted.fact(Kind::priority, "ens1 priority 3", "dscp_list"), "24,25,26,27,28,29,30,31");
    EXPECT_EQ(pasted.fact(Kind::priority, "ens1 priority 3", "rx_buffer"), "1");
}

TEST(NetworkForms, PrioritiesOfDcb) {
    const Pasted pasted(
        "# dcb pfc show dev ens1\npfc-cap 8 macsec-bypass off delay 4096\n"
        "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n"
        "# dcb app show dev ens1 dscp-prio\ndscp-prio CS3:3 AF31:3 48:6\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "pfc_mask"), "8");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "pfc_delay"), "4096");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "dscp_entries"), "3");
}

TEST(NetworkForms, AModuleWithItsLanes) {
    const Pasted pasted(
        "$ ethtool -m ens1\n\tIdentifier                                : 0x11 (QSFP28)\n"
        "\tVendor name                               : ACME\n"
        "\tModule temperature                        : 71.50 degrees C / 160.70 degrees F\n"
        "\tRcvr signal avg optical power(Channel 1)  : 0.9000 mW / -0.46 dBm\n"
        "\tRcvr signal avg optical power(Channel 2)  : 0.0100 mW / -20.00 dBm\n"
        "\tModule temperature high alarm threshold   : 75.00 degrees C / 167.00 degrees F\n");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "module_type"), "QSFP28");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "module_temperature"), "71.5");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "module_rx_power_min"), "0.01");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1", "module_temperature_high_alarm"), "75");
}

TEST(NetworkForms, MlxlinkProvesAnAdapter) {
    const Pasted pasted(
        "$ sudo mlxlink -d 37:00.0 -p 1\n\nOperational Info\n----------------\n"
        "State                           : Active\nPhysical state                  : LinkUp\n"
        "Speed                           : 100G\nFEC                             : Standard RS-FEC - RS(528,514)\n"
        "Auto Negotiation                : ON\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "unnamed", "autoneg"), "true");
    EXPECT_EQ(pasted.fact(Kind::netdev, "unnamed", "fec_active"), "rs");
    EXPECT_EQ(pasted.fact(Kind::device, "unnamed", "pci"), "pci:0000:37:00.0");
    EXPECT_EQ(pasted.fact(Kind::port, "unnamed/1", "link_layer"), "Ethernet");
    EXPECT_EQ(pasted.fact(Kind::netdev, "unnamed", "carrier"), "true");
}

TEST(NetworkForms, ABondAndItsMembers) {
    const Pasted pasted(R"($ cat /proc/net/bonding/bond0
Ethernet Channel Bonding Driver: v5.15.0-126-generic

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
Transmit Hash Policy: layer3+4 (1)
MII Status: up
MII Polling Interval (ms): 100

802.3ad info
LACP rate: slow
Active Aggregator Info:
	Aggregator ID: 1
	Number of ports: 1
	Partner Mac Address: 44:38:39:ff:10:01

Slave Interface: ens1f0
MII Status: up
Speed: 25000 Mbps
Link Failure Count: 0
Aggregator ID: 1

Slave Interface: ens1f1
MII Status: down
Link Failure Count: 7
Aggregator ID: 2
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::netdev, "bond0", "bond_mode"), "802.3ad");
    EXPECT_EQ(pasted.fact(Kind::netdev, "bond0", "bond_hash"), "layer3+4");
    EXPECT_EQ(pasted.fact(Kind::netdev, "bond0", "bond_members"), "2");
    EXPECT_EQ(pasted.fact(Kind::netdev, "bond0", "bond_ports"), "1");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f1", "bond_link"), "down");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f1", "bond_link_failures"), "7");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f1", "bond_aggregator"), "2");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "speed"), "25");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "master"), "netdev:name-bond0");
}

TEST(NetworkForms, WhereDevicesSit) {
    const Pasted pasted(
        "# mst status -v\nPCI devices:\n------------\n"
        "DEVICE_TYPE             MST                           PCI       RDMA            NET                 NUMA\n"
        "ConnectX6(rev:0)        /dev/mst/mt4123_pciconf0      41:00.0   mlx5_0          net-ens1f0          1\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "pci"), "pci:0000:41:00.0");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens1f0", "pci"), "pci:0000:41:00.0");
    EXPECT_EQ(pasted.fact(Kind::pci, "0000:41:00.0", "numa"), "numa:1");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "netdev"), "");
}

TEST(NetworkForms, ASwitchIsNotThisHost) {
    const Pasted pasted(
        "admin@switch:~$ show interfaces status Ethernet256\n"
        "  Interface    Lanes    Speed    MTU    Oper\n-----------  -------  -------  -----  ------\n"
        "Ethernet256  256,257     100G   9100    down\n");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_FALSE(pasted.there(Kind::netdev, "Ethernet256"));
}

}  // namespace
}  // namespace rd::ingest::test
