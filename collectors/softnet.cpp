// SPDX-License-Identifier: GPL-2.0-or-later
// Packets that the receive path of the kernel could not keep up with: soft-RoCE, soft-iWARP and all of TCP go through it, hardware RDMA
// does not.
#include <fmt/format.h>

#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "softnet_dropped", Type::integer, Nature::counter, "packets",
     "Dropped because the backlog of a CPU was full (net.core.netdev_max_backlog): /proc/net/softnet_stat, second "
     "column"},
    {Kind::host, "softnet_squeezed", Type::integer, Nature::counter, "",
     "Times a CPU stopped receiving with packets left, out of budget or time: /proc/net/softnet_stat, third column"},
};

const Entity kHost{Kind::host, ""};
constexpr const FactSpec& kDropped = row(kFacts, Kind::host, "softnet_dropped");
constexpr const FactSpec& kSqueezed = row(kFacts, Kind::host, "softnet_squeezed");
constexpr std::string_view kPath = "/proc/net/softnet_stat";

// A line a CPU, hexadecimal columns: "0000f2a1 00000000 00000003 …".
void decode(std::string_view text, Facts& out) {
    std::int64_t dropped = 0, squeezed = 0;
    bool any = false;
    for (const std::string_view line : lines(text)) {
        const auto fields = words(line);
        const auto drop = fields.size() > 2 ? parse_hex(fields[1]) : Result<std::uint64_t>(fail(Errc::bad_input, ""));
        const auto squeeze = fields.size() > 2 ? parse_hex(fields[2]) : drop;
        if (!drop || !squeeze || *drop > 0xffffffffU || *squeeze > 0xffffffffU) {
            const Gap gap{GapClass::error, fmt::format("{}: not a line of it: '{}'", kPath, printable(line)), {}};
            return gap_all({{kHost, &kDropped}, {kHost, &kSqueezed}}, gap, out);
        }
        dropped += static_cast<std::int64_t>(*drop);
        squeezed += static_cast<std::int64_t>(*squeeze);
        any = true;
    }
    if (!any) {
        const Gap gap{GapClass::error, fmt::format("{}: empty", kPath), {}};
        return gap_all({{kHost, &kDropped}, {kHost, &kSqueezed}}, gap, out);
    }
    out.put(kHost, kDropped, dropped);
    out.put(kHost, kSqueezed, squeezed);
}

void discover(const Host&, Plan& plan) {
    plan.decode(std::string(kPath), {{kHost, &kDropped}, {kHost, &kSqueezed}}, decode);
}

}  // namespace

extern const Collector softnet;
constinit const Collector softnet{"softnet", kFacts, {}, Seconds(2), Rediscover::on_change, discover};

}  // namespace rd::collectors
