# SPDX-License-Identifier: GPL-2.0-or-later
"""PCI Express functions: what sysfs and configuration space say of them and of their links, and their interrupt vectors."""

from dataclasses import dataclass, field

from .bundle import record

# Transfer rate in GT/s → how sysfs prints it, and how the subject pci.config does (times ten).
SPEEDS = {2.5: ("2.5 GT/s PCIe", 25), 5: ("5.0 GT/s PCIe", 50), 8: ("8.0 GT/s PCIe", 80), 16: ("16.0 GT/s PCIe", 160),
          32: ("32.0 GT/s PCIe", 320)}

CORRECTABLE = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF")
UNCORRECTABLE = ("Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "CmpltAbrt", "UnxCmplt", "RxOF", "MalfTLP", "ECRC",
                 "UnsupReq", "ACSViol", "UncorrIntErr", "BlockedTLP", "AtomicOpBlocked", "TLPBlockedErr",
                 "PoisonTLPBlocked")


@dataclass
class Vector:
    """One interrupt vector: it fires on one CPU."""

    irq: int
    name: str
    cpu: int
    count: int = 0
    affinity: str = ""  # list of CPUs; empty: that CPU


@dataclass
class Function:
    address: str
    path: str  # below /sys/devices
    type: str  # as in the subject pci.config
    vendor: int
    device: int
    pci_class: int
    driver: str
    node: int
    speed: float = 32
    speed_max: float = 32
    width: int = 16
    width_max: int = 16
    mps: int = 256
    mps_max: int = 512
    mrrs: int = 512
    relaxed_ordering: int = 1
    acs: object = None          # control register; None: no such capability
    physfn: object = None       # Function this is a virtual one of
    power_state: bool = True    # the file came with Linux 5.11
    aer: bool = True            # the operating system counts errors; virtual functions have no such files
    errors: dict = field(default_factory=dict)  # kind of error → count
    iommu: object = "identity"  # type of its group; None: no IOMMU; "": a kernel before 5.11 has no type
    vectors: list = field(default_factory=list)
    auxiliary: tuple = ()       # what the driver puts below the function

    @property
    def folder(self):
        return f"/sys/bus/pci/devices/{self.address}"

    @property
    def real(self):
        return f"/sys/devices/{self.path}"


def below(parent, address, **description):
    """A function on the link below a port."""
    return Function(address=address, path=f"{parent.path}/{address}", node=parent.node, **description)


def root_port(bus, number, node, **description):
    values = dict(type="root-port", vendor=0x8086, device=0x352A, pci_class=0x060400, driver="pcieport", mrrs=128, acs=0x1D)
    values |= description
    address = f"0000:{bus:02x}:{number:02x}.0"
    return Function(address=address, path=f"pci0000:{bus:02x}/{address}", node=node, **values)


def switch_port(parent, bus, kind, number=0, **description):
    values = dict(type=kind, vendor=0x1000, device=0xC030, pci_class=0x060400, driver="pcieport", mrrs=128,
                  acs=0 if kind == "downstream" else None) | description
    return below(parent, f"0000:{bus:02x}:{number:02x}.0", **values)


def gpu(parent, bus):
    """An H100: present, and where it is. Nothing else is asked of it."""
    return below(parent, f"0000:{bus:02x}:00.0", type="endpoint", vendor=0x10DE, device=0x2330, pci_class=0x030200,
                 driver="nvidia")


def counts_text(names, total, errors):
    rows = [(name, errors.get(name, 0)) for name in names]
    rows.append((total, sum(count for _, count in rows)))
    return "".join(f"{name} {count}\n" for name, count in rows)


def put_errors(moment, function):
    root = ("cor", "nonfatal", "fatal")
    if not function.aer:
        moment.missing(*(f"{function.folder}/aer_dev_{kind}" for kind in ("correctable", "nonfatal", "fatal")))
        moment.missing(*(f"{function.folder}/aer_rootport_total_err_{kind}" for kind in root))
        return
    fatal = {name.removeprefix("fatal "): count for name, count in function.errors.items() if name.startswith("fatal ")}
    moment.text(f"{function.folder}/aer_dev_correctable", counts_text(CORRECTABLE, "TOTAL_ERR_COR", function.errors))
    moment.text(f"{function.folder}/aer_dev_nonfatal", counts_text(UNCORRECTABLE, "TOTAL_ERR_NONFATAL", function.errors))
    moment.text(f"{function.folder}/aer_dev_fatal", counts_text(UNCORRECTABLE, "TOTAL_ERR_FATAL", fatal))
    for kind in root:
        name = f"{function.folder}/aer_rootport_total_err_{kind}"
        if function.type == "root-port":
            moment.file(name, function.errors.get(f"root {kind}", 0))
        else:
            moment.missing(name)


