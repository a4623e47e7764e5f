# SPDX-License-Identifier: GPL-2.0-or-later
"""Inside a container: one virtual function of a ConnectX-6 Dx of the host is in its network namespace, and it has few privileges.
The files of PCI are those of the whole host; the RDMA devices of the others are in their own namespaces."""

from . import mlx5, node, pci, rdma, system
from .ether import Netdev
from .machine import NumaNode, Process
from .mlx5 import CX6DX
from .mlx5_counters import LATE, Traffic
from .node import Node

UP_NS = 1_123_200_000_000_000  # thirteen days
CAPABILITIES = 0xA80425FB | 1 << 14  # what a runtime leaves to root, and IPC_LOCK
IDENTITY = node.identity("train-worker-3", "5.15.0-126-generic", "91c7d0a5-42fe-4b86-8e5b-3f1a60d7c29e",
                         capabilities=CAPABILITIES)
NODES = (NumaNode(0, "0-15"), NumaNode(1, "16-31"))
PID = 41


def healthy(moment):
    slot = pci.root_port(0x40, 1, 0, speed=16, speed_max=16)
    physical = pci.below(slot, "0000:41:00.0", **CX6DX.endpoint())
    virtual = [pci.below(slot, f"0000:41:00.{2 + number}", **CX6DX.endpoint(
        device=0x101E, physfn=physical, aer=False))
        for number in (0, 1)]
    own = virtual[0]
    nic = mlx5.ethernet(CX6DX, own, 5, "net1", mtu=9000, addresses=("10.40.3.17/16",), ifindex=12,
                        version=IDENTITY["kernel"], module=None)
    own.vectors = mlx5.vectors(own, 210, [4, 5, 6, 7], 1_204_110)
    nic.traffic = Traffic(received=904_110_204 + 210_300 * moment, sent=880_204_110 + 201_100 * moment,
                          ethernet=410_204 + 88 * moment)
    nic.traffic.rdma = {"np_cnp_sent": 904 + 6 * moment, "rp_cnp_handled": 811 + 2 * moment}
    nic.without = LATE
    nic.debug = False
    nic.device.hca_type = "MT4126"
    nic.device.contexts = [PID]
    nic.device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")]
    nic.device.qps += [rdma.Qp(0x90 + n, pid=PID, remote=0x70 + n) for n in range(16)]
    nic.device.cqs, nic.device.mrs = [PID] * 4, [(PID, 1_073_741_824)] * 12
    pod = Netdev(name="eth0", ifindex=3, mac="0a:58:0a:2a:03:11", driver="veth", kind="veth", mtu=1450, version="1.0",
                 speed=10_000, lanes=None, addresses=("10.42.3.17/24",), packets=204_110 + 40 * moment)
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(
        32, modules=("mlx5_core", "mlx5_ib"), netns="exclusive", initial_netns=False, services=()),
        functions=[slot, physical, *virtual], nics=[nic], netdevs=[pod])
    host.processes = [Process(PID, "python3", "0-15", pinned_kb=12_582_912, group="/")]
    return host


def degrade(host):
    """The pod asked for the device, but the plugin did not move the interface with it; the runtime kept its default limits, and the
    device plugin gave no character devices."""
    nic = host.nics[0]
    nic.device.guid = "0000:0000:0000:0000"
    nic.device.node = False
    for gid in nic.port.gids:
        gid.netdev = "enp65s0f0v0"
    nic.port.here = False
    host.processes[0].memlock, host.processes[0].capabilities = 65_536, 0xA80425FB
    host.processes[0].cpulist = "16-31"
    host.processes[0].group = "/kubepods/pod7c1d/worker"
    host.processes[0].rdma_limits = {"mlx5_5": ((1, 1), (96, 4_096))}


def degrade_shared(host):
    """All devices of the host are there to see, and none of its interfaces but that of the cluster network: the pod was started
    without the second network."""
    host.system.netns = "shared"
    nic = host.nics[0]
    for number, function, name in ((0, host.functions[1], "enp65s0f0np0"), (6, host.functions[3], "enp65s0f0v1")):
        other = mlx5.ethernet(CX6DX, function, number, name, mtu=9000)
        other.without, other.debug = LATE, False
        host.nics.append(other)
    for gid in nic.port.gids:
        gid.netdev = "enp65s0f0v0"
    nic.port.here = False
    nic.device.qps[4].state = nic.device.qps[5].state = "INIT"
    host.hidden = tuple(other.netdev.name for other in host.nics)


def seen_from_inside(host):
    """What a container is not shown, whatever the host answers."""
    moment = node.put_down(host)
    pci.deny_config_space(moment)
    node.hide(moment, "/sys/kernel/config/rdma_cm", "/sys/fs/cgroup/system.slice", "/etc/modules-load.d", "/lib/modules",
              "/etc/modules")
    moment.missing_folder("/sys/fs/cgroup/systemd/system.slice")
    moment.fail("/dev/cpu_dma_latency", "not_found", "No such file or directory")
    moment.fail("kmsg", "not_found", "/dev/kmsg: No such file or directory")
    return moment


def moments(change=lambda host: None):
    return node.moments(healthy, change, seen_from_inside)
