# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of a host that are no network card: NUMA nodes and processes."""

from dataclasses import dataclass

UNLIMITED = "unlimited"
IPC_LOCK = 14


@dataclass
class NumaNode:
    number: int
    cpulist: str


@dataclass
class Process:
    pid: int
    comm: str
    cpulist: str
    uid: int = 0
    memlock: object = UNLIMITED  # bytes, soft and hard
    capabilities: int = 0xA80425FB | 1 << IPC_LOCK  # what a container runtime leaves to root, and this one asked for
    pinned_kb: int = 0


def put_nodes(moment, nodes):
    folder = "/sys/devices/system/node"
    moment.listing(folder, [f"node{node.number}" for node in nodes] + ["has_cpu", "has_memory", "online", "possible"])
    for node in nodes:
        moment.file(f"{folder}/node{node.number}/cpulist", node.cpulist)


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


def status_text(process):
    return STATUS.format(
        comm=process.comm, pid=process.pid, parent=process.pid // 1000 * 1000, uid=process.uid, pinned=process.pinned_kb,
        rss=process.pinned_kb + 18452, capabilities=process.capabilities, cpulist=process.cpulist)


def put_process(moment, process):
    folder = f"/proc/{process.pid}"
    moment.text(f"{folder}/status", status_text(process))
    moment.text(f"{folder}/limits", limits_text(process.memlock))
    if process.capabilities >> IPC_LOCK & 1:  # asked for to see that it has no user namespace of its own
        moment.text(f"{folder}/uid_map", f"{0:>10} {0:>10} {2**32 - 1:>10}\n")


def put_observer(moment, identity):
    """The process that recorded the host."""
    observer = Process(51877, "rdmadoctor", "0-223", uid=identity["uid"], capabilities=identity["capabilities"])
    moment.text("/proc/self/status", status_text(observer))
