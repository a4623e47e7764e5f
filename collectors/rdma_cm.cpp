// SPDX-License-Identifier: GPL-2.0-or-later
// The connection manager: what it marks and addresses connections with when the application does not say, and the messages it has
// sent, repeated and received. All of it is software counters and settings of the kernel; no device is asked.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec messages(std::string_view name, std::string_view doc) {
    return {Kind::port, name, Type::integer, Nature::counter, "messages", doc};
}

constexpr FactSpec kFacts[] = {
    {Kind::host, "cm_max_backlog", Type::integer, Nature::config, "",
     "Connection requests that may wait for a process to accept them: sysctl net.rdma_ucm.max_backlog"},
    {Kind::port, "default_tos", Type::integer, Nature::config, "",
     "ToS byte of rdma_cm connections that set none: configfs rdma_cm/DEV/ports/N/default_roce_tos; 0 is the default"},
    {Kind::port, "default_roce_mode", Type::text, Nature::config, "",
     "GID type rdma_cm takes: configfs rdma_cm/DEV/ports/N/default_roce_mode (IB/RoCE v1, RoCE v2)"},
    messages("cm_tx_req", "Connection requests sent, repetitions included: file cm_tx_msgs/req"),
    messages("cm_tx_rep", "Replies to connection requests sent: file cm_tx_msgs/rep"),
    messages("cm_tx_rej", "Rejects sent: file cm_tx_msgs/rej"),
    messages("cm_tx_rtu", "Connections of ours confirmed: file cm_tx_msgs/rtu"),
    messages("cm_tx_dreq", "Disconnect requests sent: file cm_tx_msgs/dreq"),
    messages("cm_tx_req_retries",
             "Connection requests repeated because nobody answered; counted when a request has "
             "been answered or given up: file cm_tx_retries/req"),
    messages("cm_tx_rep_retries", "Replies repeated because they were not confirmed: file cm_tx_retries/rep"),
    messages("cm_tx_dreq_retries", "Disconnect requests repeated: file cm_tx_retries/dreq"),
    messages("cm_rx_req", "Connection requests received: file cm_rx_msgs/req"),
    messages("cm_rx_mra", "Requests for more time received, the peer is slow: file cm_rx_msgs/mra"),
    messages("cm_rx_rep", "Replies to our connection requests received: file cm_rx_msgs/rep"),
    messages("cm_rx_rej", "Rejects received: file cm_rx_msgs/rej"),
    messages("cm_rx_rtu", "Confirmations received: file cm_rx_msgs/rtu"),
    messages("cm_rx_dreq", "Disconnect requests received: file cm_rx_msgs/dreq"),
    messages("cm_rx_req_duplicates",
             "Connection requests received again, our answer was lost or late: file "
             "cm_rx_duplicates/req"),
    messages("cm_rx_rep_duplicates", "Replies received again: file cm_rx_duplicates/rep"),
    messages("cm_rx_dreq_duplicates", "Disconnect requests received again: file cm_rx_duplicates/dreq"),
};

constexpr Source kMessages[] = {
    {"cm_tx_msgs/req", row(kFacts, Kind::port, "cm_tx_req"), as_counter},
    {"cm_tx_msgs/rep", row(kFacts, Kind::port, "cm_tx_rep"), as_counter},
    {"cm_tx_msgs/rej", row(kFacts, Kind::port, "cm_tx_rej"), as_counter},
    {"cm_tx_msgs/rtu", row(kFacts, Kind::port, "cm_tx_rtu"), as_counter},
    {"cm_tx_msgs/dreq", row(kFacts, Kind::port, "cm_tx_dreq"), as_counter},
    {"cm_tx_retries/req", row(kFacts, Kind::port, "cm_tx_req_retries"), as_counter},
    {"cm_tx_retries/rep", row(kFacts, Kind::port, "cm_tx_rep_retries"), as_counter},
    {"cm_tx_retries/dreq", row(kFacts, Kind::port, "cm_tx_dreq_retries"), as_counter},
    {"cm_rx_msgs/req", row(kFacts, Kind::port, "cm_rx_req"), as_counter},
    {"cm_rx_msgs/mra", row(kFacts, Kind::port, "cm_rx_mra"), as_counter},
    {"cm_rx_msgs/rep", row(kFacts, Kind::port, "cm_rx_rep"), as_counter},
    {"cm_rx_msgs/rej", row(kFacts, Kind::port, "cm_rx_rej"), as_counter},
    {"cm_rx_msgs/rtu", row(kFacts, Kind::port, "cm_rx_rtu"), as_counter},
    {"cm_rx_msgs/dreq", row(kFacts, Kind::port, "cm_rx_dreq"), as_counter},
    {"cm_rx_duplicates/req", row(kFacts, Kind::port, "cm_rx_req_duplicates"), as_counter},
    {"cm_rx_duplicates/rep", row(kFacts, Kind::port, "cm_rx_rep_duplicates"), as_counter},
    {"cm_rx_duplicates/dreq", row(kFacts, Kind::port, "cm_rx_dreq_duplicates"), as_counter},
};

