# SPDX-License-Identifier: GPL-2.0-or-later
"""RDMA devices: files, RDMA netlink, verbs, configfs and debugfs, as far as all drivers answer alike."""

from dataclasses import dataclass, field

from .bundle import named_record, record
from .pci import Function

EMPTY = "0000:0000:0000:0000:0000:0000:0000:0000"
CM_MESSAGES = {
    "cm_tx_msgs": ("req", "rep", "rej", "rtu", "dreq"), "cm_tx_retries": ("req", "rep", "dreq"),
    "cm_rx_msgs": ("req", "mra", "rep", "rej", "rtu", "dreq"), "cm_rx_duplicates": ("req", "rep", "dreq")}
PMA = ("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
       "port_rcv_switch_relay_errors", "port_xmit_discards", "port_xmit_constraint_errors", "port_rcv_constraint_errors",
       "local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped", "port_xmit_wait", "port_xmit_data",
       "port_rcv_data", "port_xmit_packets", "port_rcv_packets", "unicast_xmit_packets", "unicast_rcv_packets",
       "multicast_xmit_packets", "multicast_rcv_packets")


@dataclass
class Qp:
    number: int
    pid: int = 0
    type: str = "RC"
    state: str = "RTS"
    kern: str = ""
    remote: int = 0
    port: int = 1


@dataclass
class Gid:
    value: str
    type: str = "RoCE v2"
    netdev: str = ""


@dataclass
class Port:
    netdev: object = None       # Netdev
    number: int = 1
    state: str = "4: ACTIVE"
    phys_state: str = "5: LinkUp"
    rate: str = "400 Gb/sec (4X NDR)"
    layer: str = "Ethernet"
    lid: str = "0x0"
    sm_lid: str = "0x0"
    pkey: object = "0xffff"     # None: no partitions, as with iWARP
    gids: list = field(default_factory=list)
    gid_slots: int = 32         # cut: mlx5 has 255, all the others of them zero
    active_mtu: int = 4096
    max_mtu: int = 4096
    pma: object = None          # counters of the performance agent that are not zero; None: the driver has none
    statistics: object = None   # of the driver; None: it counts nothing
    cm: object = None           # "cm_tx_msgs/req" → messages; None: no connection manager, as with iWARP
    tos: object = None          # default of rdma_cm; None: nobody set one
    roce_mode: str = "RoCE v2"
    traffic_class: object = None  # text of the vendor's file; None: no such file
    here: bool = True           # its netdev is in this network namespace


@dataclass
class Device:
    name: str
    index: int
    function: Function
    guid: str
    image_guid: str = ""        # of the card; empty: the same
    firmware: str = ""
    board: object = None
    hca_type: object = None
    node_type: str = "1: CA"
    protocol: object = "roce"
    ports: list = field(default_factory=list)
    limits: dict = field(default_factory=dict)
    qps: list = field(default_factory=list)
    mrs: list = field(default_factory=list)      # (pid or module, bytes)
    cqs: list = field(default_factory=list)      # pid or module
    cm_ids: list = field(default_factory=list)   # (pid or module, state)
    contexts: list = field(default_factory=list)  # process ids
    held: object = None         # counts of the summary where the tables are too large to be shown here
    uverbs_mode: str = "0666"
    node: bool = True           # /dev/infiniband has its node
    statistics: bool = True     # netlink gives the counters of a port (Linux 5.3)
    table_of_contexts: bool = True  # netlink gives the contexts (Linux 5.14)
    parent: object = None       # of soft-RoCE: the interface it is made of
    counters: object = None     # of the device as a whole
    debug: dict = field(default_factory=dict)    # folder below /sys/kernel/debug → files; None: it is not there

    @property
    def folder(self):
        return f"/sys/class/infiniband/{self.name}"


def link_local(mac):
    octets = [int(part, 16) for part in mac.split(":")[-6:]]
    octets[0] ^= 2
    words = [octets[0] << 8 | octets[1], octets[2] << 8 | 0xFF, 0xFE00 | octets[3], octets[4] << 8 | octets[5]]
    return ":".join(f"{word:04x}" for word in (0xFE80, 0, 0, 0, *words))


def mapped(address):
    octets = [int(part) for part in address.split("/")[0].split(".")]
    return f"0000:0000:0000:0000:0000:ffff:{octets[0]:02x}{octets[1]:02x}:{octets[2]:02x}{octets[3]:02x}"


def roce_gids(*netdevs):
    """What the kernel makes of the addresses of interfaces: each GID once for RoCE v1 and once for v2."""
    gids = []
    for netdev in netdevs:
        values = [link_local(netdev.mac)] + [mapped(address) for address in netdev.addresses if "." in address]
        gids += [Gid(value, type, netdev.name) for value in values for type in ("IB/RoCE v1", "RoCE v2")]
    return gids


