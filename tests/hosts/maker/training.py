# SPDX-License-Identifier: GPL-2.0-or-later
"""A training node with eight 400 Gb/s cards, one behind each PCIe switch, in the middle of a run."""

from dataclasses import dataclass

from . import machine, mlx5, pci
from .bundle import Moment, record
from .machine import NumaNode, Process
from .mlx5_counters import Traffic

ROOT_BUSES = (0x15, 0x3D, 0x4C, 0x5B, 0x97, 0xBD, 0xCB, 0xD9)
NODES = (NumaNode(0, "0-55,112-167"), NumaNode(1, "56-111,168-223"))
FIRST_PID = 41200
UP_NS = 1_814_400_000_000_000  # three weeks
NOON_NS = 1_764_590_400_000_000_000  # 2025-12-01T12:00:00Z
INTERVAL_NS = 2_000_000_000

IDENTITY = dict(hostname="gpu-node-11", kernel="6.8.0-45-generic", machine="x86_64",
                boot_id="6f1d9a52-3c07-4be8-9d41-0b7c5e2a8f10", uid=0, capabilities=0x1FFFFFFFFFF, hypervisor=False)
UNPRIVILEGED = IDENTITY | dict(uid=65534, capabilities=0)


@dataclass
class Node:
    """The host at one moment, ready to be changed before it is put down."""

    number: int  # of the moment
    chains: list  # a PCI path a card, outermost function first
    nics: list
    processes: list
    log: list

    def nic(self, name):
        return next(nic for nic in self.nics if nic.name == name)


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


def queue_pairs(card):
    """The kernel's own, and eight channels of the rank that uses this card."""
    return [mlx5.Qp(1, type="GSI", kern="ib_core")] + [
        mlx5.Qp(0x11A0 + 2 * channel, pid=FIRST_PID + card, remote=0x1320 + 2 * channel) for channel in range(8)]


