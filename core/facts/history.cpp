// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/facts/counter.h"

namespace rd {
namespace {

using std::chrono::nanoseconds;

// So far back every value is kept as it was.
constexpr std::chrono::nanoseconds kRecent = std::chrono::minutes(15);
constexpr std::int64_t kMinute = 60'000'000'000;

const Reading& never_seen() {
    static const Reading reading = tl::unexpected<Gap>(Gap{GapClass::not_collected, "no collector gave this fact", {}});
    return reading;
}

Gap one_sample(std::string_view fact) {
    return Gap{GapClass::not_collected, fmt::format("{}: one sample only, nothing to compare it with", fact),
               "a second moment is needed: leave out --interval 0, record a bundle, or paste the counters twice"};
}

// Sweeps are never exactly on time: a sample a twentieth of the window too old still belongs to it.
std::chrono::nanoseconds with_tolerance(std::chrono::nanoseconds window) { return window + window / 20; }

std::chrono::nanoseconds longest(const Windows& asked) {
    std::chrono::nanoseconds most = kRecent;
    for (const auto& [fact, window] : asked) most = std::max(most, window);
    return with_tolerance(most);
}

std::vector<Run>::const_iterator first_ending_at(const std::vector<Run>& runs, Tick tick) {
    return std::lower_bound(runs.begin(), runs.end(), tick,
                            [](const Run& run, Tick value) { return run.last() < value; });
}

}  // namespace

History::History(std::shared_ptr<Layout> layout, std::chrono::nanoseconds keep)
    : layout_(std::move(layout)), keep_(keep) {}

History::History(std::shared_ptr<Layout> layout, Windows asked)
    : layout_(std::move(layout)), keep_(longest(asked)), asked_(std::move(asked)) {}

void History::append(Snapshot snapshot) {
    const Tick tick = next_++;
    ticks_.push(snapshot.stamp());
    begins_.clear();
    moved_.clear();
    moved_kinds_ = latest_ ? snapshot.differing_kinds(*latest_) : kAllKinds;
    if (newest_.size() < layout_->slot_count()) newest_.resize(layout_->slot_count());
    if (moves_ != layout_->moves()) forget_the_retired();
    for (SlotIndex slot = 0; slot < newest_.size(); ++slot) {
        Newest& newest = newest_[slot];
        const Version version = snapshot.version(slot);
        if (version != 0 && version == newest.version && !newest.stale) {
            if (snapshot.fresh(slot)) newest.run.seen_again(tick);
        } else if (snapshot.fresh(slot)) {
            see(slot, *snapshot.at(slot), version, tick);
        } else if (newest.seen && !newest.stale) {
            // The snapshot that holds its reading goes.
            stale_.emplace(slot, reading(slot));
            newest.stale = true;
            moved_.push_back(slot);
        }
    }
    latest_ = std::move(snapshot);
    forget();
}

void History::see(SlotIndex slot, const Reading& now, Version version, Tick tick) {
    Newest& newest = newest_[slot];
    const bool again = newest.seen && same(reading(slot), now);
    if (newest.stale) stale_.erase(slot);
    if (!again || newest.stale) moved_.push_back(slot);
    newest.version = version;
    newest.stale = false;
    if (again) {
        newest.run.seen_again(tick);
        return;
    }
    const Run run(now, tick);
    if (newest.seen) {
        const Run past = newest.run;
        if (past.is_value() && series_of(slot).add(past)) trim(slot, series_[newest.series]);
        if (run.is_value() && newest.series != kNone) {
            Series& series = series_[newest.series];
            series.moved_on(series.runs().back(), run);
        }
    }
    newest.run = run;
    newest.seen = true;
}

Series& History::series_of(SlotIndex slot) {
    Newest& newest = newest_[slot];
    if (newest.series == kNone) {
        std::chrono::nanoseconds keep = keep_;
        if (asked_) {
            const FactSpec& spec = *layout_->slot(slot).spec;
            const auto asked = asked_->find({spec.kind, spec.name});
            keep = asked != asked_->end() ? asked->second : std::chrono::nanoseconds(0);
        }
        if (free_series_.empty()) {
            newest.series = static_cast<std::uint32_t>(series_.size());
            series_.emplace_back(keep);
        } else {
            newest.series = free_series_.back();
            free_series_.pop_back();
            series_[newest.series] = Series(keep);
        }
    }
    return series_[newest.series];
}

void History::forget_the_retired() {
    moves_ = layout_->moves();
    tenures_.resize(layout_->entity_count(), 0);
    for (EntityIndex entity = 0; entity < tenures_.size(); ++entity) {
        const std::uint32_t tenure = layout_->tenure(entity);
        if (std::exchange(tenures_[entity], tenure) == tenure) continue;
        for (const SlotIndex slot : layout_->slots_of(entity)) forget(slot);
    }
}

void History::forget(SlotIndex slot) {
    Newest& newest = newest_[slot];
    if (!newest.seen) return;
    if (newest.stale) stale_.erase(slot);
    if (newest.series != kNone) {
        series_[newest.series] = Series(std::chrono::nanoseconds(0));
        free_series_.push_back(newest.series);
    }
    newest = Newest{};
    moved_.push_back(slot);
}

void History::trim(SlotIndex slot, Series& series) {
    const std::int64_t now = ticks_.newest_ns();
    series.trim(asked_ ? first_since(now - with_tolerance(series.keep()).count()) : base_);
    if (asked_ && series.keep() > kRecent) {
        const std::int64_t recent = (now - kRecent.count()) / kMinute * kMinute;
        series.thin(first_since(recent), is_counter(layout_->slot(slot).spec->nature),
                    [this](Tick tick) { return stamp(tick).boot_ns / kMinute; });
    }
    series.settle();
}

void History::forget() {
    const std::int64_t oldest = ticks_.newest_ns() - keep_.count();
    while (ticks_.size() > 2 && ticks_.oldest_ns() < oldest) {
        ticks_.pop();
        ++base_;
    }
}

Stamp History::first() const { return ticks_.empty() ? Stamp{} : ticks_.at(0); }
Stamp History::last() const { return ticks_.empty() ? Stamp{} : ticks_.at(ticks_.size() - 1); }

History::Slot History::slot(const Entity& entity, std::string_view fact) const {
    const auto index = layout_->find(entity);
    return index ? layout_->find(*index, fact) : std::nullopt;
}

const History::Newest* History::newest(Slot slot) const {
    return slot && *slot < newest_.size() && newest_[*slot].seen ? &newest_[*slot] : nullptr;
}

const Reading& History::reading(SlotIndex slot) const {
    return newest_[slot].stale ? stale_.find(slot)->second : *latest_->at(slot);
}

// What was last seen before the first sweep that is still held counts as seen in that.
Run History::run_of(const Newest& newest) const {
    Run run = newest.run;
    if (run.last() < base_) run.seen_again(base_);
    return run;
}

const Run* History::before(const Newest& newest) const {
    if (newest.series == kNone || series_[newest.series].runs().empty()) return nullptr;
    const Run& run = series_[newest.series].runs().back();
    return run.last() >= base_ ? &run : nullptr;
}

Tick History::first_since(std::int64_t boot_ns) const { return base_ + static_cast<Tick>(ticks_.before(boot_ns)); }

Tick History::window_begin(const Newest& newest, std::chrono::nanoseconds window) const {
    // Nobody asked for more than is kept, so there is no more of it.
    if (asked_ && newest.series != kNone) window = std::min(window, series_[newest.series].keep());
    auto known = std::find_if(begins_.begin(), begins_.end(), [&](const auto& one) { return one.first == window; });
    if (known == begins_.end()) {
        begins_.emplace_back(window, first_since(ticks_.newest_ns() - with_tolerance(window).count()));
        known = begins_.end() - 1;
    }
    const Tick begin = known->second;
    const Run run = run_of(newest);
    const Tick first = std::max(run.first(), base_);
    // What is read less often than the window is long still has a rate: from the sample before to the newest one.
    if (run.last() > std::max(first, begin)) return begin;
    if (first < run.last()) return first;
    const Run* sample = before(newest);
    return sample != nullptr && sample->last() < begin ? sample->last() : begin;
}

template <class Use>
void History::each(const Newest& newest, Tick begin, Use use) const {
    if (newest.series != kNone) {
        const std::vector<Run>& runs = series_[newest.series].runs();
        for (auto run = first_ending_at(runs, begin); run != runs.end(); ++run) {
            if (!use(*run)) return;
        }
    }
    const Run run = run_of(newest);
    if (run.last() >= begin) use(run);
}

Observation History::observe(Slot slot) const {
    const Newest* found = newest(slot);
    if (found == nullptr) return {&never_seen(), last()};
    return {&reading(*slot), stamp(found->run.last())};
}

tl::expected<Increase, Gap> History::increase(Slot slot, std::chrono::nanoseconds window) const {
    const Newest* found = newest(slot);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!reading(*slot)) return tl::unexpected<Gap>(reading(*slot).error());
    const Layout::Slot& info = layout_->slot(*slot);
    const Nature nature = info.spec->nature;
    const Tick begin = window_begin(*found, window);
    // Where nothing went down the way does not matter, only where it began and ended.
    const bool rising =
        found->series != kNone && found->run.integer() && series_[found->series].rising_since() <= begin;