Result<Value> as_byte(std::string_view text) {
    auto value = as_counter(text);
    if (value && std::get<std::int64_t>(*value) > 255) {
        return fail(Errc::bad_input, fmt::format("not a byte: {}", std::get<std::int64_t>(*value)));
    }
    return value;
}

constexpr Source kDefaults[] = {
    {"default_roce_tos", row(kFacts, Kind::port, "default_tos"), as_byte},
    {"default_roce_mode", row(kFacts, Kind::port, "default_roce_mode"), as_label},
};

bool holds(const Result<std::vector<std::string>>& listing, std::string_view name) {
    return listing && std::find(listing->begin(), listing->end(), name) != listing->end();
}

constexpr std::string_view kDevices = "/sys/kernel/config/rdma_cm";

// `with_defaults`: the listing of kDevices, which is sorted.
void plan_defaults(const Result<std::vector<std::string>>& with_defaults, const RdmaDevice& device, int number,
                   Plan& plan) {
    const Entity port = port_entity(device, number);
    const bool known = with_defaults || with_defaults.error().code == Errc::not_found;
    const bool set_up = with_defaults && std::binary_search(with_defaults->begin(), with_defaults->end(), device.name);
    for (const Source& file : kDefaults) {
        const std::string path = fmt::format("{}/{}/ports/{}/{}", kDevices, device.name, number, file.name);
        if (set_up || !known) {
            plan.read(path, port, file.spec, file.parser);
            continue;
        }
        plan.gap(port, file.spec,
                 not_offered(path + ": nobody has set a default for this device, so the kernel's own holds: ToS 0, and "
                                    "RoCE v2 where the device has it",
                             fmt::format("to set one: mkdir {}/{}", kDevices, device.name)));
    }
}

void plan_messages(const Host& host, const RdmaDevice& device, int number, Plan& plan) {
    const Entity port = port_entity(device, number);
    const std::string path = fmt::format("{}/ports/{}", device.path, number);
    const auto listing = host.list(path);
    const bool absent = listing && !holds(listing, "cm_tx_msgs");
    for (const Source& file : kMessages) {
        const std::string name = fmt::format("{}/{}", path, file.name);
        if (absent) {
            plan.gap(port, file.spec, not_offered(name + ": ib_cm is not loaded, or this port is iWARP"));
        } else {
            plan.read(name, port, file.spec, file.parser);
        }
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    plan.every(Seconds(60));
    plan.read("/proc/sys/net/rdma_ucm/max_backlog", {Kind::host, ""}, row(kFacts, Kind::host, "cm_max_backlog"),
              as_counter);
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    const auto with_defaults = host.list(kDevices);
    for (const RdmaDevice& device : *devices) {
        for (const int number : port_numbers(host, device).value_or(std::vector<int>{})) {
            plan.every(Seconds(60));
            plan_defaults(with_defaults, device, number, plan);
            plan.every(Seconds(10));
            plan_messages(host, device, number, plan);
        }
    }
}

}  // namespace

extern const Collector rdma_cm;
constinit const Collector rdma_cm{"rdma_cm", kFacts, {}, Seconds(10), Rediscover::on_change, discover};

}  // namespace rd::collectors
