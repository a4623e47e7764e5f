# SPDX-License-Identifier: GPL-2.0-or-later
"""A hypervisor whose two ports of a ConnectX-6 Dx are one bond: RoCE LAG, one RDMA device for both."""

from . import mlx5, node, pci, rdma, system
from .ether import Bond, Member, Netdev
from .machine import NumaNode, Process
from .mlx5 import CX6DX
from .mlx5_counters import LATE, Traffic
from .node import Node

UP_NS = 7_776_000_000_000_000  # ninety days
IDENTITY = node.identity("hv-031", "6.8.0-45-generic", "5fb8d1e7-20c6-4e9a-9d37-c1a460b85f2d")
NODES = (NumaNode(0, "0-15"), NumaNode(1, "16-31"))
PID = 7_120


def bond_of(ports, moment):
    return Netdev(name="bond0", ifindex=8, mac=ports[0].netdev.mac, driver="bonding", version=IDENTITY["kernel"], kind="bond",
                  mtu=9000, bond=Bond(tuple(nic.netdev.name for nic in ports)), speed=200_000, lanes=None,
                  addresses=("10.50.0.31/24",), packets=90_110_204 + 4_204 * moment,
                  lowers=tuple(nic.netdev.name for nic in ports))


def port(slot, number, moment):
    auxiliary = ("mlx5_core.eth", "mlx5_core.rdma") if number == 0 else ("mlx5_core.eth",)
    function = pci.below(slot, f"0000:c1:00.{number}", **CX6DX.endpoint(
        mrrs=512, auxiliary=tuple(f"{name}.{number}" for name in auxiliary)))
    function.vectors = mlx5.vectors(function, 80 + 12 * number, [16 + 4 * number + n for n in range(4)], 30_204_110)
    nic = mlx5.ethernet(CX6DX, function, number, f"ens1f{number}np{number}", mtu=9000, version=IDENTITY["kernel"],
                        vfs=(0, 8), member=Member("bond0"))
    nic.traffic = Traffic(received=12_204_110_000 + 404_110 * number + (410_204 + 900 * number) * moment,
                          sent=11_904_110_000 + 390_204 * number + (404_110 + 700 * number) * moment,
                          ethernet=45_110_204 + 2_110 * moment)
    nic.traffic.rdma = {"np_ecn_marked_roce_packets": 21_278 + 8 * moment, "np_cnp_sent": 21_040 + 8 * moment,
                        "rp_cnp_handled": 9_110 + 3 * moment}
    nic.traffic.ethtool = {"rx_prio3_pause": 1_204 + 2 * moment, "rx_prio3_pause_duration": 1_811 + 3 * moment}
    nic.without = LATE
    nic.mkeys = 40_110
    return nic


def healthy(moment):
    slot = pci.root_port(0xC0, 1, 1, vendor=0x1022, device=0x14AB, speed=16, speed_max=32)
    ports = [port(slot, number, moment) for number in (0, 1)]
    bond = bond_of(ports, moment)
    device = ports[0].device
    device.name = "mlx5_bond_0"
    device.ports[0].netdev, device.ports[0].gids, device.ports[0].tos = bond, rdma.roce_gids(bond), 106
    device.ports[0].rate = "100 Gb/sec (2X HDR)"
    device.contexts = [PID]
    device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")] + [rdma.Qp(0x60 + n, pid=PID, remote=0x80 + n) for n in range(48)]
    device.cqs, device.mrs = ["ib_core"] + [PID] * 8, [(PID, 268_435_456)] * 16
    ports[1].device = None
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(
        32, modules=("mlx5_core", "mlx5_ib", "bonding", "vfio_pci"), frequency_driver="acpi-cpufreq", preference=None,
        deepest=2), functions=[slot, ports[0].function, ports[1].function], nics=ports, netdevs=[bond])
    host.processes = [Process(PID, "qemu-system-x86", "16-31", uid=64055, pinned_kb=4_194_304,
                              group="/machine.slice/qemu-3-db.scope")]
    return host


def degrade(host):
    """Everything goes over one port: the bond chooses by addresses, and there is one peer. Then a VLAN was put on top, whose priority
    nobody mapped, and the switch's ports no longer speak LACP."""
    later = host.number
    busy, idle = host.nics
    bond = next(netdev for netdev in host.netdevs if netdev.bond)
    bond.bond.hash, bond.bond.mode = "layer2 0", "balance-xor 2"
    busy.traffic.sent += 900_000 * later
    idle.traffic.sent -= 404_810 * later
    idle.netdev.member.failures = 12

    # RDMA rides on the VLAN, with PCP 0 and without DSCP: PFC guards priority 3.
    vlan = Netdev(name="bond0.50", ifindex=9, mac=bond.mac, driver="802.1Q VLAN Support", version="1.8", kind="vlan", mtu=9000,
                  lower="bond0", vlan=50, addresses=("10.51.0.31/24",), speed=200_000, lanes=None, packets=204_110,
                  lowers=("bond0",))
    host.netdevs.append(vlan)
    port_of_bond = busy.device.ports[0]
    port_of_bond.gids += rdma.roce_gids(vlan)
    port_of_bond.tos = None
    for nic in host.nics:
        nic.dscp = {}
        nic.traffic.priority = 0
    busy.traffic.rdma |= {"packet_seq_err": 90_110 + 411 * later, "implied_nak_seq_err": 204 + 3 * later,
                          "out_of_sequence": 88_204 + 390 * later}

    # The rest of the traffic waits for it: interrupts on one CPU, queue pairs stuck while the peer is not ready.
    for vector in busy.function.vectors:
        vector.cpu, vector.count = 1, vector.count + (90_000 * later if "comp" in vector.name else 0)
    host.processes[0].cpulist = "0-15"
    host.processes[0].memlock, host.processes[0].capabilities = 16_777_216, 0
    busy.function.width = 8
    host.functions[0].width = 8


def moments(change=lambda host: None):
    return node.moments(healthy, change)
