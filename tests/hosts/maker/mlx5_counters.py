# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters of a mlx5 port, RDMA statistics and `ethtool -S`, from what went over the wire."""

from dataclasses import dataclass, field

PACKET = 4096          # payload of a full packet
HEADERS = 82           # Ethernet, IPv4, UDP, BTH, RETH, ICRC and FCS of a write


@dataclass
class Traffic:
    """What went through a port since it came up. RDMA packets are full; `errors` are the counters that are not zero."""

    received: int = 0        # RDMA packets
    sent: int = 0
    priority: int = 3        # of the RDMA packets
    lossless: int = 1 << 3   # priorities with PFC: only these have pause counters
    ethernet: int = 0        # packets of the TCP/IP side, priority 0
    rdma: dict = field(default_factory=dict)      # RDMA statistics
    ethtool: dict = field(default_factory=dict)   # statistics of the netdev

    def bytes(self, packets):
        return packets * (PACKET + HEADERS)


# The order is the driver's (Linux 6.12, ConnectX-7).
RDMA = ("rx_write_requests", "rx_read_requests", "rx_atomic_requests", "rx_dct_connect", "out_of_buffer", "out_of_sequence",
        "duplicate_request", "rnr_nak_retry_err", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err",
        "resp_local_length_error", "resp_cqe_error", "req_cqe_error", "req_remote_invalid_request",
        "req_remote_access_errors", "resp_remote_access_errors", "resp_cqe_flush_error", "req_cqe_flush_error",
        "req_transport_retries_exceeded", "req_rnr_retries_exceeded", "roce_adp_retrans", "roce_adp_retrans_to",
        "roce_slow_restart", "roce_slow_restart_cnps", "roce_slow_restart_trans", "rp_cnp_ignored", "rp_cnp_handled",
        "np_ecn_marked_roce_packets", "np_cnp_sent", "rx_icrc_encapsulated")

# What kernels before 6.12 do not give.
LATE = ("req_transport_retries_exceeded", "req_rnr_retries_exceeded")

# 64 bits in the card. The others are 32 bits wide and wrap.
WIDE = ("rp_cnp_ignored", "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent", "rx_icrc_encapsulated")


def rdma_statistics(traffic, without=()):
    values = dict.fromkeys(RDMA, 0)
    values |= {"rx_write_requests": traffic.received // 16, "rx_read_requests": traffic.received // 4096} | traffic.rdma
    unknown = set(values) - set(RDMA)
    assert not unknown, f"no such RDMA counter: {unknown}"
    return {name: value if name in WIDE else value % 2**32 for name, value in values.items() if name not in without}


def pma(traffic):
    """Of RoCE: RDMA of this function only, in words of four bytes."""
    return {"port_xmit_data": traffic.bytes(traffic.sent) // 4, "port_rcv_data": traffic.bytes(traffic.received) // 4,
            "port_xmit_packets": traffic.sent, "port_rcv_packets": traffic.received,
            "unicast_xmit_packets": traffic.sent, "unicast_rcv_packets": traffic.received}


def pause_names(priority):
    name = f"prio{priority}_pause"
    return (f"rx_{name}", f"rx_{name}_duration", f"tx_{name}", f"tx_{name}_duration", f"rx_{name}_transition")


def vport_statistics(traffic):
    """What any function has, a virtual one too."""
    rx_bytes, tx_bytes = traffic.bytes(traffic.received), traffic.bytes(traffic.sent)
    ethernet_bytes = traffic.ethernet * 900
    values = {"rx_packets": traffic.ethernet, "rx_bytes": ethernet_bytes, "tx_packets": traffic.ethernet,
              "tx_bytes": ethernet_bytes, "rx_out_of_buffer": 0, "rx_if_down_packets": 0, "rx_steer_missed_packets": 0}
    for direction, packets, octets in (("rx", traffic.received, rx_bytes), ("tx", traffic.sent, tx_bytes)):
        values |= {f"{direction}_vport_unicast_packets": traffic.ethernet, f"{direction}_vport_unicast_bytes": ethernet_bytes,
                   f"{direction}_vport_rdma_unicast_packets": packets, f"{direction}_vport_rdma_unicast_bytes": octets,
                   f"{direction}_vport_rdma_multicast_packets": 0, f"{direction}_vport_rdma_multicast_bytes": 0}
    return values


def ethtool_statistics(traffic):
    """Only names that mean something for RDMA, and as many others as show that there are more."""
    rx_bytes, tx_bytes = traffic.bytes(traffic.received), traffic.bytes(traffic.sent)
    values = vport_statistics(traffic)
    for direction, packets, octets in (("rx", traffic.received, rx_bytes), ("tx", traffic.sent, tx_bytes)):
        values |= {f"{direction}_packets_phy": packets + traffic.ethernet,
                   f"{direction}_bytes_phy": octets + traffic.ethernet * 900}
    values |= dict.fromkeys((
        "rx_crc_errors_phy", "rx_in_range_len_errors_phy", "rx_out_of_range_len_phy", "rx_oversize_pkts_phy",
        "rx_symbol_err_phy", "rx_discards_phy", "tx_discards_phy", "tx_errors_phy", "rx_undersize_pkts_phy",
        "rx_fragments_phy", "rx_jabbers_phy", "rx_pcs_symbol_err_phy", "rx_corrected_bits_phy", "rx_err_lane_0_phy",
        "rx_err_lane_1_phy", "rx_err_lane_2_phy", "rx_err_lane_3_phy", "rx_buffer_passed_thres_phy",
        "link_down_events_phy", "rx_pci_signal_integrity", "tx_pci_signal_integrity", "outbound_pci_stalled_rd",
        "outbound_pci_stalled_wr", "outbound_pci_stalled_rd_events", "outbound_pci_stalled_wr_events",
        "outbound_pci_buffer_overflow", "dev_out_of_buffer", "dev_internal_queue_oob", "module_unplug",
        "module_bus_stuck", "module_high_temp", "module_bad_shorted", "tx_pause_storm_warning_events",
        "tx_pause_storm_error_events"), 0)
    for priority in range(8):
        rdma = priority == traffic.priority
        plain = traffic.ethernet if priority == 0 else 0
        values |= {f"rx_prio{priority}_bytes": (rx_bytes if rdma else 0) + plain * 900,
                   f"rx_prio{priority}_packets": (traffic.received if rdma else 0) + plain,
                   f"rx_prio{priority}_discards": 0,
                   f"tx_prio{priority}_bytes": (tx_bytes if rdma else 0) + plain * 900,
                   f"tx_prio{priority}_packets": (traffic.sent if rdma else 0) + plain,
                   f"rx_prio{priority}_buf_discard": 0, f"rx_prio{priority}_cong_discard": 0,
                   f"rx_prio{priority}_marked": 0}
        if traffic.lossless >> priority & 1:
            values |= dict.fromkeys(pause_names(priority), 0)
    if not traffic.lossless:  # global pause is counted only while no priority has PFC
        values |= {f"{direction}_global_pause{what}": 0 for direction in ("rx", "tx") for what in ("", "_duration")}
    unknown = set(traffic.ethtool) - set(values)
    assert not unknown, f"no such statistic: {unknown}"
    return values | traffic.ethtool
