// SPDX-License-Identifier: GPL-2.0-or-later
// Is congestion control on, in both directions, for the priority that RoCE rides on?
#include <fmt/format.h>

#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    reference(Kind::port, "roce_class", Kind::priority,
              "The priority RoCE rides on, of the interface below: where its pauses and discards are counted"),
    {Kind::port, "ecn_np", Type::boolean, Nature::config, "",
     "Our receiver answers marked RoCE packets: ecn_np_enabled of the RoCE priority, else cc_enabled"},
    {Kind::port, "ecn_rp", Type::boolean, Nature::config, "",
     "Our sender slows down when notified: ecn_rp_enabled of the RoCE priority, else cc_enabled"},
};
constexpr const FactSpec& kClass = row(kFacts, Kind::port, "roce_class");
constexpr const FactSpec& kNotify = row(kFacts, Kind::port, "ecn_np");
constexpr const FactSpec& kReact = row(kFacts, Kind::port, "ecn_rp");

constexpr std::array<std::string_view, 9> kReads{
    "port.netdev",        "netdev.lower",    "netdev.master",           "netdev.kind",
    "port.roce_priority", "priority.number", "priority.ecn_np_enabled", "priority.ecn_rp_enabled",
    "port.cc_enabled",
};

// The RoCE priority of every wire the port uses.
Known<std::vector<Entity>> classes(const Snapshot& snapshot, const Entity& port, const Wires& wires) {
    const auto number = snapshot.integer(port, "roce_priority");
    if (!number) return tl::unexpected<Gap>(needs(snapshot, port, "roce_priority"));
    auto below = wires.of(port);
    if (!below) return below;
    for (Entity& entity : *below) {
        Entity priority{Kind::priority, fmt::format("{}/{}", entity.id, *number)};
        if (!snapshot.integer(priority, "number")) {
            return tl::unexpected<Gap>(not_offered(snapshot.label(entity) + ": its priorities are not shown"));
        }
        entity = std::move(priority);
    }
    return below;
}

void put_class(const Known<std::vector<Entity>>& found, Snapshot& snapshot, const Entity& port) {
    if (!found) return snapshot.gap(port, kClass, found.error());
    if (found->size() == 1) return snapshot.put(port, kClass, found->front());
    snapshot.gap(port, kClass, not_collected("the port uses several interfaces: look at the priorities of each"));
}

// What the priority says; where nobody can say it for a priority, what holds for the whole port.
Known<bool> enabled(const Snapshot& snapshot, const Entity& port, const Known<std::vector<Entity>>& priorities,
                    std::string_view fact) {
    if (const auto whole = snapshot.boolean(port, "cc_enabled")) return *whole;
    if (!priorities) return tl::unexpected<Gap>(priorities.error());
    return agreed<bool>(snapshot, *priorities, [&](const Entity& priority) -> Known<bool> {
        const auto value = snapshot.boolean(priority, fact);
        if (!value) return tl::unexpected<Gap>(needs(snapshot, priority, fact));
        return *value;
    });
}

void put_enabled(const Known<bool>& value, const FactSpec& spec, Snapshot& snapshot, const Entity& port) {
    if (!value) return snapshot.gap(port, spec, value.error());
    snapshot.put(port, spec, *value);
}

void derive(const Site&, Snapshot& snapshot) {
    const Wires wires(snapshot);
    for (const Entity& port : snapshot.entities(Kind::port)) {
        const auto priorities = classes(snapshot, port, wires);
        put_class(priorities, snapshot, port);
        put_enabled(enabled(snapshot, port, priorities, "ecn_np_enabled"), kNotify, snapshot, port);
        put_enabled(enabled(snapshot, port, priorities, "ecn_rp_enabled"), kReact, snapshot, port);
    }
}

}  // namespace

extern const Derivation congestion;
constinit const Derivation congestion{"congestion", kFacts, kReads, derive};

}  // namespace rd::collectors
