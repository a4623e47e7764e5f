// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Nearest, OffersWhatLooksAlike) {
    const std::string_view known[] = {"rate", "ratio", "increase", "known"};
    EXPECT_THAT(nearest("rat", known), ElementsAre("rate"));
    EXPECT_THAT(nearest("ratoo", known), ElementsAre("ratio"));
    EXPECT_THAT(nearest("zzz", known), IsEmpty());
    EXPECT_THAT(nearest("", known), IsEmpty());
    EXPECT_THAT(nearest(std::string(100, 'a'), known), IsEmpty());
    EXPECT_EQ(did_you_mean(std::vector<std::string>{"a", "b", "c"}), "did you mean a, b or c?");
    EXPECT_EQ(did_you_mean(std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace rd
