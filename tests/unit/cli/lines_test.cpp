// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rd::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const Rulebook& book() {
    static const Rules rules = [] {
        const Catalog catalog = Catalog::build({}).value();
        const std::string text =
            "id = 'a'\ntitle = 'Title of a'\nseverity = 'high'\nscope = 'host'\n[[log]]\npattern = 'got status "
            "(?P<status>\\d+) on (?P<device>\\S+)'\n[[log]]\npattern = 'got status'\nconfidence = 'high'\n";
        return build_rulebook(std::vector<RuleFile>{{"a.toml", text}}, {}, catalog, {});
    }();
    return rules.book;
}

TEST(Lines, OneUseAShapeWithRulesAndTerms) {
    Lines lines(book());
    EXPECT_TRUE(lines.add("12:00:01 got status 12 on mlx5_0"));
    EXPECT_TRUE(lines.add("12:00:09 got status 12 on mlx5_0"));
    EXPECT_TRUE(lines.add("12:00:09 got status 12 on mlx5_1\n"));
    EXPECT_FALSE(lines.add("nothing"));
    EXPECT_FALSE(lines.add("  "));
    EXPECT_EQ(lines.read(), 4u);
    EXPECT_EQ(lines.known(), 3u);
    ASSERT_EQ(lines.uses().size(), 2u);
    EXPECT_EQ(lines.uses()[0].line, "12:00:01 got status 12 on mlx5_0");
    EXPECT_EQ(lines.uses()[0].count, 2u);
    ASSERT_EQ(lines.uses()[0].meanings.size(), 1u) << "two patterns of one rule are one meaning";
    EXPECT_EQ(lines.uses()[0].meanings[0].rule->id, "a");
    EXPECT_EQ(lines.uses()[0].meanings[0].confidence, Confidence::high);
    EXPECT_THAT(lines.uses()[0].meanings[0].captures, ElementsAre(Pair("status", "12"), Pair("device", "mlx5_0")));
    EXPECT_THAT(lines.uses()[0].terms, ElementsAre("IBV_WC_RETRY_EXC_ERR"));
    ASSERT_EQ(lines.terms().size(), 1u) << "each once";
}

TEST(Lines, StatusesAndCallsAreKnownWithoutARule) {
    Lines lines(book());
    EXPECT_TRUE(lines.add("poll: transport retry counter exceeded (12)"));
    EXPECT_TRUE(lines.add("event IBV_EVENT_PORT_ERR on port 1"));
    EXPECT_TRUE(lines.add("ibv_reg_mr failed: Cannot allocate memory"));
    EXPECT_FALSE(lines.add("open failed: Cannot allocate memory"));
    ASSERT_EQ(lines.uses().size(), 3u);
    EXPECT_THAT(lines.uses()[0].terms, ElementsAre("IBV_WC_RETRY_EXC_ERR"));
    EXPECT_THAT(lines.uses()[1].terms, ElementsAre("IBV_EVENT_PORT_ERR"));
    EXPECT_THAT(lines.uses()[2].meanings, IsEmpty());
}

TEST(Lines, AreBounded) {
    Lines lines(book());
    for (int i = 0; i < 100; ++i) {
        const std::string word{static_cast<char>('k' + i / 10), static_cast<char>('k' + i % 10)};
        EXPECT_TRUE(lines.add(word + " got status"));
        EXPECT_TRUE(lines.add("kk got status"));
    }
    EXPECT_EQ(lines.uses().size(), 64u);
    EXPECT_EQ(lines.uses()[0].count, 101u);
    EXPECT_EQ(lines.left_out(), 36u);
    EXPECT_EQ(lines.known(), 200u);
}

}  // namespace
}  // namespace rd::cli
