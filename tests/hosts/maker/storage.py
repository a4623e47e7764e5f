# SPDX-License-Identifier: GPL-2.0-or-later
"""A storage node: two ports of a ConnectX-5 Ex with an MTU of 9000, four SSDs. Ceph OSDs talk RDMA, two SSDs are exported by nvmet,
and a volume of another node is mounted over both ports."""

from . import mlx5, node, pci, rdma, system
from .machine import NumaNode, Process
from .mlx5 import Card
from .mlx5_counters import LATE, Traffic
from .node import Node, Nvme

CX5EX = Card(0x1019, "MT_0000000013", "16.35.4030", 100_000, "100 Gb/sec (4X EDR)", 16, 4, mlx5.RS)
CPUS = {0: "0-15", 1: "16-31"}
UP_NS = 5_184_000_000_000_000  # sixty days
IDENTITY = node.identity("stor-07", "6.1.0-41-amd64", "0a2e41c7-8b35-4c0e-91aa-5f60c1de8b77")
REMOTE = "nqn.2014-08.org.nvmexpress:uuid:7c1d2f3e-55aa-4f0b-a1c9-0d6b9e1f2a30"
FIRST_PID = 3300

# Of /etc/ceph/ceph.conf; the index of the GID and the traffic class are those of the site.
CEPH_SETTINGS = ("ms_type", "ms_public_type", "ms_cluster_type", "ms_async_rdma_device_name", "ms_async_rdma_port_num",
                 "ms_async_rdma_gid_idx", "ms_async_rdma_local_gid", "ms_async_rdma_roce_ver", "ms_async_rdma_dscp", "ms_async_rdma_cm",
                 "ms_async_rdma_type", "ms_async_rdma_support_srq", "ms_async_rdma_receive_queue_len",
                 "ms_async_rdma_receive_buffers", "ms_async_rdma_send_buffers", "ms_async_rdma_buffer_size", "ms_async_rdma_polling_us")
CEPH = {f"config.ini/{name}/etc/ceph/ceph.conf": {} for name in CEPH_SETTINGS}
CEPH["config.ini/ms_cluster_type/etc/ceph/ceph.conf"] = {"osd": "async+rdma"}
CEPH["config.ini/ms_async_rdma_gid_idx/etc/ceph/ceph.conf"] = {"osd": 3}
CEPH["config.ini/ms_async_rdma_dscp/etc/ceph/ceph.conf"] = {"osd": 104}


def traffic(port, moment):
    """A few GB/s of reads and writes."""
    flow = Traffic(received=8_104_220_000 + 31_007_000 * port + (1_210_000 + 8_110 * port) * moment,
                   sent=7_911_035_000 + 29_411_000 * port + (1_180_000 + 9_020 * port) * moment,
                   ethernet=504_117_000 + 20_310 * port + 8_120 * moment)
    flow.rdma = {"np_ecn_marked_roce_packets": 48_113 + 17 * moment, "np_cnp_sent": 47_990 + 17 * moment,
                 "rp_cnp_handled": 40_202 + 12 * moment, "rnr_nak_retry_err": 31, "out_of_buffer": 12}
    flow.ethtool = {"rx_corrected_bits_phy": 2_104_233 + 310 * moment, "rx_prio3_pause": 3_104 + 4 * moment,
                    "rx_prio3_pause_duration": 4_011 + 5 * moment, "tx_prio3_pause": 18, "tx_prio3_pause_duration": 22}
    return flow