def put_gids(moment, folder, port):
    values = [gid.value for gid in port.gids] + [EMPTY] * (port.gid_slots - len(port.gids))
    moment.listing(f"{folder}/gids", [str(index) for index in range(len(values))])
    moment.folder(f"{folder}/gids", dict(enumerate(values)))
    if port.layer != "Ethernet":
        return
    for index, gid in enumerate(port.gids):
        moment.file(f"{folder}/gid_attrs/types/{index}", gid.type)
        moment.file(f"{folder}/gid_attrs/ndevs/{index}", gid.netdev)
    if not port.gids:
        moment.missing(f"{folder}/gid_attrs/ndevs/0")


def put_counters(moment, folder, port):
    if port.pma is None:
        moment.missing_folder(f"{folder}/counters")
    else:
        moment.listing(f"{folder}/counters", PMA)
        moment.folder(f"{folder}/counters", dict.fromkeys(PMA, 0) | port.pma)
    if port.cm is not None:
        for part, names in CM_MESSAGES.items():
            moment.folder(f"{folder}/{part}", {name: port.cm.get(f"{part}/{name}", 0) for name in names})
    if port.statistics is None:
        moment.missing_folder(f"{folder}/hw_counters")
    else:
        moment.folder(f"{folder}/hw_counters", port.statistics)


def put_port(moment, device, port):
    folder = f"{device.folder}/ports/{port.number}"
    moment.folder(folder, {"state": port.state, "phys_state": port.phys_state, "rate": port.rate, "link_layer": port.layer,
                           "lid": port.lid, "sm_lid": port.sm_lid, "pkeys/0": port.pkey})
    names = ["state", "phys_state", "rate", "link_layer", "lid", "sm_lid", "gids", "gid_attrs"]
    names += ["counters"] * (port.pma is not None) + ["hw_counters"] * (port.statistics is not None)
    names += list(CM_MESSAGES) if port.cm is not None else []
    moment.listing(folder, names)
    put_gids(moment, folder, port)
    put_counters(moment, folder, port)
    if port.traffic_class is not None:
        moment.file(f"{device.folder}/tc/{port.number}/traffic_class", port.traffic_class)
    if port.tos is not None:
        moment.folder(f"/sys/kernel/config/rdma_cm/{device.name}/ports/{port.number}",
                      {"default_roce_tos": port.tos, "default_roce_mode": port.roce_mode})
    put_port_netlink(moment, device, port)


def put_port_netlink(moment, device, port):
    state, physical = (int(text.split(":")[0]) for text in (port.state, port.phys_state))
    ib = port.layer == "InfiniBand"
    netdev = port.netdev if port.here else None
    moment.answer(f"rdma.port/{device.name}/{port.number}", record(
        state=state, phys_state=physical, lid=int(port.lid, 16) if ib else None, sm_lid=int(port.sm_lid, 16) if ib else None,
        ifindex=netdev.ifindex if netdev else None, netdev=netdev.name if netdev else None))
    subject = f"rdma.stat/{device.name}/{port.number}"
    if port.statistics is None or not device.statistics:
        moment.not_supported(subject, "Invalid argument")
    else:
        moment.answer(subject, named_record(port.statistics))


def put_files(moment, device):
    folder = device.folder
    files = {"node_type": device.node_type, "node_guid": device.guid, "sys_image_guid": device.image_guid or device.guid,
             "fw_ver": device.firmware, "board_id": device.board, "hca_type": device.hca_type}
    moment.folder(folder, files)
    names = [name for name, value in files.items() if value is not None] + ["ports"]
    names += ["device"] if device.function else []
    names += ["tc"] if any(port.traffic_class is not None for port in device.ports) else []
    moment.listing(folder, names + ["hw_counters"] * bool(device.counters))
    if device.function:
        moment.link(folder, f"{device.function.real}/infiniband/{device.name}")
        moment.link(f"{folder}/device", device.function.real)
        moment.link(f"{folder}/device/driver", f"/sys/bus/pci/drivers/{device.function.driver}")
    else:
        moment.link(folder, f"/sys/devices/virtual/infiniband/{device.name}")
        moment.missing_link(f"{folder}/device", f"{folder}/device/driver")
    moment.folder(folder, {"parent": device.parent})
    moment.listing(f"{folder}/ports", [str(port.number) for port in device.ports])
    if device.counters:
        moment.folder(f"{folder}/hw_counters", device.counters)
    else:
        moment.missing_folder(f"{folder}/hw_counters")
    for path, values in device.debug.items():
        if values is None:
            moment.missing_folder(f"/sys/kernel/debug/{path}")
        else:
            moment.folder(f"/sys/kernel/debug/{path}", values)


