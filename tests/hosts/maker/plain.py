# SPDX-License-Identifier: GPL-2.0-or-later
"""A small virtual machine without any RDMA: most hosts look like this, and it must be quiet there."""

from . import node, pci, system
from .ether import Netdev
from .machine import NumaNode
from .node import Node

UP_NS = 86_400_000_000_000
IDENTITY = node.identity("web-3", "6.1.0-41-amd64", "c1f0a7de-52b4-4d0f-9e3b-6a8d7715e902", hypervisor=True)
NODES = (NumaNode(0, "0-3", memory_kb=8_131_752, free_kb=5_204_116),)
UNTOUCHED = 2_000_000_000  # microseconds: nobody asks for short sleep
VIRTUAL = dict(sockets=1, cmdline="BOOT_IMAGE=/vmlinuz root=/dev/vda1 ro quiet", frequency_driver=None, deepest=0,
               latency_limit=UNTOUCHED, iommus=(), services=("cron.service", "ssh.service"))
WITHOUT_RDMA = ("ib_core", "ib_uverbs", "ib_cm", "rdma_cm", "rdma_ucm", "iw_cm", "ib_umad")


def virtio(address="0000:00:03.0"):
    return pci.Function(address=address, path=f"pci0000:00/{address}", type="endpoint", vendor=0x1AF4, device=0x1041,
                        pci_class=0x020000, driver="virtio-pci", node=-1, iommu=None, aer=False)


def interface(function, moment, **others):
    values = dict(name="ens3", ifindex=2, mac="52:54:00:7a:11:03", driver="virtio_net", function=function, mtu=1500,
                  version="1.0.0", speed=None, lanes=None, addresses=("192.0.2.23/24",), packets=5_211_004 + 240 * moment,
                  rings=(256, 256), channels=(1, 4))
    netdev = Netdev(**values | others)
    netdev.statistics = {"rx_queue_0_packets": netdev.packets, "rx_queue_0_drops": 0, "tx_queue_0_packets": netdev.packets}
    return netdev


def healthy(moment):
    function = virtio()
    return Node(IDENTITY, moment, UP_NS, NODES, system.System(4, absent=WITHOUT_RDMA, **VIRTUAL), functions=[function],
                netdevs=[interface(function, moment)])


def moments():
    return node.moments(healthy)
