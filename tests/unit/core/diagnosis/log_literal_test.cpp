// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <random>

#include "core/base/letters.h"

namespace rd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RequiredLiterals, AreTheLongestThatEachBranchHas) {
    EXPECT_THAT(required_literals("timeout on (?P<device>\\S+)"), ElementsAre("timeout on "));
    EXPECT_THAT(required_literals("(?P<device>\\S+): cmd timeout, will cause a leak"),
                ElementsAre(": cmd timeout, will cause a leak"));
    EXPECT_THAT(required_literals("^link is down$|carrier.*lost it"), ElementsAre("link is down", "carrier"));
    EXPECT_THAT(required_literals("IBV_EVENT_LID_CHANGE|(?i:event.{0,60}\\bLID Change\\b)"),
                ElementsAre("ibv_event_lid_change", "lid change"));
    EXPECT_THAT(required_literals("(mlx5_core|ice)\\b.*(?i:link down|Link is Down)"),
                ElementsAre("link down", "link is down"));
    EXPECT_THAT(required_literals("mlx5_core \\[0-9\\] health\\.c"), ElementsAre("mlx5_core [0-9] health.c"));
}

TEST(RequiredLiterals, LeaveOutWhatMayBeAbsent) {
    EXPECT_THAT(required_literals("errors?"), ElementsAre("error"));
    EXPECT_THAT(required_literals("errors* found"), ElementsAre(" found"));
    EXPECT_THAT(required_literals("abcde{0,3}wx"), ElementsAre("abcd"));
    EXPECT_THAT(required_literals("abcde+wx"), ElementsAre("abcde"));
    EXPECT_THAT(required_literals("abc[^]xyzuvw]"), IsEmpty());
    EXPECT_THAT(required_literals("ab[[:alpha:]x-z]de(longest(?:one|two)\\))?fghi"), ElementsAre("fghi"));
    EXPECT_THAT(required_literals("link down|up"), IsEmpty()) << "the second is too short to be looked for";
}

TEST(RequiredLiterals, AreNoneWhereThePatternIsNotFollowed) {
    for (const char* const pattern : {"(?i)ti", "(?<qp>timeout)", "(?z)timeout", "\\Qtime?out\\E", "time\\x41out",
                                      "\\pLetters", "timeout\\", "timeout(", "timeout(?i)?", "timeout)", "[timeout",
                                      "timeout{3", "timeout{", "timeout{}", "timeout{x}", "tim\\\xe9out", ""})
        EXPECT_THAT(required_literals(pattern), IsEmpty()) << pattern;
}

// Made of what patterns are made of, and lines made of the same: whatever RE2 finds contains one of the literals.
TEST(RequiredLiterals, AreInWhateverMatches) {
    const std::vector<std::string> parts = {"time", "out", "a",    "b",   "(?:",  "(?P<qp>", "(",           ")",
                                            "|",    "?",   "*",    "+",   "{2}",  "{0,2}",   "[ab]",        "[^]a]",
                                            ".*",   ".",   "\\.",  "\\d", "\\b",  "\\(",     "[[:alpha:]]", "^",
                                            "$",    "\\[", "(?i)", "{",   "link", "]"};
    const std::vector<std::string> words = {"time", "out", "a",    "b",    "aa", ".", "1",
                                            "(",    "[",   "link", "TIME", " ",  "{", "]"};
    std::mt19937 random(7);
    const auto made_of = [&](const std::vector<std::string>& from) {
        std::string out;
        for (std::size_t count = 1 + random() % 9; count > 0; --count) out += from[random() % from.size()];
        return out;
    };
    RE2::Options options(RE2::Latin1);
    options.set_log_errors(false);
    std::size_t matched = 0;
    for (int i = 0; i < 300000; ++i) {
        const std::string pattern = made_of(parts);
        const auto literals = required_literals(pattern);
        if (literals.empty()) continue;
        const RE2 compiled(pattern, options);
        if (!compiled.ok()) continue;
        for (int j = 0; j < 30; ++j) {
            const std::string line = made_of(words);
            if (!RE2::PartialMatch(line, compiled)) continue;
            ++matched;
            EXPECT_TRUE(std::any_of(literals.begin(), literals.end(),
                                    [&](const std::string& one) { return lower(line).find(one) != std::string::npos; }))
                << pattern << " matches " << line;
        }
    }
    EXPECT_GT(matched, 1000U);
}

TEST(LiteralIndex, FindsEachInTheLineOnce) {
    LiteralIndex index;
    index.add("timeout", 5);
    index.add("time", 3);
    index.add("timer", 4);
    index.add("outer", 1);
    index.add("end.", 2);
    EXPECT_THAT(index.in("timeouter time, and the end.", 9), ElementsAre(1, 2, 3, 5));
    EXPECT_THAT(index.in("TimeOut", 9), ElementsAre(3, 5));
    EXPECT_THAT(index.in("tim", 9), IsEmpty());
    EXPECT_THAT(index.in("", 9), IsEmpty());
    EXPECT_THAT(index.in("the end", 9), IsEmpty());
    EXPECT_EQ(index.in("timeouter time, and the end.", 2).size(), 3U)
        << "more than were wanted, to be seen by their number";
}

}  // namespace
}  // namespace rd
