// SPDX-License-Identifier: GPL-2.0-or-later
// What lines of logs make of rules: findings, on what, and how sure.
#include "core/diagnosis/log_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/log_subject.h"
#include "core/diagnosis/report.h"
#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Entity kOtherPci{Kind::pci, "0000:81:00.0"};

std::string rule(std::string_view id, std::string_view scope, std::string_view logs, std::string_view more = "") {
    return "id = '" + std::string(id) + "'\ntitle = 't'\nseverity = 'high'\nmaturity = 'stable'\nscope = '" +
           std::string(scope) + "'\n" + std::string(more) + "[[log]]\npattern = " + std::string(logs) + "\n";
}

// Two ports of one adapter, and a second adapter with one.
World adapters() {
    World world;
    world.put(kDevice, "pci", kPci).text(kDevice, "name", "mlx5_0").number(kPci, "link_width", 8);
    for (const std::string n : {"1", "2"}) {
        const Entity port{Kind::port, "d/" + n}, netdev{Kind::netdev, "n" + n};
        world.put(port, "device", kDevice).put(port, "netdev", netdev).text(port, "name", "mlx5_0/" + n);
        world.put(port, "lossless", true).text(netdev, "name", "ens1f" + n).put(netdev, "pci", kPci);
    }
    const Entity device{Kind::device, "e"}, port{Kind::port, "e/1"};
    world.put(device, "pci", kOtherPci).text(device, "name", "mlx5_1").number(kOtherPci, "link_width", 8);
    world.put(port, "device", device).text(port, "name", "mlx5_1/1").put(port, "lossless", true);
    return world;
}

World& line(World& world, std::string_view id, std::string_view text, std::string_view source = "kernel") {
    const Entity entity{Kind::log, std::string(source) + "/" + std::string(id)};
    return world.text(entity, "name", source)
        .text(entity, "source", source)
        .text(entity, "line", text)
        .number(entity, "count", 1);
}

std::vector<std::string> states(const Rules& rules, const World& world) {
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    std::vector<std::string> out;
    for (const Verdict& one : evaluate(rules.book, world.history())) {
        if (one.state == State::quiet && one.rule->when) continue;
        out.push_back(std::string(name_of(one.subject.kind)) + ":" + one.subject.id + " " +
                      std::string(name_of(one.state)));
    }
    return out;
}

std::vector<std::string> of_line(std::string_view scope, std::string_view text,
                                 std::string_view pattern = "'trouble'") {
    World world = adapters();
    line(world, "1", text).sweep();
    return states(book_of({rule("r", scope, pattern)}), world);
}

TEST(LogSubject, WhatTheLineNames) {
    EXPECT_THAT(of_line("device", "mlx5_1: trouble"), ElementsAre("device:e firing"));
    EXPECT_THAT(of_line("pci", "mlx5_core 0000:81:00.0: trouble"), ElementsAre("pci:0000:81:00.0 firing"));
    EXPECT_THAT(of_line("netdev", "ens1f2: trouble"), ElementsAre("netdev:n2 firing"));
    EXPECT_THAT(of_line("host", "mlx5_1: trouble"), ElementsAre("host: firing"));
}

TEST(LogSubject, WhatReferencesLeadTo) {
    EXPECT_THAT(of_line("device", "mlx5_core 0000:41:00.0: trouble"), ElementsAre("device:d firing"));
    EXPECT_THAT(of_line("pci", "mlx5_0/2: trouble"), ElementsAre("pci:0000:41:00.0 firing"));
    EXPECT_THAT(of_line("port", "ens1f2: trouble"), ElementsAre("port:d/2 firing"));
    EXPECT_THAT(of_line("port", "mlx5_1: trouble"), ElementsAre("port:e/1 firing"));
    EXPECT_THAT(of_line("port", "mlx5_0: trouble"), ElementsAre("device:d firing"))
        << "one of its two ports, but which?";
    EXPECT_THAT(
        of_line("port", "mlx5_0 has trouble on port 2", "'(?P<device>mlx5_\\d) has trouble on port (?P<port>\\d)'"),
        ElementsAre("port:d/2 firing"));
    EXPECT_THAT(of_line("port", "mlx5_0: trouble towards mlx5_1", "'trouble towards (?P<device>\\S+)'"),
                ElementsAre("port:e/1 firing"))
        << "a capture comes first";
}

