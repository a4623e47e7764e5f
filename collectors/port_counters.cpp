// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of the Performance Management Agent: what an InfiniBand port counts by the standard, files ports/N/counters (Linux
// drivers/infiniband/core/sysfs.c). mlx4, mlx5, hfi1, qib and mthca have them, most RoCE adapters do not.
//
// Each file is one request to the firmware, hence half a minute between them. Natures: the narrow ones stay at their maximum until
// somebody clears them (perfquery -R), so one that stands there says "at least" and has no rate.
//
// On RoCE mlx5 bytes and packets are RDMA only, of this function only; the errors of the link stay 0 there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

using enum Nature;

constexpr FactSpec counter_row(std::string_view name, Nature nature, std::string_view unit, std::string_view doc) {
    return {Kind::port, name, Type::integer, nature, unit, doc};
}

constexpr FactSpec kFacts[] = {
    counter_row("symbol_error", saturating16, "", "Minor errors of the physical lanes: PMA symbol_error"),
    counter_row("link_error_recovery", saturating8, "",
                "Times the link repaired itself by training again: PMA link_error_recovery"),
    counter_row("link_downed", saturating8, "",
                "Times that repair failed and the link went down: PMA link_downed; InfiniBand only"),
    counter_row("port_rcv_errors", saturating16, "packets", "Packets received with an error: PMA port_rcv_errors"),
    counter_row("port_rcv_remote_physical_errors", saturating16, "packets",
                "Packets that had been marked bad further up: PMA port_rcv_remote_physical_errors"),
    counter_row("port_rcv_switch_relay_errors", saturating16, "packets",
                "Packets a switch could not relay: PMA port_rcv_switch_relay_errors"),
    counter_row("port_xmit_discards", saturating16, "packets",
                "Packets dropped before sending, port down or congested: PMA port_xmit_discards"),
    counter_row("port_xmit_constraint_errors", saturating8, "packets",
                "Packets not sent because of a P_Key or raw filter: PMA port_xmit_constraint_errors"),
    counter_row("port_rcv_constraint_errors", saturating8, "packets",
                "Packets refused because of a P_Key or raw filter: PMA port_rcv_constraint_errors"),
    counter_row("local_link_integrity_errors", saturating4, "",
                "Times local physical errors passed their threshold: PMA local_link_integrity_errors"),
    counter_row("excessive_buffer_overrun_errors", saturating4, "",
                "Times the receive buffer overran for long: PMA excessive_buffer_overrun_errors"),
    counter_row("vl15_dropped", saturating16, "packets",
                "Subnet management packets dropped for want of buffer: PMA VL15_dropped"),
    counter_row("port_xmit_wait", saturating32, "ticks",
                "Ticks of the device in which data had to wait for credit or its turn: PMA port_xmit_wait"),
    counter_row("port_xmit_bytes", counter, "bytes", "Bytes sent: PMA port_xmit_data, which counts words of 4 bytes"),
    counter_row("port_rcv_bytes", counter, "bytes", "Bytes received: PMA port_rcv_data, which counts words of 4 bytes"),
    counter_row("port_xmit_packets", counter, "packets", "Packets sent: PMA port_xmit_packets"),
    counter_row("port_rcv_packets", counter, "packets", "Packets received: PMA port_rcv_packets"),
    counter_row("unicast_xmit_packets", counter, "packets", "Unicast packets sent: PMA unicast_xmit_packets"),
    counter_row("unicast_rcv_packets", counter, "packets", "Unicast packets received: PMA unicast_rcv_packets"),
    counter_row("multicast_xmit_packets", counter, "packets", "Multicast packets sent: PMA multicast_xmit_packets"),
    counter_row("multicast_rcv_packets", counter, "packets", "Multicast packets received: PMA multicast_rcv_packets"),
};

// Kernels before 6.1 give every driver the files; without an agent they say so in words.
Result<std::int64_t> agent_value(std::string_view text) {
    const std::string_view word = trim(text);
    if (word.starts_with("N/A")) {
        return fail(Errc::not_supported, "the driver has no performance agent: '" + printable(word) + "'");
    }
    return parse_counter(word);
}

Result<Value> as_narrow(std::string_view text) {
    return agent_value(text).map([](std::int64_t value) { return Value(value); });
}

// Adapters without extended counters give 32 bits that stay at their maximum, on a busy link within seconds.
Result<std::int64_t> wide_value(std::string_view text) {
    auto value = agent_value(text);
    if (value && *value == std::numeric_limits<std::uint32_t>::max()) {
        return fail(Errc::bad_input, "stands at the maximum of a counter of 32 bits, so nothing can be told from it",
                    "clear it: perfquery -R");
    }
    return value;
}

Result<Value> as_wide(std::string_view text) {
    return wide_value(text).map([](std::int64_t value) { return Value(value); });
}

Result<Value> as_words(std::string_view text) {
    constexpr std::int64_t kWord = 4;
    const auto words = wide_value(text);
    if (!words) return tl::unexpected<Error>(words.error());
    if (*words > std::numeric_limits<std::int64_t>::max() / kWord) {
        return fail(Errc::bad_input, fmt::format("more words than any port has sent: {}", *words));
    }
    return Value(*words * kWord);
}

// The kernel's name of a row's file, and what to make of its text.
std::string_view file_of(const FactSpec& spec) {
    if (spec.name == "vl15_dropped") return "VL15_dropped";
    if (spec.name == "port_xmit_bytes") return "port_xmit_data";
    if (spec.name == "port_rcv_bytes") return "port_rcv_data";
    return spec.name;
}

Parser parser_of(const FactSpec& spec) {
    if (spec.unit == "bytes") return as_words;
    return spec.nature == counter ? as_wide : as_narrow;
}

void plan_port(const Host& host, const std::string& directory, const Entity& port, Plan& plan) {
    const auto names = host.list(directory);
    for (const FactSpec& spec : kFacts) {
        const std::string path = fmt::format("{}/{}", directory, file_of(spec));
        // A source that holds files without their listing may have any of them.
        const bool unlisted = !names && names.error().code == Errc::not_collected;
        if (unlisted || (names && std::find(names->begin(), names->end(), file_of(spec)) != names->end())) {
            plan.read(path, port, spec, parser_of(spec));
        } else if (names || names.error().code == Errc::not_found) {
            plan.gap(port, spec,
                     not_offered(
                         path + (names ? ": this device does not count it" : ": the driver has no performance agent")));
        } else {
            plan.gap(port, spec, gap_from(names.error()));
        }
    }
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kInfiniband));
    const auto devices = rdma_devices(host);
    if (!devices) return plan.kind_gap(Kind::port, gap_from(devices.error()));
    for (const RdmaDevice& device : *devices) {
        plan.lane(device.lane);
        const auto numbers = port_numbers(host, device);
        if (!numbers) plan.kind_gap(Kind::port, gap_from(numbers.error()));
        for (const int number : numbers.value_or(std::vector<int>{})) {
            plan_port(host, fmt::format("{}/ports/{}/counters", device.path, number), port_entity(device, number),
                      plan);
        }
    }
}

}  // namespace

extern const Collector port_counters;
constinit const Collector port_counters{"port_counters", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
