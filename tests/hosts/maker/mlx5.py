# SPDX-License-Identifier: GPL-2.0-or-later
"""A ConnectX-7 port: RDMA device, netdev and DCB state, as the mlx5 driver of Linux 6.8 answers for them."""

from dataclasses import dataclass, field

from .bundle import named_record, record
from .mlx5_counters import Traffic, ethtool_statistics, rdma_statistics
from .pci import Function

BOARD = "MT_0000000838"
FIRMWARE = "28.41.1000"
ENDPOINT = dict(vendor=0x15B3, device=0x1021, pci_class=0x020000, driver="mlx5_core", mrrs=4096)
HCA_TYPE = f"MT{0x1021}"  # the driver prints the PCI device id in decimal: MT4129


@dataclass
class Qp:
    number: int
    pid: int = 0
    type: str = "RC"
    state: str = "RTS"
    kern: str = ""
    remote: int = 0


@dataclass
class Nic:
    number: int
    function: Function
    netdev: str
    ifindex: int
    mtu: int = 4200
    dscp: dict = field(default_factory=lambda: {26: 3, 48: 6})  # empty: the port trusts PCP
    pfc: int = 1 << 3
    default_tos: int = 106
    rdma: bool = True           # False: the function is bound to mlx5_core, but has no RDMA device
    carrier_downs: int = 0
    qps: list = field(default_factory=list)
    contexts: list = field(default_factory=list)  # process ids
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def name(self):
        return f"mlx5_{self.number}"

    @property
    def mac(self):
        return f"a0:88:c2:f0:10:{self.number:02x}"

    @property
    def guid(self):
        return f"a088:c203:00f0:10{self.number:02x}"

    @property
    def active_mtu(self):
        """The largest InfiniBand MTU that fits beside 96 bytes of headers."""
        return max(size for size in (256, 512, 1024, 2048, 4096) if size <= self.mtu - 96)


def put_sysfs(moment, nic):
    folder = f"/sys/class/infiniband/{nic.name}"
    files = {"board_id": BOARD, "fw_ver": FIRMWARE, "hca_type": HCA_TYPE, "node_type": "1: CA", "node_guid": nic.guid,
             "sys_image_guid": nic.guid}
    moment.listing(folder, [*files, "device", "ports"])
    moment.link(f"{folder}/device", nic.function.real)
    for name, value in files.items():
        moment.file(f"{folder}/{name}", value)
    moment.missing(f"{folder}/parent")  # of soft-RoCE
    moment.listing(f"{folder}/ports", ["1"])
    for name, value in (("state", "4: ACTIVE"), ("phys_state", "5: LinkUp"), ("rate", "400 Gb/sec (4X NDR)"),
                        ("link_layer", "Ethernet"), ("lid", "0x0"), ("sm_lid", "0x0")):
        moment.file(f"{folder}/ports/1/{name}", value)
    moment.file(f"/sys/kernel/config/rdma_cm/{nic.name}/ports/1/default_roce_tos", nic.default_tos)


def device_record(nic):
    return record(index=nic.number, name=nic.name, ports=1, fw=FIRMWARE, node_guid=nic.guid, sys_image_guid=nic.guid,
                  node_type="ca", dim=1, protocol="roce")


def qp_record(qp):
    connected = qp.type == "RC"
    return record(port=1, lqpn=qp.number, pdn=None if qp.kern else 2, rqpn=qp.remote if connected else None,
                  sq_psn=qp.number * 17 % 2**24, path_mig="MIGRATED" if connected else None, type=qp.type, state=qp.state,
                  pid=None if qp.kern else qp.pid, kern=qp.kern or None)


