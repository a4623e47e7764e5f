// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/axis.h"

#include <gtest/gtest.h>

namespace rd::store {
namespace {

constexpr std::int64_t kMs = 1'000'000;
Stamp stamp(Millis boot, Millis wall) { return {boot * kMs, wall * kMs}; }

TEST(Axis, BeginsAtTheWallClockAndFollowsTheBootClock) {
    Axis axis;
    EXPECT_EQ(axis.at(stamp(5'000, 1'000'000)), 1'000'000);
    const auto first = axis.step();
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->first);
    EXPECT_EQ(axis.at(stamp(6'000, 1'001'000)), 1'001'000);
    EXPECT_FALSE(axis.step());
}

TEST(Axis, AClockSetBackIsAStepAndTheAxisGoesOn) {
    Axis axis;
    axis.at(stamp(0, 10'000'000));
    static_cast<void>(axis.step());
    EXPECT_EQ(axis.at(stamp(1'000, 10'001'000 - 3'600'000)), 10'001'000);
    const auto step = axis.step();
    ASSERT_TRUE(step);
    EXPECT_FALSE(step->first);
    EXPECT_EQ(step->by, -3'600'000);
    EXPECT_EQ(axis.wall_ns(10'000'500), 10'000'500 * kMs);
    EXPECT_EQ(axis.wall_ns(10'001'000), (10'001'000 - 3'600'000) * kMs);
    // The hour was shown twice: asked for it, the second one answers.
    EXPECT_EQ(axis.from_wall_ns((10'001'500 - 3'600'000) * kMs), 10'001'500);
}

TEST(Axis, AClockSetForwardSkipsAStretchThatNoMomentBelongsTo) {
    Axis axis;
    axis.at(stamp(0, 1'000));
    axis.at(stamp(1'000, 102'000));
    EXPECT_EQ(axis.from_wall_ns(50'000 * kMs), 2'000);  // the step
    EXPECT_EQ(axis.from_wall_ns(102'500 * kMs), 2'500);
    EXPECT_EQ(axis.from_wall_ns(1'500 * kMs), 1'500);
}

TEST(Axis, NoiseOfASlewedClockIsNoStep) {
    Axis axis;
    axis.at(stamp(0, 1'000'000));
    static_cast<void>(axis.step());
    axis.at(stamp(1'000, 1'001'200));
    EXPECT_FALSE(axis.step());
}

TEST(Axis, ARunThatBeginsWithADeadClockComesAfterTheLastOne) {
    Axis axis(2'000'000, {{0, 0}});
    EXPECT_EQ(axis.at(stamp(100, 0)), 2'000'001);  // 1970
    const auto step = axis.step();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->ahead, -2'000'001);
    EXPECT_EQ(axis.wall_ns(2'000'001), 0);
}

TEST(Axis, NeverGoesBack) {
    Axis axis;
    EXPECT_EQ(axis.at(stamp(1'000, 50'000)), 50'000);
    EXPECT_EQ(axis.at(stamp(990, 49'990)), 50'000);
    EXPECT_EQ(axis.at(stamp(1'010, 50'010)), 50'010);
}

TEST(Axis, WhatComesLateIsNoStepOfTheClock) {
    Axis axis;
    axis.at(stamp(0, 50'000));
    static_cast<void>(axis.step());
    EXPECT_EQ(axis.at(stamp(5'000, 55'000)), 55'000);
    EXPECT_EQ(axis.at(stamp(4'000, 54'000)), 55'000);
    EXPECT_FALSE(axis.step());
    EXPECT_EQ(axis.at(stamp(6'000, 56'000)), 56'000);
    EXPECT_FALSE(axis.step());
}

}  // namespace
}  // namespace rd::store
