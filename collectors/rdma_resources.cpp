// SPDX-License-Identifier: GPL-2.0-or-later
// What the devices hold: queue pairs, completion queues, memory regions and connections, by state, by type and by whom. Counts come
// from one cheap summary; each table is dumped only while it is small, because a queue pair costs a firmware command on some devices
// and the kernel walks a table from its head for every message it sends.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec of_device(std::string_view name, std::string_view doc) {
    return {Kind::device, name, Type::integer, Nature::gauge, "", doc};
}
constexpr FactSpec of_port(std::string_view name, std::string_view doc) {
    return {Kind::port, name, Type::integer, Nature::gauge, "", doc};
}
constexpr FactSpec holders(std::string_view name, std::string_view doc) {
    return {Kind::device, name, Type::text, Nature::gauge, "", doc};
}

constexpr FactSpec kFacts[] = {
    of_device("qps", "Queue pairs in use: netlink RES_GET"),
    of_device("cqs", "Completion queues in use: netlink RES_GET"),
    of_device("mrs", "Memory regions in use: netlink RES_GET"),
    of_device("pds", "Protection domains in use: netlink RES_GET"),
    of_device("contexts", "Open user contexts: netlink RES_GET"),
    of_device("cm_ids", "Connection identifiers of rdma_cm: netlink RES_GET"),
    of_device("srqs", "Shared receive queues in use: netlink RES_GET, Linux 5.14"),
    holders("qp_holders",
            "Who holds how many queue pairs, a process by its number, the kernel by the module: 4242=12 "
            "ib_core=1; netlink RES_QP_GET, at most 4,096"),
    holders("cq_holders", "Who holds how many completion queues, as qp_holders: netlink RES_CQ_GET"),
    holders("mr_holders", "Who holds how many memory regions, as qp_holders: netlink RES_MR_GET"),
    holders("cm_id_holders", "Who holds how many connection identifiers, as qp_holders: netlink RES_CM_ID_GET"),
    {Kind::device, "mr_bytes", Type::integer, Nature::gauge, "bytes",
     "Memory in the regions of processes, overlaps counted twice: netlink RES_MR_GET MRLEN"},
    of_device("cm_ids_listening", "Connection identifiers that listen: netlink RES_CM_ID_GET"),
    of_device("cm_ids_connected", "Connection identifiers that are connected or connecting: netlink RES_CM_ID_GET"),
    holders("nvme_targets",
            "Addresses of NVMe targets the kernel has connections to, or none (192.0.2.9:4420): netlink RES_CM_ID_GET, "
            "of nvme_rdma"),
    holders("nvmet_listeners",
            "Addresses the NVMe target of the kernel listens on, or none; 0.0.0.0 is any: netlink RES_CM_ID_GET, of "
            "nvmet_rdma"),
    of_port("qps_error", "Queue pairs in state ERR: netlink RES_QP_GET, where the device has at most 4,096"),
    of_port("qps_error_lqpn", "Number of the first queue pair in state ERR"),
    of_port("qps_error_pid", "Process that made the first queue pair in state ERR"),
    {Kind::port, "qps_error_kern", Type::text, Nature::gauge, "",
     "Kernel module that made the first queue pair in state ERR (nvme_rdma): netlink RES_QP_GET KERN_NAME"},
    of_port("qps_reset", "Queue pairs in state RESET: netlink RES_QP_GET"),
    of_port("qps_init", "Queue pairs in state INIT, not connected yet: netlink RES_QP_GET"),
    of_port("qps_rtr", "Queue pairs in state RTR, ready to receive only: netlink RES_QP_GET"),
    of_port("qps_rts", "Queue pairs in state RTS, connected: netlink RES_QP_GET"),
    of_port("qps_sqd", "Queue pairs in state SQD, drained: netlink RES_QP_GET"),
    of_port("qps_sqe", "Queue pairs in state SQE, sending has failed: netlink RES_QP_GET"),
    of_port("qps_rc", "Queue pairs of type RC (reliable connection): netlink RES_QP_GET"),
    of_port("qps_uc", "Queue pairs of type UC: netlink RES_QP_GET"),
    of_port("qps_ud", "Queue pairs of type UD (datagram): netlink RES_QP_GET"),
    of_port("qps_kernel", "Queue pairs of kernel modules, GSI included: netlink RES_QP_GET"),
    of_port("qps_user", "Queue pairs of processes: netlink RES_QP_GET"),
};

