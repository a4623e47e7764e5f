// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshots over a window, and the only place where counters are subtracted: wrap, saturation, reset, missed sweeps and both
// clocks are dealt with here and nowhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/facts/series.h"
#include "core/facts/snapshot.h"
#include "core/facts/ticks.h"

namespace rd {

// Two looks that are nearer than this say nothing about a rate: one packet within a millisecond is a thousand a second.
inline constexpr std::chrono::milliseconds kShortestWindow{100};

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

// The longest window that anybody asks of a fact, by the row that declares it. A member of a family is its family.
using Windows = std::map<std::pair<Kind, std::string_view>, std::chrono::nanoseconds>;

class History {
public:
    // Keeps everything for as long, as it was.
    explicit History(std::shared_ptr<Layout> layout, std::chrono::nanoseconds keep = std::chrono::minutes(15));
    // For a process that looks for days: keeps of each fact what is asked for, and of one that nobody asks a window of the newest
    // value and the one before. What is older than a quarter of an hour is thinned (core/facts/series.h says how).
    History(std::shared_ptr<Layout> layout, Windows asked);

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

    // The same by slot. None: of an entity or fact that was never there.
    using Slot = std::optional<SlotIndex>;
    [[nodiscard]] Slot slot(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] Observation observe(Slot slot) const;
    [[nodiscard]] tl::expected<Increase, Gap> increase(Slot slot, std::chrono::nanoseconds window) const;
    [[nodiscard]] tl::expected<double, Gap> aggregate(Slot slot, std::chrono::nanoseconds window, Aggregate how) const;
    [[nodiscard]] tl::expected<bool, Gap> changed(Slot slot, std::chrono::nanoseconds window) const;

    // For those who judge again only what can have changed. How many sweeps there ever were:
    [[nodiscard]] std::uint64_t appended() const { return next_; }
    // the slots whose reading is another one since the newest sweep, or has stopped being given by it;
    [[nodiscard]] const std::vector<SlotIndex>& moved() const { return moved_; }
    // the kinds of which entities came or went with it, or could no longer or again be enumerated;
    [[nodiscard]] Kinds moved_kinds() const { return moved_kinds_; }
    // and whether all that can be asked over this window stays what it is until the slot is among the moved ones.
    [[nodiscard]] bool steady(Slot slot, std::chrono::nanoseconds window) const;

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Newest {
        Run run;
        Version version = 0;           // of the reading, in the snapshots
        std::uint32_t series = kNone;  // the values before it, in `series_`
        bool seen = false;
        bool stale = false;  // not in the latest snapshot: its reading is in `stale_`
    };

    [[nodiscard]] const Newest* newest(Slot slot) const;
    [[nodiscard]] const Reading& reading(SlotIndex slot) const;
    [[nodiscard]] Run run_of(const Newest& newest) const;
    void see(SlotIndex slot, const Reading& reading, Version version, Tick tick);
    [[nodiscard]] Series& series_of(SlotIndex slot);
    void trim(SlotIndex slot, Series& series);
    // What was remembered of entities whose places in the layout are no longer theirs.
    void forget_the_retired();
    void forget(SlotIndex slot);
    // The newest value before the newest reading, of the sweeps still held.
    [[nodiscard]] const Run* before(const Newest& newest) const;
    // The first sweep that counts for a series.
    [[nodiscard]] Tick window_begin(const Newest& newest, std::chrono::nanoseconds window) const;
    [[nodiscard]] Tick first_since(std::int64_t boot_ns) const;
    template <class Use>
    void each(const Newest& newest, Tick begin, Use use) const;
    [[nodiscard]] Stamp stamp(Tick tick) const { return ticks_.at(std::max(tick, base_) - base_); }
    void forget();

    std::shared_ptr<Layout> layout_;
    std::chrono::nanoseconds keep_;
    std::optional<Windows> asked_;
    Ticks ticks_;
    Tick base_ = 0;  // number of the oldest sweep in it
    Tick next_ = 0;
    std::vector<Newest> newest_;  // by slot
    std::vector<Series> series_;
    std::vector<std::uint32_t> free_series_;  // of slots that were forgotten
    std::vector<std::uint32_t> tenures_;      // by entity, of the layout, as they were in the newest sweep
    std::uint64_t moves_ = 0;
    std::unordered_map<SlotIndex, Reading> stale_;
    std::vector<SlotIndex> moved_;
    Kinds moved_kinds_ = 0;
    std::optional<Snapshot> latest_;
    // Where the windows asked for begin, until the next sweep.
    mutable std::vector<std::pair<std::chrono::nanoseconds, Tick>> begins_;
};

}  // namespace rd
