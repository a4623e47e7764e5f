// SPDX-License-Identifier: GPL-2.0-or-later
// The one sentence at the end of a report, and the forest of causes it is made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/causes.h"
#include "core/diagnosis/report.h"
#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Report report_of(const Rules& rules, const World& world) {
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    return make_report(rules.book, world.history(), evaluate(rules.book, world.history()), HostIdentity{});
}

World port() {
    World world;
    world.put(kPort, "device", kDevice).put(kPort, "lossless", false).text(kPort, "name", "mlx5_0/1");
    world.put(kDevice, "pci", kPci).text(kDevice, "name", "mlx5_0").number(kPci, "link_width", 8);
    return world;
}

const std::string kWidth = minimal("width", "link_width < 16", "", "pci", "medium");

TEST(CauseForest, EachStandsUnderItsNearestCause) {
    World world = port();
    world.sweep();
    const Report report = report_of(
        book_of({kWidth, minimal("stall", "not lossless", "caused_by=['width']\n"),
                 minimal("storm", "not lossless and true", "caused_by=['width', 'stall', 'off']\n", "port", "critical"),
                 minimal("off", "not lossless or false", "", "port", "low")}),
        world);
    const std::vector<Finding>& all = report.findings;
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].rule, "width");
    EXPECT_EQ(all[1].rule, "off");
    ASSERT_EQ(all[3].rule, "storm");
    std::vector<std::string> causes;
    for (const Cause& cause : all[3].causes) causes.push_back(cause.rule);
    EXPECT_THAT(causes, ElementsAre("stall", "width", "off"));
    const CauseForest forest(all);
    EXPECT_THAT(forest.roots(), ElementsAre(0u, 1u));
    EXPECT_THAT(forest.children(0), ElementsAre(2u));
    EXPECT_THAT(forest.children(2), ElementsAre(3u));
    EXPECT_THAT(forest.consequences(0), ElementsAre(2u, 3u));
    EXPECT_THAT(forest.consequences(1), IsEmpty());
    EXPECT_THAT(forest.other_causes(3), ElementsAre(1u)) << "the width stands above the stall already";
    EXPECT_THAT(forest.other_causes(2), IsEmpty());
}

TEST(CauseForest, ACircleHasOneTop) {
    World world = port();
    world.sweep();
    const Report report = report_of(book_of({minimal("a", "not lossless", "caused_by=['b']\n"),
                                             minimal("b", "not lossless and true", "caused_by=['c','b']\n"),
                                             minimal("c", "not lossless or false", "caused_by=['a']\n")}),
                                    world);
    const CauseForest forest(report.findings);
    ASSERT_EQ(forest.roots().size(), 1u);
    EXPECT_EQ(forest.consequences(forest.roots()[0]).size(), 2u);
}

TEST(Conclusion, IsTheRootWithItsConsequences) {
    World world = port();
    world.sweep();
    const Report report = report_of(book_of({kWidth, minimal("stall", "not lossless", "caused_by=['width']\n"),
                                             minimal("other", "not lossless or false", "", "port", "medium")}),
                                    world);
    const Conclusion& got = report.conclusion;
    EXPECT_EQ(got.kind, Conclusion::Kind::cause);
    EXPECT_EQ(got.rule, "width") << "worse things come of it than of the other";
    EXPECT_EQ(got.confidence, Confidence::high);
    ASSERT_EQ(got.explains.size(), 1u);
    EXPECT_EQ(got.explains[0].rule, "stall");
    EXPECT_EQ(
        got.sentence,
        "Most likely cause: Title of width (width on pci 0000:41:00.0), which explains 1 other finding; confidence "
        "high; next comes other; to settle it: rdmadoctor explain width.");
}

