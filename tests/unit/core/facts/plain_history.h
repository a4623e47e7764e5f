// SPDX-License-Identifier: GPL-2.0-or-later
// One series as History understands it, written down without any economy: what the compact one is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/facts/history.h"

namespace rd::test {

class PlainHistory {
public:
    explicit PlainHistory(Nature nature, std::chrono::nanoseconds keep) : nature_(nature), keep_(keep.count()) {}

    void append(std::int64_t now, const std::optional<Reading>& reading) {
        const std::size_t tick = base_ + ticks_.size();
        ticks_.push_back(now);
        if (reading && !runs_.empty() && runs_.back().reading == *reading) {
            runs_.back().last = tick;
        } else if (reading) {
            runs_.push_back({tick, tick, *reading});
        }
        while (ticks_.size() > 2 && ticks_.front() < ticks_.back() - keep_) {
            ticks_.pop_front();
            ++base_;
        }
        while (runs_.size() > 1 && runs_.front().last < base_) runs_.pop_front();
    }

    struct Moved {
        double amount = 0;
        bool reset = false, at_least = false;
        std::int64_t from = 0, to = 0;
    };

    [[nodiscard]] const Reading* newest() const { return runs_.empty() ? nullptr : &runs_.back().reading; }
    [[nodiscard]] bool known() const { return newest() != nullptr && newest()->has_value(); }
    [[nodiscard]] std::int64_t seen_at() const { return stamp(runs_.back().last); }

    // nullopt: no answer, for whatever reason.
    [[nodiscard]] std::optional<Moved> increase(std::chrono::nanoseconds window) const {
        return known() ? increase_from(begin_of(window)) : std::nullopt;
    }
    [[nodiscard]] std::optional<Moved> increase_since(std::int64_t boot_ns) const { return increase_from(at(boot_ns)); }

    [[nodiscard]] std::optional<double> aggregate(std::chrono::nanoseconds window, Aggregate how) const {
        if (!known()) return std::nullopt;
        const std::size_t begin = begin_of(window);
        std::vector<double> all;
        for (const Run& run : held()) {
            const auto value = run.last >= begin ? number(run.reading) : std::nullopt;
            if (value) all.insert(all.end(), run.last - std::max(run.first, begin) + 1, *value);
        }
        if (all.size() < 2) return std::nullopt;
        if (how == Aggregate::min) return *std::min_element(all.begin(), all.end());
        if (how == Aggregate::max) return *std::max_element(all.begin(), all.end());
        double sum = 0;
        for (const double value : all) sum += value;
        return sum / static_cast<double>(all.size());
    }

    [[nodiscard]] std::optional<bool> changed(std::chrono::nanoseconds window) const {
        if (!known()) return std::nullopt;
        const std::size_t begin = begin_of(window);
        const Reading* previous = nullptr;
        std::size_t seen = 0;
        bool differs = false;
        const std::vector<Run> runs = held();
        for (const Run& run : runs) {
            if (run.last < begin || !run.reading) continue;
            differs = differs || (previous != nullptr && !(*previous == run.reading));
            previous = &run.reading;
            seen += run.last - std::max(run.first, begin) + 1;
        }
        if (differs) return true;
        return seen < 2 ? std::nullopt : std::optional(false);
    }

private:
    struct Run {
        std::size_t first, last;
        Reading reading;
    };

    static std::optional<double> number(const Reading& reading) {
        if (!reading) return std::nullopt;
        if (const auto* whole = std::get_if<std::int64_t>(&*reading)) return static_cast<double>(*whole);
        const auto* real = std::get_if<double>(&*reading);
        return real != nullptr ? std::optional(*real) : std::nullopt;
    }
    // What was last seen before all sweeps that are held counts as seen in the first of them.
    [[nodiscard]] std::int64_t stamp(std::size_t tick) const { return ticks_[std::max(tick, base_) - base_]; }
    [[nodiscard]] std::vector<Run> held() const {
        std::vector<Run> runs(runs_.begin(), runs_.end());
        for (Run& run : runs) {
            run.first = std::max(run.first, base_);
            run.last = std::max(run.last, base_);
        }
        return runs;
    }
    [[nodiscard]] std::size_t at(std::int64_t boot_ns) const {
        return base_ +
               static_cast<std::size_t>(std::lower_bound(ticks_.begin(), ticks_.end(), boot_ns) - ticks_.begin());
    }

    [[nodiscard]] std::size_t begin_of(std::chrono::nanoseconds window) const {
        const std::size_t begin = at(ticks_.back() - (window + window / 20).count());
        std::size_t values = 0;
        const std::vector<Run> runs = held();
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
            if (!run->reading) continue;
            if (values == 1 && run->last < begin) return run->last;
            if (++values > 1 || run->last > std::max(run->first, begin)) break;
            if (run->first < run->last) return run->first;
        }
        return begin;
    }

    [[nodiscard]] std::optional<Moved> increase_from(std::size_t begin) const {
        Moved sum;
        std::optional<std::int64_t> previous;
        std::size_t first = 0, last = 0;
        for (const Run& run : held()) {
            if (run.last < begin || !run.reading) continue;
            const auto* value = std::get_if<std::int64_t>(&*run.reading);
            if (value == nullptr) continue;
            if (!previous) {
                first = std::max(run.first, begin);
            } else if (*value >= *previous) {
                sum.amount += static_cast<double>(*value - *previous);
            } else {
                const std::int64_t around = *value + (counter_max(nature_) + 1 - *previous);
                const bool wrapped = nature_ == Nature::counter32 && around >= 0 && around < (std::int64_t{1} << 31);
                sum.amount += static_cast<double>(wrapped ? around : *value);
                sum.reset = sum.reset || !wrapped;
            }
            last = run.last;
            previous = *value;
        }
        if (!previous || first == last) return std::nullopt;
        if (is_saturating(nature_) && *previous >= counter_max(nature_)) {
            if (sum.amount == 0) return std::nullopt;
            sum.at_least = true;
        }
        sum.from = stamp(first);
        sum.to = stamp(last);
        return sum;
    }

    Nature nature_;
    std::int64_t keep_;
    std::deque<std::int64_t> ticks_;
    std::size_t base_ = 0;
    std::deque<Run> runs_;
};

}  // namespace rd::test
