// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/history.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rd {
namespace {

using namespace std::chrono_literals;

const Entity kPort{Kind::port, "pci-0000:41:00.0/1"};
constexpr FactSpec kPlain{Kind::port, "packets", Type::integer, Nature::counter, "packets", ""};
constexpr FactSpec kWrapping{Kind::port, "out_of_sequence", Type::integer, Nature::counter32, "packets", ""};
constexpr FactSpec kSaturating{Kind::port, "symbol_error", Type::integer, Nature::saturating16, "errors", ""};
constexpr FactSpec kGauge{Kind::port, "qps_error", Type::integer, Nature::gauge, "QPs", ""};
constexpr FactSpec kText{Kind::port, "state", Type::text, Nature::config, "", ""};

// A history one can write as a row of numbers; nothing at all in a sweep is std::nullopt.
class HistoryTest : public ::testing::Test {
protected:
    void feed(const FactSpec& spec, std::initializer_list<std::optional<std::int64_t>> values,
              std::chrono::nanoseconds every = 1s) {
        for (const auto& value : values) {
            Snapshot snapshot(layout, Stamp{now, now});
            snapshot.present(kPort);
            if (value) snapshot.put(kPort, spec, *value);
            history.append(snapshot);
            now += every.count();
        }
    }
    void feed_gap(const FactSpec& spec, GapClass kind) {
        Snapshot snapshot(layout, Stamp{now, now});
        snapshot.gap(kPort, spec, Gap{kind, "why", ""});
        history.append(snapshot);
        now += 1'000'000'000;
    }

    std::shared_ptr<Layout> layout = std::make_shared<Layout>();
    History history{layout};
    std::int64_t now = 5'000'000'000;
};

TEST_F(HistoryTest, IncreaseIsTheDifferenceOverTheTrueWindow) {
    feed(kPlain, {100, 130, 190});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 90);
    EXPECT_EQ(result->window, 2s);  // ten seconds were asked for; two are there
    EXPECT_FALSE(result->reset);
}

TEST_F(HistoryTest, WindowCutsOldSamplesOff) {
    feed(kPlain, {0, 1000, 1001, 1002, 1003});
    const auto result = history.increase(kPort, "packets", 2s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 2);
    EXPECT_EQ(result->window, 2s);
}

TEST_F(HistoryTest, ASampleSlightlyTooOldStillBelongsToTheWindow) {
    feed(kPlain, {0, 5, 10}, 1020ms);
    const auto result = history.increase(kPort, "packets", 2s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 10);
}

TEST_F(HistoryTest, ReadMoreRarelyThanTheWindowIsLongItReachesBack) {
    feed(kPlain, {100, 250}, 15s);
    auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 150);
    EXPECT_EQ(result->window, 15s);
    feed(kPlain, {std::nullopt, std::nullopt});  // not due: the newest sample is now older than the window
    result = history.increase(kPort, "packets", 1s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 150);
    EXPECT_TRUE(history.changed(kPort, "packets", 1s).value());
}

TEST_F(HistoryTest, ReadRarelyAndIdleItHasMovedByZero) {
    feed(kPlain, {7, 7}, 15s);
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 0);
    EXPECT_EQ(result->window, 15s);
}

TEST_F(HistoryTest, OneSampleIsNotARate) {
    feed(kPlain, {7});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, GapClass::not_collected);
}

TEST_F(HistoryTest, AnIdleCounterHasMovedByZero) {
    feed(kPlain, {7, 7, 7});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 0);
    EXPECT_EQ(result->window, 2s);
}

TEST_F(HistoryTest, ThirtyTwoBitCounterWraps) {
    feed(kWrapping, {4294967290, 4});
    const auto result = history.increase(kPort, "out_of_sequence", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 10);
    EXPECT_FALSE(result->reset);
}

TEST_F(HistoryTest, DriverReloadIsAResetNotABurst) {
    feed(kWrapping, {900000, 900000, 0, 3});
    const auto result = history.increase(kPort, "out_of_sequence", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 3);
    EXPECT_TRUE(result->reset);
}

TEST_F(HistoryTest, SixtyFourBitCounterNeverWraps) {
    feed(kPlain, {4294967290, 4});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 4);
    EXPECT_TRUE(result->reset);
}

