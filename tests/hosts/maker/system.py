# SPDX-License-Identifier: GPL-2.0-or-later
"""The host around its adapters: processors, kernel, modules, services, settings."""

from dataclasses import dataclass, field

from .bundle import record

SLEEP_STATES = (("POLL", 0), ("C1", 2), ("C1E", 4), ("C6", 133))
CORE_MODULES = ("ib_core", "ib_uverbs", "ib_cm", "rdma_cm", "rdma_ucm", "iw_cm", "ib_umad", "nvme_core")
STACK = ("ib_core", "rdma_cm", "ib_uverbs", "mlx5_core", "mlx5_ib")
EVERYTHING_OFF = 2  # microseconds: what the profiles for latency ask for, a program holds /dev/cpu_dma_latency open for it


@dataclass
class System:
    cpus: int
    sockets: int = 2
    cmdline: str = "BOOT_IMAGE=/vmlinuz root=/dev/md0 ro iommu=pt"
    modules: tuple = ()                      # beside those of the core
    absent: tuple = ()                       # modules of the core that are not loaded
    foreign: tuple = ()                      # modules of STACK that a vendor's package brought
    vendor_version: object = None            # version of its mlx5_core
    services: tuple = ("cron.service", "ssh.service", "tuned.service")
    irqbalance: object = None                # text of /etc/default/irqbalance
    governor: str = "performance"
    frequency_driver: object = "intel_pstate"  # None: nobody sets the clock, as in a virtual machine
    preference: object = "performance"
    kilohertz: int = 3_800_000
    sleep: tuple = SLEEP_STATES              # name and microseconds to leave it
    deepest: int = len(SLEEP_STATES)         # sleep states from here on are disabled; 0: there are none
    latency_limit: int = EVERYTHING_OFF
    iommus: tuple = ("dmar0", "dmar1")
    lockdown: object = "[none] integrity confidentiality"
    thp: str = "always [madvise] never"
    copy_on_fork: object = 1                 # None: a kernel before 5.12
    netns: str = "shared"
    initial_netns: bool = True
    wanted: dict = field(default_factory=dict)  # file below /etc/modules-load.d → text
    packaged: str = ""                       # text of modules.dep, where it is looked at
    nvidia: object = None                    # text of /proc/driver/nvidia/version
    multipath: object = "Y"
    sysctls: dict = field(default_factory=dict)  # of net.ipv4.conf.all


def put_cpus(moment, system):
    folder = "/sys/devices/system/cpu"
    moment.folder(folder, {"online": f"0-{system.cpus - 1}", "isolated": ""})
    moment.folder(f"{folder}/smt", {"active": 0})
    moment.folder(f"{folder}/cpuidle", {"current_driver": "intel_idle" if system.deepest else "none"})
    limit = system.latency_limit.to_bytes(4, "little").decode("latin-1")
    moment.text("/dev/cpu_dma_latency", limit)
    for cpu in range(system.cpus):
        own = f"{folder}/cpu{cpu}"
        moment.folder(f"{own}/topology", {"physical_package_id": cpu * system.sockets // system.cpus})
        put_clock(moment, system, own)
        if not system.deepest:
            moment.missing_folder(f"{own}/cpuidle")
            continue
        for state, (name, latency) in enumerate(system.sleep):
            moment.folder(f"{own}/cpuidle/state{state}",
                          {"disable": int(state >= system.deepest), "latency": latency, "name": name})


def put_clock(moment, system, cpu):
    values = {"scaling_governor": None}
    if system.frequency_driver:
        values = {"scaling_governor": system.governor, "scaling_driver": system.frequency_driver,
                  "energy_performance_preference": system.preference, "scaling_max_freq": system.kilohertz,
                  "scaling_min_freq": 800_000, "cpuinfo_max_freq": system.kilohertz}
    moment.folder(f"{cpu}/cpufreq", values)


def put_modules(moment, system, release):
    names = sorted({*CORE_MODULES, *system.modules} - {*system.absent})
    moment.listing("/sys/module", names)
    for name in names:
        if name in STACK:
            moment.file(f"/sys/module/{name}/taint", "OE" if name in system.foreign else "")
    moment.folder("/sys/module/mlx5_core", {"version": system.vendor_version})
    moment.folder("/sys/module/nvme_core/parameters", {"multipath": system.multipath})
    moment.text(f"/lib/modules/{release}/modules.builtin", "kernel/fs/ext4/ext4.ko\nkernel/drivers/nvme/host/nvme.ko\n")
    if system.packaged:
        moment.text(f"/lib/modules/{release}/modules.dep", system.packaged)
    moment.text("/etc/modules", "# /etc/modules is obsolete and has been replaced by /etc/modules-load.d/.\n")
    moment.listing("/etc/modules-load.d", system.wanted)
    for name, text in system.wanted.items():
        moment.text(f"/etc/modules-load.d/{name}", text)


def put_services(moment, system):
    moment.listing("/sys/fs/cgroup/system.slice", system.services)
    for path, text in (("/etc/default/irqbalance", system.irqbalance), ("/etc/sysconfig/irqbalance", None)):
        if text is None:
            moment.missing(path)
        else:
            moment.text(path, text)


def put_settings(moment, system):
    moment.file("/proc/cmdline", system.cmdline)
    moment.folder("/sys/kernel/security", {"lockdown": system.lockdown})
    moment.listing("/sys/class/iommu", system.iommus)
    moment.folder("/sys/kernel/mm/transparent_hugepage",
                  {"enabled": system.thp, "defrag": "always defer defer+madvise [madvise] never"})
    moment.folder("/proc/sys/kernel", {"numa_balancing": 0})
    moment.folder("/proc/sys/vm", {"zone_reclaim_mode": 0})
    moment.folder("/proc/sys/net/rdma_ucm", {"max_backlog": None if "rdma_ucm" in system.absent else 1024})
    moment.folder("/proc/sys/net/core", {"netdev_max_backlog": 1000 if system.initial_netns else None, "somaxconn": 4096})
    moment.folder("/proc/sys/net/ipv4/conf/all",
                  {"arp_ignore": 0, "arp_announce": 0, "arp_filter": 0, "rp_filter": 0} | system.sysctls)
    if "ib_core" not in system.absent:
        moment.answer("rdma.system", record(netns=system.netns, copy_on_fork=system.copy_on_fork))
    if system.nvidia is None:
        moment.missing("/proc/driver/nvidia/version")
    else:
        moment.text("/proc/driver/nvidia/version", system.nvidia)


def put_system(moment, system, release):
    put_cpus(moment, system)
    put_modules(moment, system, release)
    put_services(moment, system)
    put_settings(moment, system)
