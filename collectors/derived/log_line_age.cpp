// SPDX-License-Identifier: GPL-2.0-or-later
// How long ago a line was last written: what the kernel said at boot says nothing about now.
#include <algorithm>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::log, "age", Type::real, Nature::gauge, "seconds", "Time since the last line of this shape"},
};
constexpr std::string_view kReads[] = {"log.at"};

void derive(const Site&, Snapshot& snapshot) {
    const double now = static_cast<double>(snapshot.stamp().boot_ns) / 1e9;
    for (const Entity& line : snapshot.entities(Kind::log)) {
        if (const auto at = snapshot.real(line, "at")) {
            snapshot.put(line, kFacts[0], std::max(now - *at, 0.0));
        } else {
            snapshot.gap(line, kFacts[0], needs(snapshot, line, "at"));
        }
    }
}

}  // namespace

extern const Derivation log_line_age;
constinit const Derivation log_line_age{"log_line_age", kFacts, kReads, derive};

}  // namespace rd::collectors