def put_iommu(moment, function, group):
    path = f"{function.folder}/iommu_group"
    if function.iommu is None:
        moment.missing_link(path)
        return
    moment.link(path, f"/sys/kernel/iommu_groups/{group}")
    moment.folder(f"/sys/kernel/iommu_groups/{group}", {"type": function.iommu or None})


def put_links(moment, function):
    moment.link(function.folder, function.real)
    if function.driver:
        moment.link(f"{function.folder}/driver", f"/sys/bus/pci/drivers/{function.driver}")
    else:
        moment.missing_link(f"{function.folder}/driver")
    if function.physfn:
        moment.link(f"{function.folder}/physfn", function.physfn.real)
    else:
        moment.missing_link(f"{function.folder}/physfn")


def put_vectors(moment, function):
    folder = f"{function.folder}/msi_irqs"
    if not function.vectors:
        moment.missing_folder(folder)
        return
    moment.listing(folder, [str(vector.irq) for vector in function.vectors])
    for vector in function.vectors:
        moment.folder(f"/proc/irq/{vector.irq}", {"smp_affinity_list": vector.affinity or vector.cpu,
                                                  "effective_affinity_list": vector.cpu})


def put_function(moment, function, cpulist, group):
    """`group`: number of its IOMMU group."""
    put_links(moment, function)
    link = function.physfn is None  # a virtual function shares the link of its physical one
    moment.folder(function.folder, {
        "vendor": f"{function.vendor:#06x}", "device": f"{function.device:#06x}", "class": f"{function.pci_class:#08x}",
        "numa_node": function.node, "local_cpulist": cpulist, "d3cold_allowed": 1,
        "power_state": "D0" if function.power_state else None,
        "current_link_speed": SPEEDS[function.speed][0] if link else "Unknown",
        "max_link_speed": SPEEDS[function.speed_max][0] if link else "Unknown",
        "current_link_width": function.width if link else 0, "max_link_width": function.width_max if link else 0})
    put_errors(moment, function)
    put_iommu(moment, function, group)
    put_vectors(moment, function)
    for name in function.auxiliary:
        moment.listing(f"{function.folder}/{name}", [])
    moment.answer(f"pci.config/{function.address}", record(
        vendor=f"{function.vendor:#06x}", device=f"{function.device:#06x}", **{"class": f"{function.pci_class:#08x}"},
        pcie=1, type=function.type, mps=function.mps, mps_max=function.mps_max, mrrs=function.mrrs,
        relaxed_ordering=function.relaxed_ordering, extended_tag=1,
        link_speed=SPEEDS[function.speed][1] if link else None,
        link_speed_max=SPEEDS[function.speed_max][1] if link else None,
        link_width=function.width if link else None, link_width_max=function.width_max if link else None,
        target_speed=SPEEDS[function.speed_max][1] if link else None, acs_control=function.acs))


def put_functions(moment, functions, nodes):
    cpulists = {node.number: node.cpulist for node in nodes} | {-1: ",".join(node.cpulist for node in nodes)}
    for group, function in enumerate(functions):
        put_function(moment, function, cpulists[function.node], group)
    moment.listing("/sys/bus/pci/devices", [function.address for function in functions])


def interrupts_text(functions, cpus):
    """/proc/interrupts: our vectors, and two lines that are none."""
    text = " " * 10 + "".join(f" {'CPU' + str(cpu):>9}" for cpu in range(cpus)) + "\n"

    def line(head, counts, tail):
        return f"{head:>8}: " + "".join(f" {count:9}" for count in counts) + f"  {tail}\n"

    text += line("0", [34] + [0] * (cpus - 1), "IO-APIC    2-edge      timer")
    for vector in sorted((v for function in functions for v in function.vectors), key=lambda v: v.irq):
        counts = [vector.count if cpu == vector.cpu else 0 for cpu in range(cpus)]
        text += line(str(vector.irq), counts, f"PCI-MSI {vector.irq * 16384}-edge      {vector.name}")
    return text + line("LOC", [88_104_221] * cpus, "Local timer interrupts")


def deny_config_space(moment):
    """What a reader without CAP_SYS_ADMIN gets."""
    for name in [name for name in moment.reads if name.startswith("pci.config/")]:
        moment.fail(name, "no_privilege", "only the first 64 bytes can be read", "run as root (CAP_SYS_ADMIN)")
