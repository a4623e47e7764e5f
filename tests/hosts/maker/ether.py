# SPDX-License-Identifier: GPL-2.0-or-later
"""Network interfaces: files, rtnetlink, ethtool and DCB, as far as all drivers answer alike."""

from dataclasses import dataclass, field

from .bundle import named_record, record
from .pci import Function

NOT_SUPPORTED = "Operation not supported"
COALESCE = dict(rx_usecs=8, rx_max_frames=128, tx_usecs=8, tx_max_frames=128, use_adaptive_rx=1, use_adaptive_tx=1)
FEATURES = {"rx-gro": 1, "rx-gro-hw": 0, "rx-lro": 0, "tx-tcp-segmentation": 1, "rx-ntuple-filter": 0, "hw-tc-offload": 0}


@dataclass
class Bond:
    """Of a bond."""

    members: tuple
    mode: str = "802.3ad 4"
    hash: str = "layer3+4 1"
    partner: str = "44:38:39:ff:10:01"


@dataclass
class Member:
    """Of an interface in a bond."""

    master: str
    state: str = "active"
    link: str = "up"
    failures: int = 0


@dataclass
class Netdev:
    name: str
    ifindex: int
    mac: str
    driver: str
    function: Function = None   # None: virtual
    dev_port: int = 0
    mtu: int = 4200
    type: int = 1               # ARPHRD: 1 Ethernet, 32 InfiniBand, 772 loopback
    up: bool = True             # switched on
    carrier: bool = True
    downs: int = 1              # times the link went; it came as often
    kind: str = None            # vlan, bond, veth
    lower: str = None
    vlan: int = None
    egress: str = None
    member: Member = None
    bond: Bond = None
    addresses: tuple = ()       # "10.9.0.1/24"
    sysctls: dict = field(default_factory=dict)
    packets: int = 0            # of the network stack, each way
    rx_missed: int = 0
    version: str = ""
    firmware: str = ""
    speed: int = 400_000        # Mbit/s
    lanes: int = 4
    autoneg: int = 0
    reason: str = None          # why there is no link
    reason_code: int = None
    pause: tuple = (0, 0)       # received frames obeyed, frames sent
    netlink: bool = True        # ethtool by netlink; by ioctl some things are not told
    coalesce: dict = field(default_factory=lambda: dict(COALESCE))
    rings: tuple = (1024, 8192)
    channels: tuple = (32, 63)
    features: dict = field(default_factory=lambda: dict(FEATURES))
    fec: dict = None            # None: the driver says nothing
    module: str = None          # an answer of modules.py; None: NOT_SUPPORTED
    statistics: dict = field(default_factory=dict)
    vfs: tuple = None           # in use, possible; None: no SR-IOV
    dcb: dict = None            # part → answer; None: the driver has no DCB
    vendor: dict = None         # files of the vendor's driver package below the interface, by folder (ecn, qos)
    lowers: tuple = ()          # interfaces below a virtual one

    @property
    def folder(self):
        return f"/sys/class/net/{self.name}"


def link_record(netdev):
    flags = 0x11043 if netdev.up and netdev.carrier else 0x1003 if netdev.up else 0x1002
    state = "UP" if netdev.carrier else "DOWN"
    downs = netdev.downs + (not netdev.carrier)
    packets = netdev.packets
    return record(
        ifindex=netdev.ifindex, type=netdev.type, flags=f"{flags:#x}", ifname=netdev.name, operstate=state, mtu=netdev.mtu,
        carrier=int(netdev.carrier), carrier_changes=downs + netdev.downs, carrier_up=netdev.downs, carrier_down=downs,
        address=netdev.mac, rx_packets=packets, tx_packets=packets, rx_bytes=packets * 900, tx_bytes=packets * 900,
        rx_dropped=0, rx_missed=netdev.rx_missed, kind=netdev.kind, link=netdev.lower,
        master=netdev.member.master if netdev.member else None, vlan_id=netdev.vlan, vlan_egress=netdev.egress)


