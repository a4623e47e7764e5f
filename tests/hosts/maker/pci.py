# SPDX-License-Identifier: GPL-2.0-or-later
"""PCI Express functions: what sysfs and configuration space say of them and of their links."""

from dataclasses import dataclass

from .bundle import record

# Transfer rate in GT/s → how sysfs prints it, and how the subject pci.config does (times ten).
SPEEDS = {2.5: ("2.5 GT/s PCIe", 25), 8: ("8.0 GT/s PCIe", 80), 16: ("16.0 GT/s PCIe", 160), 32: ("32.0 GT/s PCIe", 320)}


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

    @property
    def folder(self):
        return f"/sys/bus/pci/devices/{self.address}"

    @property
    def real(self):
        return f"/sys/devices/{self.path}"


def behind_switch(root, node, endpoint):
    """Root port, switch and the function behind it, outermost first. `root` is the number of the root bus; the chain
    takes the three buses after it, as the firmware of a GPU server hands them out."""
    chain = []
    path = f"pci0000:{root:02x}"
    hops = [
        (f"0000:{root:02x}:01.0", dict(type="root-port", vendor=0x8086, device=0x352A, pci_class=0x060400,
                                        driver="pcieport", mps_max=512, mrrs=128)),
        (f"0000:{root + 1:02x}:00.0", dict(type="upstream", vendor=0x1000, device=0xC030, pci_class=0x060400,
                                            driver="pcieport", mrrs=128)),
        (f"0000:{root + 2:02x}:00.0", dict(type="downstream", vendor=0x1000, device=0xC030, pci_class=0x060400,
                                            driver="pcieport", mrrs=128)),
        (f"0000:{root + 3:02x}:00.0", dict(type="endpoint", **endpoint)),
    ]
    for address, description in hops:
        path += "/" + address
        chain.append(Function(address=address, path=path, node=node, **description))
    return chain


def put_function(moment, function, cpulist):
    folder = function.folder
    moment.link(folder, function.real)
    moment.link(f"{folder}/driver", f"/sys/bus/pci/drivers/{function.driver}")
    moment.missing_link(f"{folder}/physfn")
    moment.file(f"{folder}/vendor", f"{function.vendor:#06x}")
    moment.file(f"{folder}/device", f"{function.device:#06x}")
    moment.file(f"{folder}/class", f"{function.pci_class:#08x}")
    moment.file(f"{folder}/numa_node", function.node)
    moment.file(f"{folder}/local_cpulist", cpulist)
    moment.file(f"{folder}/current_link_speed", SPEEDS[function.speed][0])
    moment.file(f"{folder}/max_link_speed", SPEEDS[function.speed_max][0])
    moment.file(f"{folder}/current_link_width", function.width)
    moment.file(f"{folder}/max_link_width", function.width_max)
    moment.answer(f"pci.config/{function.address}", record(
        vendor=f"{function.vendor:#06x}", device=f"{function.device:#06x}", **{"class": f"{function.pci_class:#08x}"},
        pcie=1, type=function.type, mps=function.mps, mps_max=function.mps_max, mrrs=function.mrrs,
        relaxed_ordering=1, extended_tag=1,
        link_speed=SPEEDS[function.speed][1], link_speed_max=SPEEDS[function.speed_max][1],
        link_width=function.width, link_width_max=function.width_max, target_speed=SPEEDS[function.speed_max][1],
        acs_control=0 if function.type != "endpoint" else None))


def deny_config_space(moment):
    """What a reader without CAP_SYS_ADMIN gets."""
    for name in [name for name in moment.reads if name.startswith("pci.config/")]:
        moment.fail(name, "no_privilege", "only the first 64 bytes can be read", "run as root (CAP_SYS_ADMIN)")
