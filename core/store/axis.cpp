// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/axis.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace rd::store {
namespace {

constexpr std::int64_t kNs = 1'000'000;
// A clock that is slewed by ntpd stays below this for days; a step does not.
constexpr Millis kNoise = 250;

}  // namespace

Axis::Axis(std::optional<Millis> last, std::map<Millis, Millis> known) : last_(last), ahead_(std::move(known)) {}

Millis Axis::at(const Stamp& stamp) {
    const Millis boot = stamp.boot_ns / kNs, wall = stamp.wall_ns / kNs;
    const bool begins = !offset_;
    if (begins) offset_ = std::max(wall, last_ ? *last_ + 1 : wall) - boot;
    const Millis now = boot + *offset_;
    // One that comes late says nothing of the wall clock now.
    if (last_ && now < *last_) return *last_;
    last_ = now;
    const Millis ahead = wall - now, before = ahead_.empty() ? 0 : ahead_.rbegin()->second;
    if (ahead_.empty() || std::abs(ahead - before) > kNoise) {
        pending_ = Step{now, ahead, ahead - before, begins};
        ahead_[now] = ahead;
    }
    return now;
}

std::optional<Axis::Step> Axis::step() { return std::exchange(pending_, std::nullopt); }

std::int64_t Axis::wall_ns(Millis at) const {
    auto it = ahead_.upper_bound(at);
    const Millis ahead = it == ahead_.begin() ? 0 : std::prev(it)->second;
    return (at + ahead) * kNs;
}

Millis Axis::from_wall_ns(std::int64_t wall_ns) const {
    const Millis wall = wall_ns / kNs;
    // The latest stretch of the axis in which the clock could have shown this.
    Millis until = INT64_MAX;
    for (auto it = ahead_.rbegin(); it != ahead_.rend(); ++it) {
        const Millis at = wall - it->second;
        if (at >= it->first) return std::min(at, until);
        until = it->first;
    }
    return ahead_.empty() ? wall : wall - ahead_.begin()->second;
}

}  // namespace rd::store
