# SPDX-License-Identifier: GPL-2.0-or-later
"""A database host with two Broadcom BCM57508 (driver bnxt_en, RDMA by bnxt_re), 100 Gb/s each."""

from . import ether, modules, node, pci, rdma, system
from .ether import Netdev
from .machine import NumaNode, Process
from .node import Node
from .pci import Vector
from .rdma import Device, Port

UP_NS = 2_592_000_000_000_000  # thirty days
IDENTITY = node.identity("db-12", "6.14.0-29-generic", "3d9ea6c4-7f21-4a6b-8f30-b18c2d94e605")
NODES = (NumaNode(0, "0-15", 131_923_408, 40_110_332), NumaNode(1, "16-31", 132_110_004, 44_201_776))
FIRMWARE = "230.0.157.0"
LIMITS = dict(max_qp=65537, max_cq=65536, max_mr=65536, max_mr_size=2**39, max_qp_wr=65407, max_sge=13, max_qp_rd_atom=126,
              atomic="none", odp=0)
FIRST_PID = 8800

# In the order of the driver.
COUNTERS = (
    "active_pds", "active_ahs", "active_qps", "active_rc_qps", "active_ud_qps", "active_srqs", "active_cqs", "active_mrs",
    "active_mws", "watermark_pds", "watermark_ahs", "watermark_qps", "watermark_rc_qps", "watermark_ud_qps",
    "watermark_srqs", "watermark_cqs", "watermark_mrs", "watermark_mws", "resize_cq_cnt", "rx_pkts", "rx_bytes", "tx_pkts",
    "tx_bytes", "recoverable_errors", "tx_roce_errors", "tx_roce_discards", "rx_roce_errors", "rx_roce_discards",
    "to_retransmits", "seq_err_naks_rcvd", "max_retry_exceeded", "rnr_naks_rcvd", "missing_resp", "unrecoverable_err",
    "bad_resp_err", "local_qp_op_err", "local_protection_err", "mem_mgmt_op_err", "remote_invalid_req_err",
    "remote_access_err", "remote_op_err", "dup_req", "res_exceed_max", "res_length_mismatch", "res_exceeds_wqe",
    "res_opcode_err", "res_rx_invalid_rkey", "res_rx_domain_err", "res_rx_no_perm", "res_rx_range_err", "res_tx_invalid_rkey",
    "res_tx_domain_err", "res_tx_no_perm", "res_tx_range_err", "res_irrq_oflow", "res_unsup_opcode", "res_unaligned_atomic",
    "res_rem_inv_err", "res_mem_err", "res_srq_err", "res_cmp_err", "res_invalid_dup_rkey", "res_wqe_format_err",
    "res_cq_load_err", "res_srq_load_err", "res_tx_pci_err", "res_rx_pci_err", "oos_drop_count", "tx_atomic_req",
    "tx_read_req", "tx_read_resp", "tx_write_req", "tx_send_req", "rx_atomic_req", "rx_read_req", "rx_read_resp",
    "rx_write_req", "rx_send_req", "rx_roce_good_pkts", "rx_roce_good_bytes", "rx_out_of_buffer", "tx_cnp_pkts",
    "rx_cnp_pkts", "rx_ecn_marked_pkts", "pacing_reschedule", "pacing_complete", "pacing_alert", "db_fifo_register")


def carried(packets):
    """RDMA counters of so many packets of 4 KiB each way."""
    return {"rx_pkts": packets, "tx_pkts": packets, "rx_bytes": packets * 4_170, "tx_bytes": packets * 4_170,
            "rx_roce_good_pkts": packets, "rx_roce_good_bytes": packets * 4_170, "rx_write_req": packets // 8,
            "tx_write_req": packets // 8, "rx_send_req": packets // 64, "tx_send_req": packets // 64,
            "active_qps": 41, "active_rc_qps": 40, "active_cqs": 12, "active_mrs": 220, "active_pds": 6,
            "watermark_qps": 73, "watermark_cqs": 20, "watermark_mrs": 410, "watermark_pds": 11}


