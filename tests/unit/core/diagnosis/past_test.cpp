// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/past.h"

#include <gtest/gtest.h>

namespace rd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond;
constexpr std::int64_t kNow = 1'796'000'000 * kSecond;
const Entity kPort{Kind::port, "pci-0000:41:00.0/1"}, kOther{Kind::port, "pci-0000:41:00.1/1"};

std::string label(const Entity& entity) { return "<" + entity.id + ">"; }

Report report_of(std::initializer_list<const char*> rules) {
    Report report;
    report.from = {98 * kSecond, kNow - 2 * kSecond};
    report.to = {100 * kSecond, kNow};
    for (const char* rule : rules) {
        Finding finding;
        finding.rule = rule;
        finding.severity = Severity::high;
        finding.subject = {kPort, "mlx5_0/1"};
        finding.since = report.to;
        report.findings.push_back(finding);
    }
    return report;
}

PastFinding past(const char* rule, std::int64_t from_ns, std::optional<std::int64_t> to_ns, const Entity& of = kPort) {
    return {rule, std::string("title of ") + rule, Severity::medium, of, from_ns, to_ns};
}

TEST(Past, AFindingThatCameAgainAndGoesOn) {
    Report report = report_of({"link-flap", "other"});
    add_past(report,
             {{past("link-flap", kNow - kHour, std::nullopt), past("link-flap", kNow - 50 * kHour, kNow - 49 * kHour),
               past("link-flap", kNow - 90 * kHour, kNow - 80 * kHour),
               past("link-flap", kNow - 9 * kHour, kNow - 8 * kHour, kOther)},
              {}},
             label);
    const Finding& finding = report.findings[0];
    ASSERT_TRUE(finding.recurrence);
    EXPECT_EQ(*finding.recurrence, (Recurrence{3, kNow - 90 * kHour, kNow - 49 * kHour, true}));
    EXPECT_EQ(finding.since.wall_ns, kNow - kHour);
    EXPECT_EQ(finding.since.boot_ns, 100 * kSecond - kHour) << "both clocks are moved alike";
    EXPECT_FALSE(report.findings[1].recurrence) << "the daemon never saw it";
    EXPECT_EQ(report.findings[1].since.wall_ns, kNow);
    ASSERT_EQ(report.past->not_now.size(), 1u) << "that of the other port is another finding";
    EXPECT_EQ(report.past->not_now[0].subject.entity, kOther);
    EXPECT_EQ(report.past->not_now[0].subject.name, "<pci-0000:41:00.1/1>");
}

TEST(Past, WhatTheDaemonHasSeenEndIsNotOlderThanThisLook) {
    Report report = report_of({"link-flap"});
    add_past(report, {{past("link-flap", kNow - 2 * kHour, kNow - kHour)}, {}}, label);
    EXPECT_EQ(*report.findings[0].recurrence, (Recurrence{1, kNow - 2 * kHour, kNow - kHour, false}));
    EXPECT_EQ(report.findings[0].since.wall_ns, kNow);
    EXPECT_TRUE(report.past->not_now.empty());
}

TEST(Past, AClockThatWasSetBackMakesNoFindingYounger) {
    Report report = report_of({"link-flap"});
    add_past(report, {{past("link-flap", kNow + 5 * kHour, std::nullopt)}, {}}, label);
    EXPECT_EQ(report.findings[0].since.wall_ns, kNow);
}

TEST(Past, NotNowIsWhatEndedWithinADayOrOnlyTheDaemonSees) {
    Report report = report_of({"here"});
    report.suspected.push_back(report.findings[0]);
    report.suspected[0].rule = "suspected-here";
    PastFinding grave = past("grave", kNow - 30 * kHour, kNow - 23 * kHour);
    grave.severity = Severity::critical;
    add_past(
        report,
        {{past("goes-on", kNow - 100 * kHour, std::nullopt), past("just-over", kNow - 26 * kHour, kNow - 24 * kHour),
          past("long-over", kNow - 26 * kHour, kNow - 24 * kHour - 1), past("here", kNow - kHour, kNow - 1),
          past("suspected-here", kNow - kHour, kNow - 1), grave, past("just-over", kNow - kHour, kNow - 1)},
         {}},
        label);
    std::vector<std::string> rules;
    for (const NotNow& one : report.past->not_now) rules.push_back(one.rule);
    EXPECT_EQ(rules, (std::vector<std::string>{"grave", "just-over", "goes-on"})) << "the gravest, then the newest";
    const NotNow& over = report.past->not_now[1];
    EXPECT_EQ(over.title, "title of just-over");
    EXPECT_EQ(over.from_ns, kNow - kHour);
    EXPECT_EQ(over.to_ns, kNow - 1);
    EXPECT_EQ(over.recurrence, (Recurrence{2, kNow - 26 * kHour, kNow - 1, false}));
    EXPECT_FALSE(report.past->not_now[2].to_ns);
    EXPECT_FALSE(report.past->gap);
}

TEST(Past, TheKernelsWordsAreSummedByNameOnTheSubjectAlone) {
    Report report = report_of({"link-flap"});
    add_past(report,
             {{},
              {{"verbs", "PORT_ERR", kPort, 3, kNow - 5 * kSecond},
               {"verbs", "PORT_ERR", kPort, 1, kNow - 9 * kSecond},
               {"verbs", "PORT_ACTIVE", kPort, 2, kNow - kSecond},
               {"verbs", "PORT_ERR", kOther, 40, kNow},
               {"kmsg", "line", std::nullopt, 7, kNow}}},
             label);
    EXPECT_EQ(report.findings[0].told, (std::vector<ToldEvent>{{"verbs", "PORT_ACTIVE", 2, kNow - kSecond},
                                                               {"verbs", "PORT_ERR", 4, kNow - 5 * kSecond}}));
}

}  // namespace
}  // namespace rd
