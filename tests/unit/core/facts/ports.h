// SPDX-License-Identifier: GPL-2.0-or-later
// Two made ports with a collector and two derivations, for the tests of the sweep.
#pragma once

#include <memory>
#include <string>

#include "core/facts/sweep.h"
#include "tests/unit/support/fake_host.h"

namespace rd::ports {

inline constexpr FactSpec kPortFacts[] = {
    {Kind::port, "a", Type::integer, Nature::gauge, "", ""},
    {Kind::port, "b", Type::integer, Nature::gauge, "", ""},
    family(Kind::port, "raw_", Nature::counter, "", ""),
};
inline constexpr FactSpec kForeign[] = {{Kind::port, "foreign", Type::integer, Nature::gauge, "", ""}};

inline Entity port(const std::string& id) { return {Kind::port, id}; }

inline void discover_ports(const Host& host, Plan& plan) {
    plan.watch("/ports");
    const auto names = host.list("/ports");
    if (!names) {
        plan.kind_gap(Kind::port, gap_from(names.error()));
        return;
    }
    for (const std::string& name : *names) {
        plan.lane(name);
        plan.read("/ports/" + name + "/a", port(name), kPortFacts[0], as_integer);
        plan.decode("/ports/" + name + "/b", {{port(name), &kPortFacts[1]}}, [name](std::string_view text, Facts& out) {
            out.set(port(name), kPortFacts[1], as_integer(text));
            out.put(port(name), kPortFacts[2], "raw_x", std::int64_t{7});
            out.put(port(name), kForeign[0], std::int64_t{1});
        });
        plan.present(port(name));
    }
}
inline const Collector kPorts{"ports", kPortFacts, {}, Seconds{1}, Rediscover::on_change, discover_ports};
inline const Collector* const kCollectors[] = {&kPorts};

inline constexpr FactSpec kSumFacts[] = {{Kind::host, "sum", Type::integer, Nature::gauge, "", ""}};
inline constexpr FactSpec kTwiceFacts[] = {{Kind::host, "twice", Type::integer, Nature::gauge, "", ""}};
inline constexpr std::string_view kSumReads[] = {"port.a"};
inline constexpr std::string_view kTwiceReads[] = {"host.sum"};
inline const Derivation kTwice{"twice", kTwiceFacts, kTwiceReads, [](const Site&, Snapshot& snapshot) {
                                   const auto sum = snapshot.integer({Kind::host, ""}, "sum");
                                   snapshot.put({Kind::host, ""}, kTwiceFacts[0], sum.value_or(-1) * 2);
                               }};
inline const Derivation kSum{"sum", kSumFacts, kSumReads, [](const Site&, Snapshot& snapshot) {
                                 std::int64_t sum = 0;
                                 for (const Entity& entity : snapshot.entities(Kind::port)) {
                                     sum += snapshot.integer(entity, "a").value_or(0);
                                 }
                                 snapshot.put({Kind::host, ""}, kSumFacts[0], sum);
                             }};
inline const Derivation* const kDerivations[] = {&kTwice, &kSum};

inline std::shared_ptr<FakeHost> two_ports() {
    auto host = std::make_shared<FakeHost>();
    host->file("/ports/p1/a", "1\n").file("/ports/p1/b", "10\n").file("/ports/p2/a", "2\n").file("/ports/p2/b", "20\n");
    return host;
}

}  // namespace rd::ports