constexpr const FactSpec& kQpsError = row(kFacts, Kind::port, "qps_error");
constexpr const FactSpec& kQpsErrorLqpn = row(kFacts, Kind::port, "qps_error_lqpn");
constexpr const FactSpec& kQpsErrorPid = row(kFacts, Kind::port, "qps_error_pid");
constexpr const FactSpec& kQpsErrorKern = row(kFacts, Kind::port, "qps_error_kern");
constexpr const FactSpec& kKernel = row(kFacts, Kind::port, "qps_kernel");
constexpr const FactSpec& kUser = row(kFacts, Kind::port, "qps_user");
constexpr const FactSpec& kQpHolders = row(kFacts, Kind::device, "qp_holders");
constexpr const FactSpec& kMrBytes = row(kFacts, Kind::device, "mr_bytes");
constexpr const FactSpec& kListening = row(kFacts, Kind::device, "cm_ids_listening");
constexpr const FactSpec& kConnected = row(kFacts, Kind::device, "cm_ids_connected");

constexpr Source kSummary[] = {
    {"qp", row(kFacts, Kind::device, "qps"), as_counter},
    {"cq", row(kFacts, Kind::device, "cqs"), as_counter},
    {"mr", row(kFacts, Kind::device, "mrs"), as_counter},
    {"pd", row(kFacts, Kind::device, "pds"), as_counter},
    {"ctx", row(kFacts, Kind::device, "contexts"), as_counter},
    {"cm_id", row(kFacts, Kind::device, "cm_ids"), as_counter},
    {"srq", row(kFacts, Kind::device, "srqs"), as_counter},
};

// A fact that counts the records whose field `key` has this value.
struct Tally {
    std::string_view key;
    std::string_view value;
    const FactSpec& spec;
};
constexpr Tally kTallies[] = {
    {"state", "ERR", kQpsError},
    {"state", "RESET", row(kFacts, Kind::port, "qps_reset")},
    {"state", "INIT", row(kFacts, Kind::port, "qps_init")},
    {"state", "RTR", row(kFacts, Kind::port, "qps_rtr")},
    {"state", "RTS", row(kFacts, Kind::port, "qps_rts")},
    {"state", "SQD", row(kFacts, Kind::port, "qps_sqd")},
    {"state", "SQE", row(kFacts, Kind::port, "qps_sqe")},
    {"type", "RC", row(kFacts, Kind::port, "qps_rc")},
    {"type", "UC", row(kFacts, Kind::port, "qps_uc")},
    {"type", "UD", row(kFacts, Kind::port, "qps_ud")},
};

constexpr std::int64_t kMostEntries = 4096;
constexpr std::size_t kMostHolders = 256;

struct Port {
    int number;
    Entity entity;
};

using Records = std::vector<Record>;

// "4242=12 ib_core=1", most first. Without a process and a module the maker has ended, or is outside this pid namespace.
std::string holders_of(const Records& records) {
    std::map<std::string, std::int64_t> counts;
    for (const Record& record : records) {
        ++counts[record.get("kern").value_or(record.get("pid").value_or("?"))];
    }
    std::vector<std::pair<std::string, std::int64_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (std::size_t i = 0; i < std::min(order.size(), kMostHolders); ++i) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", printable(order[i].first), order[i].second);
    }
    if (order.size() > kMostHolders) text += " more";
    return text.empty() ? "none" : text;
}

// The different values of `address` among the connections of a kernel module, sorted.
std::string addresses_of(const Records& records, std::string_view module, std::string_view address, bool listening) {
    std::set<std::string> found;
    for (const Record& record : records) {
        if (record.get("kern") != module || (record.get("state") == "LISTEN") != listening) continue;
        if (const auto text = record.get(address); text && found.size() < kMostHolders) found.insert(printable(*text));
    }
    return found.empty() ? "none" : fmt::format("{}", fmt::join(found, " "));
}

// A part of a table, of which one state is whole: "rdma resource show qp | grep ERR".
std::optional<std::string> whole_state(const Records& records) {
    return records.empty() ? std::nullopt : records.back().get("whole_state");
}

