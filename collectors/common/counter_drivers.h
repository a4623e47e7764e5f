// SPDX-License-Identifier: GPL-2.0-or-later
// Which driver has which counters, how wide they are, and where the driver makes a difference to what they mean. For people who ask
// what a counter is; what is read does not depend on it.
#pragma once

#include <span>
#include <string_view>

#include "collectors/common/counter_names.h"

namespace rd::collectors {

struct DriverCounter {
    std::string_view name;
    std::string_view note = {};
};

struct CounterDriver {
    std::string_view driver;
    std::string_view width;
    std::span<const DriverCounter> counters;
};

inline constexpr std::string_view kWraps32 = "32 bit in hardware, wraps at 2^32";
inline constexpr std::string_view kWide = "64 bit, does not wrap in practice";

inline constexpr DriverCounter kMlx5[] = {
    {"out_of_sequence", "adaptive routing reorders packets too: then it rises while nobody repeats anything"},
    {"packet_seq_err"},
    {"implied_nak_seq_err"},
    {"local_ack_timeout_err"},
    {"duplicate_request"},
    {"rnr_nak_retry_err", "a few at the start of a connection are normal"},
    {"out_of_buffer", "of RDMA; rx_out_of_buffer of `ethtool -S` counts the queues of the network interface only"},
    {"req_transport_retries_exceeded", "Linux 6.12 and later"},
    {"req_rnr_retries_exceeded", "Linux 6.12 and later"},
    {"req_cqe_error", "flushed ones are in it: subtract req_cqe_flush_error"},
    {"resp_cqe_error", "flushed ones are in it: subtract resp_cqe_flush_error"},
    {"req_cqe_flush_error", "secondary, and normal at every disconnect"},
    {"resp_cqe_flush_error", "secondary, and normal at every disconnect"},
    {"req_remote_access_errors"},
    {"resp_remote_access_errors"},
    {"req_remote_invalid_request"},
    {"resp_local_length_error"},
    {"roce_adp_retrans", "on paths longer than its timer it rises without loss"},
    {"roce_adp_retrans_to"},
    {"roce_slow_restart"},
    {"roce_slow_restart_cnps", "made by the adapter itself, without any mark of the network"},
    {"roce_slow_restart_trans"},
    {"rx_write_requests"},
    {"rx_read_requests"},
    {"rx_atomic_requests"},
    {"rx_dct_connect"},
};
inline constexpr DriverCounter kMlx5Wide[] = {
    {"rx_icrc_encapsulated"},
    {"np_cnp_sent"},
    {"np_ecn_marked_roce_packets"},
    {"rp_cnp_handled"},
    {"rp_cnp_ignored"},
    {"rdma_rx_bytes", "optional: 0 while it is not switched on, which proves nothing"},
    {"rdma_rx_packets", "optional: 0 while it is not switched on, which proves nothing"},
    {"rdma_tx_bytes", "optional: 0 while it is not switched on, which proves nothing"},
    {"rdma_tx_packets", "optional: 0 while it is not switched on, which proves nothing"},
    {"cc_rx_ce_pkts", "optional: 0 while it is not switched on, which proves nothing"},
    {"cc_rx_cnp_pkts", "optional: 0 while it is not switched on, which proves nothing"},
    {"cc_tx_cnp_pkts", "optional: 0 while it is not switched on, which proves nothing"},
};
inline constexpr DriverCounter kMlx4[] = {
    {"rq_num_dup"},
    {"rq_num_lle"},
    {"rq_num_lpe"},
    {"rq_num_oos"},
    {"rq_num_rae"},
    {"rq_num_rnr"},
    {"rq_num_wrfe"},
    {"sq_num_lpe"},
    {"sq_num_lqpoe"},
    {"sq_num_oos"},
    {"sq_num_rae"},
    {"sq_num_rire"},
    {"sq_num_rnr"},
    {"sq_num_roe"},
    {"sq_num_rree"},
    {"sq_num_to"},
    {"sq_num_tree"},
    {"sq_num_wrfe"},
    {"num_cqovf", "completion queues that overran"},
};
inline constexpr DriverCounter kRxe[] = {
    {"duplicate_request"},
    {"out_of_seq_request"},
    {"rcvd_rnr_err"},
    {"send_rnr_err"},
    {"rcvd_seq_err"},
    {"retry_exceeded_err"},
    {"retry_rnr_exceeded_err"},
    {"completer_retry_err"},
    {"rcvd_pkts"},
    {"sent_pkts"},
    {"ack_deferred", "acknowledgements that were put off; no error"},
    {"send_err", "packets that the network stack did not take"},
    {"rdma_sends"},
    {"rdma_recvs"},
};
inline constexpr DriverCounter kBnxtRe[] = {
    {"to_retransmits"},
    {"seq_err_naks_rcvd"},
    {"max_retry_exceeded"},
    {"rnr_naks_rcvd"},
    {"missing_resp"},
    {"dup_req"},
    {"oos_drop_count"},
    {"rx_out_of_buffer", "of RDMA here, unlike the counter of this name in mlx5's `ethtool -S`"},
    {"res_exceeds_wqe"},
    {"local_protection_err"},
    {"local_qp_op_err"},
    {"remote_access_err"},
    {"remote_invalid_req_err"},
    {"remote_op_err"},
    {"rx_atomic_req"},
    {"rx_read_req"},
    {"rx_write_req"},
    {"rx_cnp_pkts"},
    {"tx_cnp_pkts"},
    {"np_cnp_pkts"},
    {"rx_ecn_marked_pkts"},
    {"rx_roce_discards"},
    {"rx_pkts"},
    {"rx_bytes"},
    {"tx_pkts"},
    {"tx_bytes"},
    {"recoverable_errors", "no errors: the driver fills it with broadcast packets that were sent; ignore it"},
    {"unrecoverable_err"},
    {"bad_resp_err"},
    {"mem_mgmt_op_err"},
    {"rx_roce_errors"},
    {"pacing_alerts", "doorbells were held back because their queue in the adapter filled"},
    {"db_fifo_register", "the value of a register, no count"},
};
inline constexpr DriverCounter kIrdma[] = {
    {"InRdmaReads"},
    {"InRdmaWrites"},
    {"iwInRdmaReads", "RoCE is counted too, in spite of the name"},
    {"iwInRdmaWrites", "RoCE is counted too, in spite of the name"},
    {"RNR received"},
    {"RNR sent"},
    {"RetransSegs"},
    {"tcpRetransSegs", "RoCE is counted too, in spite of the name"},
    {"RxECNMrkd"},
    {"RxUDP"},
    {"TxUDP"},
    {"cnpHandled"},
    {"cnpIgnored"},
    {"cnpSent"},
    {"ip4OutNoRoutes", "no route or no neighbour for what should have been sent"},
    {"ip6OutNoRoutes", "no route or no neighbour for what should have been sent"},
    {"tcpInOptErrors"},
    {"tcpInProtoErrors"},
    {"ip4InDiscards"},
    {"ip6InDiscards"},
    {"rxVlanErrors", "packets of a VLAN that the interface does not have"},
};
inline constexpr DriverCounter kHns[] = {
    {"rx_cnp_pkt"},
    {"tx_cnp_pkt"},
    {"rx_pkt"},
    {"tx_pkt"},
    {"rx_err_pkt"},
    {"tx_err_pkt"},
    {"trp_get_mpt_err_pkt", "packets whose memory region was not found"},
};
inline constexpr DriverCounter kEfa[] = {
    {"rx_bytes"},
    {"tx_bytes"},
    {"rx_pkts"},
    {"tx_pkts"},
    {"rx_drops"},
    {"retrans_pkts"},
    {"retrans_timeout_events"},
    {"rdma_read_wr_err", "reads that failed"},
    {"rdma_write_wr_err", "writes that failed"},
    {"cmds_err", "commands to the device that failed"},
    {"no_completion_cmds", "commands that the device never answered"},
    {"keep_alive_rcvd", "signs of life of the device: it must rise"},
};
inline constexpr DriverCounter kErdma[] = {
    {"rx_bytes_cnt"},
    {"tx_bytes_cnt"},
    {"rx_packets_cnt"},
    {"tx_packets_cnt"},
    {"rx_bps_limit_drop_cnt", "dropped because the rate that was bought is used up"},
    {"tx_bps_limit_drop_cnt", "dropped because the rate that was bought is used up"},
    {"rx_pps_limit_drop_cnt", "dropped because the rate that was bought is used up"},
    {"tx_pps_limit_drop_cnt", "dropped because the rate that was bought is used up"},
};
inline constexpr DriverCounter kMana[] = {
    {"requester_timeout"},
    {"requester_oos_nak"},
    {"requester_implicit_nak"},
    {"requester_rnr_nak"},
    {"requester_retries_exceeded"},
    {"requester_rnr_nak_retries_exceeded"},
    {"requestor_local_prot_error"},
    {"responder_oos"},
    {"responder_dup_request"},
    {"responder_local_len_error"},
    {"responder_rem_access_error"},
    {"responder_rnr_nak"},
    {"received_cnps"},
    {"received_cnp_count", "of the device"},
    {"received_ecns", "of the device"},
    {"sent_cnps", "of the device"},
    {"rx_bytes"},
    {"tx_bytes"},
    {"rx_pkts"},
    {"tx_pkts"},
};
inline constexpr DriverCounter kIonic[] = {
    {"req_rx_cqe_err"},          {"req_rx_cqe_flush", "secondary, and normal at every disconnect"},
    {"req_rx_impl_nak_seq_err"}, {"req_rx_oper_err"},
    {"req_rx_pkt_seq_err"},      {"req_rx_rmt_acc_err"},
    {"req_rx_rmt_req_err"},      {"req_rx_rnr_retry_err"},
    {"req_tx_loc_oper_err"},     {"req_tx_retry_excd_err"},
    {"resp_rx_cqe_err"},         {"resp_rx_cqe_flush", "secondary, and normal at every disconnect"},
    {"resp_rx_dup_request"},     {"resp_rx_loc_len_err"},
    {"resp_rx_outof_buf"},       {"resp_rx_outouf_seq"},
    {"resp_tx_rmt_acc_err"},     {"rx_rdma_cnp_pkts"},
    {"rx_rdma_ecn_pkts"},        {"rx_rdma_ucast_bytes"},
    {"rx_rdma_ucast_pkts"},      {"tx_rdma_ack_timeout"},
    {"tx_rdma_cnp_pkts"},        {"tx_rdma_retx_pkts"},
    {"tx_rdma_ucast_bytes"},     {"tx_rdma_ucast_pkts"},
};

// A driver whose counters differ in width has a line for each.
inline constexpr CounterDriver kCounterDrivers[] = {
    {"mlx5", kWraps32, kMlx5},   {"mlx5", kWide, kMlx5Wide}, {"mlx4", kWraps32, kMlx4}, {"rxe", kWide, kRxe},
    {"bnxt_re", kWide, kBnxtRe}, {"irdma", kWide, kIrdma},   {"hns", kWide, kHns},      {"efa", kWide, kEfa},
    {"erdma", kWide, kErdma},    {"mana", kWide, kMana},     {"ionic", kWide, kIonic},
};

}  // namespace rd::collectors