def loopback_record():
    return record(ifindex=1, type=772, flags="0x10049", ifname="lo", operstate="UNKNOWN", mtu=65536, carrier=1,
                  carrier_changes=0, carrier_up=0, carrier_down=0, address="00:00:00:00:00:00", rx_packets=402_114,
                  tx_packets=402_114, rx_bytes=88_204_112, tx_bytes=88_204_112, rx_dropped=0, rx_missed=0)


def address_records(netdev):
    for address in netdev.addresses:
        ip, prefix = address.split("/")
        yield record(ifindex=netdev.ifindex, address=ip, prefix=prefix, scope="link" if ip.startswith("fe80") else "global")


def put_relations(moment, netdev):
    folder = netdev.folder
    if netdev.function:
        moment.link(f"{folder}/device", netdev.function.real)
        moment.link(f"{folder}/device/driver", f"/sys/bus/pci/drivers/{netdev.function.driver}")
        used, possible = netdev.vfs or (None, None)
        moment.folder(f"{folder}/device", {"sriov_numvfs": used, "sriov_totalvfs": possible})
    else:
        moment.missing_link(f"{folder}/device", f"{folder}/device/driver")
    if netdev.member:
        moment.link(f"{folder}/master", f"/sys/devices/virtual/net/{netdev.member.master}")
    else:
        moment.missing_link(f"{folder}/master")


def put_bonding(moment, netdev):
    folder = netdev.folder
    if netdev.bond:
        lacp = netdev.bond.mode.startswith("802.3ad")
        moment.folder(f"{folder}/bonding", {
            "mode": netdev.bond.mode, "slaves": " ".join(netdev.bond.members), "miimon": 100,
            "xmit_hash_policy": netdev.bond.hash, "lacp_rate": "fast 1",
            "ad_partner_mac": netdev.bond.partner if lacp else "", "ad_num_ports": len(netdev.bond.members) if lacp else ""})
    if netdev.member:
        moment.folder(f"{folder}/bonding_slave", {
            "state": netdev.member.state, "mii_status": netdev.member.link,
            "link_failure_count": netdev.member.failures, "ad_aggregator_id": 1})


def put_files(moment, netdev):
    folder = netdev.folder
    moment.folder(folder, {"ifindex": netdev.ifindex, "dev_port": netdev.dev_port,
                           "flags": "0x1003" if netdev.up else "0x1002"})
    names = ["address", "carrier", "dev_port", "flags", "ifindex", "mtu", "operstate", "statistics"]
    names += ["device"] if netdev.function else []
    names += ["master", "bonding_slave"] if netdev.member else []
    names += ["bonding"] if netdev.bond else []
    names += [f"lower_{name}" for name in netdev.lowers] + list(netdev.vendor or ())
    moment.listing(folder, names)
    moment.missing(f"{folder}/phys_port_name")
    for part in ("ecn", "qos"):
        if part in (netdev.vendor or {}):
            moment.folder(f"{folder}/{part}", netdev.vendor[part])
        else:
            moment.missing_folder(f"{folder}/{part}")
    moment.folder(f"/proc/sys/net/ipv4/conf/{netdev.name}",
                  {"arp_ignore": 0, "arp_announce": 0, "arp_filter": 0, "rp_filter": 0} | netdev.sysctls)


def put_ethtool(moment, netdev):
    name = netdev.name
    moment.answer(f"ethtool.driver/{name}", record(
        driver=netdev.driver, version=netdev.version, firmware=netdev.firmware or None,
        bus=netdev.function.address if netdev.function else None))
    up = netdev.carrier
    moment.answer(f"ethtool.link/{name}", record(
        autoneg=netdev.autoneg, speed=netdev.speed if up else None, duplex="full" if up else None,
        lanes=netdev.lanes if up and netdev.netlink else None, link=int(up),
        ext_state=None if up or not netdev.netlink else netdev.reason, ext_substate=None if up else netdev.reason_code))
    if netdev.function is None:
        for part in ("pause", "coalesce", "rings", "channels", "fec", "module", "stats"):
            moment.not_supported(f"ethtool.{part}/{name}", NOT_SUPPORTED)
    else:
        put_device_settings(moment, netdev)
    moment.answer(f"ethtool.features/{name}", *(
        record(name=feature, active=active, wanted=active, hw=1, nochange=0) for feature, active in netdev.features.items()))


