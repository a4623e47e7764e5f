// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/rollup.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace rd::store {
namespace {

Column column(std::vector<std::int64_t> values) {
    Column made;
    for (std::size_t i = 0; i < values.size(); ++i) made.ticks.push_back(static_cast<std::uint32_t>(i));
    made.values = std::move(values);
    return made;
}
std::vector<Millis> seconds(std::size_t count) {
    std::vector<Millis> times;
    for (std::size_t i = 0; i < count; ++i) times.push_back(Millis(i) * 1000);
    return times;
}

std::int64_t increase(const std::vector<Bucket>& buckets, Nature nature) { return join(buckets, 0, nature).increase(); }

TEST(Rollup, ACounterKeepsWhatItCounted) {
    const auto buckets = fold(column({10, 20, 35, 40, 60}), seconds(5), 0, 2000, false, Nature::counter);
    ASSERT_EQ(buckets.size(), 3u);
    EXPECT_EQ(buckets[1].number, 1u);
    EXPECT_EQ(buckets[1].first, 35);
    EXPECT_EQ(buckets[1].last, 40);
    EXPECT_EQ(increase(buckets, Nature::counter), 50);
}

TEST(Rollup, AResetIsCountedFromZero) {
    EXPECT_EQ(increase(fold(column({100, 110, 4, 9}), seconds(4), 0, 2000, false, Nature::counter), Nature::counter),
              19);
}

TEST(Rollup, AThirtyTwoBitCounterWraps) {
    EXPECT_EQ(increase(fold(column({4294967290, 4294967295, 4, 9}), seconds(4), 0, 1000, false, Nature::counter32),
                       Nature::counter32),
              15);
}

TEST(Rollup, WhatGoesUpAndDownKeepsItsExtremes) {
    const auto buckets = fold(column({3, 9, 1, 5}), seconds(4), 0, 60'000, false, Nature::gauge);
    ASSERT_EQ(buckets.size(), 1u);
    EXPECT_EQ(buckets[0].least, 1);
    EXPECT_EQ(buckets[0].most, 9);
    EXPECT_EQ(buckets[0].sum, 18);
    EXPECT_EQ(buckets[0].samples, 4);
    const auto reals = fold(column({std::bit_cast<std::int64_t>(1.5), std::bit_cast<std::int64_t>(-2.25)}), seconds(2),
                            0, 60'000, true, Nature::gauge);
    EXPECT_EQ(reals[0].least, -2.25);
    EXPECT_EQ(reals[0].sum, -0.75);
}

TEST(Rollup, ComesBackFromBytesAndJoinsToTheSame) {
    std::mt19937_64 random(3);
    for (const Nature nature : {Nature::counter, Nature::counter32, Nature::gauge}) {
        std::vector<std::int64_t> values;
        std::int64_t value = 0;
        for (int i = 0; i < 500; ++i) {
            value = random() % 50 == 0 ? 0 : (value + std::int64_t(random() % 1000)) % 4'000'000'000;
            values.push_back(value);
        }
        const auto small = fold(column(values), seconds(500), 0, 7'000, false, nature);
        std::string bytes;
        append(bytes, small, nature);
        std::string_view rest = bytes;
        const auto back = take_buckets(rest, nature);
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, small);
        EXPECT_TRUE(rest.empty());
        const auto whole = fold(column(values), seconds(500), 0, 1'000'000, false, nature);
        EXPECT_EQ(join(small, 0, nature), whole[0]);
    }
}

TEST(Rollup, DamagedBytesAreRefused) {
    std::string bytes;
    append(bytes, fold(column({1, 2, 3}), seconds(3), 0, 1000, false, Nature::counter), Nature::counter);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string_view rest(bytes.data(), size);
        EXPECT_FALSE(take_buckets(rest, Nature::counter)) << size;
    }
}

}  // namespace
}  // namespace rd::store
