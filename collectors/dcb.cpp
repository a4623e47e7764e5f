// SPDX-License-Identifier: GPL-2.0-or-later
// Data Centre Bridging of each interface with a PCI function: priority flow control, the trust mode, which DSCP goes to which
// priority, the traffic classes; and what was sent, dropped and paused on each of the eight priorities.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "collectors/common/identity.h"
#include "collectors/common/priorities.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::priority, name, Type::integer, Nature::counter, unit, doc};
}

constexpr FactSpec kFacts[] = {
    {Kind::netdev, "pfc_mask", Type::integer, Nature::config, "",
     "Priorities with PFC, bit n for priority n: DCB ieee_pfc"},
    {Kind::netdev, "pfc_capable", Type::integer, Nature::config, "", "How many priorities may have PFC: DCB ieee_pfc"},
    {Kind::netdev, "pfc_delay", Type::integer, Nature::config, "",
     "PFC delay: cable length in metres on mlx5, bits elsewhere: DCB ieee_pfc"},
    {Kind::netdev, "trust", Type::text, Nature::config, "",
     "What decides the priority of a packet, pcp or dscp: file qos/trust of the vendor's driver package, else dscp "
     "where the DCB "
     "application table has any DSCP entry"},
    {Kind::netdev, "dscp_entries", Type::integer, Nature::config, "", "DSCP entries of the DCB application table"},
    {Kind::netdev, "dcbx_host", Type::boolean, Nature::config, "",
     "The host owns the DCB settings, not the firmware's DCBX agent: DCB GDCBX"},
    {Kind::priority, "name", Type::text, Nature::config, "", "Interface and priority (ens1f0 priority 3)"},
    reference(Kind::priority, "netdev", Kind::netdev, "The interface"),
    {Kind::priority, "number", Type::integer, Nature::config, "", "0 to 7"},
    {Kind::priority, "pfc_enabled", Type::boolean, Nature::config, "", "Priority flow control is on: DCB ieee_pfc"},
    counter("pfc_requests", "frames",
            "PFC frames sent: DCB ieee_pfc; mlx5 refreshes it only for ethtool -S: prefer tx_pause"),
    counter("pfc_indications", "frames",
            "PFC frames received: DCB ieee_pfc; mlx5 refreshes it only for ethtool -S: prefer rx_pause"),
    {Kind::priority, "tc", Type::integer, Nature::config, "", "Traffic class of the priority: DCB ieee_ets"},
    {Kind::priority, "tsa", Type::text, Nature::config, "",
     "strict, ets, cbs or vendor: how the traffic class is scheduled: DCB ieee_ets"},
    {Kind::priority, "bandwidth", Type::integer, Nature::config, "%",
     "Share of the traffic class, shared by its priorities: DCB ieee_ets"},
    {Kind::priority, "dscp_list", Type::text, Nature::config, "",
     "DSCP values sent to this priority (26,27): DCB application table"},
    counter("rx_bytes", "bytes", "Received on this priority: ethtool -S rx_prioN_bytes"),
    counter("tx_bytes", "bytes", "Sent on this priority: ethtool -S tx_prioN_bytes"),
    counter("rx_packets", "packets", "Received on this priority: ethtool -S rx_prioN_packets"),
    counter("tx_packets", "packets", "Sent on this priority: ethtool -S tx_prioN_packets"),
    counter(
        "rx_discards", "packets",
        "Received and dropped on this priority for want of buffer: ethtool -S rx_prioN_discards, else _buf_discard"),
    counter("rx_pause", "frames", "Pause frames received: the peer holds us back: ethtool -S rx_prioN_pause"),
    counter("tx_pause", "frames", "Pause frames sent: we hold the peer back: ethtool -S tx_prioN_pause"),
    counter("rx_pause_duration", "microseconds", "Time held back by the peer: ethtool -S rx_prioN_pause_duration"),
    counter("tx_pause_duration", "microseconds", "Time the peer was held back: ethtool -S tx_prioN_pause_duration"),
    counter("rx_marked", "packets", "Marked congestion-experienced by the adapter: ethtool -S rx_prioN_marked"),
};

