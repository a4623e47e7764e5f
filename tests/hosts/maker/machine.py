# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of a host that are no network card: processors, memory, processes, kernel settings."""

from dataclasses import dataclass, field

UNLIMITED = "unlimited"


@dataclass
class NumaNode:
    number: int
    cpulist: str
    memory_kb: int


@dataclass
class Process:
    pid: int
    comm: str
    cpulist: str
    uid: int = 0
    memlock: object = UNLIMITED  # bytes, soft and hard
    capabilities: int = 0xA80425FB  # what a container runtime leaves to root
    pinned_kb: int = 0
    devices: list = field(default_factory=list)  # RDMA devices it has opened


def put_processors(moment, nodes, cpus):
    moment.file("/sys/devices/system/cpu/online", f"0-{cpus - 1}")
    moment.file("/sys/devices/system/cpu/isolated", "")
    moment.file("/sys/devices/system/node/online", f"0-{len(nodes) - 1}" if len(nodes) > 1 else "0")
    for node in nodes:
        folder = f"/sys/devices/system/node/node{node.number}"
        moment.file(f"{folder}/cpulist", node.cpulist)
        moment.file(f"{folder}/distance", " ".join("10" if other is node else "21" for other in nodes))
        moment.text(f"{folder}/meminfo", f"Node {node.number} MemTotal:       {node.memory_kb} kB\n"
                                         f"Node {node.number} MemFree:        {node.memory_kb // 4} kB\n"
                                         f"Node {node.number} HugePages_Total:     0\n"
                                         f"Node {node.number} HugePages_Free:      0\n")


STATUS = """\
Name:	{comm}
Umask:	0022
State:	R (running)
Tgid:	{pid}
Pid:	{pid}
PPid:	{parent}
TracerPid:	0
Uid:	{uid}	{uid}	{uid}	{uid}
Gid:	{uid}	{uid}	{uid}	{uid}
FDSize:	1024
NSpid:	{pid}
VmLck:	       0 kB
VmPin:	{pinned:8d} kB
VmRSS:	{rss:8d} kB
HugetlbPages:	       0 kB
Threads:	64
CapInh:	0000000000000000
CapPrm:	{capabilities:016x}
CapEff:	{capabilities:016x}
CapBnd:	00000000a80425fb
CapAmb:	0000000000000000
Cpus_allowed_list:	{cpulist}
Mems_allowed_list:	0-1
"""

LIMITS = (("Max cpu time", UNLIMITED, "seconds"), ("Max file size", UNLIMITED, "bytes"),
          ("Max stack size", 8388608, "bytes"), ("Max processes", 8254321, "processes"),
          ("Max open files", 1048576, "files"), ("Max locked memory", None, "bytes"),
          ("Max address space", UNLIMITED, "bytes"))


def limits_text(memlock):
    text = f"{'Limit':<26}{'Soft Limit':<21}{'Hard Limit':<21}{'Units':<10}\n"
    for name, value, unit in LIMITS:
        value = memlock if value is None else value
        text += f"{name:<26}{value!s:<21}{value!s:<21}{unit:<10}\n"
    return text


def put_process(moment, process):
    folder = f"/proc/{process.pid}"
    moment.file(f"{folder}/comm", process.comm)
    moment.text(f"{folder}/status", STATUS.format(
        comm=process.comm, pid=process.pid, parent=process.pid // 1000 * 1000, uid=process.uid, pinned=process.pinned_kb,
        rss=process.pinned_kb + 1845210, capabilities=process.capabilities, cpulist=process.cpulist))
    moment.text(f"{folder}/limits", limits_text(process.memlock))
