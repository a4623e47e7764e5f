// SPDX-License-Identifier: GPL-2.0-or-later
// What a benchmark of somebody else's reached, of a text in which its table was pasted: ib_write_bw and its like, osu_bw. This program
// runs none.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/table.h"
#include "core/base/records.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "benchmark_gbps", Type::real, Nature::config, "Gbit/s",
     "Highest bandwidth in one direction that a pasted benchmark shows"},
    {Kind::host, "benchmark_ports", Type::integer, Nature::config, "",
     "Ports of this host that benchmark was told to use together"},
};
constexpr const FactSpec& kGbps = row(kFacts, Kind::host, "benchmark_gbps");
constexpr const FactSpec& kPorts = row(kFacts, Kind::host, "benchmark_ports");

const Entity kHost{Kind::host, ""};
constexpr std::string_view kSource = "benchmark";

// "bandwidth=170.5 ports=2"
std::optional<double> value_in(std::string_view line, std::string_view name) {
    for (const std::string_view word : words(line)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos || word.substr(0, equals) != name) continue;
        if (const auto number = parse_number(word.substr(equals + 1))) return *number;
    }
    return std::nullopt;
}

void discover(const Host& host, Plan& plan) {
    std::optional<double> best, ports;
    const auto text = host.read("logs");
    for (const Record& record : text ? parse_records(*text).value_or(std::vector<Record>{}) : std::vector<Record>{}) {
        if (record.get("source") != kSource) continue;
        const std::string line = record.get("text").value_or(std::string());
        const auto gbps = value_in(line, "bandwidth");
        if (!gbps || (best && *gbps <= *best)) continue;
        best = gbps;
        ports = value_in(line, "ports");
    }
    const Gap none = not_offered("no result of a benchmark is told");
    if (best) {
        plan.put(kHost, kGbps, *best);
    } else {
        plan.gap(kHost, kGbps, none);
    }
    if (ports) {
        plan.put(kHost, kPorts, static_cast<std::int64_t>(*ports));
    } else {
        plan.gap(kHost, kPorts, none);
    }
}

}  // namespace

extern const Collector benchmark;
constinit const Collector benchmark{"benchmark", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
