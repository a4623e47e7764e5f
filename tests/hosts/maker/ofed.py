# SPDX-License-Identifier: GPL-2.0-or-later
"""A host of 2021: Linux 5.4 with the vendor's driver package. No ethtool netlink, no table of contexts, no per-port statistics by
netlink; instead the package's files below the interface and the RDMA device."""

from . import mlx5, node, pci, rdma, system
from .machine import NumaNode, Process
from .mlx5 import Card
from .mlx5_counters import LATE, Traffic
from .node import Node

CX5 = Card(0x1017, "MT_0000000012", "16.31.1014", 100_000, "100 Gb/sec (4X EDR)", 8, 4, {})
UP_NS = 31_104_000_000_000_000  # a year
IDENTITY = node.identity("ml-legacy-2", "5.4.0-150-generic", "8c3fb0d4-e271-4b95-a06e-54d8f0c21b97")
NODES = (NumaNode(0, "0-15", 395_923_408, 90_110_332), NumaNode(1, "16-31", 396_110_004, 84_201_776))
NVIDIA = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.223.02  Sat Oct  7 15:39:11 UTC 2023\n"
PID = 5_204
STACK = ("ib_core", "rdma_cm", "ib_uverbs", "mlx5_core", "mlx5_ib")


def ecn(enabled=1):
    """What the package shows of congestion control, for each priority and for the port."""
    files = {f"{side}/enable/{priority}": enabled for side in ("roce_np", "roce_rp") for priority in range(8)}
    files |= {"roce_np/cnp_dscp": 48, "roce_np/cnp_802p_prio": 6, "roce_np/min_time_between_cnps": 4}
    return files | {f"roce_rp/{name}": value for name, value in (
        ("rpg_ai_rate", 5), ("rpg_hai_rate", 50), ("rpg_min_rate", 1), ("rpg_max_rate", 0), ("rpg_threshold", 1),
        ("rpg_time_reset", 300), ("rpg_byte_reset", 32767), ("rpg_gd", 11), ("rpg_min_dec_fac", 50),
        ("rate_to_set_on_first_cnp", 0), ("rate_reduce_monitor_period", 4), ("initial_alpha_value", 1023),
        ("dce_tcp_g", 1019), ("dce_tcp_rtt", 1), ("clamp_tgt_rate", 0))}


def port(slot, bus, number, moment):
    function = pci.below(slot, f"0000:{bus:02x}:00.0", **CX5.endpoint(mrrs=512, auxiliary=()))
    function.power_state, function.iommu = False, None
    cpus = [16 * number + n for n in range(4)]
    function.vectors = mlx5.vectors(function, 100 + 10 * number, cpus, 90_204_110)
    nic = mlx5.ethernet(CX5, function, number, f"enp{bus}s0", mtu=4200, addresses=(f"10.60.{number}.2/24",),
                        version="5.4-1.0.3", netlink=False, vendor={"ecn": ecn(), "qos": {"trust": "dscp"}},
                        coalesce=dict(rx_usecs=8, rx_max_frames=128, tx_usecs=16, tx_max_frames=32, use_adaptive_rx=1,
                                      use_adaptive_tx=1))
    nic.traffic = Traffic(received=904_110_204_000 + 310_204 * moment, sent=890_204_110_000 + 301_110 * moment,
                          ethernet=804_110_204 + 1_204 * moment, priority=5, lossless=1 << 5)
    nic.traffic.rdma = {"np_ecn_marked_roce_packets": 904_110 + 20 * moment, "np_cnp_sent": 900_204 + 20 * moment,
                        "rp_cnp_handled": 811_204 + 14 * moment}
    nic.dscp, nic.pfc = {40: 5, 48: 6}, 1 << 5
    nic.without = LATE
    nic.mkeys = 20_110
    nic.device.contexts = [PID]
    nic.device.statistics = nic.device.table_of_contexts = False
    nic.port.tos, nic.port.traffic_class = 160, "Global tclass=160"
    nic.device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")]
    nic.device.qps += [rdma.Qp(0x70 + n, pid=PID, remote=0x50 + n) for n in range(16)]
    nic.device.cqs, nic.device.mrs = ["ib_core"] + [PID] * 4, [(PID, 67_108_864)] * 12
    return nic


def gpus():
    functions = []
    for number, bus in enumerate((0x1A, 0xD8)):
        slot = pci.root_port(bus - 1, 0, number, speed=8, speed_max=8)
        functions += [slot, pci.gpu(slot, bus)]
    for function in functions:
        function.iommu, function.power_state = None, False
    return functions


def healthy(moment):
    functions, nics = gpus(), []
    for number, bus in enumerate((0x3B, 0xAF)):
        slot = pci.root_port(bus - 1, 0, number, speed=8, speed_max=8)
        slot.iommu, slot.power_state = None, False
        nics.append(port(slot, bus, number, moment))
        functions += [slot, nics[-1].function]
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(
        32, modules=("mlx5_core", "mlx5_ib", "nv_peer_mem", "nvidia"), foreign=STACK, vendor_version="5.4-1.0.3",
        nvidia=NVIDIA, copy_on_fork=None, iommus=(), cmdline="BOOT_IMAGE=/vmlinuz root=/dev/sda2 ro intel_iommu=off",
        wanted={"nv_peer_mem.conf": "nv_peer_mem\n"}, sleep=(("POLL", 0), ("C1", 2), ("C1E", 10))),
        functions=functions, nics=nics)
    host.processes = [Process(PID, "python", "0-15", uid=1201, pinned_kb=1_572_864, group="/docker/9f0c2ab41d55")]
    return host


def degrade(host):
    """Half of an upgrade: the package's core is gone and the kernel's own came in its place, the firmware stayed, and what the old
    tools had set up is not what the new ones left."""
    later = host.number
    first, second = host.nics
    host.system.foreign = ("mlx5_core", "mlx5_ib")
    host.system.modules = ("mlx5_core", "mlx5_ib", "nvidia")
    host.system.thp = "[always] madvise never"
    host.system.absent = ("rdma_ucm",)

    # The second card was moved to a free slot of the other socket.
    for function in host.functions:
        if second.function.path.startswith(function.path):
            function.node = 0

    # cma_roce_mode was left at version 1, congestion control was switched off on all priorities, PFC went with it.
    first.port.roce_mode = "IB/RoCE v1"
    first.netdev.vendor = {"ecn": ecn(0), "qos": {"trust": "dscp"}}
    first.pfc = first.traffic.lossless = 0
    first.traffic.rdma |= {"out_of_sequence": 40_110 + 90 * later, "packet_seq_err": 30_204 + 60 * later,
                           "roce_adp_retrans": 5_110 + 20 * later}
    first.device.firmware = "16.26.4012"

    # RoCE is switched off on the second function, and the firmware's DCBX agent owns its settings.
    second.port.gids, second.port.gid_slots = [], 0
    second.port.state, second.port.phys_state = "4: ACTIVE", "5: LinkUp"
    second.host_owns_dcb = 0
    second.traffic.rdma |= {"roce_adp_retrans": 9_110 + 44 * later}


def moments(change=lambda host: None):
    return node.moments(healthy, change)