TEST(Conclusion, OneRuleOnManyIsOneCause) {
    World world;
    for (const std::string n : {"1", "2", "3"}) {
        world.put(Entity{Kind::port, n}, "lossless", false).text(Entity{Kind::port, n}, "name", "p" + n);
    }
    world.sweep();
    const Report report =
        report_of(book_of({minimal("off", "not lossless",
                                   "[[fix]]\nadvice='a'\ncost='online'\n[[proof]]\nquiet_for='30s'\nworkload='w'\n")}),
                  world);
    EXPECT_EQ(report.conclusion.subjects.size(), 3u);
    EXPECT_THAT(report.conclusion.sentence,
                HasSubstr("(off on port p1, port p2 and 1 more); confidence high; to settle"));
    EXPECT_EQ(report.conclusion.settle, "apply its fix and see that it stays away for 30s under the workload w");
}

TEST(Conclusion, EvidenceAboutThePeerSaysSo) {
    World world = port();
    world.sweep();
    const Report report = report_of(
        book_of({minimal("retries", "not lossless", "peer = ['rdmadoctor check', 'ip link show {netdev.name}']\n"),
                 minimal("reconnects", "not lossless and true", "caused_by=['retries']\n")}),
        world);
    EXPECT_THAT(report.findings[0].peer, ElementsAre("rdmadoctor check", HasSubstr("ip link show ")));
    EXPECT_EQ(report.conclusion.kind, Conclusion::Kind::unexplained);
    EXPECT_THAT(
        report.conclusion.sentence,
        HasSubstr("explains 1 other finding; that is evidence about the peer or the path, so look at both ends"));
    EXPECT_EQ(report.conclusion.settle, "look at the peer, and run there: rdmadoctor check");
}

TEST(Conclusion, ACauseGoesBeforeAnEffectOfTheSameWeight) {
    World world = port();
    world.sweep();
    const Report report = report_of(book_of({minimal("a-retries", "not lossless", "peer = ['rdmadoctor check']\n"),
                                             minimal("b-off", "not lossless and true")}),
                                    world);
    EXPECT_EQ(report.conclusion.rule, "b-off");
}

TEST(Conclusion, AnEffectWithoutItsCauseNamesWhatCouldNotBeJudged) {
    World world = port();
    world.gap(kPci, "flags", GapClass::no_privilege).sweep();
    const Report report = report_of(book_of({minimal("stall", "not lossless", "caused_by=['bits']\n"),
                                             minimal("bits", "bit(flags, 2)", "", "pci")}),
                                    world);
    EXPECT_EQ(report.conclusion.kind, Conclusion::Kind::unexplained);
    EXPECT_THAT(report.conclusion.sentence, HasSubstr("what brings it about was not found on this host"));
    EXPECT_EQ(report.conclusion.settle,
              "whether bits lies behind it could not be judged, for flags of 0000:41:00.0 is missing (no privilege: "
              "because)");
}

TEST(Conclusion, WhatTheEvidenceLacksComesFirst) {
    const Rules rules =
        book_of({minimal("part", "not lossless and not known(active_mtu)", "peer = ['rdmadoctor check']\n")});
    World world = port();
    world.gap(kPort, "active_mtu", GapClass::not_collected).sweep();
    EXPECT_EQ(report_of(rules, world).conclusion.settle, "active_mtu of mlx5_0/1 is missing (not collected: because)");
    World other = port();
    other.gap(kPort, "active_mtu", GapClass::not_offered).sweep();
    EXPECT_THAT(report_of(rules, other).conclusion.settle, HasSubstr("look at the peer")) << "nobody can mend that";
}

TEST(Conclusion, InformationIsNoCause) {
    World world = port();
    world.sweep();
    const Report report = report_of(book_of({minimal("note", "not lossless", "", "port", "info")}), world);
    EXPECT_EQ(report.conclusion.kind, Conclusion::Kind::nothing_found);
    EXPECT_EQ(report.conclusion.rule, "");
    EXPECT_EQ(report.conclusion.sentence,
              "Nothing was found that is wrong: 0 checks are quiet; 1 finding is for information only.");
}