constexpr const FactSpec& kMask = row(kFacts, Kind::netdev, "pfc_mask");
constexpr const FactSpec& kTrust = row(kFacts, Kind::netdev, "trust");
constexpr const FactSpec& kDscpEntries = row(kFacts, Kind::netdev, "dscp_entries");
constexpr const FactSpec& kEnabled = row(kFacts, Kind::priority, "pfc_enabled");
constexpr const FactSpec& kRequests = row(kFacts, Kind::priority, "pfc_requests");
constexpr const FactSpec& kIndications = row(kFacts, Kind::priority, "pfc_indications");
constexpr const FactSpec& kDscpList = row(kFacts, Kind::priority, "dscp_list");
constexpr const FactSpec& kTc = row(kFacts, Kind::priority, "tc");
constexpr const FactSpec& kTsa = row(kFacts, Kind::priority, "tsa");
constexpr const FactSpec& kBandwidth = row(kFacts, Kind::priority, "bandwidth");

constexpr Source kPfc[] = {
    {"enabled", kMask, as_counter},
    {"cap", row(kFacts, Kind::netdev, "pfc_capable"), as_counter},
    {"delay", row(kFacts, Kind::netdev, "pfc_delay"), as_counter},
};
constexpr Source kDcbx[] = {{"host", row(kFacts, Kind::netdev, "dcbx_host"), as_switch}};

// Names of a counter of one priority, # for its number; the first that the driver gives counts.
struct PriorityCounter {
    const FactSpec& spec;
    std::array<std::string_view, 3> names;
};
constexpr PriorityCounter kCounters[] = {
    {row(kFacts, Kind::priority, "rx_bytes"), {"rx_prio#_bytes", "rx_bytes_pri#"}},
    {row(kFacts, Kind::priority, "tx_bytes"), {"tx_prio#_bytes", "tx_bytes_pri#"}},
    {row(kFacts, Kind::priority, "rx_packets"), {"rx_prio#_packets", "rx_packets_pri#"}},
    {row(kFacts, Kind::priority, "tx_packets"), {"tx_prio#_packets", "tx_packets_pri#"}},
    {row(kFacts, Kind::priority, "rx_discards"), {"rx_prio#_discards", "rx_prio#_buf_discard"}},
    {row(kFacts, Kind::priority, "rx_pause"), {"rx_prio#_pause", "rx_pfc_ena_frames_pri#", "rx_priority_#_xoff.nic"}},
    {row(kFacts, Kind::priority, "tx_pause"), {"tx_prio#_pause", "tx_pfc_ena_frames_pri#", "tx_priority_#_xoff.nic"}},
    {row(kFacts, Kind::priority, "rx_pause_duration"), {"rx_prio#_pause_duration", "pfc_pri#_rx_duration_us"}},
    {row(kFacts, Kind::priority, "tx_pause_duration"), {"tx_prio#_pause_duration", "pfc_pri#_tx_duration_us"}},
    {row(kFacts, Kind::priority, "rx_marked"), {"rx_prio#_marked"}},
};

using Priorities = std::vector<Entity>;  // eight, or none

std::string numbered(std::string_view name, std::size_t number) {
    std::string text(name);
    if (const std::size_t at = text.find('#'); at != std::string::npos) text.replace(at, 1, std::to_string(number));
    return text;
}

std::vector<Cover> covers_of(const Priorities& priorities, std::initializer_list<const FactSpec*> specs) {
    std::vector<Cover> covers;
    for (const Entity& priority : priorities) {
        for (const FactSpec* spec : specs) covers.push_back({priority, spec});
    }
    return covers;
}

Gap broken(const std::string& subject, const Error& error) {
    return gap_from({error.code, subject + ": " + error.what, {}});
}

