// SPDX-License-Identifier: GPL-2.0-or-later
// The receive buffers of the port, and which priority uses which: DCB buffer (mlx5 and few others). Priorities may share one.
#include <fmt/format.h>

#include "collectors/common/identity.h"
#include "collectors/common/priorities.h"
#include "collectors/common/table.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::priority, "rx_buffer", Type::integer, Nature::config, "",
     "Number of the receive buffer of this priority: DCB buffer prio_buffer"},
    {Kind::priority, "rx_buffer_size", Type::integer, Nature::config, "bytes",
     "Size of that receive buffer: DCB buffer size"},
};
constexpr const FactSpec& kNumber = row(kFacts, Kind::priority, "rx_buffer");
constexpr const FactSpec& kSize = row(kFacts, Kind::priority, "rx_buffer_size");

void plan_netdev(const Host& host, const Netdev& netdev, Plan& plan) {
    const std::vector<Entity> priorities = priorities_of(host, netdev);
    if (priorities.empty()) return;
    const std::string subject = "dcb.buffer/" + netdev.name;
    std::vector<Cover> covers;
    for (const Entity& priority : priorities) {
        covers.push_back({priority, &kNumber});
        covers.push_back({priority, &kSize});
    }
    plan.lane(netdev.lane);
    plan.decode(subject, covers, [=](std::string_view text, Facts& out) {
        const auto answer = Answer::parse(subject, text);
        if (!answer) return gap_all(covers, gap_from(answer.error()), out);
        for (std::size_t i = 0; i < priorities.size(); ++i) {
            const std::string key = fmt::format("prio_buffer_{}", i);
            answer->put(priorities[i], Source{key, kNumber, as_counter}, out);
            // Without the number, the key below is not found.
            const std::string* const number = answer->get(key);
            const std::string size = "size_" + (number ? *number : "?");
            answer->put(priorities[i], Source{size, kSize, as_counter}, out);
        }
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNet));
    const auto kept = rdma_netdevs(host);
    if (!kept) return plan.kind_gap(Kind::priority, gap_from(kept.error()));
    for (const Netdev& netdev : *kept) plan_netdev(host, netdev, plan);
}

}  // namespace

extern const Collector buffers;
constinit const Collector buffers{"buffers", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
