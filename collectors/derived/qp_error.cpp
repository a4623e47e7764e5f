// SPDX-License-Identifier: GPL-2.0-or-later
// A queue pair in the error state as people look for it: its number and who made it.
#include <fmt/format.h>

#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "qps_error_example", Type::text, Nature::gauge, "",
     "The first queue pair in state ERR and who made it, a process or a kernel module: lqpn 17 rcpair (4242)"},
};
constexpr const FactSpec& kExample = row(kFacts, Kind::port, "qps_error_example");

constexpr std::array<std::string_view, 4> kReads{"port.qps_error_lqpn", "port.qps_error_pid", "port.qps_error_kern",
                                                 "process.name"};

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& port : snapshot.entities(Kind::port)) {
        const auto number = snapshot.integer(port, "qps_error_lqpn");
        if (!number) {
            snapshot.gap(port, kExample, needs(snapshot, port, "qps_error_lqpn"));
            continue;
        }
        std::string text = fmt::format("lqpn {}", *number);
        if (const auto pid = snapshot.integer(port, "qps_error_pid")) {
            const auto name = snapshot.text({Kind::process, std::to_string(*pid)}, "name");
            text += " " + name.value_or(fmt::format("pid {}", *pid));
        } else if (const auto module = snapshot.text(port, "qps_error_kern")) {
            text += " " + *module;
        }
        snapshot.put(port, kExample, text);
    }
}

}  // namespace

extern const Derivation qp_error;
constinit const Derivation qp_error{"qp_error", kFacts, kReads, derive};

}  // namespace rd::collectors
