# SPDX-License-Identifier: GPL-2.0-or-later
"""A compute host with two ports of an Intel E810-C (driver ice, RDMA by irdma), one in use."""

from . import ether, modules, node, pci, rdma, system
from .ether import Netdev
from .machine import NumaNode, Process
from .node import Node
from .pci import Vector
from .rdma import Device, Port

UP_NS = 950_400_000_000_000  # eleven days
IDENTITY = node.identity("hpc-204", "6.12.57+deb13-amd64", "b7a4c9e2-1d58-4f3c-a0e7-92c65d1b7f44")
NODES = (NumaNode(0, "0-15", 131_923_408, 101_110_332), NumaNode(1, "16-31", 132_110_004, 104_201_776))
LIMITS = dict(max_qp=65533, max_cq=131068, max_mr=4194299, max_mr_size=2**63 - 1, max_qp_wr=4063, max_sge=13,
              max_qp_rd_atom=127, atomic="none", odp=0)
PID = 61_204

COUNTERS = (
    "rxVlanErrors", "ip4InDiscards", "ip4InTruncatedPkts", "ip4OutNoRoutes", "ip6InDiscards", "ip6InTruncatedPkts",
    "ip6OutNoRoutes", "RetransSegs", "InOptErrors", "InProtoErrors", "cnpHandled", "cnpIgnored", "cnpSent", "ip4InOctets",
    "ip4InPkts", "ip4InReasmRqd", "ip4InMcastOctets", "ip4InMcastPkts", "ip4OutOctets", "ip4OutPkts", "ip4OutSegRqd",
    "ip4OutMcastOctets", "ip4OutMcastPkts", "InSegs", "OutSegs", "InRdmaReads", "InRdmaSends", "InRdmaWrites", "OutRdmaReads",
    "OutRdmaSends", "OutRdmaWrites", "RdmaBnd", "RdmaInv", "RxUDP", "TxUDP", "RxECNMrkd")