    Increase sum;
    std::optional<std::int64_t> previous;
    Tick first = 0, last = 0;
    const auto count = [&](const Run& run) {
        const auto value = run.integer();
        if (!value) return true;
        if (previous) {
            const CounterStep moved = counter_step(*previous, *value, nature);
            sum.amount += static_cast<double>(moved.amount);
            sum.reset = sum.reset || moved.reset;
        } else {
            first = std::max(run.first(), begin);
        }
        last = run.last();
        previous = *value;
        return !rising;
    };
    each(*found, begin, count);
    if (const Run newest_run = run_of(*found); rising && previous && last < newest_run.last()) count(newest_run);
    if (!previous || first == last) return tl::unexpected<Gap>(one_sample(info.name));
    if (is_saturating(nature) && *previous >= counter_max(nature)) {
        if (sum.amount == 0) {
            return tl::unexpected<Gap>(
                Gap{GapClass::error, fmt::format("{}: stands at its maximum {}, rate unknown", info.name, *previous),
                    "clear the counter (perfquery -R) to see whether it still moves"});
        }
        sum.at_least = true;
    }
    sum.from = stamp(first);
    sum.to = stamp(last);
    sum.window = std::chrono::nanoseconds(sum.to.boot_ns - sum.from.boot_ns);
    if (sum.window.count() <= 0) return tl::unexpected<Gap>(one_sample(info.name));
    return sum;
}

