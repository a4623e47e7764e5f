// SPDX-License-Identifier: GPL-2.0-or-later
// What a device says of itself through libibverbs: how many objects it can hold, and the MTU of its ports. Asking opens a context,
// which costs a few firmware commands, so it is done once for all that is in the answer.
#include <fmt/format.h>

#include <optional>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec limit(std::string_view name, std::string_view unit, std::string_view doc) {
    return {Kind::device, name, Type::integer, Nature::config, unit, doc};
}

constexpr FactSpec kFacts[] = {
    limit("max_qp", "", "Queue pairs the device can hold: ibv_query_device"),
    limit("max_cq", "", "Completion queues the device can hold: ibv_query_device"),
    limit("max_mr", "", "Memory regions the device can hold: ibv_query_device"),
    limit("max_mr_size", "bytes", "Largest memory region: ibv_query_device; a gap where the device names no limit"),
    limit("max_qp_wr", "", "Work requests a queue can hold: ibv_query_device"),
    limit("max_sge", "", "Pieces of memory a work request can name: ibv_query_device"),
    limit("max_rd_atomic", "",
          "Reads and atomics a queue pair can answer at a time: ibv_query_device max_qp_rd_atomic"),
    {Kind::device, "atomic", Type::text, Nature::config, "", "none, hca or glob: ibv_query_device atomic_cap"},
    {Kind::device, "odp", Type::boolean, Nature::config, "", "On-demand paging is supported: ibv_query_device_ex"},
    {Kind::port, "active_mtu", Type::integer, Nature::config, "bytes",
     "RDMA MTU in use: ibv_query_port; on RoCE the largest IB MTU that fits the netdev's MTU less 96"},
    {Kind::port, "max_mtu", Type::integer, Nature::config, "bytes", "Largest RDMA MTU of the port: ibv_query_port"},
};

// Drivers without a limit of their own say ~0.
Result<Value> as_size_limit(std::string_view text) {
    if (trim(text) == "18446744073709551615") return fail(Errc::not_supported, "the device names no limit");
    return as_counter(text);
}

constexpr Source kDevice[] = {
    {"max_qp", row(kFacts, Kind::device, "max_qp"), as_counter},
    {"max_cq", row(kFacts, Kind::device, "max_cq"), as_counter},
    {"max_mr", row(kFacts, Kind::device, "max_mr"), as_counter},
    {"max_mr_size", row(kFacts, Kind::device, "max_mr_size"), as_size_limit},
    {"max_qp_wr", row(kFacts, Kind::device, "max_qp_wr"), as_counter},
    {"max_sge", row(kFacts, Kind::device, "max_sge"), as_counter},
    {"max_qp_rd_atom", row(kFacts, Kind::device, "max_rd_atomic"), as_counter},
    {"atomic", row(kFacts, Kind::device, "atomic"), as_label},
    {"odp", row(kFacts, Kind::device, "odp"), as_switch},
};
constexpr Source kPort[] = {
    {"active_mtu", row(kFacts, Kind::port, "active_mtu"), as_counter},
    {"max_mtu", row(kFacts, Kind::port, "max_mtu"), as_counter},
};

// The record of the device names no port.
Record record_of(const std::vector<Record>& records, const std::optional<std::string>& port) {
    for (const Record& record : records) {
        if (record.get("port") == port) return record;
    }
    return {};
}

void plan_device(const Host& host, const RdmaDevice& device, Plan& plan) {
    const std::string subject = "verbs.device/" + device.name;
    // Ports that cannot be listed are for rdma_port to report.
    const auto numbers = port_numbers(host, device).value_or(std::vector<int>{});
    std::vector<Cover> covers = covers_of(device.entity, kDevice);
    for (const int number : numbers) {
        for (const Cover& cover : covers_of(port_entity(device, number), kPort)) covers.push_back(cover);
    }
    plan.lane(device.lane);
    plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            return gap_all(covers, gap_from({records.error().code, subject + ": " + records.error().what, {}}), out);
        }
        Answer(subject, record_of(*records, std::nullopt)).put(device.entity, kDevice, out);
        for (const int number : numbers) {
            Answer(subject, record_of(*records, std::to_string(number)))
                .put(port_entity(device, number), kPort, out, "the port is not in the answer");
        }
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::device, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) plan_device(host, device, plan);
}

}  // namespace

extern const Collector verbs;
constinit const Collector verbs{"verbs", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