def carried(packets):
    return {"RxUDP": packets, "TxUDP": packets, "ip4InPkts": packets, "ip4OutPkts": packets, "ip4InOctets": packets * 4_150,
            "ip4OutOctets": packets * 4_150, "InRdmaWrites": packets // 8, "OutRdmaWrites": packets // 8,
            "InRdmaSends": packets // 64, "OutRdmaSends": packets // 64}


def statistics(moment, packets):
    plain = 8_110_204 + 904 * moment
    values = {"rx_unicast": plain, "tx_unicast": plain, "rx_unicast.nic": plain + packets, "tx_unicast.nic": plain + packets,
              "rx_crc_errors.nic": 0, "illegal_bytes.nic": 0, "rx_length_errors.nic": 0, "rx_dropped.nic": 0,
              "mac_local_faults.nic": 1, "mac_remote_faults.nic": 1, "link_xon_rx.nic": 0, "link_xoff_rx.nic": 0,
              "link_xon_tx.nic": 0, "link_xoff_tx.nic": 0}
    for priority in range(8):
        values |= {f"{direction}_priority_{priority}_{what}.nic": 0 for direction in ("tx", "rx") for what in ("xon", "xoff")}
    return values


class Adapter:
    """One port, a function of its own."""

    def __init__(self, number, function, moment):
        self.moment = moment
        self.packets = (1_904_110_000 + 101_400 * moment) * (number == 0)
        self.counters, self.of_interface = {}, {}
        self.pfc, self.dscp = 1 << 3, {26: 3, 48: 6}
        self.netdev = Netdev(
            name=f"ens5f{number}", ifindex=3 + number, mac=f"b4:96:91:d0:7e:{number:02x}", driver="ice", function=function,
            mtu=9000, addresses=("10.20.0.204/24",) if number == 0 else (), version=IDENTITY["kernel"],
            firmware="4.50 0x8001d8b5 1.3597.0", speed=100_000, autoneg=1, vfs=(0, 128), rings=(2048, 8160),
            channels=(16, 32), packets=8_110_204 + 904 * moment, module=modules.cable(vendor="Amphenol", part="NDAAFF-0001"),
            fec=dict(auto=1, modes="auto", active="rs"))
        self.device = Device(name=f"rocep24s0f{number}", index=number, function=function, firmware="1.71",
                             guid=f"b696:91ff:fed0:7e{number:02x}", limits=dict(LIMITS))
        self.device.ports = [Port(netdev=self.netdev, rate="100 Gb/sec (4X EDR)", tos=106, cm={},
                                  gids=rdma.roce_gids(self.netdev))]
        self.device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")]
        self.device.cqs = ["ib_core"]

    @property
    def port(self):
        return self.device.ports[0]

    @property
    def function(self):
        return self.netdev.function

    def finish(self):
        self.netdev.statistics = statistics(self.moment, self.packets) | self.of_interface
        if self.netdev.carrier is False:
            self.netdev.fec = None
        self.netdev.dcb = ether.dcb(self.pfc, self.dscp, delay=0, bandwidth=(20, 0, 0, 80, 0, 0, 0, 0), strict=())
        marks = {"cnpHandled": 1_204, "cnpSent": 1_110, "RxECNMrkd": 1_120} if self.packets else {}
        self.port.statistics = dict.fromkeys(COUNTERS, 0) | carried(self.packets) | marks | self.counters


def take_down(adapter, switched_off=False, reason=None, code=None):
    adapter.netdev.up, adapter.netdev.carrier = not switched_off, False
    adapter.netdev.reason, adapter.netdev.reason_code = reason, code
    port = adapter.port
    port.state, port.phys_state, port.rate = "1: DOWN", "3: Disabled", "2.5 Gb/sec (1X SDR)"


def vectors(function, number, first, cpus):
    queues = [Vector(first + n, f"ice-ens5f{number}-TxRx-{n}", cpu, 204_110) for n, cpu in enumerate(cpus)]
    events = [Vector(first + 8, f"irdma-AEQ@pci:{function.address}", cpus[0], 12)]
    return queues + events + [Vector(first + 9 + n, f"irdma-CEQ-{n}@pci:{function.address}", cpu, 7_204_110)
                              for n, cpu in enumerate(cpus)]


def healthy(moment):
    slot = pci.root_port(0x17, 2, 0, speed=16, speed_max=32)
    functions, adapters = [slot], []
    for number in (0, 1):
        function = pci.below(slot, f"0000:18:00.{number}", type="endpoint", vendor=0x8086, device=0x1592, pci_class=0x020000,
                             driver="ice", speed=16, speed_max=16, mrrs=4096)
        function.vectors = vectors(function, number, 70 + 20 * number, [0, 1, 2, 3])
        functions.append(function)
        adapters.append(Adapter(number, function, moment))
    take_down(adapters[1], switched_off=True)  # nothing is plugged in, and nobody switched it on
    adapters[1].netdev.module = None
    first = adapters[0].device
    first.contexts = [PID]
    first.qps += [rdma.Qp(0x20 + n, pid=PID, remote=0x30 + n) for n in range(24)]
    first.cqs += [PID] * 8
    first.mrs = [(PID, 8_388_608)] * 40
    first.cm_ids = [(PID, "CONNECT")] * 24
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(32, modules=("ice", "irdma")), functions=functions,
                nics=adapters)
    host.processes = [Process(PID, "solver", "0-15", uid=1204, pinned_kb=327_680)]
    return host


def degrade(host):
    """RoCE on the first port loses packets on a bad cable; the second came up as iWARP after a reboot, without its link."""
    later = host.number
    lossy, wrong = host.nics
    lossy.pfc = 0
    lossy.dscp = {26: 3}
    lossy.counters |= {"RetransSegs": 40_110 + 2_204 * later, "RNR received": 4}
    lossy.of_interface = {"rx_crc_errors.nic": 904 + 77 * later, "mac_remote_faults.nic": 14 + 3 * later}
    lossy.netdev.downs = 3 + 2 * later
    lossy.device.qps[4].state = lossy.device.qps[7].state = "ERR"

    wrong.device.node_type, wrong.device.protocol = "4: RNIC", "iw"
    wrong.device.name = "iwp24s0f1"
    wrong.port.cm = wrong.port.tos = wrong.port.pkey = None
    wrong.port.gids, wrong.port.gid_slots = [rdma.Gid("b696:91d0:7e01:0000:0000:0000:0000:0000", "IB/RoCE v1", "ens5f1")], 1
    take_down(wrong, reason="autoneg", code=5)

    host.function("0000:18:00.1").speed = host.function("0000:18:00.0").speed = 8
    host.function("0000:17:02.0").speed = 8
    host.function("0000:18:00.0").node = host.function("0000:18:00.1").node = -1
    host.system.cmdline = "BOOT_IMAGE=/vmlinuz root=/dev/sda2 ro intel_iommu=on iommu.strict=1"
    for function in host.functions:
        function.iommu = "DMA"


def moments(change=lambda host: None):
    return node.moments(healthy, change)
