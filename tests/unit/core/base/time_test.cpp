// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/time.h"

#include <gtest/gtest.h>

#include "core/base/text.h"

namespace rd {
namespace {

TEST(Time, TimesAsPeopleAndProgramsWriteThem) {
    const auto time = [](std::string_view text) { return parse_time(text).value_or(-1); };
    EXPECT_EQ(time("1970-01-01T00:00:00Z"), 0);
    EXPECT_EQ(time("2025-12-01T00:00:00Z"), 1'764'547'200'000'000'000);
    EXPECT_EQ(time("2025-12-01T00:00:00.5Z"), 1'764'547'200'500'000'000);
    EXPECT_EQ(time("2025-12-01 01:30:00+01:30"), 1'764'547'200'000'000'000);
    EXPECT_EQ(time("2025-11-30t19:00:00.000000001234-05:00"), 1'764'547'200'000'000'001);
    EXPECT_EQ(time("2024-02-29T23:59:60z"), 1'709'251'200'000'000'000);
    EXPECT_EQ(time("1764547200"), 1'764'547'200'000'000'000);
    EXPECT_EQ(time("1764547200.123"), 1'764'547'200'123'000'000);
    for (const std::int64_t ns :
         {0LL, 951'782'399'999'000'000LL, 1'764'547'200'123'000'000LL, 4'102'444'800'000'000'000LL}) {
        EXPECT_EQ(time(rfc3339(ns)), ns);
    }
}

TEST(Time, WhatIsNoTimeIsRefused) {
    for (const char* text : {"",
                             "now",
                             "2025-12-01",
                             "2025-12-01T00:00:00",
                             "2025-13-01T00:00:00Z",
                             "2025-02-29T00:00:00Z",
                             "2025-12-01T24:00:00Z",
                             "2025-12-01T00:60:00Z",
                             "2025-12-01T00:00:61Z",
                             "2025-12-01T00:00:00.Z",
                             "2025-12-01T00:00:00+1:00",
                             "2025-12-01T00:00:00Zx",
                             "1969-12-31T23:59:59Z",
                             "9999-01-01T00:00:00Z",
                             "0000-01-01T00:00:00Z",
                             "-5",
                             "1764547200.",
                             ".5",
                             "1764547200.5.5",
                             "99999999999999999999",
                             "2025-12-01T00:00:00+25:00"}) {
        const auto time = parse_time(text);
        EXPECT_FALSE(time) << text;
        if (!time) {
            EXPECT_FALSE(time.error().remedy.empty());
        }
    }
}

}  // namespace
}  // namespace rd