def put_rdma_netlink(moment, nic):
    moment.answer(f"rdma.port/{nic.name}/1", record(state=4, phys_state=5, ifindex=nic.ifindex, netdev=nic.netdev))
    moment.answer(f"rdma.resources/{nic.name}", record(
        pd=2 + len(nic.contexts), cq=4 + len(nic.qps), qp=len(nic.qps), cm_id=0, mr=12 * len(nic.contexts),
        ctx=len(nic.contexts), srq=2))
    moment.answer(f"rdma.qp/{nic.name}", *(qp_record(qp) for qp in nic.qps))
    moment.answer(f"rdma.ctx/{nic.name}", *(record(ctxn=number, pid=pid) for number, pid in enumerate(nic.contexts)))
    moment.answer(f"rdma.stat/{nic.name}/1", named_record(rdma_statistics(nic.traffic)))


def put_verbs(moment, nic):
    moment.answer(
        f"verbs.device/{nic.name}",
        record(fw=FIRMWARE, max_qp=131072, max_cq=16777216, max_mr=16777216, max_mr_size=2**64 - 1, max_qp_wr=32768,
               max_sge=30, max_qp_rd_atom=16, atomic="hca", odp=1, phys_port_cnt=1),
        record(port=1, state=4, active_mtu=nic.active_mtu, max_mtu=4096, link_layer="Ethernet", active_speed=100000,
               active_width=4, lid=0, gid_tbl_len=255))


def put_netdev(moment, nic):
    folder = f"/sys/class/net/{nic.netdev}"
    moment.link(f"{folder}/device", nic.function.real)
    moment.file(f"{folder}/dev_port", 0)
    moment.missing_link(f"{folder}/master")
    moment.missing_folder(f"{folder}/qos")  # of the vendor's driver package
    moment.answer(f"ethtool.driver/{nic.netdev}", record(
        driver="mlx5_core", version="6.8.0-45-generic", firmware=f"{FIRMWARE} ({BOARD})", bus=nic.function.address))
    moment.answer(f"ethtool.link/{nic.netdev}", record(autoneg=1, speed=400000, lanes=4, duplex="full", link=1))
    moment.answer(f"ethtool.pause/{nic.netdev}", record(autoneg=0, rx=0, tx=0))
    moment.answer(f"ethtool.stats/{nic.netdev}", named_record(ethtool_statistics(nic.traffic)))


def numbered(key, values):
    return {f"{key}_{number}": value for number, value in enumerate(values)}


def put_dcb(moment, nic):
    # The driver's cache of these two is refreshed by `ethtool -S` only; nobody has asked that on these hosts.
    moment.answer(f"dcb.pfc/{nic.netdev}", record(
        cap=8, enabled=nic.pfc, mbc=0, delay=7, **numbered("requests", [0] * 8), **numbered("indications", [0] * 8)))
    moment.answer(f"dcb.ets/{nic.netdev}", record(
        cap=8, willing=0, cbs=0, **numbered("prio_tc", range(8)),
        **numbered("tc_tsa", ["ets"] * 6 + ["strict", "ets"]), **numbered("tc_bw", [10, 0, 0, 90, 0, 0, 0, 0])))
    moment.answer(f"dcb.app/{nic.netdev}", *(
        record(selector="dscp", protocol=dscp, priority=priority) for dscp, priority in nic.dscp.items()))
    moment.answer(f"dcb.dcbx/{nic.netdev}", record(mode=9, host=1, lld=0, cee=0, ieee=1, static=0))


def link_record(nic):
    return record(ifindex=nic.ifindex, type=1, flags="0x11043", ifname=nic.netdev, operstate="UP", mtu=nic.mtu, carrier=1,
                  carrier_changes=2 * nic.carrier_downs + 2, carrier_up=nic.carrier_downs + 1,
                  carrier_down=nic.carrier_downs + 1, address=nic.mac, rx_packets=nic.traffic.ethernet,
                  tx_packets=nic.traffic.ethernet, rx_bytes=nic.traffic.ethernet * 900,
                  tx_bytes=nic.traffic.ethernet * 900, rx_dropped=0, rx_missed=0)


def put_nic(moment, nic):
    put_netdev(moment, nic)
    put_dcb(moment, nic)
    if nic.rdma:
        put_sysfs(moment, nic)
        put_rdma_netlink(moment, nic)
        put_verbs(moment, nic)
