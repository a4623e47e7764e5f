// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/log_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules.h"

namespace rd::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

LogPattern pattern(std::string_view text) {
    auto compiled = compile_log_pattern(text);
    if (!compiled) throw std::invalid_argument(compiled.error().message);
    return std::move(*compiled);
}

PatternError error_of(std::string_view text) {
    const auto compiled = compile_log_pattern(text);
    return compiled ? PatternError{0, "compiled", {}} : compiled.error();
}

TEST(LogPattern, IsSearchedAnywhereInTheLine) {
    const LogPattern rejected = pattern("(?i)rejected: status \\d+");
    EXPECT_TRUE(rejected.matches("nvme nvme1: Connect Rejected: status 8 (invalid)"));
    EXPECT_FALSE(rejected.matches("nvme nvme1: rejected: status"));
    EXPECT_FALSE(rejected.matches(""));
}

TEST(LogPattern, AnyBytesMayStandInTheLine) {
    const LogPattern odd = pattern("begin.end");
    EXPECT_TRUE(
        odd.matches("begin\xff"
                    "end"));
    EXPECT_TRUE(odd.matches(std::string_view("begin\0end", 9)));
    EXPECT_TRUE(pattern("µs").matches("took 7 µs"));
}

TEST(LogPattern, CapturesWhatTookPartInTheMatch) {
    const LogPattern status = pattern("(?P<device>mlx5_\\d+)(/(?P<port>\\d+))?: status (?P<status>\\S+)");
    EXPECT_TRUE(status.captures("port"));
    EXPECT_FALSE(status.captures("qp"));
    EXPECT_THAT(*status.match("x mlx5_0/1: status 12 y"),
                ElementsAre(Pair("device", "mlx5_0"), Pair("port", "1"), Pair("status", "12")));
    EXPECT_THAT(*status.match("mlx5_0: status 12"), ElementsAre(Pair("device", "mlx5_0"), Pair("status", "12")));
    EXPECT_EQ(status.match("mlx5_0: state 12"), std::nullopt);
}

TEST(LogPattern, WhatCannotBeAPattern) {
    EXPECT_THAT(error_of(" ").message, HasSubstr("would match every line"));
    EXPECT_THAT(error_of("(error)?").message, HasSubstr("matches the empty line"));
    EXPECT_THAT(error_of(std::string(1025, 'a')).message, HasSubstr("longer than 1024"));
    EXPECT_THAT(error_of("a(?=b)").message, HasSubstr("not a pattern: invalid perl operator"));
    EXPECT_EQ(error_of("fault [IO").offset, 6u);
    EXPECT_THAT(error_of("((a{1000}){1000}){1000}").message, HasSubstr("not a pattern"));
    const PatternError name = error_of("of (?P<devise>x)");
    EXPECT_EQ(name.offset, 7u);
    EXPECT_EQ(name.message, "no capture 'devise'");
    EXPECT_THAT(name.hint, HasSubstr("device"));
    EXPECT_THAT(error_of("(?P<zzzzzzz>x)").hint, HasSubstr("one of device netdev port"));
}

TEST(LogPattern, ProvenOnesAreCompiledWhenAsked) {
    const LogPattern proven = proven_log_pattern("(?P<device>mlx5_\\d+): status");
    const LogPattern copy = proven;
    EXPECT_TRUE(copy.matches("mlx5_0: status 12"));
    EXPECT_FALSE(proven.matches("mlx5: status 12"));
    EXPECT_TRUE(proven.captures("device"));
    EXPECT_THAT(*proven.match("mlx5_0: status"), ElementsAre(Pair("device", "mlx5_0")));
    const LogPattern none = proven_log_pattern("a(");
    EXPECT_FALSE(none.matches("a("));
    EXPECT_EQ(none.match("a("), std::nullopt);
    EXPECT_FALSE(LogPattern{}.matches(""));
}

constexpr std::string_view kLogsOnly = R"(id = 'a'
title = 't'
severity = 'high'
scope = 'host'
symptom = 's'
explain = '{subject}: {log.line}, {log.status}'
references = ['r']
[[fix]]
advice = 'a'
)";

