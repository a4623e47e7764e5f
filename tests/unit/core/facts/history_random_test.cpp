// SPDX-License-Identifier: GPL-2.0-or-later
// History against a plain one that keeps everything: random series with gaps, wraps, resets, missed and idle sweeps, in all windows.
#include <gtest/gtest.h>

#include <random>

#include "core/facts/history.h"
#include "tests/unit/core/facts/plain_history.h"
#include "tests/unit/support/sanitized.h"

namespace rd {
namespace {

constexpr unsigned kSlower = test::kSanitized ? 6 : 1;

using namespace std::chrono_literals;
using test::PlainHistory;

constexpr FactSpec kRows[] = {
    {Kind::port, "plain", Type::integer, Nature::counter, "", ""},
    {Kind::port, "wrapping", Type::integer, Nature::counter32, "", ""},
    {Kind::port, "saturating", Type::integer, Nature::saturating8, "", ""},
    {Kind::port, "gauge", Type::integer, Nature::gauge, "", ""},
    {Kind::port, "load", Type::real, Nature::gauge, "", ""},
    {Kind::port, "state", Type::text, Nature::config, "", ""},
    {Kind::port, "on", Type::boolean, Nature::config, "", ""},
    reference(Kind::port, "device", Kind::device, ""),
};
constexpr std::size_t kCount = std::size(kRows);
const Entity kPort{Kind::port, "p/1"};

class RandomSeries {
public:
    RandomSeries(const FactSpec& spec, unsigned seed) : spec_(spec), random_(seed) {}

    // What the next sweep says; nothing: it does not say anything.
    std::optional<Reading> next() {
        if (left_-- <= 0) {
            mood_ = roll(6);
            left_ = 1 + roll(mood_ == 1 ? 400 : 60);
        }
        if (mood_ == 0 || roll(25) == 0) return std::nullopt;
        if (mood_ == 2 && roll(3) == 0) return tl::unexpected(Gap{GapClass::error, roll(2) == 0 ? "a" : "b", ""});
        if (mood_ == 3 && roll(12) != 0) return std::nullopt;  // read rarely
        if (mood_ != 1) move();
        if (roll(400) == 0) return Reading(Value(std::string("nonsense")));
        return Reading(value());
    }

private:
    int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }
    void move() {
        if (is_counter(spec_.nature)) {
            number_ += roll(4) == 0 ? 0 : 1 + roll(1000);
            if (roll(150) == 0) number_ = roll(50);
            if (spec_.nature == Nature::counter32) {
                if (roll(200) == 0) number_ = counter_max(spec_.nature) - roll(2000);
                number_ %= counter_max(spec_.nature) + 1;
            }
            if (is_saturating(spec_.nature)) number_ = std::min(number_, counter_max(spec_.nature));
        } else if (roll(3) != 0) {
            number_ = roll(9);
        }
    }
    [[nodiscard]] Value value() const {
        switch (spec_.type) {
            case Type::boolean:
                return number_ % 2 == 0;
            case Type::real:
                return static_cast<double>(number_) / 3;
            case Type::text:
                return "text " + std::to_string(number_);
            case Type::reference:
                return Entity{Kind::device, std::to_string(number_)};
            default:
                return number_;
        }
    }

    const FactSpec& spec_;
    std::mt19937 random_;
    std::int64_t number_ = 0;
    int mood_ = 0, left_ = 0;
};

// The same sweeps for both.
class Pair {
public:
    Pair(History history, std::shared_ptr<Layout> layout, std::chrono::nanoseconds keep, unsigned seed)
        : layout_(std::move(layout)), history_(std::move(history)), random_(seed) {
        for (const FactSpec& spec : kRows) {
            plain_.emplace_back(spec.nature, keep);
            series_.emplace_back(spec, seed++);
        }
    }

    void sweep() {
        now_ += 1'000'000'000 + static_cast<std::int64_t>(random_() % 20'000'000);
        if (random_() % 100 == 0) now_ += 30'000'000'000;
        Snapshot snapshot(layout_, Stamp{now_, now_});
        for (std::size_t i = 0; i < kCount; ++i) {
            const auto reading = series_[i].next();
            plain_[i].append(now_, reading);
            if (reading) snapshot.set(kPort, kRows[i], kRows[i].name, *reading);
        }
        history_.append(std::move(snapshot));
    }