tl::expected<double, Gap> History::aggregate(Slot slot, std::chrono::nanoseconds window, Aggregate how) const {
    const Newest* found = newest(slot);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!reading(*slot)) return tl::unexpected<Gap>(reading(*slot).error());
    const Tick begin = window_begin(*found, window);
    std::uint64_t seen = 0;
    double low = 0, high = 0, sum = 0;
    each(*found, begin, [&](const Run& run) {
        const auto value = run.number();
        if (!value) return true;
        low = seen == 0 ? *value : std::min(low, *value);
        high = seen == 0 ? *value : std::max(high, *value);
        const std::uint64_t count = run.last() - std::max(run.first(), begin) + 1;
        sum += *value * static_cast<double>(count);
        seen += count;
        return true;
    });
    if (seen < 2) return tl::unexpected<Gap>(one_sample(layout_->slot(*slot).name));
    if (how == Aggregate::min) return low;
    if (how == Aggregate::max) return high;
    return sum / static_cast<double>(seen);
}

tl::expected<bool, Gap> History::changed(Slot slot, std::chrono::nanoseconds window) const {
    const Newest* found = newest(slot);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!reading(*slot)) return tl::unexpected<Gap>(reading(*slot).error());
    const Tick begin = window_begin(*found, window);
    std::optional<Run> previous;
    std::uint64_t seen = 0;
    bool differs = false;
    each(*found, begin, [&](const Run& run) {
        differs = previous && !previous->same_value(run);
        previous = run;
        seen += run.last() - std::max(run.first(), begin) + 1;
        return !differs;
    });
    if (differs) return true;
    if (seen < 2) return tl::unexpected<Gap>(one_sample(layout_->slot(*slot).name));
    return false;
}

bool History::steady(Slot slot, std::chrono::nanoseconds window) const {
    const Newest* found = newest(slot);
    if (found == nullptr || !found->run.is_value()) return true;
    const Run run = run_of(*found);
    // Once it is no longer given, the sweeps that saw it are forgotten one by one.
    if (found->stale || stamp(run.last()).boot_ns - stamp(run.first()).boot_ns < nanoseconds(kShortestWindow).count())
        return false;
    const Run* sample = before(*found);
    return sample == nullptr || sample->last() < window_begin(*found, window);
}

Observation History::observe(const Entity& entity, std::string_view fact) const { return observe(slot(entity, fact)); }

tl::expected<Increase, Gap> History::increase(const Entity& entity, std::string_view fact,
                                              std::chrono::nanoseconds window) const {
    return increase(slot(entity, fact), window);
}

tl::expected<double, Gap> History::aggregate(const Entity& entity, std::string_view fact,
                                             std::chrono::nanoseconds window, Aggregate how) const {
    return aggregate(slot(entity, fact), window, how);
}

tl::expected<bool, Gap> History::changed(const Entity& entity, std::string_view fact,
                                         std::chrono::nanoseconds window) const {
    return changed(slot(entity, fact), window);
}

}  // namespace rd