def owner(who):
    return dict(pid=who) if isinstance(who, int) else dict(kern=who)


def qp_record(qp):
    connected = qp.type == "RC"
    return record(port=qp.port, lqpn=qp.number, pdn=None if qp.kern else 2, rqpn=qp.remote if connected else None,
                  sq_psn=qp.number * 17 % 2**24, path_mig="MIGRATED" if connected else None, type=qp.type, state=qp.state,
                  pid=None if qp.kern else qp.pid, kern=qp.kern or None)


def put_resources(moment, device):
    name = device.name
    counts = dict(pd=2 + len(device.contexts), cq=len(device.cqs), qp=len(device.qps), cm_id=len(device.cm_ids),
                  mr=len(device.mrs), ctx=len(device.contexts), srq=2)
    if not device.table_of_contexts:
        del counts["srq"]
    moment.answer(f"rdma.resources/{name}", record(**counts | (device.held or {})))
    moment.answer(f"rdma.qp/{name}", *map(qp_record, device.qps))
    moment.answer(f"rdma.cq/{name}", *(
        record(cqe=4095, users=2, cqn=number, **owner(who)) for number, who in enumerate(device.cqs)))
    moment.answer(f"rdma.mr/{name}", *(
        record(length=length, mrn=number, pdn=2, **owner(who)) for number, (who, length) in enumerate(device.mrs)))
    moment.answer(f"rdma.cm_id/{name}", *(
        record(port=1, type="RC", state=state, ps="TCP", cm_idn=number, **owner(who))
        for number, (who, state) in enumerate(device.cm_ids)))
    if device.table_of_contexts:
        moment.answer(f"rdma.ctx/{name}", *(record(ctxn=number, pid=pid) for number, pid in enumerate(device.contexts)))
    else:
        moment.not_supported(f"rdma.ctx/{name}", "Invalid argument")


def put_verbs(moment, device):
    ports = []
    for port in device.ports:
        ports.append(record(port=port.number, state=int(port.state.split(":")[0]), active_mtu=port.active_mtu,
                            max_mtu=port.max_mtu, link_layer=port.layer, active_speed=100000, active_width=4,
                            lid=int(port.lid, 16), gid_tbl_len=port.gid_slots))
    moment.answer(f"verbs.device/{device.name}", record(
        fw=device.firmware or None, **device.limits, phys_port_cnt=len(device.ports)), *ports)


def put_nodes(moment, devices, manager):
    """Character devices. The number of a node has nothing to do with that of its device, here they are equal."""
    nodes = []
    moment.listing("/sys/class/infiniband_verbs", ["abi_version"] + [f"uverbs{device.index}" for device in devices])
    for device in devices:
        moment.file(f"/sys/class/infiniband_verbs/uverbs{device.index}/ibdev", device.name)
        if device.node:
            nodes.append((f"uverbs{device.index}", device.uverbs_mode))
    nodes += [("rdma_cm", "0666")] if manager else []
    moment.listing("/dev", ["cpu_dma_latency", "kmsg", "null"] + ["infiniband"] * bool(nodes))
    if nodes:
        moment.listing("/dev/infiniband", [name for name, _ in nodes])
    else:
        moment.missing_folder("/dev/infiniband")
    moment.answer("infiniband.nodes", *(record(name=name, mode=mode, uid=0, gid=0) for name, mode in nodes))


def put_nothing(moment):
    """The core of RDMA is not loaded."""
    for path in ("/sys/class/infiniband", "/sys/class/infiniband_verbs", "/sys/kernel/config/rdma_cm", "/dev/infiniband"):
        moment.missing_folder(path)
    for subject in ("rdma.devices", "rdma.system"):
        moment.not_supported(subject, "the kernel has no RDMA netlink")
    moment.listing("/dev", ["cpu_dma_latency", "kmsg", "null"])
    moment.answer("infiniband.nodes")


def put_devices(moment, devices, manager=True):
    """`manager`: programs can use the connection manager."""
    if not manager and not devices:
        return put_nothing(moment)
    moment.listing("/sys/class/infiniband", [device.name for device in devices])
    moment.answer("rdma.devices", *(record(
        index=device.index, name=device.name, ports=len(device.ports), fw=device.firmware or None, node_guid=device.guid,
        sys_image_guid=device.image_guid or device.guid, node_type="rnic" if device.node_type.startswith("4") else "ca",
        dim=1, protocol=device.protocol) for device in devices))
    with_defaults = [device.name for device in devices if any(port.tos is not None for port in device.ports)]
    moment.listing("/sys/kernel/config/rdma_cm", with_defaults)
    put_nodes(moment, devices, manager)
    for device in devices:
        put_files(moment, device)
        for port in device.ports:
            put_port(moment, device, port)
        put_resources(moment, device)
        put_verbs(moment, device)
