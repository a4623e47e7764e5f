// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/core/ingest/forms/facts_of.h"

namespace rd::ingest::test {
namespace {

TEST(RdmaForms, IbvDevinfoTellsOfDeviceAndPort) {
    const Pasted pasted(R"($ ibv_devinfo -d mlx5_3 -v
hca_id:	mlx5_3
	transport:			InfiniBand (0)
	fw_ver:				28.40.1000
	node_guid:			a088:c203:0056:1a2c
	sys_image_guid:			a088:c203:0056:1a2c
	vendor_id:			0x02c9
	vendor_part_id:			4129
	phys_port_cnt:			1
	max_mr_size:			0xffffffffffffffff
	max_qp:				131072
	atomic_cap:			ATOMIC_HCA (1)
	general_odp_caps:
					ODP_SUPPORT
	rc_odp_caps:
					SUPPORT_SEND
		port:	1
			state:			PORT_ACTIVE (4)
			max_mtu:		4096 (5)
			active_mtu:		1024 (3)
			link_layer:		Ethernet
			gid_tbl_len:		8
			active_width:		4X (2)
			active_speed:		100.0 Gbps (128)
			phys_state:		LINK_UP (5)
			GID[  0]:		fe80::a288:c2ff:fe56:1a2c, RoCE v2
			GID[  3]:		::ffff:198.51.100.7, RoCE v2
)");
    EXPECT_EQ(pasted.form(), "ibv_devinfo");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "firmware"), "28.40.1000");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "hca_type"), "MT4129");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "node_type"), "CA");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "max_qp"), "131072");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "atomic"), "hca");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "odp"), "true");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "state"), "ACTIVE");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "phys_state"), "LinkUp");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "rate"), "400");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "active_mtu"), "1024");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "gid_table_size"), "8");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "gids_v2_ipv4"), "1");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_3/1", "gid_index_v2_ipv4"), "3");
    // What was not pasted is no statement about the driver.
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "board_id"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "max_cq"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_3", "pci"), "gap(not collected)");
}

TEST(RdmaForms, GidsAloneLeaveTheSizeOfTheTableOpen) {
    const Pasted pasted(
        "DEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV\n---\t----\t-----\t---\t----\t---\t---\n"
        "mlx5_0\t1\t0\tfe80:0000:0000:0000:0e42:a1ff:fe00:5301\t\tv1\teth1\n"
        "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c633:6407\t198.51.100.7\tv2\teth1\n");
    EXPECT_EQ(pasted.form(), "show_gids");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "gids_v2_ipv4"), "1");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "gids_link_local"), "1");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "gid_table_size"), "gap(not collected)");
    EXPECT_TRUE(pasted.there(Kind::netdev, "eth1"));
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "link_layer"), "Ethernet");
}

TEST(RdmaForms, IbstatKeepsEachPortWithItsDevice) {
    const Pasted pasted(R"(CA 'mlx5_0'
	CA type: MT4123
	Firmware version: 20.31.1014
	Node GUID: 0x0c42a10300ad1f2e
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Base lid: 34
		SM lid: 1
		Link layer: InfiniBand
CA 'mlx5_1'
	Port 2:
		State: Initializing
		Physical state: LinkUp
		SM lid: 0
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "node_guid"), "0c42:a103:00ad:1f2e");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "lid"), "34");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "rate"), "200");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_1/2", "state"), "INIT");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_1/2", "sm_lid"), "0");
    EXPECT_FALSE(pasted.there(Kind::port, "mlx5_1/1"));
}

TEST(RdmaForms, WhatTellsRoceAndInfiniBandApart) {
    const auto protocol = [](std::string_view text) { return Pasted(text).fact(Kind::device, "", "protocol"); };
    EXPECT_EQ(protocol("CA 'mlx5_0'\n\tCA type: MT4126\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: Ethernet\n"),
              "roce");
    EXPECT_EQ(protocol("CA 'mlx5_0'\n\tCA type: MT4126\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: InfiniBand\n"),
              "ib");
    EXPECT_EQ(protocol("CA 'iwp0'\n\tCA type: \n\tPort 1:\n\t\tState: Active\n\t\tLink layer: Ethernet\n"),
              "gap(not collected)");
    EXPECT_EQ(protocol("$ show_gids\nDEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV\n"
                       "mlx5_0\t1\t0\tfe80:0000:0000:0000:0e42:a1ff:fe00:5301\t\tv1\teth1\n"),
              "roce");
}

TEST(RdmaForms, WhatOnlyRoceCountsTellsTheLinkLayer) {
    const auto layer = [](std::string_view counter, std::string_view value) {
        return Pasted(
                   "$ grep . /sys/class/infiniband/mlx5_0/ports/1/hw_counters/*\n"
                   "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/" +
                   std::string(counter) + ":" + std::string(value) + "\n")
            .fact(Kind::port, "mlx5_0/1", "link_layer");
    };
    EXPECT_EQ(layer("np_cnp_sent", "3"), "Ethernet");
    EXPECT_EQ(layer("np_cnp_sent", "0"), "gap(not collected)") << "InfiniBand has the counter too";
    EXPECT_EQ(layer("out_of_sequence", "3"), "gap(not collected)");
    EXPECT_EQ(Pasted("$ rdma statistic show link mlx5_0/1\nlink mlx5_0/1 np_cnp_sent 7 rp_cnp_handled 0\n")
                  .fact(Kind::port, "mlx5_0/1", "link_layer"),
              "Ethernet");
}