def healthy(moment):
    chains, nics = [], []
    pids = [FIRST_PID + rank for rank in range(8)]
    for card, root in enumerate(ROOT_BUSES):
        chain = pci.behind_switch(root, card // 4, mlx5.ENDPOINT)
        chains.append(chain)
        nics.append(mlx5.Nic(card, chain[-1], netdev=f"ens1{card}np0", ifindex=4 + card, qps=queue_pairs(card),
                             contexts=list(pids), traffic=traffic(card, moment)))
    # Each rank opens every card, as NCCL does to look around; its queue pairs are on its own.
    processes = [Process(pid, "python3", NODES[rank // 4].cpulist, pinned_kb=4_227_072)
                 for rank, pid in enumerate(pids)]
    log = [record(level=6, facility=0, seq=2101 + card, us=14_203_771 + 911_204 * card,
                  text=f"mlx5_core {nic.function.address}: 504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)",
                  subsystem="pci", device=f"+pci:{nic.function.address}") for card, nic in enumerate(nics)]
    return Node(moment, chains, nics, processes, log)


def degrade(node):
    """The faults of made-cx7x8-training-degraded, a different one on each card."""
    later = node.number

    # The rank of card 0 runs on the other socket. It was told to open its own card only: with all cards open some are near.
    node.processes[0].cpulist = NODES[1].cpulist
    for nic in node.nics[1:]:
        nic.contexts.remove(FIRST_PID)

    # Somebody's test, as an ordinary user with the default limit of an old distribution.
    reader = Process(FIRST_PID + 640, "ib_read_bw", NODES[0].cpulist, uid=1001, memlock=65536, capabilities=0)
    node.processes.append(reader)
    node.nic("mlx5_0").contexts.append(reader.pid)

    # The netdev was left at Ethernet's default.
    node.nic("mlx5_1").mtu = 1500

    # Half of the lanes did not train.
    for function in node.chains[2][-2:]:
        function.width = 8

    # The map from DSCP to priority was flushed, which takes trust back to PCP: RDMA arrives on priority 0.
    unmapped = node.nic("mlx5_3")
    unmapped.dscp = {}
    unmapped.traffic.priority = 0
    unmapped.traffic.ethtool |= {name: value for name, value in traffic(3, 0).ethtool.items() if "_pause" in name}

    # The peer of one queue pair does not answer any more.
    silent = node.nic("mlx5_4")
    silent.qps[3].state = "ERR"
    silent.traffic.rdma |= {"local_ack_timeout_err": 1_024 + 96 * later, "req_transport_retries_exceeded": 11 + 2 * later,
                            "req_cqe_error": 11 + 2 * later, "req_cqe_flush_error": 640 + 128 * later}

    # PFC is off on one end: what the switch holds back for the others is dropped here.
    lossy = node.nic("mlx5_5")
    lossy.pfc = lossy.traffic.lossless = 0
    for name in [name for name in lossy.traffic.ethtool if "_pause" in name]:
        del lossy.traffic.ethtool[name]
    lossy.traffic.rdma |= {"out_of_sequence": 911_204 + 4_120 * later, "packet_seq_err": 402_331 + 1_911 * later,
                           "duplicate_request": 20_114 + 61 * later, "roce_adp_retrans": 1_204 + 37 * later}
    lossy.traffic.ethtool |= {"rx_discards_phy": 930_417 + 4_377 * later, "rx_prio3_discards": 930_417 + 4_377 * later}

    # A cable that comes and goes: three times between the moments, up at both.
    flapping = node.nic("mlx5_6")
    flapping.carrier_downs = 2 + 3 * later
    flapping.traffic.ethtool["link_down_events_phy"] = 3 + 3 * later
    for flap in range(3 * later):
        for state, offset in (("down", 0), ("up", 310_000)):
            node.log.append(record(
                level=6, facility=0, seq=2411 + 2 * flap + (state == "up"),
                us=UP_NS // 1000 + 200_000 + 600_000 * flap + offset,
                text=f"mlx5_core {flapping.function.address} {flapping.netdev}: Link {state}", subsystem="pci",
                device=f"+pci:{flapping.function.address}"))

    # The driver holds the function, the RDMA device did not come up with it.
    node.nic("mlx5_7").rdma = False


def put_links(moment, nics):
    loopback = record(ifindex=1, type=772, flags="0x10049", ifname="lo", operstate="UNKNOWN", mtu=65536, carrier=1,
                      carrier_changes=0, carrier_up=0, carrier_down=0, address="00:00:00:00:00:00", rx_packets=402_114,
                      tx_packets=402_114, rx_bytes=88_204_112, tx_bytes=88_204_112, rx_dropped=0, rx_missed=0)
    moment.answer("rtnl.link", loopback, *(mlx5.link_record(nic) for nic in nics))


def put_down(node):
    moment = Moment(UP_NS + INTERVAL_NS * node.number, NOON_NS + INTERVAL_NS * node.number)
    present = [nic for nic in node.nics if nic.rdma]
    moment.listing("/sys/class/infiniband", [nic.name for nic in present])
    moment.listing("/sys/class/net", ["lo"] + [nic.netdev for nic in node.nics])
    moment.missing_link("/sys/class/net/lo/device")
    moment.answer("rdma.devices", *(mlx5.device_record(nic) for nic in present))
    put_links(moment, node.nics)
    for chain in node.chains:
        for function in chain:
            pci.put_function(moment, function, NODES[function.node].cpulist)
    moment.listing("/sys/bus/pci/devices", [function.address for chain in node.chains for function in chain])
    for nic in node.nics:
        mlx5.put_nic(moment, nic)
    machine.put_nodes(moment, NODES)
    machine.put_observer(moment, IDENTITY)
    for process in node.processes:
        machine.put_process(moment, process)
    moment.answer("kmsg", *node.log)
    return moment


def moments(change=lambda node: None):
    result = []
    for number in (0, 1):
        node = healthy(number)
        change(node)
        result.append(put_down(node))
    return result


def as_nobody(moment):
    """What the same host answers to a reader without privileges."""
    machine.put_observer(moment, UNPRIVILEGED)
    pci.deny_config_space(moment)
    moment.fail("kmsg", "no_privilege", "/dev/kmsg: Operation not permitted",
                "run as root or give CAP_SYSLOG (kernel.dmesg_restrict is on), and see that the kernel was not booted with "
                "printk.devkmsg=off")
    return moment