def port(function, number, moment):
    nic = mlx5.ethernet(CX5EX, function, number, f"enp129s0f{number}np{number}", mtu=9000, addresses=(f"10.9.{number}.7/24",),
                        version=IDENTITY["kernel"])
    nic.traffic = traffic(number, moment)
    nic.without = LATE
    nic.fec = {"corrected_blocks": 1_204_117 + 150 * moment}
    nic.mkeys = 90_233
    device = nic.device
    device.image_guid = "a088:c203:00f0:1000"
    device.ports[0].tos = 106
    device.ports[0].cm = {"cm_tx_msgs/req": 204, "cm_rx_msgs/rep": 201, "cm_tx_msgs/rtu": 201, "cm_rx_msgs/rej": 3,
                          "cm_rx_msgs/req": 88, "cm_tx_msgs/rep": 88, "cm_rx_msgs/rtu": 88, "cm_rx_msgs/dreq": 64}
    pids = [FIRST_PID + 11 * osd for osd in range(4)]
    device.contexts = list(pids)
    device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")]
    device.qps += [rdma.Qp(0x120 + n, kern="nvmet_rdma", remote=0x840 + n) for n in range(16)]
    device.qps += [rdma.Qp(0x160 + n, kern="nvme_rdma", remote=0x910 + n) for n in range(17)]
    device.qps += [rdma.Qp(0x200 + n, pid=pids[n % 4], remote=0xA10 + n) for n in range(24)]
    device.cqs = ["ib_core"] + ["nvmet_rdma"] * 16 + ["nvme_rdma"] * 17 + pids
    device.mrs = [("nvme_rdma", 0)] * 34 + [(pid, 134_217_728) for pid in pids]
    device.cm_ids = [("nvmet_rdma", "LISTEN")] + [("nvmet_rdma", "CONNECT")] * 16 + [("nvme_rdma", "CONNECT")] * 17
    device.cm_ids += [(pid, "LISTEN") for pid in pids] + [(pids[n % 4], "CONNECT") for n in range(24)]
    return nic