TEST(RdmaForms, RdmaToolAsText) {
    const Pasted pasted(R"(# rdma link
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1
# rdma res show qp
link mlx5_0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core]
link mlx5_0/1 lqpn 901 rqpn 7 type RC state ERR sq-psn 4 path-mig-state MIGRATED pdn 3 pid 4711 comm kvstore
# rdma res
0: mlx5_0: pd 4 cq 9 qp 2 cm_id 0 mr 44 ctx 1
# rdma statistic show
link mlx5_0/1 out_of_sequence 12 packet_seq_err 3
# rdma system
netns exclusive copy-on-fork on
)");
    EXPECT_EQ(pasted.not_understood(), 0U);
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_error"), "1");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_error_pid"), "4711");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_kernel"), "1");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "mrs"), "44");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "out_of_sequence"), "12");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "local_ack_timeout_err"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "netdev"), "netdev:name-ens1");
    EXPECT_EQ(pasted.fact(Kind::host, "", "rdma_netns"), "exclusive");
    EXPECT_EQ(pasted.fact(Kind::host, "", "copy_on_fork"), "true");
}

TEST(RdmaForms, AFilteredTableIsNotCounted) {
    const Pasted pasted(
        "$ rdma res show qp | grep RTS\n"
        "link mlx5_0/1 lqpn 901 rqpn 7 type RC state RTS pid 4711 comm kvstore\n");
    // The row names the port; of the states it is the one that passed the filter that is whole.
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_error"), "gap(not collected)");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "qps_rts"), "1");
    EXPECT_EQ(pasted.fact(Kind::device, "mlx5_0", "qp_holders"), "gap(not collected)");
}

TEST(RdmaForms, RdmaToolAsJsonThatIsNotValid) {
    const Pasted pasted(R"([ {
        "ifindex": 4,
        "ifname": "hns_0",
        "port": 1,
        "lqpn": 41,
        "type": "RC",
        "state": "RTR",
        "pid": 1523,
        "comm": "ib_send_bw"
    },
    "drv_sq_wqe_cnt": 128
}
)");
    EXPECT_EQ(pasted.form(), "rdma");
    EXPECT_EQ(pasted.fact(Kind::device, "hns_0", "qp_holders"), "1523=1");
}

TEST(RdmaForms, RdmaLinkAsJson) {
    const Pasted pasted(
        "$ rdma -j link\n[{\"ifindex\":0,\"ifname\":\"ionic_0\",\"port\":1,\"state\":\"DOWN\","
        "\"physical_state\":\"POLLING\",\"netdev\":\"benic8p1\"}]\n");
    EXPECT_EQ(pasted.fact(Kind::port, "ionic_0/1", "state"), "DOWN");
    EXPECT_EQ(pasted.fact(Kind::port, "ionic_0/1", "phys_state"), "Polling");
    EXPECT_TRUE(pasted.there(Kind::netdev, "benic8p1"));
}

TEST(RdmaForms, TheMapOfDevicesAndInterfaces) {
    const Pasted pasted("mlx5_0 port 1 ==> ens1 (Up)\nmlx5_1 port 1 ==> ens2 (Down)\n");
    EXPECT_EQ(pasted.form(), "ibdev2netdev");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_1/1", "netdev"), "netdev:name-ens2");
    EXPECT_EQ(pasted.fact(Kind::netdev, "ens2", "operstate"), "DOWN");
}

TEST(RdmaForms, SoftDevicesAreKnownByTheirVendor) {
    const Pasted pasted("hca_id:\trxe0\n\ttransport:\t\tInfiniBand (0)\n\tvendor_id:\t\t0xffffff\n");
    EXPECT_EQ(pasted.fact(Kind::device, "rxe0", "soft"), "true");
}

TEST(RdmaForms, CountersOfAPort) {
    const Pasted pasted(
        "# Port extended counters: Lid 133 port 1 (CapMask: 0x5A00 CapMask2: 0x0000000)\n"
        "PortSelect:......................1\nSymbolErrorCounter:..............7\n"
        "PortXmitData:....................1000\n"
        "$ ibstat mlx5_2\nCA 'mlx5_2'\n\tPort 1:\n\t\tState: Active\n");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_2/1", "symbol_error"), "7");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_2/1", "port_xmit_bytes"), "4000");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_2/1", "link_downed"), "gap(not collected)");
}

TEST(RdmaForms, CountersOfAnotherPortAreNotOurs) {
    const Pasted pasted(
        "$ perfquery 21 3\n# Port counters: Lid 21 port 3\nSymbolErrorCounter:..............7\n"
        "$ ibstat\nCA 'mlx5_2'\n\tPort 1:\n\t\tState: Active\n");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_2/1", "symbol_error"), "gap(not collected)");
}

TEST(RdmaForms, DriverCountersByNameAlone) {
    const Pasted pasted("duplicate_request: 4\nlifespan: 10\nout_of_sequence: 6140236\npacket_seq_err: 929974\n");
    EXPECT_EQ(pasted.form(), "hw_counters");
    EXPECT_EQ(pasted.fact(Kind::port, "", "out_of_sequence"), "6140236");
    EXPECT_EQ(pasted.fact(Kind::port, "", "rnr_nak_retry_err"), "gap(not collected)");
}

TEST(RdmaForms, DriverCountersByPath) {
    const Pasted pasted(
        "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:17\n"
        "/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE\n");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "out_of_sequence"), "17");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "state"), "ACTIVE");
    EXPECT_EQ(pasted.fact(Kind::port, "mlx5_0/1", "packet_seq_err"), "gap(not collected)");
}

}  // namespace
}  // namespace rd::ingest::test
