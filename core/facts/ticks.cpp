// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/ticks.h"

#include <algorithm>
#include <cstdlib>

namespace rd {
namespace {

// Two clocks are never read at the same moment.
constexpr std::int64_t kNoise = 1'000'000;

}  // namespace

void Ticks::push(const Stamp& stamp) {
    const std::int64_t ahead = stamp.wall_ns - stamp.boot_ns;
    if (ahead_.empty() || std::abs(ahead - ahead_.back().second) > kNoise)
        ahead_.emplace_back(popped_ + boot_.size(), ahead);
    boot_.push_back(stamp.boot_ns);
}

void Ticks::pop() {
    boot_.pop_front();
    ++popped_;
    if (ahead_.size() > 1 && ahead_[1].first <= popped_) ahead_.pop_front();
}

Stamp Ticks::at(std::size_t index) const {
    const auto later = std::upper_bound(ahead_.begin(), ahead_.end(), popped_ + index,
                                        [](std::uint64_t tick, const auto& one) { return tick < one.first; });
    Stamp stamp;
    stamp.boot_ns = boot_[index];
    stamp.wall_ns = boot_[index] + std::prev(later)->second;
    return stamp;
}

std::size_t Ticks::before(std::int64_t boot_ns) const {
    return std::size_t(std::lower_bound(boot_.begin(), boot_.end(), boot_ns) - boot_.begin());
}

}  // namespace rd