def statistics(moment, packets, lossless):
    """Of the interface: frames of RDMA are among them."""
    plain = 30_110_204 + 1_204 * moment
    values = {"rx_ucast_frames": plain + packets, "tx_ucast_frames": plain + packets, "rx_fcs_err_frames": 0,
              "rx_pause_frames": 0, "tx_pause_frames": 0, "rx_discard_bytes_cos0": 0, "rx_discard_packets_cos0": 0,
              "rx_pcs_symbol_err": 0, "rx_corrected_bits": 411_204 + 40 * moment, "rx_fec_corrected_blocks": 40_110 + 4 * moment,
              "rx_fec_uncorrectable_blocks": 0, "rx_buffer_passed_threshold": 0, "link_down_events": 1}
    for priority in range(8):
        frames = plain if priority == 0 else packets if priority == 3 else 0
        values |= {f"rx_bytes_pri{priority}": frames * 4_100, f"rx_packets_pri{priority}": frames,
                   f"tx_bytes_pri{priority}": frames * 4_100, f"tx_packets_pri{priority}": frames,
                   f"rx_pfc_ena_frames_pri{priority}": 0, f"tx_pfc_ena_frames_pri{priority}": 0,
                   f"pfc_pri{priority}_rx_duration_us": 0, f"pfc_pri{priority}_tx_duration_us": 0,
                   f"pfc_pri{priority}_rx_transitions": 0}
    if lossless:
        values |= {"rx_pfc_ena_frames_pri3": 4_011 + 3 * moment, "pfc_pri3_rx_duration_us": 6_110 + 5 * moment,
                   "pfc_pri3_rx_transitions": 2_005 + moment}
    return values


class Adapter:
    """One function with its interface and its RDMA device."""

    def __init__(self, number, function, moment):
        self.packets = 4_204_110_000 + 31_200_110 * number + 210_400 * moment
        self.moment = moment
        self.counters = {}
        self.of_interface = {}
        self.pfc = 1 << 3
        self.dscp = {26: 3, 48: 6}
        self.netdev = Netdev(
            name=f"ens{3 + number}f0np0", ifindex=3 + number, mac=f"b0:26:28:c4:00:{number:02x}", driver="bnxt_en",
            function=function, mtu=9000, addresses=(f"10.12.{number}.12/24",), version=IDENTITY["kernel"],
            firmware=f"{FIRMWARE}/pkg 230.1.116.0", speed=100_000, vfs=(0, 16), rings=(511, 2047), channels=(16, 74),
            packets=30_110_204 + 1_204 * moment, fec=dict(auto=1, modes="auto", active="rs"), module=modules.qsfp28())
        self.device = Device(
            name=f"bnxt_re{number}", index=number, function=function, guid=f"b226:28ff:fec4:00{number:02x}",
            firmware=FIRMWARE, hca_type="Broadcom NetXtreme-C/E RoCE Driver HCA", limits=dict(LIMITS),
            debug={f"bnxt_re/{function.address}/cc_config": {"enable_cc": 1}})
        self.device.ports = [Port(netdev=self.netdev, rate="100 Gb/sec (4X EDR)", tos=106,
                                  cm={"cm_tx_msgs/req": 60, "cm_rx_msgs/rep": 60, "cm_tx_msgs/rtu": 60},
                                  gids=rdma.roce_gids(self.netdev))]
        self.fill(FIRST_PID + number)

    def fill(self, pid):
        device = self.device
        device.contexts = [pid]
        device.qps = [rdma.Qp(1, type="GSI", kern="ib_core")]
        device.qps += [rdma.Qp(0x40 + n, pid=pid, remote=0x50 + n) for n in range(40)]
        device.cqs = ["ib_core"] + [pid] * 11
        device.mrs = [(pid, 16_777_216)] * 220
        device.cm_ids = [(pid, "LISTEN")] + [(pid, "CONNECT")] * 40

    @property
    def port(self):
        return self.device.ports[0]

    @property
    def function(self):
        return self.netdev.function

    def finish(self):
        self.netdev.statistics = statistics(self.moment, self.packets, self.pfc) | self.of_interface
        self.netdev.dcb = ether.dcb(self.pfc, self.dscp, delay=0)
        self.port.statistics = dict.fromkeys(COUNTERS, 0) | carried(self.packets) | {
            "tx_cnp_pkts": 4_110 + 2 * self.moment, "rx_ecn_marked_pkts": 4_204 + 2 * self.moment,
            "rx_cnp_pkts": 3_907 + 2 * self.moment} | self.counters


