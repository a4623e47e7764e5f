# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of /sys alone, as somebody may have copied them: one InfiniBand card, one moment, no answers of the kernel."""

DEVICE = "sys/class/infiniband/mlx5_0"

# From a real host (samples of a GPU server in the documentation of gpud), identities replaced.
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


def files():
    made = dict(FILES)
    made |= {f"ports/1/counters/{name}": value for name, value in COUNTERS.items()}
    made |= {f"ports/1/hw_counters/{name}": value for name, value in HW_COUNTERS.items()}
    return {f"{DEVICE}/{name}": f"{value}\n" for name, value in made.items()}
