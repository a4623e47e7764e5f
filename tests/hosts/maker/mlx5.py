# SPDX-License-Identifier: GPL-2.0-or-later
"""Adapters of the mlx5 driver: what a function gives as RDMA device and as interface, from what it is and what it carried."""

from dataclasses import dataclass, field

from . import ether, modules, rdma
from .ether import Netdev
from .mlx5_counters import Traffic, ethtool_statistics, pma, rdma_statistics, vport_statistics
from .pci import Vector
from .rdma import Device, Port

LIMITS = dict(max_qp=131072, max_cq=16777216, max_mr=16777216, max_mr_size=2**64 - 1, max_qp_wr=32768, max_sge=30,
              max_qp_rd_atom=16, atomic="hca", odp=1)
CONGESTION = {"rp_clamp_tgt_rate": 0, "rp_time_reset": 300, "rp_byte_reset": 32767, "rp_threshold": 1, "rp_ai_rate": 5,
              "rp_hai_rate": 50, "rp_min_rate": 1, "rp_max_rate": 0, "rp_gd": 11, "rp_min_dec_fac": 50,
              "rp_rate_to_set_on_first_cnp": 0, "rp_rate_reduce_monitor_period": 4, "rp_initial_alpha_value": 1023,
              "rp_dce_tcp_g": 1019, "rp_dce_tcp_rtt": 1, "np_cnp_dscp": 48, "np_cnp_prio": 6, "np_min_time_between_cnps": 4}

COMMANDS = ("CREATE_MKEY/n", "CREATE_MKEY/failed", "CREATE_MKEY/average", "DESTROY_MKEY/n", "slots_inuse")


@dataclass(frozen=True)
class Card:
    """A product. The driver prints the PCI device id in decimal as its type."""

    device_id: int
    board: str
    firmware: str
    speed: int                  # Mbit/s
    rate: str                   # as in sysfs
    pcie: float                 # GT/s
    lanes: int
    fec: dict

    @property
    def hca_type(self):
        return f"MT{self.device_id}"

    def endpoint(self, **others):
        return dict(type="endpoint", vendor=0x15B3, device=self.device_id, pci_class=0x020000, driver="mlx5_core", mrrs=4096,
                    speed=self.pcie, speed_max=self.pcie, auxiliary=("mlx5_core.eth.0", "mlx5_core.rdma.0")) | others


RS = dict(auto=1, modes="auto", active="rs", corrected_blocks=0, uncorrectable_blocks=0)
CX7 = Card(0x1021, "MT_0000000838", "28.41.1000", 400_000, "400 Gb/sec (4X NDR)", 32, 4, RS)
CX6DX = Card(0x101D, "MT_0000000359", "22.36.1010", 100_000, "100 Gb/sec (2X HDR)", 16, 2, RS)
CX5 = Card(0x1017, "MT_0000000012", "16.35.4030", 100_000, "100 Gb/sec (4X EDR)", 8, 4, RS)

# What the site of the training nodes expects.
BOARD, FIRMWARE = CX7.board, CX7.firmware


def vectors(function, first_irq, cpus, count=0):
    """Completion vectors spread over CPUs, each with `count` interrupts, and the one for events."""
    pci = function.address
    names = [(f"mlx5_async0@pci:{pci}", 4_211)] + [(f"mlx5_comp{n}@pci:{pci}", count) for n in range(len(cpus))]
    return [Vector(first_irq + n, name, cpus[max(n - 1, 0)], times) for n, (name, times) in enumerate(names)]


