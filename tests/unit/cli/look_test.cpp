// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/look.h"

#include <gtest/gtest.h>

namespace rd::cli {
namespace {

using namespace std::chrono_literals;

TEST(SweepDeadline, IsTheSameForEachSweep) {
    EXPECT_EQ(*sweep_deadline(5s, 1, 0s), 5s);
    EXPECT_EQ(*sweep_deadline(5s, 2, 2s), 1500ms);
    EXPECT_EQ(*sweep_deadline(50ms, 1, 0s), 50ms);
}

TEST(SweepDeadline, TooShortNamesWhatTakesTheTime) {
    const auto refused = [](std::chrono::nanoseconds whole, int sweeps, std::chrono::nanoseconds interval) {
        const auto deadline = sweep_deadline(whole, sweeps, interval);
        EXPECT_FALSE(deadline);
        EXPECT_EQ(deadline ? 0 : deadline.error().code, kUsage);
        return deadline ? "" : deadline.error().text;
    };
    // Nobody waits between sweeps here: a shorter --interval would not help.
    EXPECT_EQ(refused(49ms, 1, 0s), "--deadline 49ms is too short to look at a host (give --deadline 50ms or more)");
    EXPECT_EQ(refused(5s, 2, 5s),
              "--deadline 5s leaves no time to read: the sweeps are 5s apart (give --deadline 5100ms or more, or a "
              "shorter --interval)");
    EXPECT_EQ(refused(2050ms, 2, 2s),
              "--deadline 2050ms leaves no time to read: the sweeps are 2s apart (give --deadline 2100ms or more, or a "
              "shorter --interval)");
}

}  // namespace
}  // namespace rd::cli
