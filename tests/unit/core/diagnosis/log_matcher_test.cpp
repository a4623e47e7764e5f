// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string rule(std::string_view id, std::string_view logs) {
    return "id = '" + std::string(id) + "'\ntitle = 't'\nseverity = 'low'\nscope = 'host'\n" + std::string(logs);
}

const Rules& rules() {
    static const Rules instance = book_of(
        {rule("a", "[[log]]\npattern = 'timeout on (?P<device>\\S+)'\n[[log]]\npattern = 'status (?P<status>\\d+)$'\n"),
         minimal("b", "lossless", "", "port"), rule("c", "[[log]]\npattern = '(?i)TIMEOUT'\n"),
         rule("d", "[[log]]\npattern = 'timeout'\n")},
        {"id = 'd'\nenabled = false\nreason = 'r'\n"});
    return instance;
}

std::vector<std::string> hits(std::string_view line) {
    std::vector<std::string> out;
    for (const LogMatcher::Hit& hit : rules().book.logs->match(line)) {
        out.push_back(rules().book.rules[hit.rule].id + "." + std::to_string(hit.log));
    }
    return out;
}

TEST(LogMatcher, AllThatMatchInOrder) {
    EXPECT_THAT(hits("timeout on mlx5_0: status 12"), ElementsAre("a.0", "a.1", "c.0"));
    EXPECT_THAT(hits("Timeout"), ElementsAre("c.0"));
    EXPECT_THAT(hits("status 12 of many"), IsEmpty());
    EXPECT_THAT(hits(""), IsEmpty());
    EXPECT_THAT(rules().book.logs->match("timeout on mlx5_0:")[0].captures, ElementsAre(Pair("device", "mlx5_0:")));
}

TEST(LogMatcher, SaysWhetherALineMeansAnything) {
    EXPECT_TRUE(rules().book.logs->matches("a TIMEOUT"));
    EXPECT_FALSE(rules().book.logs->matches("a time out"));
    EXPECT_FALSE(rules().book.logs->empty());
}

TEST(LogMatcher, WithoutPatternsNothingMatches) {
    const Rules none = book_of({minimal("b", "lossless")});
    EXPECT_TRUE(none.book.logs->empty());
    EXPECT_FALSE(none.book.logs->matches("timeout"));
    EXPECT_THAT(none.book.logs->match("timeout"), IsEmpty());
}

// Each counted repetition doubles the states of a deterministic automaton; the answer must be right all the same.
TEST(LogMatcher, IsRightWhereTheSharedAutomatonIsTooLarge) {
    std::vector<std::string> texts;
    for (int i = 0; i < 40; ++i) {
        const std::string letter(1, static_cast<char>('a' + i % 26));
        texts.push_back(
            rule("r" + std::to_string(i), "[[log]]\npattern = '" + letter + ".{" + std::to_string(40 + i) + "}x'\n"));
    }
    const Rules many = book_of(texts);
    ASSERT_THAT(printed(many.errors), IsEmpty());
    std::string line;
    unsigned state = 1;
    for (int i = 0; i < 60000; ++i)
        line += static_cast<char>('a' + (state = state * 1103515245u + 12345u) / 65536u % 26);
    for (const std::size_t from : {std::size_t{0}, std::size_t{100}, std::size_t{59900}}) {
        const std::string_view part = std::string_view(line).substr(from);
        std::size_t expected = 0;
        for (const Rule& one : many.book.rules) expected += one.logs[0].matches(part) ? 1 : 0;
        EXPECT_EQ(many.book.logs->match(part).size(), expected);
        EXPECT_EQ(many.book.logs->matches(part), expected > 0);
    }
}

}  // namespace
}  // namespace rd::test
