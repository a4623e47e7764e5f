// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/history.h"

#include <fmt/format.h>

#include <algorithm>

namespace rd {
namespace {

const Reading& never_seen() {
    static const Reading reading = tl::unexpected<Gap>(Gap{GapClass::not_collected, "no collector gave this fact", {}});
    return reading;
}

Gap one_sample(std::string_view fact) {
    return Gap{GapClass::not_collected, fmt::format("{}: one sample only, nothing to compare it with", fact),
               "look at least twice: check --interval 2s, or record at least two sweeps"};
}

// Sweeps are never exactly on time: a sample a twentieth of the window too old still belongs to it.
std::chrono::nanoseconds with_tolerance(std::chrono::nanoseconds window) { return window + window / 20; }

std::optional<double> number(const Reading& reading) {
    if (!reading) return std::nullopt;
    if (const auto* value = std::get_if<std::int64_t>(&*reading)) return static_cast<double>(*value);
    if (const auto* value = std::get_if<double>(&*reading)) return *value;
    return std::nullopt;
}

struct Step {
    std::int64_t amount = 0;
    bool reset = false;
};

// From one value of a counter to the next. A 32-bit counter that went down has wrapped when the way round is the shorter one, else it
// was cleared (driver reload, perfquery -R); a cleared counter has counted its present value since.
Step step(std::int64_t from, std::int64_t to, Nature nature) {
    if (to >= from) return {to - from, false};
    if (nature == Nature::counter32) {
        const std::int64_t around = to + (counter_max(nature) + 1 - from);
        if (around >= 0 && around < (std::int64_t{1} << 31)) return {around, false};
    }
    return {to, true};
}

}  // namespace

History::History(std::shared_ptr<Layout> layout, std::chrono::nanoseconds keep)
    : layout_(std::move(layout)), keep_(keep) {}

void History::append(Snapshot snapshot) {
    const std::uint64_t sweep = base_ + ticks_.size();
    ticks_.push_back(snapshot.stamp());
    if (series_.size() < layout_->slot_count()) series_.resize(layout_->slot_count());
    for (SlotIndex slot = 0; slot < series_.size(); ++slot) {
        const Reading* reading = snapshot.fresh(slot) ? snapshot.at(slot) : nullptr;
        if (reading == nullptr) continue;
        std::deque<Run>& runs = series_[slot];
        if (!runs.empty() && same(runs.back().reading, *reading)) {
            runs.back().last = sweep;
        } else {
            runs.push_back(Run{sweep, sweep, *reading});
        }
    }
    latest_ = std::move(snapshot);
    forget();
}

void History::forget() {
    const std::int64_t oldest = ticks_.back().boot_ns - keep_.count();
    if (ticks_.size() <= 2 || ticks_.front().boot_ns >= oldest) return;
    while (ticks_.size() > 2 && ticks_.front().boot_ns < oldest) {
        ticks_.pop_front();
        ++base_;
    }
    for (std::deque<Run>& runs : series_) {
        // The newest run stays whatever its age: it is the present value of something that is rarely read.
        while (runs.size() > 1 && runs.front().last < base_) runs.pop_front();
        if (!runs.empty() && runs.front().first < base_) {
            runs.front().first = base_;
            runs.front().last = std::max(runs.front().last, base_);
        }
    }
}

Stamp History::first() const { return ticks_.empty() ? Stamp{} : ticks_.front(); }
Stamp History::last() const { return ticks_.empty() ? Stamp{} : ticks_.back(); }

const std::deque<History::Run>* History::runs(const Entity& entity, std::string_view fact) const {
    const auto index = layout_->find(entity);
    if (!index) return nullptr;
    const auto slot = layout_->find(*index, fact);
    if (!slot || *slot >= series_.size() || series_[*slot].empty()) return nullptr;
    return &series_[*slot];
}

std::uint64_t History::window_begin(const std::deque<Run>& runs, std::chrono::nanoseconds window) const {
    const std::int64_t from = ticks_.back().boot_ns - with_tolerance(window).count();
    const auto it = std::lower_bound(ticks_.begin(), ticks_.end(), from,
                                     [](const Stamp& stamp, std::int64_t value) { return stamp.boot_ns < value; });
    const std::uint64_t begin = base_ + static_cast<std::uint64_t>(it - ticks_.begin());
    // What is read less often than the window is long still has a rate: from the sample before to the newest one.
    std::size_t values = 0;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        if (!run->reading) continue;
        if (values == 1 && run->last < begin) return run->last;
        if (++values > 1 || run->last > std::max(run->first, begin)) break;
        if (run->first < run->last) return std::max(run->first, base_);
    }
    return begin;
}