TEST(Conclusion, SuspicionsNameWhatIsMissing) {
    World world = port();
    world.sweep();
    const Report report =
        report_of(book_of({minimal("minor", "active_mtu > 2", "suspect='not lossless'\n", "port", "medium"),
                           minimal("weighty", "load > 2", "suspect='not lossless'\n", "port", "critical")}),
                  world);
    EXPECT_EQ(report.conclusion.kind, Conclusion::Kind::suspicion);
    EXPECT_EQ(report.conclusion.rule, "weighty") << "though both are capped at low";
    EXPECT_EQ(report.conclusion.confidence, Confidence::low);
    EXPECT_THAT(report.conclusion.sentence,
                HasSubstr("Nothing is certain; suspected: Title of weighty (weighty on port mlx5_0/1); confidence low; "
                          "1 other suspicion; to settle it: load of mlx5_0/1 is missing (not collected"));
}

TEST(Conclusion, ASuspicionIsMoreThanDevicesThatCouldNotBeListed) {
    World world = port();
    world.kind_gap(Kind::device, GapClass::not_collected).sweep();
    const Rules rules = book_of({minimal("a", "load > 2", "suspect='not lossless'\n")});
    EXPECT_EQ(report_of(rules, world).conclusion.kind, Conclusion::Kind::suspicion);
}

TEST(Conclusion, HealthyWithWhatCouldNotBeMade) {
    World world = port();
    world.gap(kPort, "load", GapClass::no_privilege).sweep();
    const Rules rules = book_of({minimal("quiet", "lossless"), minimal("hidden", "load > 1")});
    EXPECT_EQ(
        report_of(rules, world).conclusion.sentence,
        "Nothing was found that is wrong: 1 check is quiet and 1 could not be made; to settle it: rdmadoctor check "
        "--json lists what was missing.");
    World all = port();
    all.sweep();
    const Conclusion whole = report_of(book_of({minimal("quiet", "lossless")}), all).conclusion;
    EXPECT_EQ(whole.kind, Conclusion::Kind::nothing_found);
    EXPECT_EQ(whole.sentence, "Nothing was found that is wrong: 1 check is quiet.");
    EXPECT_EQ(whole.settle, "");
}

TEST(Conclusion, TooLittleSeenIsNotHealthy) {
    World world = port();
    world.sweep();
    const Conclusion got =
        report_of(book_of({minimal("a", "rate(rx_packets, 10s) > 1"), minimal("b", "load > 1", "", "port", "low")}),
                  world)
            .conclusion;
    EXPECT_EQ(got.kind, Conclusion::Kind::cannot_tell);
    EXPECT_THAT(got.sentence, HasSubstr("Cannot tell: nothing was found, but 1 important check could not be made"));
}

TEST(Conclusion, WithoutDevices) {
    World none;
    none.text(kHost, "intent", "lossy").sweep();
    const Rules rules = book_of({minimal("a", "lossless")});
    EXPECT_EQ(report_of(rules, none).conclusion.kind, Conclusion::Kind::no_device);
    World hidden;
    hidden.text(kHost, "intent", "lossy").kind_gap(Kind::device, GapClass::timed_out).sweep();
    const Conclusion blind = report_of(rules, hidden).conclusion;
    EXPECT_EQ(blind.kind, Conclusion::Kind::cannot_tell);
    EXPECT_EQ(blind.sentence,
              "Cannot tell: the RDMA devices of this host could not be enumerated; to settle it: device not listed.");
    const Conclusion nothing = report_of(rules, World()).conclusion;
    EXPECT_EQ(nothing.kind, Conclusion::Kind::cannot_tell);
    EXPECT_EQ(nothing.sentence, "Cannot tell: the source shows no moment of a host.");
}

TEST(ParseRule, ThePeerIsACommandOrMore) {
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = ['ls {netdev.name}', 'x']\n")), IsEmpty());
    EXPECT_THAT(rule_of(minimal("a", "lossless", "peer = ['x']\n")).peer, ElementsAre("x"));
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = []\n")), ElementsAre(HasSubstr("names no command")));
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = ['  ']\n")), ElementsAre(HasSubstr("an empty command")));
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = ['ls {nope}']\n")), ElementsAre(HasSubstr("nope")));
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = 'x'\n")), Not(IsEmpty()));
    EXPECT_THAT(complaints(minimal("a", "lossless", "peer = [1]\n")), Not(IsEmpty()));
}

}  // namespace
}  // namespace rd::test