TEST(LogRule, NeedsNoConditionAndNoExamples) {
    const std::string text = std::string(kLogsOnly) +
                             "[[log]]\npattern = 'x (?P<status>[0-9]+)'\nconfidence = 'low'\nsource = 'ceph'\n"
                             "samples = ['an x 1']\nnot_samples = ['an x']\n";
    const Rule rule = rule_of(text);
    EXPECT_FALSE(rule.when);
    ASSERT_EQ(rule.logs.size(), 1u);
    EXPECT_EQ(rule.logs[0].confidence, Confidence::low);
    EXPECT_EQ(rule.logs[0].source, "ceph");
    EXPECT_THAT(rule.logs[0].samples, ElementsAre("an x 1"));
    const Rules rules = build_rulebook(std::vector<RuleFile>{{"rules/a.toml", text}}, {}, catalog(), kKnobs);
    EXPECT_THAT(printed(lint(rules.book, catalog())), IsEmpty());
    EXPECT_THAT(run_mutants(rule, catalog()), IsEmpty());
    EXPECT_EQ(rule_of(std::string(kLogsOnly) + "[[log]]\npattern = 'x (?P<status>y)'\n").logs[0].confidence,
              Confidence::medium);
}

TEST(LogRule, ASiteMayAddOneAndSetParamsOfOne) {
    const std::string log = std::string(kLogsOnly) + "[[log]]\npattern = 'x (?P<status>y)'\n";
    EXPECT_EQ(book_of({}, {log}).book.rules.size(), 1u);
    const Rules changed = book_of({log}, {"id = 'a'\nseverity = 'low'\n"});
    EXPECT_THAT(printed(changed.errors), IsEmpty());
    EXPECT_EQ(changed.book.find("a")->severity, Severity::low);
}

TEST(LogRule, ComplaintsPointIntoTheFile) {
    const std::string head = "id='a'\ntitle='t'\nseverity='low'\nscope='port'\n";
    EXPECT_THAT(complaints(head), ElementsAre(HasSubstr("'when' is missing")));
    EXPECT_THAT(complaints(head + "[[log]]\npattern = 'fault [IO'\n"),
                ElementsAre(HasSubstr("r.toml:6:18: not a pattern: missing ]")));
    EXPECT_THAT(complaints(head + "[[log]]\npattern = '(?P<devce>x)'\n"),
                ElementsAre(HasSubstr("r.toml:6:16: no capture 'devce'")));
    EXPECT_THAT(complaints(head + "[[log]]\npattern = 'x'\nconfidence = 'sure'\nsample = 'x'\n"),
                testing::UnorderedElementsAre(HasSubstr("r.toml:7:14: no confidence 'sure' (one of low medium high)"),
                                              HasSubstr("unknown key 'sample' (did you mean samples?)")));
    EXPECT_THAT(complaints(head + "[[log]]\nsamples = ['x']\n"), ElementsAre(HasSubstr("'pattern' is missing")));
    EXPECT_THAT(complaints(head + "suspect = 'lossless'\n[[log]]\npattern = 'x'\n"),
                ElementsAre(HasSubstr("there is no 'when'")));
    EXPECT_THAT(complaints(head + "explain = 'of {log.qp}'\n[[log]]\npattern = 'x'\n"),
                ElementsAre(HasSubstr("r.toml:5:15: no [[log]] of this rule gives 'log.qp'")));
}

std::vector<std::string> lint_of(const std::vector<std::string>& texts) {
    const Rules rules = book_of(texts);
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    return printed(lint(rules.book, catalog()));
}

TEST(LintLogs, SamplesAndTwins) {
    const std::string first = std::string(kLogsOnly) + "[[log]]\npattern = 'x (?P<status>y)'\n";
    EXPECT_THAT(lint_of({first}),
                Contains(HasSubstr("rules/0:10:1: a: no samples: which line does 'x (?P<status>y)' match?")));
    EXPECT_THAT(lint_of({first + "samples = ['x y', 'x z']\nnot_samples = ['x y', 'z']\n"}),
                testing::AllOf(Contains(HasSubstr("does not match its sample 'x z'")),
                               Contains(HasSubstr("matches 'x y', which it must not"))));
    std::string second = first + "samples = ['x y']\n";
    second.replace(second.find("'a'"), 3, "'b'");
    EXPECT_THAT(lint_of({first + "samples = ['x y']\n", second}),
                Contains(HasSubstr("b: the same pattern as in a: 'x (?P<status>y)'")));
}

}  // namespace
}  // namespace rd::test
