// SPDX-License-Identifier: GPL-2.0-or-later
// How the two halves of congestion control hang together on one port: is it on for the priority RoCE rides on, are marks answered with
// notifications, and are notifications obeyed.
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
    {Kind::port, "cnp_per_mark", Type::real, Nature::gauge, "",
     "Notifications sent for each marked packet received, since the counters began: np_cnp_sent / np_ecn_marked"},
    {Kind::port, "cnp_ignored_share", Type::real, Nature::gauge, "",
     "Share of the notifications received that were ignored, since the counters began"},
};
constexpr const FactSpec& kClass = row(kFacts, Kind::port, "roce_class");
constexpr const FactSpec& kNotify = row(kFacts, Kind::port, "ecn_np");
constexpr const FactSpec& kReact = row(kFacts, Kind::port, "ecn_rp");
constexpr const FactSpec& kPerMark = row(kFacts, Kind::port, "cnp_per_mark");
constexpr const FactSpec& kIgnored = row(kFacts, Kind::port, "cnp_ignored_share");

constexpr std::array<std::string_view, 13> kReads{
    "port.netdev",         "netdev.lower",     "netdev.master",           "netdev.kind",
    "port.roce_priority",  "priority.number",  "priority.ecn_np_enabled", "priority.ecn_rp_enabled",
    "port.cc_enabled",     "port.np_cnp_sent", "port.np_ecn_marked",      "port.rp_cnp_handled",
    "port.rp_cnp_ignored",
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

// part / whole of two counters. `nothing` says why there is no ratio while the whole is 0.
struct Ratio {
    std::string_view part, whole;
    bool whole_holds_part;  // else both are counted apart, and the whole is their sum
    std::string_view nothing;
};
constexpr Ratio kAnswered{"np_cnp_sent", "np_ecn_marked", true, "no marked packet has been received"};
constexpr Ratio kRefused{"rp_cnp_ignored", "rp_cnp_handled", false, "no notification has been received"};

void put_ratio(const Ratio& ratio, const FactSpec& spec, Snapshot& snapshot, const Entity& port) {
    const auto part = snapshot.integer(port, ratio.part), whole = snapshot.integer(port, ratio.whole);
    if (!part) return snapshot.gap(port, spec, needs(snapshot, port, ratio.part));
    if (!whole) return snapshot.gap(port, spec, needs(snapshot, port, ratio.whole));
    const double all = static_cast<double>(*whole) + (ratio.whole_holds_part ? 0.0 : static_cast<double>(*part));
    if (all <= 0) return snapshot.gap(port, spec, not_offered(std::string(ratio.nothing)));
    snapshot.put(port, spec, static_cast<double>(*part) / all);
}

void derive(const Site&, Snapshot& snapshot) {
    const Wires wires(snapshot);
    for (const Entity& port : snapshot.entities(Kind::port)) {
        const auto priorities = classes(snapshot, port, wires);
        put_class(priorities, snapshot, port);
        put_enabled(enabled(snapshot, port, priorities, "ecn_np_enabled"), kNotify, snapshot, port);
        put_enabled(enabled(snapshot, port, priorities, "ecn_rp_enabled"), kReact, snapshot, port);
        put_ratio(kAnswered, kPerMark, snapshot, port);
        put_ratio(kRefused, kIgnored, snapshot, port);
    }
}

}  // namespace

extern const Derivation congestion;
constinit const Derivation congestion{"congestion", kFacts, kReads, derive};

}  // namespace rd::collectors