TEST(LogSubject, WithoutAName) {
    EXPECT_THAT(of_line("device", "some trouble"), ElementsAre("host: firing")) << "there are two";
    World one;
    one.text(kDevice, "name", "mlx5_0");
    line(one, "1", "some trouble").sweep();
    EXPECT_THAT(states(book_of({rule("r", "device", "'trouble'")}), one), ElementsAre("device:d firing"));
    World other;
    other.text(kDevice, "name", "mlx5_0");
    line(other, "1", "trouble on mlx5_7").sweep();
    EXPECT_THAT(states(book_of({rule("r", "device", "'trouble'")}), other), ElementsAre("host: firing"))
        << "of another host";
    World none;
    line(none, "1", "some trouble").sweep();
    EXPECT_THAT(states(book_of({rule("r", "port", "'trouble'"), minimal("s", "lossless")}), none),
                ElementsAre("host: firing", "host: not_applicable"));
}

TEST(LogSubject, AFunctionThatIsNotLookedAt) {
    EXPECT_THAT(of_line("pci", "snd_hda 0000:00:1f.3: trouble"), ElementsAre("host: not_applicable"));
    EXPECT_THAT(of_line("pci", "mlx5_core 0000:99:00.0: trouble"), ElementsAre("host: firing"));
    World blind;
    line(blind, "1", "pcieport 0000:00:1f.3: trouble").kind_gap(Kind::pci, GapClass::not_collected).sweep();
    EXPECT_THAT(states(book_of({rule("r", "pci", "'trouble'")}), blind), ElementsAre("host: firing"));
}

TEST(LogFindings, LowConfidenceIsOnlySuspected) {
    EXPECT_THAT(of_line("host", "trouble", "'trouble'\nconfidence = 'low'"), ElementsAre("host: suspected"));
    EXPECT_THAT(of_line("host", "no rouble"), ElementsAre("host: not_applicable"));
}

TEST(LogFindings, WhatIsKnownOfTheHostClearsASuspicionOnly) {
    const auto judged = [](std::string_view confidence, std::int64_t shapes) {
        World world;
        line(world, "1", "trouble").number(kHost, "kernel_log_shapes", shapes).sweep();
        const std::string log = "'trouble'\nconfidence = '" + std::string(confidence) + "'";
        return states(
            book_of({rule("r", "host", log,
                          "cleared_by = 'kernel_log_shapes > 1'\n[[log]]\npattern = 'other'\nconfidence = 'low'\n")}),
            world);
    };
    EXPECT_THAT(judged("low", 1), ElementsAre("host: suspected"));
    EXPECT_THAT(judged("low", 2), ElementsAre("host: quiet"));
    EXPECT_THAT(judged("medium", 2), ElementsAre("host: firing")) << "a line that is sure";
}

TEST(LogFindings, AnotherLineTellsThatItIsSomethingElse) {
    const std::string log = "'nvme (?P<device>nvme\\d+): lost'\nunless = 'nvme (?P<device>nvme\\d+): no socket'";
    const auto judged = [&](std::string_view other, std::string_view source = "kernel") {
        World world;
        line(world, "1", "nvme nvme0: lost");
        line(world, "2", other, source).sweep();
        return states(book_of({rule("r", "host", log)}), world);
    };
    EXPECT_THAT(judged("nvme nvme0: no socket"), ElementsAre("host: not_applicable")) << "whichever came first";
    EXPECT_THAT(judged("nvme nvme1: no socket"), ElementsAre("host: firing")) << "another controller";
    EXPECT_THAT(judged("nvme nvme0: no socket", "ceph"), ElementsAre("host: firing")) << "another log";
}

