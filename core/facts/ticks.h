// SPDX-License-Identifier: GPL-2.0-or-later
// When sweeps were, at eight bytes each: a day has 86,400 of them. Private to History.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "core/host/host.h"

namespace rd {

class Ticks {
public:
    void push(const Stamp& stamp);
    void pop();  // the oldest

    [[nodiscard]] bool empty() const { return boot_.empty(); }
    [[nodiscard]] std::size_t size() const { return boot_.size(); }
    // The wall clock to a millisecond.
    [[nodiscard]] Stamp at(std::size_t index) const;
    [[nodiscard]] std::int64_t oldest_ns() const { return boot_.front(); }
    [[nodiscard]] std::int64_t newest_ns() const { return boot_.back(); }
    // How many were before that boot time.
    [[nodiscard]] std::size_t before(std::int64_t boot_ns) const;

private:
    std::deque<std::int64_t> boot_;
    // How far the wall clock was ahead of the boot clock, and from which sweep on, counted from the very first: its steps, and what ntpd
    // slews by and by.
    std::deque<std::pair<std::uint64_t, std::int64_t>> ahead_;
    std::uint64_t popped_ = 0;
};

}  // namespace rd
