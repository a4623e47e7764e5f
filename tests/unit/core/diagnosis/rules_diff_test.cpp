// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/rules_diff.h"
#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Rulebook book(const std::vector<std::string>& texts, const std::vector<std::string>& site = {}) {
    Rules rules = book_of(texts, site);
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    return std::move(rules.book);
}

std::vector<std::string> told(const std::vector<RuleDiff>& diffs) {
    std::vector<std::string> out;
    for (const RuleDiff& diff : diffs) {
        std::string line = std::string(name_of(diff.kind)) + " " + diff.id;
        for (const RuleChange& change : diff.changes) line += (change.judges ? " !" : " ") + change.part;
        out.push_back(line);
    }
    return out;
}

TEST(RulesDiff, AddedRemovedAndTheSame) {
    const Rulebook before = book({minimal("a", "lossless"), minimal("b", "lossless and true")});
    const Rulebook after = book({minimal("b", "lossless and true"), minimal("c", "lossless or false")});
    EXPECT_THAT(told(diff_rules(before, after)), ElementsAre("removed a", "added c"));
    EXPECT_THAT(told(diff_rules(before, before)), IsEmpty());
}

TEST(RulesDiff, LayoutOfAConditionIsNoChange) {
    const Rulebook before = book({minimal("a", "lossless and active_mtu > 1")});
    std::string text = minimal("a", "X");
    text.replace(text.find("'X'"), 3, "'''\nlossless   # why\n  and active_mtu>1'''");
    EXPECT_THAT(told(diff_rules(before, book({text}))), IsEmpty());
}

TEST(RulesDiff, EachPart) {
    const std::string one =
        "caused_by=['x']\nparams={rate=1}\nsuspect='lossless'\nfor='1s'\nsymptom='s'\nexplain='e'\npeer=['p']\n"
        "references=['r']\n[[log]]\npattern='aa'\nsamples=['aa']\n[[fix]]\nadvice='f'\ncost='online'\n[[proof]]\nquiet_"
        "for='1s'\n";
    std::string other = one;
    for (const auto& [from, to] :
         std::initializer_list<std::pair<std::string, std::string>>{{"['x']", "['y']"},
                                                                    {"rate=1", "rate=2, more=3"},
                                                                    {"suspect='lossless'", "suspect='not lossless'"},
                                                                    {"for='1s'", "for='2s'"},
                                                                    {"symptom='s'", "symptom='t'"},
                                                                    {"explain='e'", "explain='g'"},
                                                                    {"['p']", "['q']"},
                                                                    {"['r']", "['r','u']"},
                                                                    {"'aa'", "'a+'"},
                                                                    {"advice='f'", "advice='h'"},
                                                                    {"quiet_for='1s'", "quiet_for='3s'"}}) {
        other.replace(other.find(from), from.size(), to);
    }
    std::string before = minimal("a", "active_mtu > 1", one),
                after = minimal("a", "active_mtu > 2", other, "device", "low");
    after.replace(after.find("Title of a"), 10, "Another");
    after.replace(after.find("scope = \"device\""), 16, "scope = \"port\"");
    after.replace(after.find("stable"), 6, "incubating");
    const auto got = diff_rules(book({before}), book({after}));
    EXPECT_THAT(told(got),
                ElementsAre("changed a !severity !when !suspect !log !params.more !params.rate !for !caused_by "
                            "!maturity title symptom explain peer fix proof references"));
    EXPECT_EQ(got[0].title, "Another");
    EXPECT_EQ(got[0].changes[0].before, "high");
    EXPECT_EQ(got[0].changes[0].after, "low");
    EXPECT_EQ(got[0].changes[4].before, "") << "the parameter is new";
    EXPECT_EQ(got[0].changes[4].after, "3");
    EXPECT_EQ(got[0].changes[15].after, "r\nu");
}

TEST(RulesDiff, ARuleThatIsSwitchedOff) {
    const std::string rule = minimal("a", "lossless");
    EXPECT_THAT(told(diff_rules(book({rule}), book({rule}, {"id='a'\nenabled=false\nreason='r'\n"}))),
                ElementsAre("changed a !enabled"));
}

}  // namespace
}  // namespace rd::test