void plan_pfc(const Netdev& netdev, const Priorities& priorities, Plan& plan) {
    const std::string subject = "dcb.pfc/" + netdev.name;
    auto covers = covers_of(priorities, {&kEnabled, &kRequests, &kIndications});
    for (const Cover& cover : collectors::covers_of(netdev.entity, kPfc)) covers.push_back(cover);
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        answer->put(entity, kPfc, out);
        const std::string* const enabled = answer->get("enabled");
        const auto mask =
            enabled != nullptr ? parse_counter(*enabled) : Result<std::int64_t>(fail(Errc::bad_input, "no mask"));
        const bool left_out = enabled == nullptr && answer->partial();
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            if (mask) {
                out.put(priorities[i], kEnabled, ((*mask >> i) & 1) != 0);
            } else {
                out.gap(priorities[i], kEnabled,
                        left_out ? answer->absent("enabled", {}) : broken(subject + ": enabled", mask.error()));
            }
            const std::string requests = fmt::format("requests_{}", i), indications = fmt::format("indications_{}", i);
            answer->put(priorities[i], Source{requests, kRequests, as_counter}, out);
            answer->put(priorities[i], Source{indications, kIndications, as_counter}, out);
        }
    });
}

void plan_ets(const Netdev& netdev, const Priorities& priorities, Plan& plan) {
    const std::string subject = "dcb.ets/" + netdev.name;
    const auto covers = covers_of(priorities, {&kTc, &kTsa, &kBandwidth});
    plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            const std::string key = fmt::format("prio_tc_{}", i);
            answer->put(priorities[i], Source{key, kTc, as_counter}, out);
            // Scheduling belongs to the traffic class; without knowing it the keys below are not found.
            const std::string* const tc = answer->get(key);
            const std::string tsa = "tc_tsa_" + (tc ? *tc : "?"), bandwidth = "tc_bw_" + (tc ? *tc : "?");
            answer->put(priorities[i], Source{tsa, kTsa, as_label}, out);
            answer->put(priorities[i], Source{bandwidth, kBandwidth, as_counter}, out);
        }
    });
}

struct Applications {
    std::int64_t dscp_entries = 0;
    std::array<std::set<std::int64_t>, kPriorities> dscps;
};

Result<Applications> applications_of(const std::string& subject, std::string_view text) {
    const auto records = parse_records(text);
    if (!records) return fail(records.error().code, subject + ": " + records.error().what);
    Applications found;
    for (const Record& record : *records) {
        if (record.get("selector") != "dscp") continue;
        const auto dscp = parse_counter(record.get("protocol").value_or(std::string()));
        const auto priority = parse_counter(record.get("priority").value_or(std::string()));
        if (!dscp || !priority || *dscp > 63 || *priority >= kPriorities) {
            return fail(Errc::bad_input, subject + ": not a DSCP entry: '" + printable(trim(record.text())) + "'");
        }
        ++found.dscp_entries;
        found.dscps[static_cast<std::size_t>(*priority)].insert(*dscp);
    }
    return found;
}

// `trust_too`: no file tells the trust mode, so the table has to.
void plan_applications(const Netdev& netdev, const Priorities& priorities, bool trust_too, Plan& plan) {
    const std::string subject = "dcb.app/" + netdev.name;
    auto covers = covers_of(priorities, {&kDscpList});
    covers.push_back({netdev.entity, &kDscpEntries});
    if (trust_too) covers.push_back({netdev.entity, &kTrust});
    plan.decode(subject, covers, [=, entity = netdev.entity](std::string_view text, Facts& out) {
        const auto found = applications_of(subject, text);
        if (!found) return gap_all(covers, gap_from(found.error()), out);
        out.put(entity, kDscpEntries, found->dscp_entries);
        if (trust_too) out.put(entity, kTrust, std::string(found->dscp_entries > 0 ? "dscp" : "pcp"));
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            std::string list;
            for (const std::int64_t dscp : found->dscps[i]) list += (list.empty() ? "" : ",") + std::to_string(dscp);
            if (list.empty()) {
                out.gap(priorities[i], kDscpList, not_offered(subject + ": no DSCP is listed for this priority"));
            } else {
                out.put(priorities[i], kDscpList, list);
            }
        }
    });
}

