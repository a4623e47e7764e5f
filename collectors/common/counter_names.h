// SPDX-License-Identifier: GPL-2.0-or-later
// What the drivers of RDMA devices call the counters of a port, and the fact that is. A name equal to the fact's needs no line, so
// this is also the list of synonyms.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace rd::collectors {

struct CounterName {
    std::string_view driver;  // as it is in hw_counters/ and in `rdma statistic`
    std::string_view fact;
};

inline constexpr CounterName kCounterNames[] = {
    // mlx5, and what the later bnxt_re took over from it
    {"np_ecn_marked_roce_packets", "np_ecn_marked"},
    {"rdma_rx_bytes", "rx_bytes"},
    {"rdma_rx_packets", "rx_packets"},
    {"rdma_tx_bytes", "tx_bytes"},
    {"rdma_tx_packets", "tx_packets"},
    {"req_rnr_retries_exceeded", "rnr_retry_exceeded"},
    {"req_transport_retries_exceeded", "retry_exceeded"},
    {"roce_adp_retrans", "adp_retrans"},
    {"roce_adp_retrans_to", "adp_retrans_to"},
    {"roce_slow_restart", "slow_restart"},
    {"roce_slow_restart_cnps", "slow_restart_cnps"},
    {"roce_slow_restart_trans", "slow_restart_trans"},
    {"rx_icrc_encapsulated", "icrc_errors"},
    // mlx4: rq is the responder, sq the requester
    {"rq_num_dup", "duplicate_request"},
    {"rq_num_lle", "resp_local_length_error"},
    {"rq_num_lpe", "resp_local_protection_errors"},
    {"rq_num_oos", "out_of_sequence"},
    {"rq_num_rae", "resp_remote_access_errors"},
    {"rq_num_rnr", "rnr_nak_sent"},
    {"rq_num_wrfe", "resp_cqe_flush_error"},
    {"sq_num_lpe", "req_local_protection_errors"},
    {"sq_num_lqpoe", "req_local_qp_operation_errors"},
    {"sq_num_oos", "packet_seq_err"},
    {"sq_num_rae", "req_remote_access_errors"},
    {"sq_num_rire", "req_remote_invalid_request"},
    {"sq_num_rnr", "rnr_nak_retry_err"},
    {"sq_num_roe", "req_remote_operation_errors"},
    {"sq_num_rree", "rnr_retry_exceeded"},
    {"sq_num_to", "local_ack_timeout_err"},
    {"sq_num_tree", "retry_exceeded"},
    {"sq_num_wrfe", "req_cqe_flush_error"},
    // rxe
    {"completer_retry_err", "completer_retries"},
    {"out_of_seq_request", "out_of_sequence"},
    {"rcvd_pkts", "rx_packets"},
    {"rcvd_rnr_err", "rnr_nak_retry_err"},
    {"rcvd_seq_err", "packet_seq_err"},
    {"retry_exceeded_err", "retry_exceeded"},
    {"retry_rnr_exceeded_err", "rnr_retry_exceeded"},
    {"send_rnr_err", "rnr_nak_sent"},
    {"sent_pkts", "tx_packets"},
    // bnxt_re; efa shares the names of packets
    {"dup_req", "duplicate_request"},
    {"local_protection_err", "req_local_protection_errors"},
    {"local_qp_op_err", "req_local_qp_operation_errors"},
    {"max_retry_exceeded", "retry_exceeded"},
    {"missing_resp", "implied_nak_seq_err"},
    {"np_cnp_pkts", "np_cnp_sent"},
    {"oos_drop_count", "out_of_sequence"},
    {"remote_access_err", "req_remote_access_errors"},
    {"remote_invalid_req_err", "req_remote_invalid_request"},
    {"remote_op_err", "req_remote_operation_errors"},
    {"res_exceeds_wqe", "resp_local_length_error"},
    {"rnr_naks_rcvd", "rnr_nak_retry_err"},
    {"rx_atomic_req", "rx_atomic_requests"},
    {"rx_cnp_pkts", "rp_cnp_handled"},
    {"rx_ecn_marked_pkts", "np_ecn_marked"},
    {"rx_out_of_buffer", "out_of_buffer"},
    {"rx_pkts", "rx_packets"},
    {"rx_read_req", "rx_read_requests"},
    {"rx_roce_discards", "rx_drops"},
    {"rx_write_req", "rx_write_requests"},
    {"seq_err_naks_rcvd", "packet_seq_err"},
    {"to_retransmits", "local_ack_timeout_err"},
    {"tx_cnp_pkts", "np_cnp_sent"},
    {"tx_pkts", "tx_packets"},
    // irdma: the names of older kernels have iw or tcp before them and count RoCE all the same
    {"InRdmaReads", "rx_read_requests"},
    {"InRdmaWrites", "rx_write_requests"},
    {"RNR received", "rnr_nak_retry_err"},
    {"RNR sent", "rnr_nak_sent"},
    {"RetransSegs", "retransmits"},
    {"RxECNMrkd", "np_ecn_marked"},
    {"RxUDP", "rx_packets"},
    {"TxUDP", "tx_packets"},
    {"cnpHandled", "rp_cnp_handled"},
    {"cnpIgnored", "rp_cnp_ignored"},
    {"cnpSent", "np_cnp_sent"},
    {"ip4OutNoRoutes", "ipv4_no_route"},
    {"ip6OutNoRoutes", "ipv6_no_route"},
    {"iwInRdmaReads", "rx_read_requests"},
    {"iwInRdmaWrites", "rx_write_requests"},
    {"tcpRetransSegs", "retransmits"},
    // hns_roce
    {"rx_cnp_pkt", "rp_cnp_handled"},
    {"rx_pkt", "rx_packets"},
    {"tx_cnp_pkt", "np_cnp_sent"},
    {"tx_pkt", "tx_packets"},
    // efa
    {"rdma_read_wr_err", "rdma_read_errors"},
    {"rdma_write_wr_err", "rdma_write_errors"},
    {"retrans_pkts", "retransmits"},
    {"retrans_timeout_events", "local_ack_timeout_err"},
    // erdma
    {"rx_bps_limit_drop_cnt", "rx_byte_limit_drops"},
    {"rx_bytes_cnt", "rx_bytes"},
    {"rx_packets_cnt", "rx_packets"},
    {"rx_pps_limit_drop_cnt", "rx_packet_limit_drops"},
    {"tx_bps_limit_drop_cnt", "tx_byte_limit_drops"},
    {"tx_bytes_cnt", "tx_bytes"},
    {"tx_packets_cnt", "tx_packets"},
    {"tx_pps_limit_drop_cnt", "tx_packet_limit_drops"},
    // mana; the last three are counters of the device
    {"received_cnps", "rp_cnp_handled"},
    {"requester_implicit_nak", "implied_nak_seq_err"},
    {"requester_oos_nak", "packet_seq_err"},
    {"requester_retries_exceeded", "retry_exceeded"},
    {"requester_rnr_nak", "rnr_nak_retry_err"},
    {"requester_rnr_nak_retries_exceeded", "rnr_retry_exceeded"},
    {"requester_timeout", "local_ack_timeout_err"},
    {"requestor_local_prot_error", "req_local_protection_errors"},
    {"responder_dup_request", "duplicate_request"},
    {"responder_local_len_error", "resp_local_length_error"},
    {"responder_oos", "out_of_sequence"},
    {"responder_rem_access_error", "resp_remote_access_errors"},
    {"responder_rnr_nak", "rnr_nak_sent"},
    {"received_cnp_count", "rp_cnp_handled"},
    {"received_ecns", "np_ecn_marked"},
    {"sent_cnps", "np_cnp_sent"},
    // ionic
    {"req_rx_cqe_err", "req_cqe_error"},
    {"req_rx_cqe_flush", "req_cqe_flush_error"},
    {"req_rx_impl_nak_seq_err", "implied_nak_seq_err"},
    {"req_rx_oper_err", "req_remote_operation_errors"},
    {"req_rx_pkt_seq_err", "packet_seq_err"},
    {"req_rx_rmt_acc_err", "req_remote_access_errors"},
    {"req_rx_rmt_req_err", "req_remote_invalid_request"},
    {"req_rx_rnr_retry_err", "rnr_nak_retry_err"},
    {"req_tx_loc_oper_err", "req_local_qp_operation_errors"},
    {"req_tx_retry_excd_err", "retry_exceeded"},
    {"resp_rx_cqe_err", "resp_cqe_error"},
    {"resp_rx_cqe_flush", "resp_cqe_flush_error"},
    {"resp_rx_dup_request", "duplicate_request"},
    {"resp_rx_loc_len_err", "resp_local_length_error"},
    {"resp_rx_outof_buf", "out_of_buffer"},
    {"resp_rx_outouf_seq", "out_of_sequence"},
    {"resp_tx_rmt_acc_err", "resp_remote_access_errors"},
    {"rx_rdma_cnp_pkts", "rp_cnp_handled"},
    {"rx_rdma_ecn_pkts", "np_ecn_marked"},
    {"rx_rdma_ucast_bytes", "rx_bytes"},
    {"rx_rdma_ucast_pkts", "rx_packets"},
    {"tx_rdma_ack_timeout", "local_ack_timeout_err"},
    {"tx_rdma_cnp_pkts", "np_cnp_sent"},
    {"tx_rdma_retx_pkts", "retransmits"},
    {"tx_rdma_ucast_bytes", "tx_bytes"},
    {"tx_rdma_ucast_pkts", "tx_packets"},
};

// The fact of a driver's counter: its own name where no line says otherwise.
constexpr std::string_view fact_of_counter(std::string_view driver_name) {
    for (const CounterName& name : kCounterNames) {
        if (name.driver == driver_name) return name.fact;
    }
    return driver_name;
}

// Not everything in hw_counters/ counts: objects that are there now, the most there ever were, a rate, a register.
constexpr bool goes_up_and_down(std::string_view driver_name) {
    constexpr std::array<std::string_view, 2> kNames{"db_fifo_register", "current_rate"};
    return driver_name.starts_with("active_") || driver_name.starts_with("watermark_") ||
           std::find(kNames.begin(), kNames.end(), driver_name) != kNames.end();
}

// The name under which a counter without a row is kept. Names are the driver's ("ip4InDiscards", "SwLinkUp,32"): facts have small
// letters, digits and '_' only.
inline std::string kept_counter_name(std::string_view family, std::string_view driver_name) {
    std::string name(family);
    for (const char c : driver_name) {
        if (c >= 'A' && c <= 'Z') {
            name += static_cast<char>(c - 'A' + 'a');
        } else {
            name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
        }
    }
    return name;
}

}  // namespace rd::collectors
