// SPDX-License-Identifier: GPL-2.0-or-later
// Counters that the driver of an RDMA device keeps for each port. The same thing has another name in every driver; here it gets
// one (common/counter_names.h). What no row names is kept as raw_<driver's name>, or level_<…> where it does not only grow.
//
// One netlink request refreshes and gives all counters of a port. Where that is not offered (a copied tree, an old kernel), each
// has a file below ports/N/hw_counters.
//
// Natures: the queue-pair counters of mlx5 are 32 bit in hardware and wrap, so what they count is counter32. Other drivers count
// the same in 64 bit (irdma makes it that from narrower registers), mlx4 in 32; that comes to the same until 2^32, which an error
// counter does not reach. Counters that mlx5 or all others keep in 64 bit are `counter`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "collectors/common/counter_names.h"
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
    port_counter("rnr_nak_sent", counter, "",
                 "Receiver-not-ready NAKs sent: too few receives are posted here (rxe, mlx4, mana)"),
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
    port_counter("req_local_protection_errors", counter32, "",
                 "Our own memory was refused when sending: local key, bounds, rights (bnxt_re, mlx4, mana)"),
    port_counter("resp_local_protection_errors", counter32, "",
                 "Our own memory was refused when receiving: local key, bounds, rights (mlx4)"),
    port_counter("req_local_qp_operation_errors", counter32, "", "Work requests that made no sense (bnxt_re, mlx4)"),
    port_counter("req_remote_operation_errors", counter32, "", "Requests the peer could not finish (bnxt_re, mlx4)"),
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
                 "RDMA packets received (rxe, bnxt_re, irdma, efa, hns, erdma, mana, ionic; mlx5 has none here)"),
    port_counter("tx_packets", counter, "packets",
                 "RDMA packets sent (rxe, bnxt_re, irdma, efa, hns, erdma, mana, ionic; mlx5 has none here)"),
    port_counter("rx_bytes", counter, "bytes", "RDMA bytes received (bnxt_re, efa, erdma, mana, ionic)"),
    port_counter("tx_bytes", counter, "bytes", "RDMA bytes sent (bnxt_re, efa, erdma, mana, ionic)"),
    port_counter("rx_drops", counter, "packets", "RDMA packets received and dropped by the adapter (bnxt_re, efa)"),
    port_counter("retransmits", counter, "packets", "RDMA packets sent again (irdma, efa, ionic)"),
    port_counter("rdma_read_errors", counter, "", "Reads of ours that ended with an error (efa)"),
    port_counter("rdma_write_errors", counter, "", "Writes of ours that ended with an error (efa)"),
    port_counter("ipv4_no_route", counter, "packets", "IPv4: no route or no neighbour for what was to be sent (irdma)"),
    port_counter("ipv6_no_route", counter, "packets", "IPv6: no route or no neighbour for what was to be sent (irdma)"),
    port_counter("rx_byte_limit_drops", counter, "packets",
                 "Received beyond the bytes a second of the instance (erdma)"),
    port_counter("tx_byte_limit_drops", counter, "packets", "Sent beyond the bytes a second of the instance (erdma)"),
    port_counter("rx_packet_limit_drops", counter, "packets",
                 "Received beyond the packets a second of the instance (erdma)"),
    port_counter("tx_packet_limit_drops", counter, "packets",
                 "Sent beyond the packets a second of the instance (erdma)"),
    port_counter("pacing_alerts", counter, "", "Times that senders were held back for a full doorbell queue (bnxt_re)"),
    family(Kind::port, "raw_", counter, "",
           "Driver counters that no row names, under the driver's name in small letters"),
    family(Kind::port, "level_", gauge, "",
           "What the driver gives among its counters though it goes up and down (bnxt_re active_qps)"),
    family(Kind::device, "raw_", counter, "", "Counters the driver keeps for the whole device: files DEV/hw_counters"),
    family(Kind::device, "level_", gauge, "", "The same, of what goes up and down"),
};
constexpr std::size_t kFamilies = 4;

constexpr std::size_t kRows = std::size(kFacts) - kFamilies;
constexpr const FactSpec& kRaw = kFacts[kRows];
constexpr const FactSpec& kLevel = kFacts[kRows + 1];
constexpr const FactSpec& kDeviceRaw = kFacts[kRows + 2];
constexpr const FactSpec& kDeviceLevel = kFacts[kRows + 3];
static_assert(kRaw.family && !kFacts[kRows - 1].family);

using Rows = std::array<bool, kRows>;

constexpr std::optional<std::size_t> index_of(std::string_view fact) {
    for (std::size_t i = 0; i < kRows; ++i) {
        if (kFacts[i].name == fact) return i;
    }
    return std::nullopt;
}

// Every name leads to a row.
static_assert(std::all_of(std::begin(kCounterNames), std::end(kCounterNames),
                          [](const CounterName& name) { return index_of(name.fact).has_value(); }));

std::optional<std::size_t> row_of(std::string_view driver_name) { return index_of(fact_of_counter(driver_name)); }

std::string raw_name(const FactSpec& row, std::string_view driver_name) {
    return kept_counter_name(row.name, driver_name);
}

const FactSpec& raw_row(std::string_view driver_name) { return goes_up_and_down(driver_name) ? kLevel : kRaw; }

Gap no_counter(std::string_view source) {
    return not_offered(fmt::format("{}: this driver does not count it", source));
}

// Which rows the device's own files fill: the port's answer leaves them alone.
struct Elsewhere {
    Rows rows{};
};