Observation History::observe(const Entity& entity, std::string_view fact) const {
    const auto* found = runs(entity, fact);
    if (found == nullptr) return {&never_seen(), last()};
    return {&found->back().reading, stamp(found->back().last)};
}

tl::expected<Increase, Gap> History::increase(const Entity& entity, std::string_view fact,
                                              std::chrono::nanoseconds window) const {
    const auto* found = runs(entity, fact);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!found->back().reading) return tl::unexpected<Gap>(found->back().reading.error());
    const Nature nature = layout_->slot(*layout_->find(*layout_->find(entity), fact)).spec->nature;
    const std::uint64_t begin = window_begin(*found, window);

    Increase sum;
    std::optional<std::int64_t> previous;
    std::uint64_t first = 0, last = 0;
    for (const Run& run : *found) {
        if (run.last < begin || !run.reading) continue;
        const auto* value = std::get_if<std::int64_t>(&*run.reading);
        if (value == nullptr) continue;
        if (previous) {
            const Step moved = step(*previous, *value, nature);
            sum.amount += static_cast<double>(moved.amount);
            sum.reset = sum.reset || moved.reset;
        } else {
            first = std::max(run.first, begin);
        }
        last = run.last;
        previous = *value;
    }
    if (!previous || first == last) return tl::unexpected<Gap>(one_sample(fact));
    if (is_saturating(nature) && *previous >= counter_max(nature)) {
        if (sum.amount == 0) {
            return tl::unexpected<Gap>(Gap{GapClass::error,
                                           fmt::format("{}: stands at its maximum {}, rate unknown", fact, *previous),
                                           "clear the counter (perfquery -R) to see whether it still moves"});
        }
        sum.at_least = true;
    }
    sum.from = stamp(first);
    sum.to = stamp(last);
    sum.window = std::chrono::nanoseconds(sum.to.boot_ns - sum.from.boot_ns);
    if (sum.window.count() <= 0) return tl::unexpected<Gap>(one_sample(fact));
    return sum;
}

tl::expected<double, Gap> History::aggregate(const Entity& entity, std::string_view fact,
                                             std::chrono::nanoseconds window, Aggregate how) const {
    const auto* found = runs(entity, fact);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!found->back().reading) return tl::unexpected<Gap>(found->back().reading.error());
    const std::uint64_t begin = window_begin(*found, window);
    std::uint64_t seen = 0;
    double low = 0, high = 0, sum = 0;
    for (const Run& run : *found) {
        const auto value = run.last < begin ? std::nullopt : number(run.reading);
        if (!value) continue;
        low = seen == 0 ? *value : std::min(low, *value);
        high = seen == 0 ? *value : std::max(high, *value);
        const std::uint64_t count = run.last - std::max(run.first, begin) + 1;
        sum += *value * static_cast<double>(count);
        seen += count;
    }
    if (seen < 2) return tl::unexpected<Gap>(one_sample(fact));
    if (how == Aggregate::min) return low;
    if (how == Aggregate::max) return high;
    return sum / static_cast<double>(seen);
}

tl::expected<bool, Gap> History::changed(const Entity& entity, std::string_view fact,
                                         std::chrono::nanoseconds window) const {
    const auto* found = runs(entity, fact);
    if (found == nullptr) return tl::unexpected<Gap>(never_seen().error());
    if (!found->back().reading) return tl::unexpected<Gap>(found->back().reading.error());
    const std::uint64_t begin = window_begin(*found, window);
    const Reading* previous = nullptr;
    std::uint64_t seen = 0;
    for (const Run& run : *found) {
        if (run.last < begin || !run.reading) continue;
        if (previous != nullptr && !(*previous == run.reading)) return true;
        previous = &run.reading;
        seen += run.last - std::max(run.first, begin) + 1;
    }
    if (seen < 2) return tl::unexpected<Gap>(one_sample(fact));
    return false;
}

}  // namespace rd