Result<Records> table_of(const std::string& subject, std::string_view text) {
    auto records = parse_records(text);
    if (!records) return fail(records.error().code, subject + ": " + records.error().what);
    if (!records->empty() && records->back().get("truncated") && !whole_state(*records)) {
        const std::string why = records->back().get("error").value_or("more entries than are looked at");
        return fail(Errc::not_collected, fmt::format("{}: {}: only a part of the table was read", subject, why));
    }
    return records;
}

void put_first_error(const Port& port, const Record* first, const std::string& subject, Facts& out) {
    const auto put = [&](const FactSpec& spec, std::string_view key, auto convert, std::string_view absent) {
        const auto text = first == nullptr ? std::nullopt : first->get(key);
        if (text) return out.set(port.entity, spec, convert(*text));
        const std::string_view why = first == nullptr ? "no queue pair is in state ERR" : absent;
        out.gap(port.entity, spec, not_offered(fmt::format("{}: {}", subject, why)));
    };
    put(kQpsErrorLqpn, "lqpn", as_counter, "the queue pair has no number");
    put(kQpsErrorPid, "pid", as_counter, "made by the kernel or outside this pid namespace");
    put(kQpsErrorKern, "kern", as_label, "made by a process");
}

void put_queue_pairs(const Port& port, bool only, const Records& records, const std::string& subject, Facts& out) {
    std::map<const FactSpec*, std::int64_t> counts;
    std::int64_t kernel = 0, user = 0;
    const Record* first = nullptr;
    for (const Record& record : records) {
        // A queue pair that was never bound names no port: with one port there is no doubt.
        const auto number = record.get("port");
        if (number ? *number != std::to_string(port.number) : !only) continue;
        for (const Tally& tally : kTallies) {
            if (record.get(tally.key) == tally.value) ++counts[&tally.spec];
        }
        ++(record.get("kern") ? kernel : user);
        if (first == nullptr && record.get("state") == "ERR") first = &record;
    }
    const auto whole = whole_state(records);
    const Gap others = not_collected(subject + ": only the lines of one state were pasted");
    for (const Tally& tally : kTallies) {
        if (!whole || (tally.key == "state" && tally.value == *whole)) {
            out.put(port.entity, tally.spec, counts[&tally.spec]);
        } else {
            out.gap(port.entity, tally.spec, others);
        }
    }
    if (whole) {
        out.gap(port.entity, kKernel, others);
        out.gap(port.entity, kUser, others);
    } else {
        out.put(port.entity, kKernel, kernel);
        out.put(port.entity, kUser, user);
    }
    if (!whole || whole == "ERR") return put_first_error(port, first, subject, out);
    for (const FactSpec* spec : {&kQpsErrorLqpn, &kQpsErrorPid, &kQpsErrorKern}) out.gap(port.entity, *spec, others);
}

class Tables {
public:
    Tables(const Host& host, const RdmaDevice& device, Plan& plan) : device_(device), plan_(plan) {
        if (const auto text = host.read("rdma.resources/" + device.name)) {
            if (const auto record = parse_record(*text)) summary_ = *record;
        }
    }

    // `put` gets the whole table. `counted` names its number of entries in the summary.
    void plan(std::string_view table, std::string_view counted, std::vector<Cover> covers,
              std::function<void(const Records&, const std::string& subject, Facts&)> put) {
        const std::string subject = fmt::format("{}/{}", table, device_.name);
        const auto count = summary_.get(counted);
        const auto number = count ? parse_counter(*count) : Result<std::int64_t>(0);
        if (number && *number > kMostEntries) {
            const Gap gap = not_collected(
                fmt::format("{}: {} entries: asking for each would cost the device too much", subject, *number));
            for (const Cover& cover : covers) plan_.gap(cover.entity, *cover.spec, gap);
            return;
        }
        plan_.decode(subject, covers, [=](std::string_view text, Facts& out) {
            const auto records = table_of(subject, text);
            if (!records) return gap_all(covers, gap_from(records.error()), out);
            put(*records, subject, out);
        });
    }

private:
    const RdmaDevice& device_;
    Plan& plan_;
    Record summary_;
};

