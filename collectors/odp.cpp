// SPDX-License-Identifier: GPL-2.0-or-later
// Pages that adapters had to ask for: memory that is registered on demand is not pinned, and an access to a page that is not there stops
// the queue pair until the processor has brought it. Only mlx5 tells, and only of regions that are there: the sums shrink with them.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec counter(std::string_view name, std::string_view doc) {
    return {Kind::device, name, Type::integer, Nature::counter, "pages", doc};
}

constexpr FactSpec kFacts[] = {
    counter("odp_page_faults",
            "Pages of on-demand regions that an access did not find: netlink STAT_GET page_faults, summed"),
    counter("odp_invalidations", "Pages of on-demand regions that the kernel took away: page_invalidations"),
    counter("odp_prefetches", "Pages of on-demand regions that the program asked for ahead: page_prefetch"),
};

struct Column {
    std::string_view name;
    const FactSpec& spec;
};
constexpr Column kColumns[] = {
    {"page_faults", row(kFacts, Kind::device, "odp_page_faults")},
    {"page_invalidations", row(kFacts, Kind::device, "odp_invalidations")},
    {"page_prefetch", row(kFacts, Kind::device, "odp_prefetches")},
};

void decode(const std::string& subject, const Entity& device, const std::vector<Cover>& covers, std::string_view text,
            Facts& out) {
    const auto records = parse_records(text);
    if (!records)
        return gap_all(covers, gap_from(Error{records.error().code, subject + ": " + records.error().what, {}}), out);
    for (const Record& record : *records) {
        if (record.get("truncated"))
            return gap_all(covers, not_collected(subject + ": more regions than are looked at"), out);
    }
    for (const Column& column : kColumns) {
        Result<Value> sum = Value(std::int64_t{0});
        std::int64_t total = 0;
        for (const Record& record : *records) {
            const auto field = record.get(column.name);
            if (!field) continue;  // a region that is pinned
            const auto count = parse_counter(*field);
            if (!count) {
                sum = fail(count.error().code, fmt::format("{}: {}: {}", subject, column.name, count.error().what));
                break;
            }
            sum = Value(total += *count);
        }
        out.set(device, column.spec, std::move(sum));
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        const std::string subject = "rdma.mr_stat/" + device.name;
        std::vector<Cover> covers;
        for (const Column& column : kColumns) covers.push_back({device.entity, &column.spec});
        plan.lane(device.lane);
        plan.decode(subject, covers, [=, entity = device.entity](std::string_view text, Facts& out) {
            decode(subject, entity, covers, text, out);
        });
    }
}

}  // namespace

extern const Collector odp;
constinit const Collector odp{"odp", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
