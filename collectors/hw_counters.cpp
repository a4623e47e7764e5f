// SPDX-License-Identifier: GPL-2.0-or-later
// Counters that the driver of an RDMA device keeps for each port. The same thing has another name in every driver; here it gets
// one. What no row names is kept as raw_<driver's name>.
//
// One netlink request refreshes and gives all counters of a port. Where that is not offered (a copied tree, an old kernel), each
// has a file below ports/N/hw_counters.
//
// Natures: the queue-pair counters of mlx5 are 32 bit in hardware and wrap, so what they count is counter32. Other drivers count
// the same in 64 bit; that comes to the same until 2^32, which an error counter does not reach. Counters that mlx5 or all others
// keep in 64 bit are `counter`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

using enum Nature;

constexpr FactSpec port_counter(std::string_view name, Nature nature, std::string_view unit, std::string_view doc) {
    return {Kind::port, name, Type::integer, nature, unit, doc};
}

constexpr FactSpec kFacts[] = {
    port_counter("out_of_sequence", counter32, "packets",
                 "Packets that arrived out of order: loss or reordering towards us"),
    port_counter("packet_seq_err", counter32, "", "NAKs for a gap in our packets: the network lost or reordered them"),
    port_counter("implied_nak_seq_err", counter32, "", "Acknowledgements that skipped a read or atomic response"),
    port_counter("local_ack_timeout_err", counter32, "",
                 "Acknowledgements that did not come in time: last packet lost, peer dead, or path paused"),
    port_counter("duplicate_request", counter32, "", "Requests that came again: our acknowledgement was lost or late"),
    port_counter("rnr_nak_retry_err", counter32, "",
                 "Receiver-not-ready NAKs received: the peer posts too few receives"),
    port_counter("rnr_nak_sent", counter, "", "Receiver-not-ready NAKs sent: too few receives are posted here (rxe)"),
    port_counter("out_of_buffer", counter32, "packets", "Packets dropped for want of a posted receive"),
    port_counter("retry_exceeded", counter32, "", "Queue pairs that died because retries ran out (mlx5: Linux 6.12)"),
    port_counter("rnr_retry_exceeded", counter32, "",
                 "Queue pairs that died because RNR retries ran out (mlx5: Linux 6.12)"),
    port_counter("completer_retries", counter, "", "Retransmissions started by the requester (rxe)"),
    port_counter("req_cqe_error", counter32, "", "Completions with an error at the requester"),
    port_counter("resp_cqe_error", counter32, "", "Completions with an error at the responder"),
    port_counter("req_cqe_flush_error", counter32, "", "Requester completions flushed after a queue pair went to ERR"),
    port_counter("resp_cqe_flush_error", counter32, "", "Responder completions flushed after a queue pair went to ERR"),
    port_counter("req_remote_access_errors", counter32, "",
                 "Remote access errors the peer answered: rkey, bounds, rights"),
    port_counter("resp_remote_access_errors", counter32, "", "Remote access errors found here: rkey, bounds, rights"),
    port_counter("req_remote_invalid_request", counter32, "", "Requests the peer called invalid"),
    port_counter("resp_local_length_error", counter32, "", "Messages longer than the posted receive"),
    port_counter("adp_retrans", counter32, "", "Adaptive retransmissions (mlx5 roce_adp_retrans)"),
    port_counter("adp_retrans_to", counter32, "", "Timeouts of adaptive retransmission (mlx5 roce_adp_retrans_to)"),
    port_counter("slow_restart", counter32, "", "Slow restarts used (mlx5 roce_slow_restart)"),
    port_counter("slow_restart_cnps", counter32, "packets", "Congestion notifications made by slow restart (mlx5)"),
    port_counter("slow_restart_trans", counter32, "", "Changes of state to slow restart (mlx5)"),
    port_counter("icrc_errors", counter, "packets", "RoCE packets with a bad invariant CRC: corruption on the way"),
    port_counter("np_cnp_sent", counter, "packets", "Congestion notifications sent: our receiver saw marked packets"),
    port_counter("np_ecn_marked", counter, "packets", "RoCE packets that arrived marked congestion-experienced"),
    port_counter("rp_cnp_handled", counter, "packets", "Congestion notifications acted upon by our sender"),
    port_counter("rp_cnp_ignored", counter, "packets", "Congestion notifications ignored: the reaction point is off"),
    port_counter("rx_write_requests", counter32, "", "RDMA WRITE requests received"),
    port_counter("rx_read_requests", counter32, "", "RDMA READ requests received"),
    port_counter("rx_atomic_requests", counter32, "", "Atomic requests received"),
    port_counter("rx_packets", counter, "packets",
                 "RDMA packets received (rxe, bnxt_re, efa, hns, ionic; mlx5 has none here)"),
    port_counter("tx_packets", counter, "packets",
                 "RDMA packets sent (rxe, bnxt_re, efa, hns, ionic; mlx5 has none here)"),
    port_counter("rx_bytes", counter, "bytes", "RDMA bytes received (bnxt_re, efa, ionic)"),
    port_counter("tx_bytes", counter, "bytes", "RDMA bytes sent (bnxt_re, efa, ionic)"),
    port_counter("link_downed", counter, "", "Times the link went down (rxe)"),
    family(Kind::port, "raw_", counter, "",
           "Driver counters that no row names, under the driver's name in small letters"),
};

