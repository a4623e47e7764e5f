// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshots over a window, and the only place where counters are subtracted: wrap, saturation, reset, missed sweeps and both
// clocks are dealt with here and nowhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/facts/snapshot.h"

namespace rd {

// How far a counter went. `window` is the true time between the first and last sample used: a window longer than the history is
// cut to the history, one shorter than the time between two samples reaches back to the sample before.
struct Increase {
    double amount = 0;
    std::chrono::nanoseconds window{0};
    bool at_least = false;  // the counter saturated on the way
    bool reset = false;     // it was cleared on the way; counted from zero since
    Stamp from, to;
};

struct Observation {
    const Reading* reading = nullptr;  // never null in an Observation that was returned
    Stamp at;
};

enum class Aggregate : std::uint8_t { min, max, avg };

class History {
public:
    explicit History(std::shared_ptr<Layout> layout, std::chrono::nanoseconds keep = std::chrono::minutes(15));

    void append(Snapshot snapshot);

    [[nodiscard]] std::size_t sweeps() const { return ticks_.size(); }
    [[nodiscard]] Stamp first() const;  // of the sweeps still held
    [[nodiscard]] Stamp last() const;
    [[nodiscard]] const Layout& layout() const { return *layout_; }
    [[nodiscard]] const Snapshot& latest() const { return *latest_; }  // at least one sweep must have been appended

    // The newest reading; "not collected" when there was none at all.
    [[nodiscard]] Observation observe(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] tl::expected<Increase, Gap> increase(const Entity& entity, std::string_view fact,
                                                       std::chrono::nanoseconds window) const;
    // Over the numbers seen in the window; at least two sweeps must have been seen.
    [[nodiscard]] tl::expected<double, Gap> aggregate(const Entity& entity, std::string_view fact,
                                                      std::chrono::nanoseconds window, Aggregate how) const;
    // Did the value differ at any two moments of the window? Needs two sweeps; gaps do not count as a change.
    [[nodiscard]] tl::expected<bool, Gap> changed(const Entity& entity, std::string_view fact,
                                                  std::chrono::nanoseconds window) const;

private:
    // Equal readings in a row are one run: settings and idle counters cost nothing.
    struct Run {
        std::uint64_t first = 0, last = 0;  // numbers of sweeps
        Reading reading;
    };

    [[nodiscard]] const std::deque<Run>* runs(const Entity& entity, std::string_view fact) const;
    // Number of the first sweep that counts for a series.
    [[nodiscard]] std::uint64_t window_begin(const std::deque<Run>& runs, std::chrono::nanoseconds window) const;
    [[nodiscard]] const Stamp& stamp(std::uint64_t sweep) const { return ticks_[sweep - base_]; }
    void forget();

    std::shared_ptr<Layout> layout_;
    std::chrono::nanoseconds keep_;
    std::deque<Stamp> ticks_;
    std::uint64_t base_ = 0;  // number of the sweep in ticks_.front()
    std::vector<std::deque<Run>> series_;
    std::optional<Snapshot> latest_;
};

}  // namespace rd