TEST(LogFindings, ALaterLineEndsWhatAnEarlierOneMeans) {
    const std::string ends = "'nvme (?P<device>nvme\\d+): lost'\nended_by = 'nvme (?P<device>nvme\\d+): back'";
    const auto judged = [&](int lost_before, std::string_view source, std::string_view back, int back_before) {
        World world;
        line(world, "1", "nvme nvme0: lost");
        line(world, "2", back, source);
        if (lost_before >= 0) world.number({Kind::log, "kernel/1"}, "newer_shapes", lost_before);
        world.number({Kind::log, std::string(source) + "/2"}, "newer_shapes", back_before).sweep();
        return states(book_of({rule("r", "host", ends)}), world);
    };
    EXPECT_THAT(judged(1, "kernel", "nvme nvme0: back", 0), ElementsAre("host: not_applicable"));
    EXPECT_THAT(judged(0, "kernel", "nvme nvme0: back", 1), ElementsAre("host: firing")) << "lost again";
    EXPECT_THAT(judged(1, "kernel", "nvme nvme1: back", 0), ElementsAre("host: firing")) << "another controller";
    EXPECT_THAT(judged(1, "ceph", "nvme nvme0: back", 0), ElementsAre("host: firing"))
        << "order across logs is not known";
    EXPECT_THAT(judged(-1, "kernel", "nvme nvme0: back", 0), ElementsAre("host: firing")) << "when is not known";
}

TEST(LogFindings, WhatTheConditionKnowsCounts) {
    const auto judged = [](std::string_view when, std::string_view log = "'trouble'", std::string_view more = "") {
        World world = adapters();
        line(world, "1", "ens1f2: trouble").sweep();
        std::vector<std::string> out;
        for (const Verdict& one : evaluate(
                 book_of({rule("r", "port", log, "when = '" + std::string(when) + "'\n" + std::string(more))}).book,
                 world.history())) {
            if (one.subject.id != "d/2") continue;
            out.push_back(std::string(name_of(one.state)));
            for (const Evidence& evidence : one.outcome.evidence) out.push_back(evidence.fact);
        }
        return out;
    };
    EXPECT_THAT(judged("lossless"), ElementsAre("firing", "lossless", "line"));
    EXPECT_THAT(judged("not lossless"), ElementsAre("suspected", "line")) << "it is well now";
    EXPECT_THAT(judged("known(active_mtu) and active_mtu > 1"), ElementsAre("firing", "line"))
        << "quiet for want of facts";
    EXPECT_THAT(judged("active_mtu > 1"), ElementsAre("firing", "line"));
    EXPECT_THAT(judged("active_mtu > 1", "'trouble'\nconfidence = 'low'"), ElementsAre("suspected", "line"));
    EXPECT_THAT(judged("active_mtu > 1", "'trouble'", "suspect = 'lossless'\n"), ElementsAre("firing", "line"));
    EXPECT_THAT(judged("active_mtu > 1", "'trouble'\nconfidence = 'low'", "suspect = 'lossless'\n"),
                ElementsAre("suspected", "lossless", "line"));
}

TEST(LogFindings, SomeLinesSayNothingBeforeTheyAreMany) {
    for (const int repeats : {1, 2, 3}) {
        World world = adapters();
        line(world, "1", "mlx5_1: trouble");
        world.number({Kind::log, "kernel/1"}, "repeats", repeats).sweep();
        const auto found = states(book_of({rule("r", "device", "'trouble'\nleast = 3")}), world);
        EXPECT_EQ(std::count(found.begin(), found.end(), "device:e firing"), repeats < 3 ? 0 : 1) << repeats;
    }
}

TEST(LogFindings, OldLinesOfTheKernelSayNothingOfNow) {
    const auto at = [](double seconds, std::string_view source) {
        World world;
        line(world, "1", "trouble", source).put({Kind::log, std::string(source) + "/1"}, "at", seconds);
        world.sweep(std::chrono::hours(2));
        return states(book_of({rule("r", "host", "'trouble'")}), world);
    };
    EXPECT_THAT(at(3599, "kernel"), ElementsAre("host: not_applicable"));
    EXPECT_THAT(at(3600, "kernel"), ElementsAre("host: firing"));
    EXPECT_THAT(at(3599, "ceph"), ElementsAre("host: firing"));
    EXPECT_THAT(of_line("host", "trouble"), ElementsAre("host: firing")) << "without a time";
}

