#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a sysfs tree of sixteen RDMA devices for tests/bench: 1,056 files below class/infiniband, and as many that a sweep reads.

The shape is that of a ConnectX-7 host: real paths below devices/, links from class/ and bus/, one port a device. Values do not
matter here; that they are files of sysfs' size and number does. Of a PCI function there is only what says which device it is and
where it stands, so that the number is kept; with --pcie also the port above it, and the state of the link. With --large also
/proc/interrupts of 256 processors and 2,000 vectors, and GID tables of 1,024 entries on four ports."""

import os
import sys
from pathlib import Path

DEVICES = 16
CPUS, IRQS = 256, 2000  # with --large
GIDS, GID_TABLES = 1024, 4

DEVICE = {
    "node_type": "1: CA", "node_guid": "506b:4b03:00f4:{0:04x}", "sys_image_guid": "506b:4b03:00f4:{0:04x}",
    "node_desc": "bench mlx5_{0}", "fw_ver": "28.41.1000", "hca_type": "MT4129", "board_id": "MT_0000000838", "hw_rev": "0",
}
PORT = {
    "state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)", "link_layer": "Ethernet", "lid": "0x0",
    "sm_lid": "0x0", "lid_mask_count": "0", "sm_sl": "0", "cap_mask": "0x00010000",
}
HW_COUNTERS = """rx_write_requests rx_read_requests rx_atomic_requests out_of_buffer out_of_sequence duplicate_request rnr_nak_retry_err
packet_seq_err implied_nak_seq_err local_ack_timeout_err resp_local_length_error resp_cqe_error req_cqe_error
req_remote_invalid_request req_remote_access_errors resp_remote_access_errors resp_cqe_flush_error req_cqe_flush_error
roce_adp_retrans roce_adp_retrans_to roce_slow_restart roce_slow_restart_cnps roce_slow_restart_trans rp_cnp_ignored rp_cnp_handled
np_ecn_marked_roce_packets np_cnp_sent rx_icrc_encapsulated""".split()
COUNTERS = """VL15_dropped excessive_buffer_overrun_errors link_downed link_error_recovery local_link_integrity_errors
multicast_rcv_packets multicast_xmit_packets port_rcv_constraint_errors port_rcv_data port_rcv_errors port_rcv_packets
port_rcv_remote_physical_errors port_rcv_switch_relay_errors port_xmit_constraint_errors port_xmit_data port_xmit_discards
port_xmit_packets port_xmit_wait symbol_error unicast_rcv_packets unicast_xmit_packets""".split()
PCI = {"numa_node": "{0}", "local_cpulist": "0-31", "vendor": "0x15b3", "device": "0x1021", "class": "0x020000"}
PCIE = {  # with --pcie
    "current_link_speed": "32.0 GT/s PCIe", "max_link_speed": "32.0 GT/s PCIe", "current_link_width": "16", "max_link_width": "16",
}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(target, path.parent))


def attributes(folder: Path, values: dict[str, str], index: int) -> None:
    for name, value in values.items():
        write(folder / name, value.format(index // 8))


def device(sys_dir: Path, index: int) -> int:
    function = function_of(sys_dir, index)
    root = function.parent
    attributes(function, PCI, index)
    for hop in (root, function):
        link(sys_dir / "bus/pci/devices" / hop.name, hop)
    ib = function / f"infiniband/mlx5_{index}"
    files = 0
    for name, value in DEVICE.items():
        write(ib / name, value.format(index))
        files += 1
    for name, value in PORT.items():
        write(ib / "ports/1" / name, value)
        files += 1
    for number, name in enumerate(HW_COUNTERS):
        write(ib / "ports/1/hw_counters" / name, str(1000003 * number + index))
        files += 1
    for number, name in enumerate(COUNTERS):
        write(ib / "ports/1/counters" / name, str(7 * number + index))
        files += 1
    link(ib / "device", function)
    link(sys_dir / f"class/infiniband/mlx5_{index}", ib)
    return files


def gid_table(port: Path, taken: int) -> None:
    """1,024 slots, as mlx5 offers; the kernel has files for all, empty ones answer with an error, here they are empty."""
    for folder in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
        (port / folder).mkdir(parents=True)
    for slot in range(GIDS):
        used = slot < taken
        (port / f"gids/{slot}").write_text(
            f"0000:0000:0000:0000:0000:ffff:0a{slot // 256:02x}:{slot % 256:02x}01\n" if used
            else "0000:0000:0000:0000:0000:0000:0000:0000\n")
        (port / f"gid_attrs/types/{slot}").write_text("RoCE v2\n" if used else "")
        (port / f"gid_attrs/ndevs/{slot}").write_text("ens1f0\n" if used else "")


def function_of(sys_dir: Path, index: int) -> Path:
    bus = 0x10 + 2 * index
    return sys_dir / f"devices/pci0000:{bus:02x}/0000:{bus:02x}:00.0/0000:{bus + 1:02x}:00.0"


def interrupts(tree: Path) -> None:
    """/proc/interrupts of a machine with very many processors and vectors, and what belongs to it."""
    lines = ["     " + " ".join(f"{f'CPU{cpu}':>10}" for cpu in range(CPUS))]
    for number in range(IRQS):
        irq, function = number + 24, function_of(tree / "sys", number % DEVICES)
        counts = " ".join(f"{(number * 7919) % 1000003 if cpu == number % CPUS else 0:>10}" for cpu in range(CPUS))
        lines.append(f"{irq:>4}: {counts}  IR-PCI-MSIX-{function.name} {number // DEVICES:>4}-edge      mlx5_comp{number // DEVICES}@pci:{function.name}")
        write(function / f"msi_irqs/{irq}", "msix")
        for name in ("smp_affinity_list", "effective_affinity_list"):
            write(tree / f"proc/irq/{irq}/{name}", str(number % CPUS))
    write(tree / "proc/interrupts", "\n".join(lines))


def main() -> None:
    tree = Path(sys.argv[1])
    sys_dir = tree / "sys"
    if "--large" in sys.argv[2:]:
        interrupts(tree)
        for index in range(GID_TABLES):
            gid_table(function_of(sys_dir, index) / f"infiniband/mlx5_{index}/ports/1", 600)
    if "--pcie" in sys.argv[2:]:
        for index in range(DEVICES):
            function = function_of(sys_dir, index)
            attributes(function.parent, PCI | PCIE, index)
            attributes(function, PCIE, index)
    files = sum(device(sys_dir, index) for index in range(DEVICES))
    (sys_dir / "class/net").mkdir(parents=True, exist_ok=True)
    print(f"{files} files of {DEVICES} devices below {sys_dir}/class/infiniband")


if __name__ == "__main__":
    main()