def buffers(netdev, pfc):
    """One receive buffer for what may be lost, and one of twice the size that is needed for the rest."""
    needed = (301 + 2.16 * 7) * netdev.speed / 1000 + 3.72 * (netdev.mtu + 22)
    shared = [1 if pfc >> priority & 1 else 0 for priority in range(8)]
    return shared, [20_016, int(2 * needed) // 256 * 256 if pfc else 0] + [0] * 6


@dataclass
class Nic:
    """One Ethernet function."""

    card: Card
    netdev: Netdev
    device: Device = None       # None: the function is bound to mlx5_core, but has no RDMA device
    dscp: dict = field(default_factory=lambda: {26: 3, 48: 6})  # empty: the port trusts PCP
    pfc: int = 1 << 3
    host_owns_dcb: int = 1
    traffic: Traffic = field(default_factory=Traffic)
    fec: dict = field(default_factory=dict)     # what differs from the card's
    without: tuple = ()         # counters that the kernel does not give
    buffers: tuple = None       # of each priority, and sizes; None: as the driver sets them up
    mkeys: int = 0              # created since the driver was loaded
    debug: bool = True          # debugfs has the command interface and congestion control
    congestion: dict = field(default_factory=lambda: dict(CONGESTION))
    performance: dict = field(default_factory=dict)  # PMA counters beside those of the traffic

    @property
    def name(self):
        return self.device.name

    @property
    def function(self):
        return self.netdev.function

    @property
    def port(self):
        return self.device.ports[0]

    def finish(self):
        """Puts together what follows from the rest."""
        netdev = self.netdev
        netdev.packets = self.traffic.ethernet
        if netdev.function.physfn:
            netdev.statistics = vport_statistics(self.traffic)
        else:
            netdev.statistics = ethtool_statistics(self.traffic)
            netdev.fec = (self.card.fec | self.fec) if netdev.carrier else None
            netdev.dcb = ether.dcb(self.pfc, self.dscp, host=self.host_owns_dcb,
                                   buffers=self.buffers or buffers(netdev, self.pfc))
        if self.device is None:
            netdev.function.auxiliary = tuple(name for name in netdev.function.auxiliary if "rdma" not in name)
            return
        device = self.device
        device.ports[0].statistics = rdma_statistics(self.traffic, self.without)
        device.ports[0].pma = pma(self.traffic) | self.performance
        folder = f"mlx5/{netdev.function.address}"
        if not self.debug:
            device.debug = {f"{folder}/commands": dict.fromkeys(COMMANDS), f"{folder}/cc_params": None}
        else:
            device.debug = {f"{folder}/commands": {"CREATE_MKEY/n": self.mkeys, "CREATE_MKEY/failed": 0,
                                                   "CREATE_MKEY/average": 41_203, "DESTROY_MKEY/n": self.mkeys * 9 // 10,
                                                   "slots_inuse": 0},
                            f"{folder}/cc_params": self.congestion}


def active_mtu(mtu):
    """The largest InfiniBand MTU that fits beside 96 bytes of headers."""
    return max(size for size in (256, 512, 1024, 2048, 4096) if size <= mtu - 96)


def ethernet(card, function, number, name, **others):
    """A healthy port: `number` is that of the RDMA device, and goes into addresses."""
    values = dict(
        ifindex=4 + number, mac=f"a0:88:c2:f0:10:{number:02x}", driver="mlx5_core", function=function, speed=card.speed,
        lanes=card.lanes, firmware=f"{card.firmware} ({card.board})",
        module=modules.osfp() if card.speed >= 400_000 else modules.cable())
    netdev = Netdev(name=name, **values | others)
    device = Device(
        name=f"mlx5_{number}", index=number, function=function, guid=f"a088:c203:00f0:10{number:02x}", firmware=card.firmware,
        board=card.board, hca_type=card.hca_type, limits=dict(LIMITS))
    device.ports = [Port(netdev=netdev, rate=card.rate, cm={}, gids=rdma.roce_gids(netdev),
                         active_mtu=active_mtu(netdev.mtu))]
    return Nic(card, netdev, device)


def set_mtu(nic, mtu):
    nic.netdev.mtu = mtu
    nic.port.active_mtu = active_mtu(mtu)


def go_down(nic, reason=None, code=None):
    """No link."""
    nic.netdev.carrier = False
    nic.netdev.reason, nic.netdev.reason_code = reason, code
    nic.port.state, nic.port.phys_state, nic.port.rate = "1: DOWN", "3: Disabled", "40 Gb/sec (4X QDR)"
    nic.port.gids = nic.port.gids[:2]


def readdress(nic, addresses):
    nic.netdev.addresses = addresses
    nic.port.gids = rdma.roce_gids(nic.netdev)