constexpr std::size_t kRows = std::size(kFacts) - 1;
constexpr const FactSpec& kRaw = kFacts[kRows];

struct Alias {
    std::string_view driver;
    std::string_view fact;
};

// Driver's name → row. A name equal to the row's needs no line.
constexpr Alias kAliases[] = {
    // mlx5
    {"np_ecn_marked_roce_packets", "np_ecn_marked"},
    {"req_rnr_retries_exceeded", "rnr_retry_exceeded"},
    {"req_transport_retries_exceeded", "retry_exceeded"},
    {"roce_adp_retrans", "adp_retrans"},
    {"roce_adp_retrans_to", "adp_retrans_to"},
    {"roce_slow_restart", "slow_restart"},
    {"roce_slow_restart_cnps", "slow_restart_cnps"},
    {"roce_slow_restart_trans", "slow_restart_trans"},
    {"rx_icrc_encapsulated", "icrc_errors"},
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
    // bnxt_re; efa shares the packet names
    {"dup_req", "duplicate_request"},
    {"max_retry_exceeded", "retry_exceeded"},
    {"oos_drop_count", "out_of_sequence"},
    {"rnr_naks_rcvd", "rnr_nak_retry_err"},
    {"rx_cnp_pkts", "rp_cnp_handled"},
    {"rx_ecn_marked_pkts", "np_ecn_marked"},
    {"rx_out_of_buffer", "out_of_buffer"},
    {"rx_pkts", "rx_packets"},
    {"seq_err_naks_rcvd", "packet_seq_err"},
    {"to_retransmits", "local_ack_timeout_err"},
    {"tx_cnp_pkts", "np_cnp_sent"},
    {"tx_pkts", "tx_packets"},
    // irdma
    {"RxECNMrkd", "np_ecn_marked"},
    {"cnpHandled", "rp_cnp_handled"},
    {"cnpIgnored", "rp_cnp_ignored"},
    {"cnpSent", "np_cnp_sent"},
    // hns_roce
    {"rx_pkt", "rx_packets"},
    {"rx_cnp_pkt", "rp_cnp_handled"},
    {"tx_pkt", "tx_packets"},
    {"tx_cnp_pkt", "np_cnp_sent"},
    // ionic
    {"req_rx_cqe_err", "req_cqe_error"},
    {"req_rx_cqe_flush", "req_cqe_flush_error"},
    {"req_rx_impl_nak_seq_err", "implied_nak_seq_err"},
    {"req_rx_pkt_seq_err", "packet_seq_err"},
    {"req_rx_rmt_acc_err", "req_remote_access_errors"},
    {"req_rx_rmt_req_err", "req_remote_invalid_request"},
    {"req_rx_rnr_retry_err", "rnr_nak_retry_err"},
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
    {"tx_rdma_ucast_bytes", "tx_bytes"},
    {"tx_rdma_ucast_pkts", "tx_packets"},
};

