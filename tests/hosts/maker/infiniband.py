# SPDX-License-Identifier: GPL-2.0-or-later
"""A compute node on an InfiniBand fabric: four ConnectX-6 HDR ports with IP over InfiniBand, a fifth card on Ethernet."""

from . import mlx5, node, pci, rdma, system
from .ether import Netdev
from .machine import NumaNode, Process
from .mlx5 import CX6DX, LIMITS, Card
from .mlx5_counters import LATE, RDMA, Traffic
from .node import Node
from .rdma import Device, Gid, Port

CX6 = Card(0x101B, "MT_0000000223", "20.41.1000", 200_000, "200 Gb/sec (4X HDR)", 16, 4, mlx5.RS)
UP_NS = 3_888_000_000_000_000  # forty-five days
IDENTITY = node.identity("cn-0417", "5.15.0-126-generic", "e58f1c20-6a97-4d3b-b4c1-70e2a9f6d813")
NODES = (NumaNode(0, "0-15"), NumaNode(1, "16-31"))
BUSES = (0x23, 0x43, 0xA3, 0xC3)
FIRST_PID = 29_400
PREFIX = "fe80:0000:0000:0000:"
ROCE_COUNTERS = ("rp_cnp_ignored", "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent", "rx_icrc_encapsulated")