TEST(LogFindings, OfManyLinesAreOneAndBounded) {
    World world = adapters();
    for (int i = 0; i < 9; ++i)
        line(world, std::to_string(i), "mlx5_1: trouble of kind " + std::string(1, static_cast<char>('a' + i)));
    world.number({Kind::log, "kernel/0"}, "count", 40).sweep();
    const Rules rules = book_of({rule("r", "device", "'trouble'")});
    const std::vector<Verdict> verdicts = evaluate(rules.book, world.history());
    ASSERT_EQ(verdicts.size(), 1u);
    std::vector<std::string> facts;
    for (const Evidence& one : verdicts[0].outcome.evidence) facts.push_back(one.fact + "=" + print(*one.reading));
    EXPECT_THAT(facts, ElementsAre("line=mlx5_1: trouble of kind a", "count=40", "line=mlx5_1: trouble of kind b",
                                   "line=mlx5_1: trouble of kind c"));

    World many;
    for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i);
        many.text({Kind::device, "d" + n}, "name", "mlx5_" + n);
        line(many, n, "mlx5_" + n + ": trouble");
    }
    many.sweep();
    EXPECT_EQ(evaluate(rules.book, many.history()).size(), 17u);
    EXPECT_EQ(evaluate(rules.book, many.history()).back().subject, kHost);
}

TEST(LogFindings, WhereNoLineMatched) {
    const auto state = [](World& world, std::string_view source) {
        world.text(kDevice, "name", "mlx5_0").sweep();
        const auto verdicts = evaluate(
            book_of({rule("r", "host", "'trouble'\nsource = '" + std::string(source) + "'")}).book, world.history());
        return std::pair(std::string(name_of(verdicts.at(0).state)), verdicts.at(0).outcome.missing.size());
    };
    World read, refused, absent, others;
    read.number(kHost, "kernel_log_shapes", 0);
    EXPECT_EQ(state(read, "kernel"), std::pair(std::string("quiet"), std::size_t{0}));
    EXPECT_EQ(state(read, "ceph").first, "not_applicable");
    refused.gap(kHost, "kernel_log_shapes", GapClass::no_privilege);
    EXPECT_EQ(state(refused, ""), std::pair(std::string("unknown"), std::size_t{1}));
    EXPECT_EQ(state(refused, "nccl").first, "not_applicable");
    absent.gap(kHost, "kernel_log_shapes", GapClass::not_collected);
    EXPECT_EQ(state(absent, "kernel").first, "not_applicable");
    others.number(kHost, "application_log_shapes", 0);
    EXPECT_EQ(state(others, "ceph").first, "quiet");
}

TEST(LogReport, TellsWhatTheLineSaid) {
    World world = adapters();
    line(world, "1", "mlx5_1: trouble 12", "ceph").sweep();
    const Rules rules = book_of({rule("a", "port", "'trouble (?P<status>\\d+)'\nconfidence = 'high'",
                                      "explain = '{subject} said {log.status}: {log.line}'\n")});
    ASSERT_THAT(printed(rules.errors), IsEmpty());
    const Report report =
        make_report(rules.book, world.history(), evaluate(rules.book, world.history()), HostIdentity{});
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].explanation, "mlx5_1/1 said 12: mlx5_1: trouble 12");
    EXPECT_EQ(report.findings[0].confidence, Confidence::high);
    EXPECT_EQ(report.findings[0].evidence[0].entity_name, "ceph");
}

TEST(LogReport, ExplainsNoConditionThatDidNotHold) {
    World world = adapters();
    line(world, "1", "mlx5_1: trouble").sweep();
    const Rules rules =
        book_of({rule("b", "port", "'troubl(?P<status>e)'",
                      "when = 'active_mtu > 1'\nsymptom = 'It stalls.'\nexplain = 'The MTU is "
                      "{active_mtu}.'\n[[fix]]\nadvice = 'do'\n"
                      "cost = 'online'\ncommands = ['set {netdev.name} {active_mtu} {name} {log.status}']\n")});
    ASSERT_THAT(printed(rules.errors), IsEmpty());
    const Report report =
        make_report(rules.book, world.history(), evaluate(rules.book, world.history()), HostIdentity{});
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].explanation,
              "Concluded from the log, not from what was measured on mlx5_1/1. It stalls.");
    EXPECT_EQ(report.findings[0].confidence, Confidence::medium);
    EXPECT_THAT(report.findings[0].fixes[0].commands, ElementsAre("set NETDEV ACTIVE_MTU mlx5_1/1 e"));
}

}  // namespace
}  // namespace rd::test
