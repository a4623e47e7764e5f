# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of /sys alone, as `cp -a` keeps them: one InfiniBand card, one moment, no answers of the kernel."""

from .bundle import Link

ROOT_PORT = "0000:15:01.0"
CARD = "0000:16:00.0"
REAL = f"devices/pci0000:15/{ROOT_PORT}/{CARD}"  # below sys/

# The values are those of a real GPU server, identities replaced.
FILES = {
    "board_id": "MT_0000000838", "fw_ver": "28.41.1000", "hca_type": "MT4129", "node_type": "1: CA",
    "node_guid": "a088:c203:00f0:2000", "sys_image_guid": "a088:c203:00f0:2000",
    "ports/1/link_layer": "InfiniBand", "ports/1/phys_state": "5: LinkUp", "ports/1/rate": "400 Gb/sec (4X NDR)",
    "ports/1/state": "4: ACTIVE", "ports/1/lid": "0x1c", "ports/1/sm_lid": "0x1",
}
COUNTERS = {
    "VL15_dropped": 0, "excessive_buffer_overrun_errors": 0, "link_downed": 0, "link_error_recovery": 0,
    "local_link_integrity_errors": 0, "port_rcv_constraint_errors": 0, "port_rcv_data": 230539874932483,
    "port_rcv_errors": 0, "port_rcv_packets": 317548853677, "port_rcv_remote_physical_errors": 0,
    "port_rcv_switch_relay_errors": 1, "port_xmit_constraint_errors": 0, "port_xmit_data": 230442669431839,
    "port_xmit_discards": 0, "port_xmit_packets": 315487941081, "port_xmit_wait": 2489603687, "symbol_error": 0,
}
HW_COUNTERS = {
    "duplicate_request": 0, "implied_nak_seq_err": 0, "lifespan": 12, "local_ack_timeout_err": 0, "out_of_buffer": 0,
    "out_of_sequence": 0, "packet_seq_err": 0, "req_cqe_error": 0, "resp_cqe_error": 0, "rnr_nak_retry_err": 0,
    "roce_adp_retrans": 3, "rx_dct_connect": 422237, "rx_read_requests": 9187392, "rx_write_requests": 3809045607,
}


FUNCTIONS = {
    ROOT_PORT: {"vendor": "0x8086", "device": "0x352a", "class": "0x060400"},
    CARD: {"vendor": "0x15b3", "device": "0x1021", "class": "0x020700"},
}
LINK = {"numa_node": 0, "local_cpulist": "0-55,112-167", "current_link_speed": "32.0 GT/s PCIe",
        "max_link_speed": "32.0 GT/s PCIe", "current_link_width": 16, "max_link_width": 16}


def files():
    device = f"sys/{REAL}/infiniband/mlx5_0"
    values = dict(FILES)
    values |= {f"ports/1/counters/{name}": value for name, value in COUNTERS.items()}
    values |= {f"ports/1/hw_counters/{name}": value for name, value in HW_COUNTERS.items()}
    made = {f"{device}/{name}": f"{value}\n" for name, value in values.items()}
    made[f"{device}/device"] = Link(f"../../../{CARD}")
    made["sys/class/infiniband/mlx5_0"] = Link(f"../../{REAL}/infiniband/mlx5_0")
    for address, identity in FUNCTIONS.items():
        real = REAL[: REAL.index(address)] + address
        made |= {f"sys/{real}/{name}": f"{value}\n" for name, value in (identity | LINK).items()}
        made[f"sys/bus/pci/devices/{address}"] = Link(f"../../../{real}")
    return made
