# SPDX-License-Identifier: GPL-2.0-or-later
"""NUMA nodes with their memory, and processes."""

from dataclasses import dataclass

from .bundle import record

UNLIMITED = "unlimited"
IPC_LOCK = 14
POOLS = {"2m": "hugepages-2048kB", "1g": "hugepages-1048576kB"}


@dataclass
class NumaNode:
    number: int
    cpulist: str
    memory_kb: int = 1_056_561_152
    free_kb: int = 903_412_044
    huge_2m: int = 0
    huge_2m_free: int = 0


@dataclass
class Process:
    pid: int
    comm: str
    cpulist: str
    uid: int = 0
    memlock: object = UNLIMITED  # bytes, soft and hard
    capabilities: int = 0xA80425FB | 1 << IPC_LOCK  # what a container runtime leaves to root, and this one asked for
    pinned_kb: int = 0
    group: str = "/system.slice/slurmstepd.scope/job_4711/step_0"
    rdma_limits: dict = None  # device → (handles, objects) as (used, most) pairs
    service: str = None  # its instance, of a program of a storage system
    files: int = 64  # that it has open


def put_pools(moment, folder, files, node):
    """Huge pages of one node, or of all together."""
    moment.listing(folder, POOLS.values())
    values = dict.fromkeys(files, 0)
    moment.folder(f"{folder}/{POOLS['1g']}", values)
    moment.folder(f"{folder}/{POOLS['2m']}", values | {"nr_hugepages": node.huge_2m, "free_hugepages": node.huge_2m_free})


def sum_of(nodes):
    return NumaNode(-1, "", sum(node.memory_kb for node in nodes), sum(node.free_kb for node in nodes),
                    sum(node.huge_2m for node in nodes), sum(node.huge_2m_free for node in nodes))


def put_nodes(moment, nodes):
    folder = "/sys/devices/system/node"
    moment.listing(folder, [f"node{node.number}" for node in nodes] + ["has_cpu", "has_memory", "online", "possible"])
    for node in nodes:
        own = f"{folder}/node{node.number}"
        moment.file(f"{own}/cpulist", node.cpulist)
        put_pools(moment, f"{own}/hugepages", ("nr_hugepages", "free_hugepages", "surplus_hugepages"), node)
        moment.text(f"{own}/meminfo", f"Node {node.number} MemTotal:       {node.memory_kb} kB\n"
                                      f"Node {node.number} MemFree:        {node.free_kb} kB\n")
    everything = sum_of(nodes)
    put_pools(moment, "/sys/kernel/mm/hugepages",
              ("nr_hugepages", "free_hugepages", "resv_hugepages", "surplus_hugepages"), everything)
    moment.text("/proc/meminfo", f"MemTotal:       {everything.memory_kb} kB\nMemFree:        {everything.free_kb} kB\n"
                                 f"MemAvailable:   {everything.free_kb + 2_104_332} kB\n"
                                 f"HugePages_Total:   {everything.huge_2m}\nHugePages_Free:    {everything.huge_2m_free}\n"
                                 f"Hugepagesize:       2048 kB\nHugetlb:        {everything.huge_2m * 2048} kB\n")


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


def put_service(moment, process):
    """What is asked of a program of a storage system only."""
    folder = f"/proc/{process.pid}"
    moment.text(f"proc.option/{process.pid}/--id", record(value=process.service))
    moment.file(f"{folder}/stat", f"{process.pid} ({process.comm}) S 1 1 1 0 -1 4194560 9 0 0 0 9 9 0 0 20 0 64 0 9034 9 9")
    moment.listing(f"{folder}/root/dev/infiniband", ["rdma_cm", "uverbs0", "uverbs1"])


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


def put_group(moment, process):
    """Its control group; the rdma controller is on in none of those above, and in its own where it has limits."""
    group = process.group
    limited = process.rdma_limits
    if limited:
        lines = [f"{device} hca_handle={handles[1]} hca_object={objects[1]}\n"
                 for device, (handles, objects) in limited.items()]
        moment.text(f"/sys/fs/cgroup{group}/rdma.max", "".join(lines))
        lines = [f"{device} hca_handle={handles[0]} hca_object={objects[0]}\n"
                 for device, (handles, objects) in limited.items()]
        moment.text(f"/sys/fs/cgroup{group}/rdma.current", "".join(lines))
        group = group[: group.rfind("/")]
    while len(group) > 1:
        moment.missing(f"/sys/fs/cgroup{group}/rdma.max")
        group = group[: group.rfind("/")]


def put_process(moment, process):
    folder = f"/proc/{process.pid}"
    moment.text(f"{folder}/status", status_text(process))
    moment.text(f"{folder}/limits", limits_text(process.memlock))
    moment.file(f"{folder}/cgroup", f"0::{process.group}")
    put_group(moment, process)
    moment.listing(f"{folder}/fd", [str(number) for number in range(process.files)])
    if process.service:
        put_service(moment, process)
    if process.capabilities >> IPC_LOCK & 1:  # asked for to see that it has no user namespace of its own
        moment.text(f"{folder}/uid_map", f"{0:>10} {0:>10} {2**32 - 1:>10}\n")


def put_observer(moment, identity, cpulist):
    """The process that recorded the host."""
    observer = Process(51877, "rdmadoctor", cpulist, uid=identity["uid"], capabilities=identity["capabilities"])
    moment.text("/proc/self/status", status_text(observer))
