// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/qp_errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace rd::daemon {
namespace {

std::string who_made(const History& history, const Entity& port) {
    const auto pid = history.latest().integer(port, "qps_error_pid");
    if (!pid) {
        const auto module = history.latest().text(port, "qps_error_kern");
        return module ? " kernel=" + *module : " owner=not-known";
    }
    std::string text = fmt::format(" pid={}", *pid);
    const Entity process{Kind::process, std::to_string(*pid)};
    if (history.latest().has(process)) text += " process=" + history.latest().label(process);
    return text;
}

}  // namespace

std::vector<store::Event> QpErrors::update(const History& history) {
    std::vector<store::Event> events;
    const Snapshot& now = history.latest();
    for (const Entity& entity : now.entities(Kind::port)) {
        const auto count = now.integer(entity, "qps_error");
        const std::int64_t at = history.observe(entity, "qps_error").at.boot_ns;
        if (!count) continue;  // not known is not none
        const auto [place, first] = ports_.try_emplace(entity, Port{*count, *count, at});
        Port& port = place->second;
        if (first || at == port.read_ns) continue;
        const std::int64_t agreed = std::min(*count, port.last);
        if (agreed > port.told) {
            std::string details = fmt::format("queue_pairs={} before={}", agreed, port.told);
            if (const auto lqpn = now.integer(entity, "qps_error_lqpn")) details += fmt::format(" lqpn={}", *lqpn);
            events.push_back({history.last(), "qp", "ERR", now.label(entity), entity,
                              details + who_made(history, entity), std::uint64_t(agreed - port.told)});
        }
        // What has gone may come again, and is news then.
        port = {std::max(agreed, std::min(port.told, *count)), *count, at};
    }
    std::erase_if(ports_, [&](const auto& one) { return !now.has(one.first); });
    return events;
}

}  // namespace rd::daemon