def put_device_settings(moment, netdev):
    name = netdev.name
    moment.answer(f"ethtool.pause/{name}", record(autoneg=0, rx=netdev.pause[0], tx=netdev.pause[1]))
    moment.answer(f"ethtool.coalesce/{name}", record(**netdev.coalesce))
    now, most = netdev.rings
    moment.answer(f"ethtool.rings/{name}", record(rx_max=most, tx_max=most, rx=now, tx=now))
    now, most = netdev.channels
    moment.answer(f"ethtool.channels/{name}", record(
        rx_max=0, tx_max=0, other_max=0, combined_max=most, rx_count=0, tx_count=0, other_count=0, combined_count=now))
    for part, answer in (("fec", netdev.fec and record(**netdev.fec)), ("module", netdev.module)):
        if answer:
            moment.answer(f"ethtool.{part}/{name}", answer)
        else:
            moment.not_supported(f"ethtool.{part}/{name}", NOT_SUPPORTED)
    moment.answer(f"ethtool.stats/{name}", named_record(netdev.statistics))


def numbered(key, values):
    return {f"{key}_{number}": value for number, value in enumerate(values)}


def dcb(pfc=0, dscp=None, delay=7, buffers=None, host=1, bandwidth=None, strict=(6,)):
    """Answers of DCB: `dscp` → priority; `buffers`: the receive buffer of each priority, and the sizes of them."""
    share = 5 if pfc == 1 << 5 else 3    # the class of RoCE has most of the bandwidth
    bandwidth = bandwidth or [10 if tc == 0 else 90 if tc == share else 0 for tc in range(8)]
    answers = {
        "pfc": record(cap=8, enabled=pfc, mbc=0, delay=delay, **numbered("requests", [0] * 8),
                      **numbered("indications", [0] * 8)),
        "ets": record(cap=8, willing=0, cbs=0, **numbered("prio_tc", range(8)),
                      **numbered("tc_tsa", ["strict" if tc in strict else "ets" for tc in range(8)]),
                      **numbered("tc_bw", bandwidth)),
        "app": "".join(record(selector="dscp", protocol=code, priority=priority) for code, priority in (dscp or {}).items()),
        "dcbx": record(mode=8 + host, host=host, lld=1 - host, cee=0, ieee=1, static=0),
        "maxrate": record(**numbered("tc_maxrate", [0] * 8)),
    }
    if buffers:
        of_priority, sizes = buffers
        answers["buffer"] = record(**numbered("prio_buffer", of_priority), **numbered("size", sizes), total=sum(sizes))
    return answers


def put_dcb(moment, netdev):
    for part in ("pfc", "ets", "app", "buffer", "maxrate", "dcbx"):
        if netdev.dcb and part in netdev.dcb:
            moment.answer(f"dcb.{part}/{netdev.name}", netdev.dcb[part])
        else:
            moment.not_supported(f"dcb.{part}/{netdev.name}", NOT_SUPPORTED)


def put_netdevs(moment, netdevs):
    moment.listing("/sys/class/net", ["lo"] + [netdev.name for netdev in netdevs]
                   + ["bonding_masters"] * any(netdev.bond for netdev in netdevs))
    moment.missing_link("/sys/class/net/lo/device")
    moment.answer("rtnl.link", loopback_record(), *map(link_record, netdevs))
    moment.answer("rtnl.addr", record(ifindex=1, address="127.0.0.1", prefix=8, scope="host"),
                  *(line for netdev in netdevs for line in address_records(netdev)))
    for netdev in netdevs:
        put_relations(moment, netdev)
        put_bonding(moment, netdev)
        put_files(moment, netdev)
        put_ethtool(moment, netdev)
        put_dcb(moment, netdev)
