# SPDX-License-Identifier: GPL-2.0-or-later
"""A host at one moment, ready to be changed before it is put down as what it answers."""

from dataclasses import dataclass, field

from . import ether, machine, pci, rdma, system
from .bundle import Moment, record

INTERVAL_NS = 2_000_000_000
NOON_NS = 1_764_590_400_000_000_000  # 2025-12-01T12:00:00Z
NO_LOG = ("no_privilege", "/dev/kmsg: Operation not permitted",
          "run as root or give CAP_SYSLOG (kernel.dmesg_restrict is on), and see that the kernel was not booted with "
          "printk.devkmsg=off")
NO_DEBUG = "Permission denied", "run as root"


def identity(hostname, kernel, boot_id, **others):
    return dict(hostname=hostname, kernel=kernel, machine="x86_64", boot_id=boot_id, uid=0, capabilities=0x1FFFFFFFFFF,
                hypervisor=False) | others


@dataclass
class Node:
    identity: dict
    number: int                 # of the moment
    up_ns: int                  # when it was first looked at, since boot
    nodes: tuple                # NumaNode
    system: system.System
    functions: list = field(default_factory=list)
    nics: list = field(default_factory=list)         # adapters: what each has is among the next two once it is finished
    netdevs: list = field(default_factory=list)
    devices: list = field(default_factory=list)
    processes: list = field(default_factory=list)
    settings: dict = field(default_factory=dict)  # config.FORMAT/NAME/PATH → section → value
    controllers: list = field(default_factory=list)  # of NVMe
    subsystems: dict = field(default_factory=dict)   # NQN → policy
    log: list = field(default_factory=list)
    hidden: tuple = ()          # interfaces in another network namespace

    def nic(self, name):
        return next(nic for nic in self.nics if nic.device and nic.device.name == name)

    def finish(self):
        for nic in self.nics:
            nic.finish()
            if nic.netdev.name not in self.hidden:
                self.netdevs.append(nic.netdev)
            if nic.device:
                self.devices.append(nic.device)
        self.netdevs.sort(key=lambda netdev: netdev.ifindex)

    def function(self, address):
        return next(function for function in self.functions if function.address == address)

    def say(self, seconds_ago, text, address=None, level=6):
        """A line of the kernel log, so long before the first moment; negative: after it."""
        fields = dict(subsystem="pci", device=f"+pci:{address}") if address else {}
        self.log.append(record(level=level, facility=0, seq=2000 + len(self.log),
                               us=self.up_ns // 1000 - int(seconds_ago * 1_000_000), text=text, **fields))


@dataclass
class Nvme:
    """An NVMe controller as the host has it."""

    name: str
    nqn: str
    address: str
    transport: str = "rdma"
    state: str = "live"
    queues: int = 17
    depth: int = 128
    loss: str = "600"
    node: int = 0
    namespaces: tuple = ()      # nvme1c2n1 with multipath


def put_controllers(moment, node):
    moment.listing("/sys/class/nvme", [one.name for one in node.controllers])
    moment.listing("/sys/class/nvme-subsystem", [f"nvme-subsys{number}" for number in range(len(node.subsystems))])
    for number, (nqn, policy) in enumerate(node.subsystems.items()):
        moment.folder(f"/sys/class/nvme-subsystem/nvme-subsys{number}", {"subsysnqn": nqn, "iopolicy": policy})
    for one in node.controllers:
        folder = f"/sys/class/nvme/{one.name}"
        fabric = one.transport != "pcie"
        moment.folder(folder, {
            "subsysnqn": one.nqn, "address": one.address, "transport": one.transport, "state": one.state,
            "queue_count": one.queues, "sqsize": one.depth - 1, "kato": 5 if fabric else 0, "numa_node": one.node,
            "ctrl_loss_tmo": one.loss if fabric else None, "reconnect_delay": 10 if fabric else None,
            "fast_io_fail_tmo": "off" if fabric else None})
        moment.listing(folder, ["state", "transport", "address", *one.namespaces])
        for namespace in one.namespaces:
            moment.folder(f"{folder}/{namespace}", {"ana_state": "optimized"})


def put_down(node):
    node.finish()
    moment = Moment(node.up_ns + INTERVAL_NS * node.number, NOON_NS + INTERVAL_NS * node.number)
    pci.put_functions(moment, node.functions, node.nodes)
    moment.text("/proc/interrupts", pci.interrupts_text(node.functions, node.system.cpus))
    ether.put_netdevs(moment, node.netdevs)
    rdma.put_devices(moment, node.devices, manager="rdma_ucm" in {*system.CORE_MODULES} - {*node.system.absent})
    machine.put_nodes(moment, node.nodes)
    cpulist = f"0-{node.system.cpus - 1}"
    machine.put_observer(moment, node.identity, cpulist)
    for process in node.processes:
        machine.put_process(moment, process)
    for name, places in node.settings.items():
        moment.text(name, "".join(record(at=at, value=value) for at, value in places.items()))
    system.put_system(moment, node.system, node.identity["kernel"])
    put_controllers(moment, node)
    moment.answer("kmsg", *node.log)
    return moment


def moments(build, change=lambda node: None, answers=put_down):
    """What the host answers at both moments: `build(number)` makes it, `change` makes it worse."""
    result = []
    for number in (0, 1):
        node = build(number)
        change(node)
        result.append(answers(node))
    return result


def as_nobody(moment, node_identity, cpulist):
    """What the same host answers to a reader without privileges."""
    machine.put_observer(moment, node_identity, cpulist)
    pci.deny_config_space(moment)
    deny(moment, "/sys/kernel/debug/", *NO_DEBUG)
    deny(moment, "ethtool.module/", "Operation not permitted", "run as root or give CAP_NET_ADMIN")
    moment.fail("/dev/cpu_dma_latency", "no_privilege", "Permission denied", "run as root")
    moment.fail("kmsg", *NO_LOG)
    return moment


def deny(moment, prefix, why, remedy):
    for name in [name for name in moment.reads if name.startswith(prefix)]:
        moment.fail(name, "no_privilege", why, remedy)
    for path in [path for path in moment.lists if path.startswith(prefix)]:
        del moment.lists[path]


def hide(moment, *prefixes):
    """As if this was not there at all."""
    for prefix in prefixes:
        for table in (moment.reads, moment.links, moment.lists):
            for name in [name for name in table if name == prefix or name.startswith(prefix + "/")]:
                del table[name]
        for name in [name for name in moment.errors if name.removeprefix("list:").startswith(prefix + "/")]:
            del moment.errors[name]
        moment.missing(prefix)