void decode_statistics(const std::string& subject, const Entity& port, const std::vector<Cover>& covers,
                       const Elsewhere& elsewhere, std::string_view text, Facts& out) {
    const auto record = parse_record(text);
    if (!record) {
        return gap_all(covers, gap_from({record.error().code, subject + ": " + record.error().what, {}}), out);
    }
    Rows given = elsewhere.rows;
    const bool partial = record->get(kPartial).has_value();
    for (const auto& [name, value] : record->fields()) {
        if (name == kPartial) continue;
        auto counter = as_counter(value);
        if (!counter) counter.error().what = fmt::format("{}: {}: {}", subject, name, counter.error().what);
        const auto index = row_of(name);
        if (index && !given[*index]) {
            given[*index] = true;
            out.set(port, kFacts[*index], std::move(counter));
        } else if (counter) {
            const FactSpec& row = raw_row(name);
            out.put(port, row, raw_name(row, name), std::move(*counter));
        }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
        if (given[i]) continue;
        out.gap(port, kFacts[i], partial ? not_collected(subject + ": not in the text") : no_counter(subject));
    }
}

std::vector<Cover> covers_of_port(const Entity& port, const Elsewhere& elsewhere) {
    std::vector<Cover> covers;
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!elsewhere.rows[i]) covers.push_back({port, &kFacts[i]});
    }
    return covers;
}

// Not a counter: how long values are cached.
bool is_counter_file(std::string_view name) { return name != "lifespan"; }

// The first file read refreshes the driver's cache for all of them, on mlx5 with optional counters only if it is this one.
void first_to_front(std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), "rx_write_requests");
    if (found != names.end()) std::rotate(names.begin(), found, found + 1);
}

void plan_files(const std::string& directory, Result<std::vector<std::string>> names, const Entity& port,
                const Elsewhere& elsewhere, Plan& plan) {
    if (!names) {
        // A driver without port counters has no such directory.
        for (const Cover& cover : covers_of_port(port, elsewhere)) {
            plan.gap(port, *cover.spec, gap_from(names.error()));
        }
        return;
    }
    first_to_front(*names);
    Rows given = elsewhere.rows;
    for (const std::string& name : *names) {
        if (!is_counter_file(name)) continue;
        const std::string path = fmt::format("{}/{}", directory, name);
        const auto index = row_of(name);
        if (index && !given[*index]) {
            given[*index] = true;
            plan.read(path, port, kFacts[*index], as_counter);
        } else {
            const FactSpec& row = raw_row(name);
            plan.read(path, port, row, raw_name(row, name), as_counter);
        }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!given[i]) plan.gap(port, kFacts[i], no_counter(directory));
    }
}

Rows rows_of(const std::vector<std::string>& names) {
    Rows rows{};
    for (const std::string& name : names) {
        if (const auto index = row_of(name)) rows[*index] = true;
    }
    return rows;
}

// Counters of the device as a whole (efa, mana, mlx4, hfi1). With one port they are that port's, where it does not count itself.
Elsewhere plan_device(const Host& host, const RdmaDevice& device, const Entity* only_port, const Rows& by_port,
                      Plan& plan) {
    const std::string directory = device.path + "/hw_counters";
    const auto names = host.list(directory);
    Elsewhere elsewhere;
    if (!names) return elsewhere;
    plan.lane(device.lane);
    plan.every(Seconds(30));
    for (const std::string& name : *names) {
        if (!is_counter_file(name)) continue;
        const std::string path = fmt::format("{}/{}", directory, name);
        const auto index = row_of(name);
        if (only_port != nullptr && index && !by_port[*index] && !elsewhere.rows[*index]) {
            elsewhere.rows[*index] = true;
            plan.read(path, *only_port, kFacts[*index], as_counter);
            continue;
        }
        const FactSpec& row = goes_up_and_down(name) ? kDeviceLevel : kDeviceRaw;
        plan.read(path, device.entity, row, raw_name(row, name), as_counter);
    }
    plan.every(Seconds(1));
    return elsewhere;
}

struct PortSource {
    Entity port;
    std::string subject;    // netlink, when it answers
    std::string directory;  // else files
    bool netlink = false;
    Result<std::vector<std::string>> names;  // of the driver's counters
};

PortSource source_of(const Host& host, const RdmaDevice& device, int number) {
    PortSource source{port_entity(device, number),
                      fmt::format("rdma.stat/{}/{}", device.name, number),
                      fmt::format("{}/ports/{}/hw_counters", device.path, number),
                      false,
                      {}};
    const auto text = host.read(source.subject);
    if (!text) {
        source.names = host.list(source.directory);
        return source;
    }
    source.netlink = true;
    source.names = std::vector<std::string>();
    if (const auto record = parse_record(*text)) {
        for (const auto& [name, value] : record->fields()) source.names->push_back(name);
    }
    return source;
}

void plan_port(const PortSource& source, const Elsewhere& elsewhere, Plan& plan) {
    if (!source.netlink) return plan_files(source.directory, source.names, source.port, elsewhere, plan);
    const auto covers = covers_of_port(source.port, elsewhere);
    plan.decode(source.subject, covers,
                [subject = source.subject, port = source.port, covers, elsewhere](std::string_view text, Facts& out) {
                    decode_statistics(subject, port, covers, elsewhere, text, out);
                });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        plan.lane(device.lane);
        std::vector<PortSource> sources;
        for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
            plan.present(sources.emplace_back(source_of(host, device, number)).port);
        }
        const bool one = sources.size() == 1;
        const Rows by_port = one ? rows_of(sources[0].names.value_or(std::vector<std::string>{})) : Rows{};
        const Elsewhere elsewhere = plan_device(host, device, one ? &sources[0].port : nullptr, by_port, plan);
        for (const PortSource& source : sources) plan_port(source, elsewhere, plan);
    }
}

}  // namespace

extern const Collector hw_counters;
constinit const Collector hw_counters{"hw_counters", kFacts, {}, Seconds(1), Rediscover::on_change, discover};

}  // namespace rd::collectors