TEST_F(HistoryTest, SaturatedCounterHasNoRate) {
    feed(kSaturating, {65535, 65535});
    const auto result = history.increase(kPort, "symbol_error", 10s);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, GapClass::error);
    EXPECT_NE(result.error().reason.find("65535"), std::string::npos);
}

TEST_F(HistoryTest, CounterThatSaturatesOnTheWayIsAtLeast) {
    feed(kSaturating, {65000, 65535});
    const auto result = history.increase(kPort, "symbol_error", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 535);
    EXPECT_TRUE(result->at_least);
}

TEST_F(HistoryTest, MissedSweepsDoNotLoseTheIncrease) {
    feed(kPlain, {10, std::nullopt, std::nullopt, 40});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 30);
    EXPECT_EQ(result->window, 3s);
}

TEST_F(HistoryTest, AGapNowMakesTheRateUnknownWithItsReason) {
    feed(kPlain, {10, 20});
    feed_gap(kPlain, GapClass::no_privilege);
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, GapClass::no_privilege);
    EXPECT_EQ(history.observe(kPort, "packets").reading->error().reason, "why");
}

TEST_F(HistoryTest, AGapInBetweenIsSteppedOver) {
    feed(kPlain, {10});
    feed_gap(kPlain, GapClass::timed_out);
    feed(kPlain, {25});
    const auto result = history.increase(kPort, "packets", 10s);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->amount, 15);
}

TEST_F(HistoryTest, NeverSeenIsNotCollected) {
    feed(kPlain, {1, 2});
    const auto result = history.increase(kPort, "no_such_fact", 10s);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, GapClass::not_collected);
}

TEST_F(HistoryTest, AggregatesWeighEverySweep) {
    feed(kGauge, {0, 4, 4, 4});
    EXPECT_EQ(history.aggregate(kPort, "qps_error", 10s, Aggregate::min).value(), 0);
    EXPECT_EQ(history.aggregate(kPort, "qps_error", 10s, Aggregate::max).value(), 4);
    EXPECT_EQ(history.aggregate(kPort, "qps_error", 10s, Aggregate::avg).value(), 3);
    EXPECT_EQ(history.aggregate(kPort, "qps_error", 2s, Aggregate::min).value(), 4);
}

TEST_F(HistoryTest, AggregateOfOneSweepIsUnknown) {
    feed(kGauge, {4});
    EXPECT_FALSE(history.aggregate(kPort, "qps_error", 10s, Aggregate::min));
}

TEST_F(HistoryTest, ChangedComparesTheWholeWindow) {
    feed(kGauge, {1, 1, 2, 1});
    EXPECT_TRUE(history.changed(kPort, "qps_error", 10s).value());
    EXPECT_TRUE(history.changed(kPort, "qps_error", 1s).value());
    feed(kGauge, {1, 1});
    EXPECT_FALSE(history.changed(kPort, "qps_error", 1s).value());
}

TEST_F(HistoryTest, OldSweepsAreForgottenButTheNewestValueStays) {
    History brief(layout, 3s);
    Snapshot first(layout, Stamp{0, 0});
    first.put(kPort, kText, std::string("ACTIVE"));
    brief.append(first);
    for (int i = 1; i < 10; ++i) {
        Snapshot snapshot(layout, Stamp{i * 1'000'000'000LL, 0});
        snapshot.put(kPort, kPlain, std::int64_t{i});
        brief.append(snapshot);
    }
    EXPECT_EQ(brief.sweeps(), 4u);
    EXPECT_EQ(print(**brief.observe(kPort, "state").reading), "ACTIVE");
    EXPECT_EQ(brief.increase(kPort, "packets", 60s)->amount, 3);
}

TEST_F(HistoryTest, WorstCaseSumsStayFinite) {
    feed(kPlain, {0, INT64_MAX, 0, INT64_MAX, 0, INT64_MAX});
    const auto result = history.increase(kPort, "packets", 60s);
    ASSERT_TRUE(result);
    EXPECT_TRUE(std::isfinite(result->amount));
    EXPECT_GT(result->amount, 0);
}

}  // namespace
}  // namespace rd