def vectors(function, name, first, cpus):
    queues = [Vector(first + n, f"{name}-TxRx-{n}", cpu, 411_204) for n, cpu in enumerate(cpus)]
    return queues + [Vector(first + 8 + n, f"bnxt_re-nq-{n}@pci:{function.address}", cpu, 9_110_204)
                     for n, cpu in enumerate(cpus)]


def healthy(moment):
    functions, adapters = [], []
    for number, bus in enumerate((0x31, 0xB1)):
        slot = pci.root_port(bus - 1, 2, number, speed=16, speed_max=32)
        function = pci.below(slot, f"0000:{bus:02x}:00.0", type="endpoint", vendor=0x14E4, device=0x1750, pci_class=0x020000,
                             driver="bnxt_en", speed=16, speed_max=16, mrrs=4096)
        function.vectors = vectors(function, f"ens{3 + number}f0np0", 80 + 20 * number, [16 * number + n for n in range(4)])
        functions += [slot, function]
        adapters.append(Adapter(number, function, moment))
    host = Node(IDENTITY, moment, UP_NS, NODES, system.System(32, modules=("bnxt_en", "bnxt_re")), functions=functions,
                nics=adapters)
    host.processes = [Process(FIRST_PID + number, "dbserver", NODES[number].cpulist, uid=970, pinned_kb=3_604_480,
                              group=f"/system.slice/dbserver@{number}.service") for number in (0, 1)]
    return host


def degrade(host):
    """Two applications were let loose on the first adapter; the second one's peer was given other keys and left its rack."""
    later = host.number
    crowded, lonely = host.nics

    # Everybody's queue pairs and regions: the device is nearly full.
    crowded.device.held = dict(qp=63_104, mr=64_120, cq=22_104)
    crowded.counters |= {"active_qps": 63_104, "active_mrs": 64_120, "rx_out_of_buffer": 90_110 + 411 * later,
                         "local_protection_err": 6 + 2 * later, "res_exceeds_wqe": 2 + later,
                         "remote_access_err": 44 + 3 * later, "remote_invalid_req_err": 9 + later}
    host.processes[0].rdma_limits = {"bnxt_re0": ((2, 8), (4_000, 4_000))}
    host.processes[0].memlock, host.processes[0].capabilities = 8_388_608, 0
    crowded.device.uverbs_mode = "0600"

    # The address was taken away: only the link-local GIDs are left, and connections to anybody beyond the switch die.
    lonely.netdev.addresses = ()
    lonely.port.gids = rdma.roce_gids(lonely.netdev)
    lonely.packets -= 210_380 * later
    lonely.device.qps[5].state = "ERR"
    lonely.counters |= {"max_retry_exceeded": 12 + 3 * later, "to_retransmits": 900 + 84 * later,
                        "seq_err_naks_rcvd": 4, "rx_ecn_marked_pkts": 4_204, "tx_cnp_pkts": 4_110 + 90 * later}
    lonely.of_interface = {"rx_fcs_err_frames": 21 + 14 * later, "rx_pcs_symbol_err": 400 + 77 * later,
                           "rx_fec_uncorrectable_blocks": 310 + 41 * later}
    lonely.function.mps = 128
    lonely.function.errors = {"RxErr": 20 + 12 * later, "BadTLP": 7 + 4 * later}


def moments(change=lambda host: None):
    return node.moments(healthy, change)