class Hca:
    """One InfiniBand port and its IPoIB interface."""

    def __init__(self, number, function, moment):
        self.packets = 31_754_885_100 + 1_204_110 * number + 2_110_400 * moment
        guid = f"a088:c203:00b4:20{number:02x}"
        self.netdev = Netdev(
            name=f"ibp{int(function.address[5:7], 16)}s0", ifindex=4 + number,
            mac=f"00:00:10:29:fe:80:a0:88:c2:03:00:b4:20:{number:02x}", type=32, driver="mlx5_core[ib_ipoib]",
            function=function, mtu=2044, addresses=(f"10.30.{number}.117/24",), version=IDENTITY["kernel"],
            firmware=f"{CX6.firmware} ({CX6.board})", speed=CX6.speed, packets=4_011_220 + 90 * moment)
        self.device = Device(name=f"mlx5_{number}", index=number, function=function, guid=guid, firmware=CX6.firmware,
                             board=CX6.board, hca_type=CX6.hca_type, protocol="ib", limits=dict(LIMITS))
        self.device.ports = [Port(
            netdev=self.netdev, rate=CX6.rate, layer="InfiniBand", lid=f"{0x11c + number:#x}", sm_lid="0x1", gid_slots=8,
            gids=[Gid(PREFIX + guid)], cm={"cm_tx_msgs/req": 912, "cm_rx_msgs/rep": 912, "cm_tx_msgs/rtu": 912})]
        self.errors, self.counters = {}, {}
        self.fill(FIRST_PID + number)

    def fill(self, pid):
        device = self.device
        device.contexts = [pid]
        device.qps = [rdma.Qp(0, type="SMI", kern="ib_core"), rdma.Qp(1, type="GSI", kern="ib_core"),
                      rdma.Qp(0x43, type="UD", kern="ib_ipoib")]
        device.qps += [rdma.Qp(0x60 + n, pid=pid, remote=0x90 + n) for n in range(32)]
        device.cqs = ["ib_core", "ib_core", "ib_ipoib"] + [pid] * 8
        device.mrs = [(pid, 1_073_741_824)] * 6
        device.cm_ids = [("ib_ipoib", "LISTEN")]

    @property
    def port(self):
        return self.device.ports[0]

    @property
    def function(self):
        return self.netdev.function

    def finish(self):
        self.port.pma = {
            "port_xmit_data": self.packets * 1_030, "port_rcv_data": self.packets * 1_030, "port_xmit_packets": self.packets,
            "port_rcv_packets": self.packets, "unicast_xmit_packets": self.packets, "unicast_rcv_packets": self.packets - 912,
            "multicast_rcv_packets": 912, "port_xmit_wait": 2_489_603, "port_rcv_switch_relay_errors": 1} | self.errors
        names = [name for name in RDMA if name not in LATE + ROCE_COUNTERS]
        self.port.statistics = dict.fromkeys(names, 0) | {"rx_write_requests": self.packets // 64 % 2**32} | self.counters
        self.netdev.statistics = {"rx_packets": self.netdev.packets, "tx_packets": self.netdev.packets, "rx_dropped": 0,
                                  "tx_queue_dropped": 0, "rx_out_of_buffer": 0}
        self.device.debug = {f"mlx5/{self.function.address}/commands": {
            "CREATE_MKEY/n": 4_204, "CREATE_MKEY/failed": 0, "CREATE_MKEY/average": 38_110, "DESTROY_MKEY/n": 3_110,
            "slots_inuse": 0}, f"mlx5/{self.function.address}/cc_params": None}  # congestion control is of RoCE


def healthy(moment):
    functions, adapters = [], []
    for number, bus in enumerate(BUSES):
        slot = pci.root_port(bus - 3, 1, number // 2, vendor=0x1022, device=0x1483, speed=16, speed_max=16)
        function = pci.below(slot, f"0000:{bus:02x}:00.0", **CX6.endpoint(
            pci_class=0x020700, mrrs=512, auxiliary=("mlx5_core.rdma.0",)))
        cpus = [16 * (number // 2) + 8 * (number % 2) + n for n in range(8)]
        function.vectors = mlx5.vectors(function, 60 + 12 * number, cpus, 40_204_110)
        functions += [slot, function]
        adapters.append(Hca(number, function, moment))
    slot, nic = storage_port(moment)
    functions += [slot, nic.function]
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(
        32, modules=("mlx5_core", "mlx5_ib", "ib_ipoib"), frequency_driver="acpi-cpufreq", preference=None, deepest=2,
        iommus=("ivhd0", "ivhd1", "ivhd2", "ivhd3"), latency_limit=2_000_000_000), functions=functions, nics=adapters + [nic])
    host.system.sleep = (("POLL", 0), ("C1", 1), ("C2", 400))
    host.processes = [Process(FIRST_PID + rank, "xhpl", NODES[rank // 2].cpulist, uid=2204, pinned_kb=6_291_456)
                      for rank in range(4)]
    return host


def storage_port(moment):
    slot = pci.root_port(0xE0, 3, 1, vendor=0x1022, device=0x1483, speed=16, speed_max=16)
    function = pci.below(slot, "0000:e1:00.0", **CX6DX.endpoint(mrrs=512))
    function.vectors = mlx5.vectors(function, 120, [24, 25, 26, 27], 204_110)
    nic = mlx5.ethernet(CX6DX, function, 4, "enp225s0f0np0", mtu=9000, addresses=("10.31.0.117/24",), ifindex=12,
                        version=IDENTITY["kernel"])
    nic.traffic = Traffic(received=40_110_204 + 904 * moment, sent=39_004_110 + 880 * moment, ethernet=8_110_204 + 210 * moment)
    nic.without = LATE
    nic.mkeys = 812
    nic.port.tos = 106
    nic.device.qps, nic.device.cqs = [rdma.Qp(1, type="GSI", kern="ib_core")], ["ib_core"]
    return slot, nic


def degrade(host):
    """A node that came back from repair: one cable bad, one port forgotten by the subnet manager, one card with the settings of
    another fabric, and a job that takes what it finds."""
    later = host.number
    bad, waiting, foreign, outcast, _ = host.nics

    # The link trains again and again, and came back with one lane of four.
    bad.port.rate = "50 Gb/sec (1X HDR)"
    bad.errors = {"symbol_error": 65_535, "link_error_recovery": 17 + 4 * later, "port_rcv_errors": 2_104 + 31 * later,
                  "local_link_integrity_errors": min(15, 4 + 3 * later), "port_xmit_discards": 88}
    bad.function.errors = {"RxErr": 4_011 + 60 * later, "BadTLP": 812 + 22 * later}

    # The cable is in, the subnet manager does not see it.
    waiting.port.state, waiting.port.rate = "2: INIT", "10 Gb/sec (4X SDR)"
    waiting.port.lid = waiting.port.sm_lid = "0x0"
    waiting.device.qps = waiting.device.qps[:2]
    waiting.device.contexts, waiting.device.mrs = [], []
    waiting.netdev.carrier = False

    # Its firmware says Ethernet, and is an old one.
    ethernet = mlx5.ethernet(CX6, foreign.function, 2, "enp163s0np0", ifindex=foreign.netdev.ifindex)
    ethernet.device.firmware = "20.35.1012"
    ethernet.without, ethernet.pfc, ethernet.dscp = LATE, 0, {}
    mlx5.go_down(ethernet, reason="module")
    address = ethernet.function.address
    host.say(90, f"mlx5_core {address}: mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable error, "
             "Enforce part number list", address, level=3)
    ethernet.device.qps, ethernet.device.cqs = [rdma.Qp(1, type="GSI", kern="ib_core")], ["ib_core"]
    ethernet.function.pci_class = 0x020000
    host.nics[2] = ethernet

    # Its partition was taken away. The job went on over what was left, which is another kind of network.
    outcast.port.pkey = "0x0000"
    job = FIRST_PID + 3
    storage = host.nics[4].device
    storage.contexts = [job]
    storage.qps += [rdma.Qp(0x70 + n, pid=job, remote=0x80 + n) for n in range(8)]
    storage.cqs += [job] * 4

    outcast.counters |= {"resp_local_length_error": 6 + later, "resp_remote_access_errors": 2 + later}
    bad.counters |= {"local_ack_timeout_err": 204 + 14 * later}
    slot_address = host.nics[4].function.address
    host.say(UP_NS / 1e9 - 8, f"mlx5_core {slot_address}: mlx5_pcie_event:301:(pid 412): Detected insufficient power on the "
             "PCIe slot (27W).", slot_address, level=4)
    host.nics[4].function.mrrs = 128


def moments(change=lambda host: None):
    return node.moments(healthy, change)
