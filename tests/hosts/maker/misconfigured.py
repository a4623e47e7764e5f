# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of made-cx7x8-training-misconfigured: the host around the cards, after its firmware settings were reset and its kernel was
replaced."""

from . import modules
from .machine import NumaNode


def firmware_settings(host):
    """Sub-NUMA clustering on, access control on the switch ports, smallest payloads, translation by the IOMMU."""
    host.nodes = tuple(NumaNode(number, f"{16 * number}-{16 * number + 15}", 528_280_576, 440_204_110,
                                *((8192, 2) if number == 0 else (0, 0))) for number in range(4))
    for card, nic in enumerate(host.nics):
        for function in host.functions:
            if function.path.startswith(nic.function.path.split("/")[0]):
                function.node = card // 2
                function.iommu = "DMA-FQ"
                function.acs = 0x1D if function.type == "downstream" else function.acs
    for rank, process in enumerate(host.processes):
        process.cpulist = host.nodes[rank // 2].cpulist
    host.system.cmdline = "BOOT_IMAGE=/vmlinuz root=/dev/md0 ro"
    host.system.governor, host.system.preference, host.system.latency_limit = "powersave", "power", 2_000_000_000


def kernel(host):
    """The NVIDIA driver was built without peer memory, and nobody noticed: the closed modules do not offer dma-buf."""
    host.system.modules = ("mlx5_core", "mlx5_ib", "nvidia")
    host.system.nvidia = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Wed Jan 15 10:01:12 UTC 2025\n"
    host.system.wanted = {}
    host.system.services += ("irqbalance.service",)
    host.system.irqbalance = "#IRQBALANCE_ARGS=\n"


def slow_memory(host, nic):
    """Writes to memory stall: ordering is strict, and the peers are paused for it."""
    later = host.number
    nic.function.relaxed_ordering = 0
    nic.function.mps = 128
    nic.traffic.ethtool |= {"outbound_pci_stalled_wr": 62, "outbound_pci_stalled_wr_events": 40_110 + 12 * later,
                            "outbound_pci_buffer_overflow": 911 + 74 * later, "tx_pause_storm_warning_events": 4 + later,
                            "tx_prio3_pause": 204_110 + 91_000 * later,
                            "tx_prio3_pause_duration": 90_204_110 + 1_930_000 * later}


def bad_slot(host, nic):
    """Errors on the link to the card, corrected and not; at last its firmware gave up."""
    later = host.number
    address = nic.function.address
    nic.function.errors = {"RxErr": 140 + 88 * later, "BadTLP": 31 + 22 * later, "Timeout": 7, "CmpltTO": later}
    nic.traffic.ethtool |= {"rx_pci_signal_integrity": 4 + 13 * later}
    host.say(2000, f"mlx5_core {address}: mlx5_pcie_event:301:(pid 412): Detected insufficient power on the PCIe slot (27W).",
             address, level=4)
    host.say(320, f"mlx5_core {address}: mlx5_cmd_out_err:812:(pid 41203): CREATE_MKEY(0x200) op_mod(0x0) failed, status bad "
             "parameter(0x3), syndrome (0x1fb2d5), err(-22)", address, level=3)
    host.say(80, f"mlx5_core {address}: wait_func:1195:(pid 41203): CREATE_MKEY(0x200) timeout. Will cause a leak of a command "
             "resource", address, level=3)
    host.say(70, f"mlx5_core {address}: poll_health:825:(pid 0): device's health compromised - reached miss count.", address,
             level=3)


def hot_module(host, nic):
    """No air for the module: it is too hot, and its errors are no longer all corrected."""
    later = host.number
    nic.netdev.module = modules.osfp(temperature=76.4, powers=(0.21, 0.94, 0.97, 0.91))
    nic.traffic.ethtool |= {"rx_pcs_symbol_err_phy": 2_110 + 910 * later, "module_high_temp": 3 + later}
    nic.traffic.ethtool["rx_corrected_bits_phy"] += 40_110_204 * later
    nic.fec = {"corrected_blocks": 52_114_200 + 90_110 * later, "uncorrectable_blocks": 204 + 61 * later}


def host_side(host):
    firmware_settings(host)
    kernel(host)
    later = host.number
    slow_memory(host, host.nic("mlx5_0"))
    bad_slot(host, host.nic("mlx5_1"))
    hot_module(host, host.nic("mlx5_2"))

    # A library that registers and frees for each message.
    host.nic("mlx5_3").mkeys += 31_000 * later

    # A replacement card with other firmware, in a slot that asks for small reads.
    replaced = host.nic("mlx5_4")
    replaced.device.firmware = "28.38.1002"
    replaced.netdev.firmware = "28.38.1002 (MT_0000000838)"
    replaced.function.mrrs = 128

    # RoCE is marked, but the application was started without the setting: all of it on priority 0.
    unmarked = host.nic("mlx5_5")
    unmarked.port.tos = None
    unmarked.traffic.priority = 0
    unmarked.traffic.ethtool |= {name: 0 for name in unmarked.traffic.ethtool if "_pause" in name}

    # PFC was set up for priority 4.
    shifted = host.nic("mlx5_6")
    shifted.pfc = shifted.traffic.lossless = 1 << 4
    shifted.traffic.ethtool = {name: value for name, value in shifted.traffic.ethtool.items() if "_pause" not in name}
    shifted.traffic.rdma |= {"out_of_sequence": 70_110 + 804 * later, "packet_seq_err": 30_204 + 311 * later}
    shifted.traffic.ethtool |= {"rx_discards_phy": 60_110 + 790 * later}

    # The receivers of the last one are not posted in time, and bits flip on the way to it.
    slow = host.nic("mlx5_7")
    slow.traffic.rdma |= {"req_rnr_retries_exceeded": 6 + later, "out_of_buffer": 9_110 + 40 * later,
                          "rnr_nak_retry_err": 40_110 + 3 * later, "rx_icrc_encapsulated": 2 + 4 * later}
