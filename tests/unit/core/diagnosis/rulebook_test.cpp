// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules.h"

namespace rd::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Rulebook, SortedFoundAndHashed) {
    const std::string a = minimal("a-rule", "lossless"), b = minimal("b-rule", "not lossless");
    const Rules rules = book_of({b, a});
    EXPECT_THAT(rules.errors, IsEmpty());
    ASSERT_EQ(rules.book.rules.size(), 2u);
    EXPECT_EQ(rules.book.rules[0].id, "a-rule");
    EXPECT_NE(rules.book.find("b-rule"), nullptr);
    EXPECT_EQ(rules.book.find("c-rule"), nullptr);
    EXPECT_THAT(rules.book.similar("a-rul"), Contains("a-rule"));
    EXPECT_EQ(rules.book.hash.size(), 16u);
    EXPECT_EQ(rules.book.hash, book_of({a, b}).book.hash) << "the order of files does not matter";
    EXPECT_NE(rules.book.hash, book_of({a}).book.hash);
    EXPECT_NE(rules.book.hash, book_of({a, b}, {"id='a-rule'\nseverity='low'"}).book.hash);
    EXPECT_EQ(book_of({a}).book.hash, book_of({a, b}, {"id='b-rule'\nenabled=false\nreason='x'"}).book.hash);
}

TEST(Rulebook, AFileWithAnErrorIsLeftOut) {
    const Rules rules = book_of({minimal("good", "lossless"), minimal("bad", "nope")});
    EXPECT_EQ(rules.book.rules.size(), 1u);
    EXPECT_THAT(printed(rules.errors), ElementsAre(HasSubstr("rules/1:6:9: port has no fact 'nope'")));
    const Rules twice = book_of({minimal("same", "lossless"), minimal("same", "not lossless")});
    EXPECT_EQ(twice.book.rules.size(), 1u);
    EXPECT_THAT(printed(twice.errors),
                ElementsAre(HasSubstr("rules/1:1:6: the rule 'same' exists already in rules/0")));
    const Rules broken = book_of({}, {"id = "});
    EXPECT_EQ(broken.errors.size(), 1u);
}

TEST(Rulebook, ReadToJudge) {
    const auto judged = [](const std::vector<std::string>& shipped, const std::vector<std::string>& site = {}) {
        std::vector<RuleFile> a, b;
        for (const std::string& text : shipped) a.push_back({"rules/" + std::to_string(a.size()), text});
        for (const std::string& text : site) b.push_back({"site/" + std::to_string(b.size()), text});
        return build_rulebook(a, b, catalog(), kKnobs, RuleUse::judge);
    };
    const std::string spoiled = "[[example]]\nname = 'n'\nexpect = 'loud'\n";
    EXPECT_THAT(printed(judged({minimal("a", "lossless", spoiled)}).errors), IsEmpty());
    EXPECT_THAT(printed(judged({}, {minimal("a", "lossless", spoiled)}).errors),
                ElementsAre(HasSubstr("no state 'loud' to expect")))
        << "what a site wrote nobody has proven";
    // A pattern that is none must not just stay silent.
    const Rules broken = judged({minimal("a", "lossless", "[[log]]\npattern = 'lost'\nended_by = 'a('\n"),
                                 minimal("b", "lossless", "[[log]]\npattern = 'found'\n"),
                                 minimal("c", "lossless", "[[log]]\npattern = 'fault [IO'\n")});
    EXPECT_THAT(printed(broken.errors), ElementsAre(HasSubstr("rules/0:9:13: not a pattern: missing )"),
                                                    HasSubstr("rules/2:8:18: not a pattern: missing ]")));
    ASSERT_EQ(broken.book.rules.size(), 1u);
    EXPECT_EQ(broken.book.logs->match("lost and found").size(), 1u);
}

TEST(Rulebook, SiteAddsDisablesAndSets) {
    const std::string shipped = minimal("loss", "rate(rx_packets, $w) > $rate", "params = { rate = 10, w = '10s' }");
    const Rules rules =
        book_of({shipped, minimal("other", "lossless")},
                {"id='loss'\nseverity='critical'\nparams = { rate = 20.5, w = '1m' }",
                 "id='other'\nenabled=false\nreason='we do not care'", minimal("own", "lossless and true")});
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    const Rule& loss = *rules.book.find("loss");
    EXPECT_EQ(loss.severity, Severity::critical);
    EXPECT_EQ(loss.params.at("rate"), Value(20.5));
    EXPECT_EQ(loss.params.at("w"), Value(std::string("1m")));
    EXPECT_FALSE(rules.book.find("other")->enabled);
    EXPECT_EQ(rules.book.find("other")->disabled_because, "we do not care");
    EXPECT_NE(rules.book.find("own"), nullptr);
}