    [[nodiscard]] const History& history() const { return history_; }
    [[nodiscard]] const PlainHistory& plain(std::size_t row) const { return plain_[row]; }
    [[nodiscard]] std::int64_t now() const { return now_; }

private:
    std::shared_ptr<Layout> layout_;
    History history_;
    std::mt19937 random_;
    std::vector<PlainHistory> plain_;
    std::vector<RandomSeries> series_;
    std::int64_t now_ = 0;
};

void expect_same_newest(const Pair& pair, std::size_t row) {
    const Observation seen = pair.history().observe(kPort, kRows[row].name);
    const Reading* newest = pair.plain(row).newest();
    ASSERT_EQ(newest != nullptr,
              seen.reading->has_value() || seen.reading->error().reason != "no collector gave this fact");
    if (newest == nullptr) return;
    EXPECT_EQ(*seen.reading, *newest);
    EXPECT_EQ(seen.at.boot_ns, pair.plain(row).seen_at());
}

void expect_same(const Pair& pair, std::size_t row, std::chrono::nanoseconds window) {
    const std::string_view fact = kRows[row].name;
    const auto increase = pair.history().increase(kPort, fact, window);
    const auto plain = pair.plain(row).increase(window);
    ASSERT_EQ(increase.has_value(), plain.has_value());
    if (plain) {
        EXPECT_EQ(increase->amount, plain->amount);
        EXPECT_EQ(increase->reset, plain->reset);
        EXPECT_EQ(increase->at_least, plain->at_least);
        EXPECT_EQ(increase->from.boot_ns, plain->from);
        EXPECT_EQ(increase->to.boot_ns, plain->to);
    }
    for (const Aggregate how : {Aggregate::min, Aggregate::max, Aggregate::avg}) {
        const auto value = pair.history().aggregate(kPort, fact, window, how);
        const auto expected = pair.plain(row).aggregate(window, how);
        ASSERT_EQ(value.has_value(), expected.has_value());
        if (!expected) continue;
        EXPECT_NEAR(*value, *expected, std::abs(*expected) * 1e-12);
    }
    const auto changed = pair.history().changed(kPort, fact, window);
    const auto expected = pair.plain(row).changed(window);
    ASSERT_EQ(changed.has_value(), expected.has_value());
    EXPECT_EQ(changed.value_or(false), expected.value_or(false));
}

TEST(HistoryRandomTest, KeptAlikeItSaysWhatAPlainOneSays) {
    for (unsigned seed = 0; seed < 12 / kSlower; ++seed) {
        const std::chrono::nanoseconds keep = seed % 3 == 0 ? 3s : seed % 3 == 1 ? 90s : 900s;
        auto layout = std::make_shared<Layout>();
        Pair pair(History(layout, keep), layout, keep, seed * 100);
        for (int tick = 0; tick < 2000; ++tick) {
            pair.sweep();
            if (tick > 5 && tick % 7 != 0) continue;
            for (std::size_t row = 0; row < kCount; ++row) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " tick " << tick << " " << kRows[row].name);
                expect_same_newest(pair, row);
                for (const auto window : {1s, 10s, 60s, 600s, 3600s}) expect_same(pair, row, window);
                if (HasFailure()) return;
            }
        }
    }
}

TEST(HistoryRandomTest, KeptAsAskedItSaysTheSameInAllWindowsAskedFor) {
    constexpr std::chrono::seconds kAsked[] = {10s, 60s, 600s, 900s};
    for (unsigned seed = 0; seed < 12 / kSlower; ++seed) {
        Windows asked;
        for (std::size_t row = 0; row < kCount; ++row)
            asked[{kRows[row].kind, kRows[row].name}] = kAsked[(row + seed) % std::size(kAsked)];
        auto layout = std::make_shared<Layout>();
        Pair pair(History(layout, asked), layout, 945s, seed * 100);
        for (int tick = 0; tick < 2500; ++tick) {
            pair.sweep();
            if (tick > 5 && tick % 7 != 0) continue;
            for (std::size_t row = 0; row < kCount; ++row) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " tick " << tick << " " << kRows[row].name);
                expect_same_newest(pair, row);
                for (const auto window : {1s, 10s, 60s, 600s, 900s}) {
                    if (window <= kAsked[(row + seed) % std::size(kAsked)]) expect_same(pair, row, window);
                }
                if (HasFailure()) return;
            }
        }
    }
}

