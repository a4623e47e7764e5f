# SPDX-License-Identifier: GPL-2.0-or-later
"""A training node with eight 400 Gb/s cards and eight GPUs, one of each behind each PCIe switch, in the middle of a run."""

from . import mlx5, node, pci, rdma, system
from .machine import NumaNode, Process
from .mlx5_counters import Traffic
from .node import Node

ROOT_BUSES = (0x15, 0x3D, 0x4C, 0x5B, 0x97, 0xBD, 0xCB, 0xD9)
NODES = (NumaNode(0, "0-31", huge_2m=4096, huge_2m_free=1024), NumaNode(1, "32-63", huge_2m=4096, huge_2m_free=1024))
VECTORS = 8  # completion vectors of a card
FIRST_PID = 41200
UP_NS = 1_814_400_000_000_000  # three weeks
IDENTITY = node.identity("gpu-node-11", "6.12.57+deb13-amd64", "6f1d9a52-3c07-4be8-9d41-0b7c5e2a8f10")
UNPRIVILEGED = IDENTITY | dict(uid=65534, capabilities=0)
NVIDIA = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (dvs-builder@U22-I3-AE18-09)\n"


def traffic(card, moment):
    """Full load: 29 GB/s a direction between the moments, some congestion marks, a few pauses from the switch."""
    flow = Traffic(received=40_211_905_000 + 37_115_000 * card + (14_100_000 + 12_345 * card) * moment,
                   sent=40_205_117_000 + 36_902_000 * card + (14_080_000 + 11_213 * card) * moment,
                   ethernet=91_402_000 + 1_203 * card + 2_410 * moment)
    flow.rdma = {"np_ecn_marked_roce_packets": 118_204 + 311 * card + 42 * moment,
                 "np_cnp_sent": 117_950 + 309 * card + 41 * moment,
                 "rp_cnp_handled": 121_377 + 298 * card + 39 * moment,
                 "roce_adp_retrans": 3 + card % 2 + moment * (card == 3)}
    flow.ethtool = {"rx_corrected_bits_phy": 88_104_233 + 1_402_117 * card + 3_311 * moment,
                    "rx_err_lane_0_phy": 20_114 * (card + 1) + 803 * moment,
                    "rx_prio3_pause": 20_411 + 1_007 * card + 61 * moment,
                    "rx_prio3_pause_duration": 30_877 + 1_611 * card + 92 * moment,
                    "rx_prio3_pause_transition": 10_204 + 503 * card + 30 * moment,
                    "tx_prio3_pause": 112 + card, "tx_prio3_pause_duration": 164 + card,
                    "outbound_pci_stalled_wr": 1 * (card == 2)}
    return flow


def chain(card, root):
    """Root port, switch, and below it the card and its GPU, each on a port of its own."""
    port = pci.root_port(root, 1, card // 4, mps_max=512)
    upstream = pci.switch_port(port, root + 1, "upstream")
    to_nic, to_gpu = (pci.switch_port(upstream, root + 2, "downstream", number) for number in (0, 1))
    function = pci.below(to_nic, f"0000:{root + 3:02x}:00.0", **mlx5.CX7.endpoint())
    cpus = [32 * (card // 4) + VECTORS * (card % 4) + n for n in range(VECTORS)]
    function.vectors = mlx5.vectors(function, 64 + 16 * card, cpus, 18_044_210)
    return [port, upstream, to_nic, function, to_gpu, pci.gpu(to_gpu, root + 4)]


def card(number, root, moment):
    functions = chain(number, root)
    nic = mlx5.ethernet(mlx5.CX7, functions[3], number, f"ens1{number}np0", addresses=(f"10.{64 + number}.0.11/24",),
                        version=IDENTITY["kernel"], vfs=(0, 16))
    nic.traffic = traffic(number, moment)
    nic.fec = {"corrected_blocks": 52_114_200 + 1_900 * moment}
    nic.mkeys = 211_400 + 12 * moment
    nic.port.tos = 106
    fill(nic, number)
    return functions, nic


def fill(nic, number):
    """Each rank opens every card, as NCCL does to look around; its queue pairs are on its own, one for each channel."""
    pids = [FIRST_PID + rank for rank in range(8)]
    device = nic.device
    device.contexts = list(pids)
    device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")] + [
        rdma.Qp(0x11A0 + 2 * channel, pid=FIRST_PID + number, remote=0x1320 + 2 * channel) for channel in range(8)]
    device.cqs = ["ib_core"] + [FIRST_PID + number] * 8
    device.mrs = [(FIRST_PID + number, 4_194_304)] * 64 + [(FIRST_PID + number, 4_060_086_272)]


def healthy(moment):
    functions, nics = [], []
    for number, root in enumerate(ROOT_BUSES):
        chain_of_card, nic = card(number, root, moment)
        functions += chain_of_card
        nics.append(nic)
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(
        64, modules=("mlx5_core", "mlx5_ib", "nvidia", "nvidia_peermem"), nvidia=NVIDIA,
        wanted={"nvidia-peermem.conf": "nvidia-peermem\n"}), functions=functions, nics=nics)
    host.processes = [Process(FIRST_PID + rank, "python3", NODES[rank // 4].cpulist, pinned_kb=4_227_072)
                      for rank in range(8)]
    for number, nic in enumerate(nics):
        pci_address = nic.function.address
        host.say(UP_NS / 1e9 - 14.2 - number, f"mlx5_core {pci_address}: 504.112 Gb/s available PCIe bandwidth (32.0 GT/s "
                 "PCIe x16 link)", pci_address)
    return host


def moments(change=lambda host: None):
    return node.moments(healthy, change)


def as_nobody(moment):
    return node.as_nobody(moment, UNPRIVILEGED, "0-63")
