// SPDX-License-Identifier: GPL-2.0-or-later
// What one fact was over time, at sixteen bytes a change. Private to History, which knows when its sweeps were.
//
// How old values are kept for windows of more than a quarter of an hour (Series::thin): of each minute that lies further back the first
// and the last value, the least and the greatest, and of a counter those before and after each decrease (a wrap, a reset); what lies
// between two of these becomes one run of as many sweeps with their mean. So no increase, wrap, reset, extreme or change is lost, an
// average stays what it was, and only where exactly within a minute a long window begins is not known any more.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/facts/value.h"

namespace rd {

// The number of a sweep, counted from the first one.
using Tick = std::uint32_t;

// Equal values in a row. Texts and references are kept as a digest: of old ones nobody asks more than whether they differ.
class Run {
public:
    enum class Sort : std::uint8_t { gap, boolean, integer, real, text, reference };

    Run() = default;
    Run(const Reading& reading, Tick tick);
    Run(double mean, Tick first, Tick last);

    [[nodiscard]] Tick first() const { return first_; }
    [[nodiscard]] Tick last() const { return last_ & kLast; }
    [[nodiscard]] Sort sort() const { return static_cast<Sort>(last_ >> kBits); }
    [[nodiscard]] bool is_value() const { return sort() != Sort::gap; }
    [[nodiscard]] std::uint64_t count() const { return std::uint64_t{last()} - first() + 1; }
    void seen_again(Tick tick) { last_ = (last_ & ~kLast) | (tick & kLast); }

    [[nodiscard]] std::optional<std::int64_t> integer() const {
        return sort() == Sort::integer ? std::optional(std::bit_cast<std::int64_t>(bits_)) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> number() const {  // integers too
        if (const auto whole = integer()) return static_cast<double>(*whole);
        return sort() == Sort::real ? std::optional(std::bit_cast<double>(bits_)) : std::nullopt;
    }
    [[nodiscard]] bool same_value(const Run& other) const;

private:
    // Seventeen years of sweeps at one a second.
    static constexpr unsigned kBits = 29;
    static constexpr Tick kLast = (Tick{1} << kBits) - 1;

    std::uint64_t bits_ = 0;
    Tick first_ = 0;
    Tick last_ = 0;  // and the sort, above it
};

// The runs before the newest one: values only, in order of time. A gap tells nothing once it is over.
class Series {
public:
    explicit Series(std::chrono::nanoseconds keep) : keep_(keep) {}

    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
    [[nodiscard]] std::chrono::nanoseconds keep() const { return keep_; }
    // Since when the values have not decreased: what lies between two of them is then their difference.
    [[nodiscard]] Tick rising_since() const { return rising_since_; }

    // A value that has passed: from now on it is `next`, or a gap. True when it is time to trim.
    [[nodiscard]] bool add(const Run& run);
    void moved_on(const Run& from, const Run& to);

    // Forgets what ended before `horizon`, except the newest of it: the sample before a window belongs to it where the window is
    // shorter than the time between two samples.
    void trim(Tick horizon);
    // Thins what ended before `recent`. `minute` gives the minute that a sweep was in.
    void thin(Tick recent, bool is_counter, const std::function<std::int64_t(Tick)>& minute);
    // The next trimming comes when it has grown by a quarter.
    void settle();

private:
    std::vector<Run> runs_;
    std::chrono::nanoseconds keep_;
    std::size_t limit_ = 1;
    Tick rising_since_ = 0;
};

}  // namespace rd
