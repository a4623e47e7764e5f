# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine of a developer: soft-RoCE on one interface, soft-iWARP on another."""

from . import node, plain, rdma, system
from .machine import NumaNode
from .node import Node
from .rdma import Device, Port

IDENTITY = node.identity("dev-9", "6.12.57+deb13-amd64", "7e02c5b9-d1f4-4c38-8a6d-0f93b2e7c415", hypervisor=True)
UP_NS = 86_400_000_000_000
LIMITS = dict(max_qp=1_048_560, max_cq=1_048_576, max_mr=524_287, max_mr_size=2**64 - 1, max_qp_wr=1_048_576, max_sge=32,
              max_qp_rd_atom=128, atomic="hca", odp=0)
COUNTERS = ("sent_pkts", "rcvd_pkts", "duplicate_request", "out_of_seq_request", "rcvd_rnr_err", "send_rnr_err", "rcvd_seq_err",
            "ack_deferred", "retry_exceeded_err", "retry_rnr_exceeded_err", "completer_retry_err", "send_err", "link_downed",
            "rdma_sends", "rdma_recvs")


class SoftRoce:
    """What rdma_rxe makes of an interface."""

    def __init__(self, netdev, moment):
        self.netdev = netdev
        self.counters = {"sent_pkts": 904_110 + 2_110 * moment, "rcvd_pkts": 880_204 + 2_104 * moment,
                         "rdma_sends": 40_110 + 90 * moment}
        self.device = Device(name="rxe0", index=0, function=None, guid="5054:00ff:fe7a:1103", limits=dict(LIMITS),
                             parent=netdev.name, qps=[rdma.Qp(1, type="GSI", kern="ib_core")], cqs=["ib_core"])
        self.device.ports = [Port(netdev=netdev, rate="10 Gb/sec (1X FDR10)", cm={}, gids=rdma.roce_gids(netdev),
                                  active_mtu=1024)]

    @property
    def port(self):
        return self.device.ports[0]

    def finish(self):
        self.port.statistics = dict.fromkeys(COUNTERS, 0) | self.counters


class SoftIwarp:
    def __init__(self, netdev):
        self.netdev = netdev
        self.device = Device(name="siw0", index=1, function=None, guid="5254:00ff:fe7a:1104", node_type="4: RNIC",
                             protocol="iw", limits=LIMITS | dict(max_qp=102_400, max_sge=6))
        self.device.ports = [Port(netdev=netdev, rate="10 Gb/sec (1X FDR10)", pkey=None, gid_slots=1,
                                  gids=[rdma.Gid("5254:007a:1104:0000:0000:0000:0000:0000", "IB/RoCE v1", netdev.name)])]

    def finish(self):
        pass


def healthy(moment):
    functions = [plain.virtio("0000:00:03.0"), plain.virtio("0000:00:04.0")]
    roce = plain.interface(functions[0], moment, driver="virtio_net")
    iwarp = plain.interface(functions[1], moment, name="ens4", ifindex=3, mac="52:54:00:7a:11:04",
                            addresses=("198.51.100.23/24",))
    for netdev in (roce, iwarp):
        netdev.coalesce = dict(rx_usecs=0, rx_max_frames=1, tx_usecs=0, tx_max_frames=1)
    services = (*plain.VIRTUAL["services"], "iwpmd.service")
    return Node(IDENTITY, moment, UP_NS, (NumaNode(0, "0-3", 8_131_752, 5_204_116),), system.System(
        4, modules=("rdma_rxe", "siw"), **plain.VIRTUAL | dict(services=services)), functions=functions,
        nics=[SoftRoce(roce, moment), SoftIwarp(iwarp)])


def degrade(host):
    """The address changed under the device, a packet filter keeps UDP port 4791 out, and the port mapper was not started. The other
    interface was switched off for a test and forgotten."""
    later = host.number
    roce, iwarp = host.nics
    roce.netdev.addresses = ("192.0.2.77/24",)
    roce.port.gids = roce.port.gids[:2]
    roce.counters |= {"rcvd_pkts": 880_204, "retry_exceeded_err": 4 + 2 * later, "completer_retry_err": 904 + 14 * later}
    roce.port.cm = {"cm_tx_msgs/req": 40 + 9 * later, "cm_tx_retries/req": 30 + 8 * later}
    roce.netdev.coalesce = dict(rx_usecs=250, rx_max_frames=64, tx_usecs=250, tx_max_frames=64, use_adaptive_rx=0)
    host.system.services = plain.VIRTUAL["services"]
    iwarp.netdev.up = iwarp.netdev.carrier = False
    iwarp.device.ports[0].state, iwarp.device.ports[0].phys_state = "1: DOWN", "3: Disabled"


def without_module(host):
    """A kernel whose package leaves rdma_rxe out, and a host that wants it."""
    host.nics = []
    host.netdevs = [plain.interface(host.functions[0], host.number)]
    host.functions = host.functions[:1]
    host.system.modules, host.system.absent = (), plain.WITHOUT_RDMA
    host.system.wanted = {"rxe.conf": "rdma_rxe\n"}
    host.system.packaged = "kernel/drivers/infiniband/core/ib_core.ko:\nkernel/drivers/infiniband/sw/siw/siw.ko:\n"


def moments(change=lambda host: None):
    return node.moments(healthy, change)