void plan_queue_pairs(const Entity& device, const std::vector<Port>& ports, Tables& tables) {
    std::vector<Cover> covers{{device, &kQpHolders}};
    for (const Port& port : ports) {
        for (const Tally& tally : kTallies) covers.push_back({port.entity, &tally.spec});
        for (const FactSpec* spec : {&kQpsErrorLqpn, &kQpsErrorPid, &kQpsErrorKern, &kKernel, &kUser}) {
            covers.push_back({port.entity, spec});
        }
    }
    tables.plan(
        "rdma.qp", "qp", std::move(covers), [=](const Records& records, const std::string& subject, Facts& out) {
            if (whole_state(records)) {
                out.gap(device, kQpHolders, not_collected(subject + ": only the lines of one state were pasted"));
            } else {
                out.put(device, kQpHolders, holders_of(records));
            }
            for (const Port& port : ports) put_queue_pairs(port, ports.size() == 1, records, subject, out);
        });
}

void put_bytes(const Entity& device, const Records& records, const std::string& subject, Facts& out) {
    std::int64_t bytes = 0;
    for (const Record& record : records) {
        if (record.get("kern")) continue;
        const auto length = as_counter(record.get("length").value_or(std::string()));
        if (!length) return out.gap(device, kMrBytes, gap_from({length.error().code, subject + ": length", {}}));
        // Made-up lengths must not wrap the sum.
        const bool fits = !__builtin_add_overflow(bytes, std::get<std::int64_t>(*length), &bytes);
        if (!fits) return out.gap(device, kMrBytes, gap_from({Errc::bad_input, subject + ": lengths beyond 2^63", {}}));
    }
    out.put(device, kMrBytes, bytes);
}

void plan_others(const Entity& device, Tables& tables) {
    static constexpr const FactSpec& kCqHolders = row(kFacts, Kind::device, "cq_holders");
    static constexpr const FactSpec& kMrHolders = row(kFacts, Kind::device, "mr_holders");
    static constexpr const FactSpec& kCmHolders = row(kFacts, Kind::device, "cm_id_holders");
    tables.plan("rdma.cq", "cq", {{device, &kCqHolders}}, [=](const Records& records, const auto&, Facts& out) {
        out.put(device, kCqHolders, holders_of(records));
    });
    tables.plan("rdma.mr", "mr", {{device, &kMrHolders}, {device, &kMrBytes}},
                [=](const Records& records, const std::string& subject, Facts& out) {
                    out.put(device, kMrHolders, holders_of(records));
                    put_bytes(device, records, subject, out);
                });
    static constexpr const FactSpec& kTargets = row(kFacts, Kind::device, "nvme_targets");
    static constexpr const FactSpec& kListeners = row(kFacts, Kind::device, "nvmet_listeners");
    std::vector<Cover> covers;
    for (const FactSpec* spec : {&kCmHolders, &kListening, &kConnected, &kTargets, &kListeners}) {
        covers.push_back({device, spec});
    }
    tables.plan("rdma.cm_id", "cm_id", std::move(covers), [=](const Records& records, const auto&, Facts& out) {
        out.put(device, kCmHolders, holders_of(records));
        const auto count = [&](std::string_view state) {
            return static_cast<std::int64_t>(std::count_if(
                records.begin(), records.end(), [&](const Record& record) { return record.get("state") == state; }));
        };
        out.put(device, kListening, count("LISTEN"));
        out.put(device, kConnected, count("CONNECT"));
        out.put(device, kTargets, addresses_of(records, "nvme_rdma", "dst", false));
        out.put(device, kListeners, addresses_of(records, "nvmet_rdma", "src", true));
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        std::vector<Port> ports;
        for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
            ports.push_back({number, port_entity(device, number)});
        }
        plan.lane(device.lane);
        plan.every(Seconds(10));
        decode_fields(plan, "rdma.resources/" + device.name, device.entity, kSummary,
                      "this kernel does not count them");
        plan.every(Seconds(30));
        Tables tables(host, device, plan);
        plan_queue_pairs(device.entity, ports, tables);
        plan_others(device.entity, tables);
    }
}

}  // namespace

extern const Collector rdma_resources;
constinit const Collector rdma_resources{"rdma_resources", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