void put_counter(const Answer& answer, const Entity& priority, std::size_t number, const PriorityCounter& counter,
                 Facts& out) {
    for (const std::string_view pattern : counter.names) {
        const std::string name = numbered(pattern, number);
        if (!name.empty() && answer.get(name) != nullptr) {
            return answer.put(priority, Source{name, counter.spec, as_counter}, out);
        }
    }
    out.gap(
        priority, counter.spec,
        not_offered(fmt::format("{}: no {}: the driver does not count it, or only while PFC is on for this priority",
                                answer.subject(), numbered(counter.names[0], number))));
}

void plan_counters(const Netdev& netdev, const Priorities& priorities, Plan& plan) {
    const std::string subject = "ethtool.stats/" + netdev.name;
    std::vector<Cover> covers;
    for (const PriorityCounter& counter : kCounters) {
        for (const Entity& priority : priorities) covers.push_back({priority, &counter.spec});
    }
    plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            for (const PriorityCounter& counter : kCounters) put_counter(*answer, priorities[i], i, counter, out);
        }
    });
}

Result<Value> as_trust(std::string_view text) {
    const std::string_view word = trim(text);
    if (word == "pcp" || word == "dscp") return Value(std::string(word));
    return fail(Errc::bad_input, "neither pcp nor dscp: '" + printable(word) + "'");
}

void put_priorities(const Netdev& netdev, const Priorities& priorities, Plan& plan) {
    for (std::size_t i = 0; i < priorities.size(); ++i) {
        const Entity& entity = priorities[i];
        plan.put(entity, row(kFacts, Kind::priority, "name"), fmt::format("{} priority {}", netdev.name, i));
        plan.put(entity, row(kFacts, Kind::priority, "netdev"), netdev.entity);
        plan.put(entity, row(kFacts, Kind::priority, "number"), static_cast<std::int64_t>(i));
    }
}

void plan_netdev(const Host& host, const Netdev& netdev, Plan& plan) {
    plan.lane(netdev.lane);
    const Priorities priorities = priorities_of(host, netdev);
    put_priorities(netdev, priorities, plan);
    const auto listing = host.list(netdev.path + "/qos");
    const bool trust_file = listing && std::find(listing->begin(), listing->end(), "trust") != listing->end();
    plan.every(Seconds(60));
    plan_pfc(netdev, priorities, plan);
    plan_ets(netdev, priorities, plan);
    plan_applications(netdev, priorities, !trust_file, plan);
    decode_fields(plan, "dcb.dcbx/" + netdev.name, netdev.entity, kDcbx);
    plan.every(Seconds(10));
    if (!priorities.empty()) plan_counters(netdev, priorities, plan);
    if (!trust_file) return;
    // This file has been seen to hang. On a lane of its own it takes nothing with it.
    plan.lane(netdev.lane + " qos");
    plan.every(Seconds(60));
    plan.read(netdev.path + "/qos/trust", netdev.entity, kTrust, as_trust);
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) {
        plan.kind_gap(Kind::netdev, gap_from(kept.error()));
        return plan.kind_gap(Kind::priority, gap_from(kept.error()));
    }
    for (const Netdev& netdev : *kept) {
        if (netdev.pci || netdev.pci.error().code == Errc::not_collected) {
            plan_netdev(host, netdev, plan);
            continue;
        }
        for (const FactSpec& spec : kFacts) {
            if (spec.kind != Kind::netdev) continue;
            plan.gap(netdev.entity, spec,
                     not_offered(netdev.path + ": a virtual interface has no DCB: look at those below it"));
        }
    }
}

}  // namespace

extern const Collector dcb;
constinit const Collector dcb{"dcb", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
