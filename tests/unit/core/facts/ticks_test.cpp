// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/ticks.h"

#include <gtest/gtest.h>

#include <vector>

namespace rd {
namespace {

TEST(Ticks, AreGivenBackAsTheyWereToAMillisecond) {
    Ticks ticks;
    std::vector<Stamp> stamps;
    std::int64_t boot = 1'000'000'000, ahead = 1'764'547'200'000'000'000;
    std::size_t popped = 0;
    for (int i = 0; i < 1000; ++i) {
        boot += 1'000'000'000 + i % 7 * 1000;
        if (i % 100 == 50) ahead += (i % 3 - 1) * 3'600'000'000'000;  // steps, forward and back
        ahead += 20'000;                                              // slewed
        stamps.push_back({boot, boot + ahead + i % 5 * 1000});
        ticks.push(stamps.back());
        if (i % 3 == 0 && i > 500) {
            ticks.pop();
            ++popped;
        }
        ASSERT_EQ(ticks.size(), stamps.size() - popped);
        ASSERT_EQ(ticks.oldest_ns(), stamps[popped].boot_ns);
        ASSERT_EQ(ticks.newest_ns(), boot);
    }
    for (std::size_t at = 0; at < ticks.size(); ++at) {
        const Stamp &is = ticks.at(at), &was = stamps[popped + at];
        EXPECT_EQ(is.boot_ns, was.boot_ns);
        EXPECT_LE(std::abs(is.wall_ns - was.wall_ns), 1'000'000) << at;
        EXPECT_EQ(ticks.before(was.boot_ns), at);
        EXPECT_EQ(ticks.before(was.boot_ns + 1), at + 1);
    }
}

}  // namespace
}  // namespace rd
