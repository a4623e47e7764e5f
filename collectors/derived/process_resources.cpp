// SPDX-License-Identifier: GPL-2.0-or-later
// What a process holds over all devices, from what each device says of its holders. As old as the last dump of the tables.
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec count(std::string_view name, std::string_view doc) {
    return {Kind::process, name, Type::integer, Nature::gauge, "", doc};
}

constexpr FactSpec kFacts[] = {
    count("qps", "Queue pairs it made, on all devices: device.qp_holders"),
    count("cqs", "Completion queues it made, on all devices: device.cq_holders"),
    count("mrs", "Memory regions it registered, on all devices: device.mr_holders"),
    count("cm_ids", "Connection identifiers of rdma_cm it made, on all devices: device.cm_id_holders"),
    count("qps_infiniband", "Queue pairs it made on InfiniBand devices: device.qp_holders, device.protocol"),
    count("qps_roce", "Queue pairs it made on RoCE devices: device.qp_holders, device.protocol"),
};

struct Total {
    const FactSpec& spec;
    std::string_view holders;
    std::string_view protocol;  // only devices of this one; empty: all
};
constexpr Total kTotals[] = {
    {row(kFacts, Kind::process, "qps"), "qp_holders", ""},
    {row(kFacts, Kind::process, "cqs"), "cq_holders", ""},
    {row(kFacts, Kind::process, "mrs"), "mr_holders", ""},
    {row(kFacts, Kind::process, "cm_ids"), "cm_id_holders", ""},
    {row(kFacts, Kind::process, "qps_infiniband"), "qp_holders", "ib"},
    {row(kFacts, Kind::process, "qps_roce"), "qp_holders", "roce"},
};

constexpr std::array<std::string_view, 5> kReads{"device.qp_holders", "device.cq_holders", "device.mr_holders",
                                                 "device.cm_id_holders", "device.protocol"};

using Counts = std::map<std::string, std::int64_t, std::less<>>;

// "4242=12 ib_core=1": who is not named has none, unless there were more than are named.
struct Holders {
    Counts counts;
    bool cut = false;
};

Holders holders_of(std::string_view text) {
    Holders holders;
    for (const std::string_view word : words(text)) {
        const std::size_t equals = word.rfind('=');
        const auto number =
            equals == std::string_view::npos ? Result<std::int64_t>(0) : parse_counter(word.substr(equals + 1));
        if (equals != std::string_view::npos && number) holders.counts[std::string(word.substr(0, equals))] += *number;
        holders.cut = holders.cut || word == "more";
    }
    return holders;
}

// One table of all devices.
struct Table {
    Holders holders;
    std::optional<Gap> gap;
};

Table table_of(const Snapshot& snapshot, const std::vector<Entity>& devices, const Total& total) {
    Table table;
    if (const Gap* gap = snapshot.kind_gap(Kind::device)) table.gap = *gap;
    for (const Entity& device : devices) {
        if (!total.protocol.empty()) {
            const auto protocol = snapshot.text(device, "protocol");
            if (!protocol) table.gap = needs(snapshot, device, "protocol");
            if (protocol != total.protocol) continue;
        }
        const auto text = snapshot.text(device, total.holders);
        if (!text) {
            table.gap = needs(snapshot, device, total.holders);
            continue;
        }
        const Holders own = holders_of(*text);
        for (const auto& [who, number] : own.counts) table.holders.counts[who] += number;
        table.holders.cut = table.holders.cut || own.cut;
    }
    return table;
}

void derive(const Site&, Snapshot& snapshot) {
    const auto processes = snapshot.entities(Kind::process);
    if (processes.empty()) return;
    const auto devices = snapshot.entities(Kind::device);
    for (const Total& total : kTotals) {
        const Table table = table_of(snapshot, devices, total);
        for (const Entity& process : processes) {
            const auto own = table.holders.counts.find(process.id);
            if (table.gap) {
                snapshot.gap(process, total.spec, *table.gap);
            } else if (own != table.holders.counts.end()) {
                snapshot.put(process, total.spec, own->second);
            } else if (table.holders.cut) {
                snapshot.gap(process, total.spec, not_collected("not among the largest holders"));
            } else {
                snapshot.put(process, total.spec, std::int64_t{0});
            }
        }
    }
}

}  // namespace

extern const Derivation process_resources;
constinit const Derivation process_resources{"process_resources", kFacts, kReads, derive};

}  // namespace rd::collectors
