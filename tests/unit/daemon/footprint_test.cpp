// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/footprint.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace rd::daemon {
namespace {

long resident_kib(const std::string& of) {
    std::ifstream status("/proc/self/status");
    for (std::string key; status >> key;) {
        long kib = 0;
        if (key == of + ":" && status >> kib) return kib;
    }
    return -1;
}

TEST(Footprint, WhatTheStartTookIsGivenBackAndComesBackWhenItIsWanted) {
    const long program = resident_kib("RssFile");
    ASSERT_GT(program, 0);
    give_back_what_is_idle();
    EXPECT_LT(resident_kib("RssFile"), program);
    EXPECT_EQ(std::to_string(42) + std::string(3, 'x'), "42xxx") << "the program goes on";
}

TEST(Footprint, WhatIsWrittenToStays) {
    static int written = 0;
    written = 7;
    const auto on_the_heap = std::make_unique<std::vector<int>>(100'000, 3);
    give_back_what_is_idle();
    EXPECT_EQ(written, 7);
    EXPECT_EQ(*on_the_heap, std::vector<int>(100'000, 3));
}

}  // namespace
}  // namespace rd::daemon