def ssds():
    """A drive of its own subsystem each, two near each socket, straight below a root port."""
    functions = []
    for number, bus in enumerate((0x01, 0x02, 0xC1, 0xC2)):
        slot = pci.root_port(bus - 1, 1, number // 2, vendor=0x1022, device=0x14AB, speed=16, speed_max=16, width=4)
        functions.append(pci.below(slot, f"0000:{bus:02x}:00.0", type="endpoint", vendor=0x144D, device=0xA80A,
                                   pci_class=0x010802, driver="nvme", speed=16, speed_max=16, width=4, width_max=4))
    return functions


def controllers(functions):
    local = [Nvme(f"nvme{number}", f"nqn.1994-11.com.samsung:nvme:PM9A3:2.5-inch:S64GNE0{number}", function.address, "pcie",
                  queues=33, depth=1024, node=function.node, namespaces=(f"nvme{number}n1",))
             for number, function in enumerate(functions)]
    remote = [Nvme(f"nvme{4 + path}", REMOTE, f"traddr=10.9.{path}.21,trsvcid=4420,src_addr=10.9.{path}.7", queues=9, node=1,
                   namespaces=(f"nvme4c{4 + path}n1",)) for path in (0, 1)]
    return local + remote


def healthy(moment):
    slot = pci.root_port(0x80, 1, 1, vendor=0x1022, device=0x14AB, speed=16, speed_max=32, width_max=16)
    drives = ssds()
    functions = [slot]
    nics = []
    for number in (0, 1):
        function = pci.below(slot, f"0000:81:00.{number}", **CX5EX.endpoint(mrrs=512))
        cpus = [16 + 8 * number + n for n in range(8)]
        function.vectors = mlx5.vectors(function, 96 + 16 * number, cpus, 71_204_110 + 9_800 * moment)
        functions.append(function)
        nics.append(port(function, number, moment))
    host = Node(IDENTITY, moment, UP_NS, (NumaNode(0, CPUS[0], 263_921_840, 61_204_118),
                                          NumaNode(1, CPUS[1], 264_204_112, 58_110_224)),
                system.System(32, modules=("mlx5_core", "mlx5_ib", "nvme_rdma", "nvme_fabrics", "nvmet", "nvmet_rdma"),
                              frequency_driver="amd-pstate-epp", iommus=("ivhd0", "ivhd1"), deepest=2),
                functions=functions + drives, nics=nics)
    host.processes = [Process(FIRST_PID + 11 * osd, "ceph-osd", "16-31", uid=167, pinned_kb=131_072, service=str(osd), files=240 + osd,
                              group=f"/system.slice/ceph-osd@{osd}.service") for osd in range(4)]
    host.settings = CEPH
    host.controllers = controllers(drives)
    host.subsystems = {one.nqn: "numa" for one in host.controllers}
    for nic in nics:
        host.say(UP_NS / 1e9 - 9.3, f"mlx5_core {nic.function.address}: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe "
                 "x16 link)", nic.function.address)
    return host


def degrade(host):
    """The site changed the switch: pause for everything instead of priorities. Congestion spreads, connections die of it, and
    what was tuned for the old network makes it worse."""
    later = host.number
    first, second = host.nics

    # Global pause from the switch stops port 0 for a third of the time. No PFC any more, but it is marked for it.
    first.pfc = first.traffic.lossless = 0
    first.netdev.pause = (1, 1)
    forget_pauses(first)
    first.traffic.ethtool |= {"rx_global_pause": 8_104_110 + 41_200 * later, "tx_global_pause": 2_114,
                              "rx_global_pause_duration": 60_104_110 + 690_000 * later, "tx_global_pause_duration": 9_011}
    first.traffic.rdma |= {"local_ack_timeout_err": 4_011 + 12 * later, "out_of_buffer": 70_122 + 1_204 * later,
                           "rp_cnp_ignored": 9_104 + 44 * later}
    first.traffic.ethtool["rx_crc_errors_phy"] = 4_011 + 31 * later
    first.traffic.ethtool["rx_symbol_err_phy"] = 4_020 + 33 * later

    # The second port is stopped on the priority of RDMA, and nobody was told to slow down.
    second.traffic.ethtool |= {"rx_prio3_pause": 904_110 + 30_100 * later,
                               "rx_prio3_pause_duration": 81_104_110 + 410_000 * later,
                               "rx_discards_phy": 20_110 + 300 * later, "rx_prio3_discards": 20_110 + 300 * later}
    second.traffic.rdma |= {"rp_cnp_handled": 40_202, "np_ecn_marked_roce_packets": 48_113, "np_cnp_sent": 47_990,
                            "rnr_nak_retry_err": 31 + 9 * later}
    second.buffers = ([0, 0, 0, 1, 0, 0, 0, 0], [120_064, 40_192] + [0] * 6)
    second.netdev.module = mlx5.modules.qsfp28(temperature=68.4)

    # Its interrupts are all on one CPU of the other socket, and irqbalance moves them about.
    host.system.services += ("irqbalance.service",)
    host.system.irqbalance = "# Configuration for the irqbalance daemon\nOPTIONS=\"\"\n"
    for vector in second.function.vectors:
        vector.cpu, vector.affinity = (2 + later, "0-15") if "comp" in vector.name else (3, "")

    # Both ports were put into one network, so that the wrong one answers ARP.
    for nic, address in ((first, "10.9.0.7/16"), (second, "10.9.1.7/16")):
        mlx5.readdress(nic, (address,))
    second.netdev.sysctls = {"rp_filter": 1}
    first.netdev.sysctls = {"rp_filter": 1}

    # The remote volume does not come back over either port: as many queues as the other node has CPUs.
    for one in host.controllers[4:]:
        one.state = "connecting"
        one.queues = 97
    for ago in (38, 24, 11):
        host.say(ago, "nvme nvme4: Reconnecting in 10 seconds...", level=6)
    host.say(12, "nvme nvme4: rdma connection establishment failed (-104)", level=3)
    port_cm = first.port.cm
    port_cm |= {"cm_tx_msgs/req": 9_204 + 24 * later, "cm_tx_retries/req": 4_211 + 12 * later,
                "cm_rx_msgs/rej": 512 + 3 * later}
    second.port.cm |= {"cm_tx_msgs/req": 700 + 5 * later, "cm_rx_msgs/rej": 480 + 5 * later}

    # SPDK was told to take its huge pages, and got them on the socket without the adapter.
    host.nodes[0].huge_2m, host.nodes[0].huge_2m_free = 8192, 120

    host.system.governor, host.system.preference, host.system.deepest = "powersave", "balance_power", 4
    host.system.latency_limit = 2_000_000_000


def forget_pauses(nic):
    for name in [name for name in nic.traffic.ethtool if "_pause" in name]:
        del nic.traffic.ethtool[name]


def moments(change=lambda host: None):
    return node.moments(healthy, change)