TEST(Rulebook, WhatASiteMayNotDo) {
    const std::string shipped = minimal("loss", "rate(rx_packets, $w) > $rate", "params = { rate = 10, w = '10s' }");
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"id='los'\nseverity='low'", "site/0:1:4: no rule 'los' to change (did you mean loss?)"},
        {"severity='low'", "site/0:1:1: 'id' is missing"},
        {"id='loss'\nenabled=false", "site/0:2:9: a disabled rule needs a reason"},
        {"id='loss'\nseverity='bad'", "site/0:2:10: no severity 'bad'"},
        {"id='loss'\nsuspect='lossless'", "site/0:2:1: unknown key 'suspect'"},
        {"id='loss'\nparams={ ratee = 1 }", "site/0:2:18: the rule has no parameter 'ratee' (did you mean rate?)"},
        {"id='loss'\nparams={ rate = 'x' }", "site/0:2:17: the parameter 'rate' is integer"},
        {"id='loss'\nparams={ w = 'soon' }", "site/0:2:14: rate(): $w is not a duration but soon"},
        {"id='loss'\ntitle='mine'", "'when' is missing"},
        {"id='loss'\nwhen='lossless'\nseverity='low'",
         "site/0:2:6: a site cannot change the condition of 'loss', a rule of rules/0 (without 'when' this file may "
         "set"},
    };
    for (const auto& [text, expected] : cases) {
        const Rules rules = book_of({shipped}, {std::string(text)});
        EXPECT_THAT(printed(rules.errors), Contains(HasSubstr(expected))) << text;
        EXPECT_EQ(rules.book.find("loss")->params.at("w"), Value(std::string("10s")));
        EXPECT_TRUE(rules.book.find("loss")->enabled);
    }
}

TEST(Rulebook, ARuleIsChangedInOneFile) {
    const Rules rules = book_of(
        {minimal("loss", "lossless"), minimal("other", "not lossless")},
        {"id='loss'\nseverity='critical'", "id='other'\nseverity='low'", "id='loss'\nenabled=false\nreason='no'"});
    EXPECT_THAT(printed(rules.errors), ElementsAre("site/2:1:4: 'loss' is changed already in site/0 (put both changes "
                                                   "into one file)"));
    EXPECT_EQ(rules.book.find("loss")->severity, Severity::critical);
    EXPECT_TRUE(rules.book.find("loss")->enabled);
}

TEST(Rulebook, WarnsOfCausesThatDoNotExist) {
    const Rules rules = book_of({minimal("loss", "lossless", "caused_by = ['lost']")});
    EXPECT_THAT(rules.errors, IsEmpty());
    EXPECT_THAT(printed(rules.warnings), ElementsAre("rules/0:7:14: caused_by: no rule 'lost' (did you mean loss?)"));
}

std::vector<std::string> lint_of(const std::vector<std::string>& texts) {
    const Rules rules = book_of(texts);
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    return printed(lint(rules.book, catalog()));
}

// Complete but for what a test spoils.
constexpr std::string_view kComplete = R"(symptom = 's'
explain = '{subject}'
references = ['r']
[[fix]]
advice = 'a'
[[example]]
name = '1'
expect = 'firing'
[[example]]
name = '2'
expect = 'quiet'
[[example]]
name = '3'
expect = 'unknown'
)";

TEST(Lint, CompleteRuleIsClean) {
    EXPECT_THAT(lint_of({minimal("a", "lossless", kComplete)}), IsEmpty());
    const Rules rules = build_rulebook(
        std::vector<RuleFile>{{"rules/transport/roce-packet-loss.toml", documented_rule()}}, {}, catalog(), kKnobs);
    EXPECT_THAT(printed(lint(rules.book, catalog())),
                ElementsAre(HasSubstr("no rule 'pfc-disabled-on-lossless-fabric'")));
}