constexpr std::optional<std::size_t> index_of(std::string_view fact) {
    for (std::size_t i = 0; i < kRows; ++i) {
        if (kFacts[i].name == fact) return i;
    }
    return std::nullopt;
}

// Every alias leads to a row.
static_assert(std::all_of(std::begin(kAliases), std::end(kAliases),
                          [](const Alias& alias) { return index_of(alias.fact).has_value(); }));

std::optional<std::size_t> row_of(std::string_view driver_name) {
    for (const Alias& alias : kAliases) {
        if (alias.driver == driver_name) return index_of(alias.fact);
    }
    return index_of(driver_name);
}

// Names are the driver's ("ip4InDiscards", "SwLinkUp,32"): facts have small letters, digits and '_' only.
std::string raw_name(std::string_view driver_name) {
    std::string name(kRaw.name);
    for (const char c : driver_name) {
        if (c >= 'A' && c <= 'Z') {
            name += static_cast<char>(c - 'A' + 'a');
        } else {
            name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
        }
    }
    return name;
}

Gap no_counter(std::string_view source) {
    return not_offered(fmt::format("{}: this driver does not count it", source));
}

void decode_statistics(const std::string& subject, const Entity& port, const std::vector<Cover>& covers,
                       std::string_view text, Facts& out) {
    const auto record = parse_record(text);
    if (!record) {
        return gap_all(covers, gap_from({record.error().code, subject + ": " + record.error().what, {}}), out);
    }
    std::array<bool, kRows> given{};
    for (const auto& [name, value] : record->fields()) {
        auto counter = as_counter(value);
        if (!counter) counter.error().what = fmt::format("{}: {}: {}", subject, name, counter.error().what);
        const auto index = row_of(name);
        if (index && !given[*index]) {
            given[*index] = true;
            out.set(port, kFacts[*index], std::move(counter));
        } else if (counter) {
            out.put(port, kRaw, raw_name(name), std::move(*counter));
        }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!given[i]) out.gap(port, kFacts[i], no_counter(subject));
    }
}

std::vector<Cover> covers_of_port(const Entity& port) {
    std::vector<Cover> covers;
    for (std::size_t i = 0; i < kRows; ++i) covers.push_back({port, &kFacts[i]});
    return covers;
}

// The first file read refreshes the driver's cache for all of them, on mlx5 with optional counters only if it is this one.
void first_to_front(std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), "rx_write_requests");
    if (found != names.end()) std::rotate(names.begin(), found, found + 1);
}

void plan_files(const Host& host, const std::string& directory, const Entity& port, Plan& plan) {
    auto names = host.list(directory);
    if (!names) {
        // A driver without port counters has no such directory.
        for (const Cover& cover : covers_of_port(port)) plan.gap(port, *cover.spec, gap_from(names.error()));
        return;
    }
    first_to_front(*names);
    std::array<bool, kRows> given{};
    for (const std::string& name : *names) {
        if (name == "lifespan") continue;  // not a counter: how long values are cached
        const std::string path = fmt::format("{}/{}", directory, name);
        const auto index = row_of(name);
        if (index && !given[*index]) {
            given[*index] = true;
            plan.read(path, port, kFacts[*index], as_counter);
        } else {
            plan.read(path, port, kRaw, raw_name(name), as_counter);
        }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!given[i]) plan.gap(port, kFacts[i], no_counter(directory));
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        plan.lane(device.lane);
        for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
            const Entity port = port_entity(device, number);
            plan.present(port);
            const std::string subject = fmt::format("rdma.stat/{}/{}", device.name, number);
            if (host.read(subject)) {
                const auto covers = covers_of_port(port);
                plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
                    decode_statistics(subject, port, covers, text, out);
                });
            } else {
                plan_files(host, fmt::format("{}/ports/{}/hw_counters", device.path, number), port, plan);
            }
        }
    }
}

}  // namespace

extern const Collector hw_counters;
constinit const Collector hw_counters{"hw_counters", kFacts, {}, Seconds(1), Rediscover::on_change, discover};

}  // namespace rd::collectors
