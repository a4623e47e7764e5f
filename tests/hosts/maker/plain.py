# SPDX-License-Identifier: GPL-2.0-or-later
"""A small virtual machine without any RDMA: most hosts look like this, and it must be quiet there."""

from . import machine
from .bundle import Moment, record
from .machine import NumaNode

BOOT_NS = 86_400_000_000_000
WALL_NS = 1_764_590_400_000_000_000  # 2025-12-01T12:00:00Z
IDENTITY = dict(hostname="web-3", kernel="6.1.0-41-amd64", machine="x86_64",
                boot_id="c1f0a7de-52b4-4d0f-9e3b-6a8d7715e902", uid=0, capabilities=0x1FFFFFFFFFF, hypervisor=True)
NODES = (NumaNode(0, "0-3"),)
ADDRESS = "0000:00:03.0"


def moments():
    return [moment(number) for number in (0, 1)]


def moment(number):
    now = Moment(BOOT_NS + 2_000_000_000 * number, WALL_NS + 2_000_000_000 * number)
    now.missing_folder("/sys/class/infiniband")
    packets = 5_211_004 + 240 * number
    now.answer("rtnl.link",
               record(ifindex=1, type=772, flags="0x10049", ifname="lo", operstate="UNKNOWN", mtu=65536, carrier=1,
                      carrier_changes=0, carrier_up=0, carrier_down=0, address="00:00:00:00:00:00", rx_packets=9_114,
                      tx_packets=9_114, rx_bytes=1_204_112, tx_bytes=1_204_112, rx_dropped=0, rx_missed=0),
               record(ifindex=2, type=1, flags="0x11043", ifname="ens3", operstate="UP", mtu=1500, carrier=1,
                      carrier_changes=2, carrier_up=1, carrier_down=1, address="52:54:00:7a:11:03", rx_packets=packets,
                      tx_packets=packets, rx_bytes=packets * 700, tx_bytes=packets * 700, rx_dropped=0, rx_missed=0))
    now.listing("/sys/class/net", ["lo", "ens3"])
    now.link("/sys/class/net/ens3/device", f"/sys/devices/pci0000:00/{ADDRESS}/virtio0")
    now.missing_link("/sys/class/net/lo/device", "/sys/class/net/ens3/master")
    now.missing_folder("/sys/class/net/ens3/qos")
    now.file("/sys/class/net/ens3/dev_port", 0)
    function = f"/sys/bus/pci/devices/{ADDRESS}"
    now.listing("/sys/bus/pci/devices", [ADDRESS])
    now.link(function, f"/sys/devices/pci0000:00/{ADDRESS}")
    now.link(f"{function}/driver", "/sys/bus/pci/drivers/virtio-pci")
    now.missing_link(f"{function}/physfn")
    now.file(f"{function}/class", "0x020000")
    now.answer("ethtool.driver/ens3", record(driver="virtio_net", version="1.0.0", bus=ADDRESS))
    now.answer("ethtool.link/ens3", record(autoneg=0, link=1))
    now.answer("ethtool.stats/ens3", record(rx_queue_0_packets=packets, rx_queue_0_drops=0, tx_queue_0_packets=packets))
    now.not_supported("ethtool.pause/ens3", "Operation not supported")
    for part in ("pfc", "ets", "app", "dcbx"):
        now.not_supported(f"dcb.{part}/ens3", "Operation not supported")
    machine.put_nodes(now, NODES)
    now.answer("kmsg")
    return now