TEST(Lint, WhatARuleMustHave) {
    EXPECT_THAT(lint_of({minimal("a", "lossless")}),
                ElementsAre(HasSubstr("a: no symptom"), HasSubstr("no explanation"), HasSubstr("no references"),
                            HasSubstr("no fix"), HasSubstr("no example is firing"), HasSubstr("no example is quiet"),
                            HasSubstr("no example is unknown")));
    EXPECT_THAT(lint_of({minimal("a", "lossless", "suspect = 'not lossless'\n" + std::string(kComplete))}),
                ElementsAre(HasSubstr("rules/0:7:11: a: no example is suspected")));
    const Rules misnamed = build_rulebook(
        std::vector<RuleFile>{{"rules/x/b.toml", minimal("a", "lossless", kComplete)}}, {}, catalog(), kKnobs);
    EXPECT_THAT(printed(lint(misnamed.book, catalog())),
                ElementsAre("rules/x/b.toml:1:6: a: the file is called b.toml (name it a.toml)"));
}

TEST(Lint, ExamplesStandLast) {
    EXPECT_THAT(lint_of({minimal("a", "lossless", std::string(kComplete) + "[[proof]]\nquiet_for = '1s'\n")}),
                ElementsAre(HasSubstr("a: 'proof' stands behind the examples (put the examples last")));
}

TEST(Lint, Conditions) {
    const auto one = [](std::string_view when, std::string_view more) {
        return lint_of({minimal(
            "a", when, std::string(more) + std::string(kComplete) + "[[example]]\nname='4'\nexpect='suspected'\n")});
    };
    EXPECT_THAT(one("lossless", "suspect='lifetime(rx_packets) > 1000'\n"),
                ElementsAre(HasSubstr("a lifetime on its own")));
    EXPECT_THAT(one("lossless", "suspect='lifetime(rx_packets) / 7 > 1000'\n"),
                ElementsAre(HasSubstr("a lifetime on its own")));
    EXPECT_THAT(one("lossless", "suspect='lifetime(out_of_sequence) / (lifetime(rx_packets) + 1) > 1e-5'\n"),
                IsEmpty());
    EXPECT_THAT(one("lossless", "suspect='rate(rx_packets, 10s) > 1'\n"),
                ElementsAre(HasSubstr("rate() in 'suspect'")));
    EXPECT_THAT(one("lifetime(rx_packets) / lifetime(out_of_sequence) > 1", "suspect='lossless'\n"),
                ElementsAre(HasSubstr("lifetime() in 'when'")));
    EXPECT_THAT(one("rate(raw_thing, 10s) > 1", "suspect='lossless'\n"),
                ElementsAre(HasSubstr("'raw_thing' is a driver's own counter")));
    EXPECT_THAT(
        lint_of({minimal("a", "lossless", std::string(kComplete)), minimal("b", "(lossless)", std::string(kComplete))}),
        ElementsAre(HasSubstr("b: the same condition as a")));
    EXPECT_THAT(lint_of({minimal("a", "lossless", "params={ x = 1 }\n" + std::string(kComplete))}),
                ElementsAre(HasSubstr("the parameter 'x' is not used")));
}

TEST(Lint, ExplanationNamesOnlyWhatWasRead) {
    const auto explaining = [](std::string_view text) {
        std::string complete(kComplete);
        complete.replace(complete.find("{subject}"), 9, text);
        return lint_of({minimal("a", "netdev.mtu > 1", complete)});
    };
    EXPECT_THAT(explaining("{netdev.mtu} of {netdev} or {netdev.name}"), IsEmpty());
    EXPECT_THAT(explaining("{active_mtu}"),
                ElementsAre(HasSubstr("names 'active_mtu', which the condition does not read")));
}

TEST(Lint, Causes) {
    const auto with = [](std::string_view id, std::string_view when, std::string_view causes) {
        return minimal(id, when, "caused_by = [" + std::string(causes) + "]\n" + std::string(kComplete));
    };
    EXPECT_THAT(lint_of({with("a", "lossless", "'a'")}), ElementsAre(HasSubstr("caused_by: the rule itself")));
    EXPECT_THAT(lint_of({with("a", "lossless", "'b'"), with("b", "not lossless", "'a'")}), testing::SizeIs(2));
    EXPECT_THAT(lint_of({with("a", "lossless", "'b'"), with("b", "not lossless", "")}), IsEmpty());
    EXPECT_THAT(lint_of({with("a", "lossless", "'z'")}), ElementsAre(HasSubstr("caused_by: no rule 'z'")));
}

TEST(Lint, DisabledRulesCountToo) {
    EXPECT_THAT(lint_of({minimal("a", "lossless", "enabled = false\nreason = 'r'\n")}), Not(IsEmpty()));
}

}  // namespace
}  // namespace rd::test
