// SPDX-License-Identifier: GPL-2.0-or-later
// Are marks answered with congestion notifications, and are notifications obeyed? Apart from the settings (congestion): these follow
// counters that count on all the time.
#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "cnp_per_mark", Type::real, Nature::gauge, "",
     "Notifications sent for each marked packet received, since the counters began: np_cnp_sent / np_ecn_marked"},
    {Kind::port, "cnp_ignored_share", Type::real, Nature::gauge, "",
     "Share of the notifications received that were ignored, since the counters began"},
};
constexpr const FactSpec& kPerMark = row(kFacts, Kind::port, "cnp_per_mark");
constexpr const FactSpec& kIgnored = row(kFacts, Kind::port, "cnp_ignored_share");

constexpr std::array<std::string_view, 4> kReads{
    "port.np_cnp_sent",
    "port.np_ecn_marked",
    "port.rp_cnp_handled",
    "port.rp_cnp_ignored",
};

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
    for (const Entity& port : snapshot.entities(Kind::port)) {
        put_ratio(kAnswered, kPerMark, snapshot, port);
        put_ratio(kRefused, kIgnored, snapshot, port);
    }
}

}  // namespace

extern const Derivation notifications;
constinit const Derivation notifications{"notifications", kFacts, kReads, derive};

}  // namespace rd::collectors