TEST(HistoryRandomTest, WhatNobodyAsksAWindowOfHasTheNewestValueAndTheOneBefore) {
    auto layout = std::make_shared<Layout>();
    History history(layout, Windows{});
    for (const std::int64_t value : {5, 6, 6, 9}) {
        Snapshot snapshot(layout, Stamp{static_cast<std::int64_t>(history.sweeps()) * 1'000'000'000, 0});
        snapshot.put(kPort, kRows[0], value);
        history.append(std::move(snapshot));
    }
    EXPECT_EQ(*history.observe(kPort, "plain").reading, Reading(Value(std::int64_t{9})));
    EXPECT_EQ(history.increase(kPort, "plain", 60s)->amount, 3);
    EXPECT_EQ(history.increase(kPort, "plain", 60s)->window, 1s);
    EXPECT_TRUE(history.changed(kPort, "plain", 60s).value());
}

// A long window begins within a minute of where it should; from there to now nothing is lost.
void expect_thinned(const Pair& pair, std::size_t row, std::chrono::nanoseconds window) {
    const std::string_view fact = kRows[row].name;
    const PlainHistory& plain = pair.plain(row);
    const auto increase = pair.history().increase(kPort, fact, window);
    const auto exact = plain.increase(window);
    ASSERT_EQ(increase.has_value(), exact.has_value());
    // No rule asks how far a gauge increased.
    if (exact && is_counter(kRows[row].nature)) {
        const auto same = plain.increase_since(increase->from.boot_ns);
        ASSERT_TRUE(same);
        EXPECT_EQ(increase->amount, same->amount);
        EXPECT_EQ(increase->reset, same->reset);
        EXPECT_EQ(increase->at_least, same->at_least);
        EXPECT_EQ(increase->from.boot_ns, same->from);
        EXPECT_EQ(increase->to.boot_ns, exact->to);
        EXPECT_GE(increase->from.boot_ns, exact->from);
        EXPECT_LE(increase->from.boot_ns, exact->from + 60'000'000'000);
    }
    const auto lowest = plain.aggregate(window + 60s, Aggregate::min),
               highest = plain.aggregate(window + 60s, Aggregate::max);
    const auto low = pair.history().aggregate(kPort, fact, window, Aggregate::min);
    const auto high = pair.history().aggregate(kPort, fact, window, Aggregate::max);
    const auto mean = pair.history().aggregate(kPort, fact, window, Aggregate::avg);
    ASSERT_EQ(low.has_value(), lowest.has_value());
    if (low) {
        EXPECT_GE(*low, *lowest);
        EXPECT_LE(*low, *plain.aggregate(window - 60s, Aggregate::min));
        EXPECT_LE(*high, *highest);
        EXPECT_GE(*high, *plain.aggregate(window - 60s, Aggregate::max));
        const double share = 120e9 / static_cast<double>(window.count());
        EXPECT_NEAR(*mean, *plain.aggregate(window, Aggregate::avg), (*highest - *lowest) * share + 1e-9);
    }
    const auto changed = pair.history().changed(kPort, fact, window);
    ASSERT_EQ(changed.has_value(), plain.changed(window).has_value());
    if (!changed) return;
    EXPECT_TRUE(*changed ? *plain.changed(window + 60s) : !*plain.changed(window - 60s));
}

TEST(HistoryRandomTest, LongWindowsLoseNothingToThinning) {
    for (unsigned seed = 0; seed < (kSlower > 1 ? 1U : 3U); ++seed) {
        Windows asked;
        for (const FactSpec& spec : kRows) asked[{spec.kind, spec.name}] = 2h;
        auto layout = std::make_shared<Layout>();
        Pair pair(History(layout, asked), layout, 2h + 6min, seed * 100);
        for (int tick = 0; tick < int(12'000 / kSlower); ++tick) {
            pair.sweep();
            if (tick % 61 != 0) continue;
            for (std::size_t row = 0; row < kCount; ++row) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " tick " << tick << " " << kRows[row].name);
                expect_same_newest(pair, row);
                for (const auto window : {10s, 600s}) expect_same(pair, row, window);
                for (const auto window : {1h, 2h}) expect_thinned(pair, row, window);
                if (HasFailure()) return;
            }
        }
    }
}

// Steady: whatever the following sweeps bring, as long as the slot does not move.
TEST(HistoryRandomTest, WhatIsSteadyStaysAsItIs) {
    struct Answer {
        bool steady = false;
        std::optional<double> amount, low, high;
        std::optional<bool> changed;
    };
    auto layout = std::make_shared<Layout>();
    Pair pair(History(layout, 900s), layout, 900s, 7);
    std::vector<Answer> before(kCount);
    std::size_t steady = 0;
    for (int tick = 0; tick < 4000; ++tick) {
        pair.sweep();
        for (std::size_t row = 0; row < kCount; ++row) {
            const History& history = pair.history();
            const auto slot = history.slot(kPort, kRows[row].name);
            Answer now;
            now.steady = history.steady(slot, 60s);
            if (const auto value = history.increase(slot, 60s)) now.amount = value->amount;
            if (const auto value = history.aggregate(slot, 60s, Aggregate::min)) now.low = *value;
            if (const auto value = history.aggregate(slot, 60s, Aggregate::max)) now.high = *value;
            if (const auto value = history.changed(slot, 60s)) now.changed = *value;
            const bool moved = slot && std::count(history.moved().begin(), history.moved().end(), *slot) > 0;
            if (before[row].steady && !moved) {
                SCOPED_TRACE(testing::Message() << "tick " << tick << " " << kRows[row].name);
                ++steady;
                EXPECT_EQ(now.amount, before[row].amount);
                EXPECT_EQ(now.low, before[row].low);
                EXPECT_EQ(now.high, before[row].high);
                EXPECT_EQ(now.changed, before[row].changed);
                if (HasFailure()) return;
            }
            before[row] = now;
        }
    }
    EXPECT_GT(steady, 1000u);
}

}  // namespace
}  // namespace rd
