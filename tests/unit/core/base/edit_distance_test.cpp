// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/edit_distance.h"

#include <gtest/gtest.h>

namespace rd {
namespace {

TEST(EditDistance, CountsLettersInsertedDeletedAndReplaced) {
    EXPECT_EQ(edit_distance("mtu", "mtu"), 0u);
    EXPECT_EQ(edit_distance("mtuu", "mtu"), 1u);
    EXPECT_EQ(edit_distance("mt", "mtu"), 1u);
    EXPECT_EQ(edit_distance("mtx", "mtu"), 1u);
    EXPECT_EQ(edit_distance("", "mtu"), 3u);
    EXPECT_EQ(edit_distance("mtu", ""), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace rd
