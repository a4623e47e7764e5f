// SPDX-License-Identifier: GPL-2.0-or-later
// From a rulebook and a history to verdicts, findings in order, and an exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnosis/report.h"
#include "core/diagnosis/report_prose.h"
#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

Report report_of(const Rules& rules, const World& world) {
    EXPECT_THAT(printed(rules.errors), IsEmpty());
    return make_report(rules.book, world.history(), evaluate(rules.book, world.history()), HostIdentity{});
}

std::vector<std::string> order(const std::vector<Finding>& findings) {
    std::vector<std::string> out;
    for (const Finding& finding : findings) out.push_back(finding.rule + "@" + finding.subject.name);
    return out;
}

// Two ports of one adapter, each with its netdev and a priority.
World adapter() {
    World world;
    world.put(kDevice, "pci", kPci).text(kDevice, "name", "mlx5_0").number(kPci, "link_width", 8);
    for (const std::string n : {"1", "2"}) {
        const Entity port{Kind::port, "d/" + n}, netdev{Kind::netdev, "n" + n},
            priority{Kind::priority, "n" + n + "/3"};
        world.put(port, "device", kDevice)
            .put(port, "netdev", netdev)
            .text(port, "name", "mlx5_0/" + n)
            .put(port, "lossless", false);
        world.put(netdev, "pci", kPci).number(netdev, "mtu", 1500);
        world.put(priority, "netdev", netdev).put(priority, "pfc_enabled", n == "1");
    }
    return world;
}

TEST(EvaluateRules, StatesAndSubjects) {
    World world = adapter();
    world.sweep();
    const Rules rules = book_of({minimal("c-quiet", "lossless"), minimal("a-firing", "not lossless"),
                                 minimal("b-unknown", "active_mtu > 1"), minimal("d-host", "known(intent)", "", "host"),
                                 minimal("e-none", "pinned > 1", "", "process"),
                                 minimal("f-off", "not lossless and true", "enabled=false\nreason='r'\n"),
                                 minimal("g-suspected", "active_mtu > 2", "suspect='not lossless'\n")});
    const std::vector<Verdict> verdicts = evaluate(rules.book, world.history());
    std::vector<std::string> seen;
    for (const Verdict& verdict : verdicts) {
        seen.push_back(verdict.rule->id + " " + std::string(name_of(verdict.subject.kind)) + ":" + verdict.subject.id +
                       " " + std::string(name_of(verdict.state)));
        EXPECT_EQ(verdict.at, world.history().last());
    }
    EXPECT_THAT(seen, ElementsAre("a-firing port:d/1 firing", "a-firing port:d/2 firing", "b-unknown port:d/1 unknown",
                                  "b-unknown port:d/2 unknown", "c-quiet port:d/1 quiet", "c-quiet port:d/2 quiet",
                                  "d-host host: quiet", "e-none host: not_applicable", "g-suspected port:d/1 suspected",
                                  "g-suspected port:d/2 suspected"));
    EXPECT_THAT(names(verdicts.back().outcome.evidence), ElementsAre("port.lossless")) << "that of the suspicion";
    EXPECT_THAT(evaluate(rules.book, World().history()), IsEmpty());
}

TEST(EvaluateRules, SubjectsThatCouldNotBeListed) {
    World world;
    world.text(kHost, "intent", "lossy").kind_gap(Kind::process, GapClass::no_privilege).sweep();
    const Rules rules = book_of({minimal("e-none", "pinned > 1", "", "process")});
    const std::vector<Verdict> verdicts = evaluate(rules.book, world.history());
    ASSERT_EQ(verdicts.size(), 1u);
    EXPECT_EQ(verdicts[0].state, State::unknown);
    EXPECT_EQ(verdicts[0].subject, kHost);
    ASSERT_THAT(names(verdicts[0].outcome.missing), ElementsAre("host.process"));
    const Report report = report_of(rules, world);
    EXPECT_EQ(report.summary.needs_root, 1u);
    EXPECT_EQ(report.unknown.at(0).subject.name, "host");
}

TEST(EvaluateRules, SubjectsOfWhichAPartIsHidden) {
    World world;
    world.number(Entity{Kind::process, "1"}, "pinned", 5).kind_gap(Kind::process, GapClass::no_privilege).sweep();
    const Rules rules = book_of({minimal("p", "pinned > 9", "", "process")});
    const std::vector<Verdict> verdicts = evaluate(rules.book, world.history());
    ASSERT_EQ(verdicts.size(), 2u);
    EXPECT_EQ(verdicts[0].state, State::quiet);
    EXPECT_EQ(verdicts[1].state, State::unknown);
    EXPECT_EQ(verdicts[1].subject, kHost);
}

TEST(Report, CausesFirst) {
    World world = adapter();
    world.sweep();
    const Rules rules = book_of({
        minimal("loss", "not lossless", "caused_by=['pfc-off', 'narrow']\n", "port", "critical"),
        minimal("pfc-off", "not pfc_enabled", "", "priority", "high"),
        minimal("narrow", "link_width < 16", "", "pci", "low"),
        minimal("stall", "netdev.mtu == 1500", "caused_by=['loss']\n", "port", "critical"),
        minimal("other", "mtu < 9000", "", "netdev", "medium"),
    });
    const Report report = report_of(rules, world);
    EXPECT_THAT(order(report.findings),
                ElementsAre("pfc-off@n2/3", "other@n1", "other@n2", "narrow@0000:41:00.0", "loss@mlx5_0/1",
                            "loss@mlx5_0/2", "stall@mlx5_0/1", "stall@mlx5_0/2"));
    const auto causes = [&](std::size_t i) {
        std::vector<std::string> out;
        for (const Cause& cause : report.findings[i].causes) out.push_back(cause.rule + "@" + cause.subject.name);
        return out;
    };
    EXPECT_THAT(causes(4), ElementsAre("narrow@0000:41:00.0")) << "the priority of the other port is no cause";
    EXPECT_THAT(causes(5), ElementsAre("pfc-off@n2/3", "narrow@0000:41:00.0"));
    EXPECT_THAT(causes(6), ElementsAre("loss@mlx5_0/1")) << "not that of the other port";
}

TEST(Report, TheWindowStandsWhereTheWallClockWasSetBack) {
    const auto layout = std::make_shared<Layout>();
    History history(layout);
    history.append(Snapshot(layout, {1'000'000'000, 900'000'000'000}));
    history.append(Snapshot(layout, {3'000'000'000, 500'000'000'000}));
    const Report report = make_report(Rulebook{}, history, {}, HostIdentity{});
    EXPECT_EQ(report.from, (Stamp{1'000'000'000, 498'000'000'000}));
    EXPECT_EQ(report.to, (Stamp{3'000'000'000, 500'000'000'000}));
}

TEST(Report, SeverityConfidenceSubject) {
    World world = adapter();
    world.sweep();
    std::string young = minimal("b-young", "not lossless and true");
    young.replace(young.find("stable"), 6, "incubating");
    const Report report = report_of(book_of({young, minimal("c-sure", "not lossless"),
                                             minimal("a-minor", "not lossless or false", "", "port", "low"),
                                             minimal("d-part", "not lossless and not known(active_mtu)")}),
                                    world);
    EXPECT_THAT(order(report.findings),
                ElementsAre("c-sure@mlx5_0/1", "c-sure@mlx5_0/2", "b-young@mlx5_0/1", "d-part@mlx5_0/1",
                            "b-young@mlx5_0/2", "d-part@mlx5_0/2", "a-minor@mlx5_0/1", "a-minor@mlx5_0/2"));
    EXPECT_EQ(report.findings[0].confidence, Confidence::high);
    EXPECT_EQ(report.findings[2].confidence, Confidence::medium);
    EXPECT_EQ(report.findings[3].confidence, Confidence::medium);
    EXPECT_EQ(name_of(Confidence::high), "high");
    EXPECT_EQ(name_of(Confidence::medium), "medium");
    EXPECT_EQ(name_of(Confidence::low), "low");
}

TEST(Report, CircleOfCausesEnds) {
    World world = adapter();
    world.sweep();
    const Report report = report_of(book_of({minimal("a", "not lossless", "caused_by=['b']\n"),
                                             minimal("b", "not lossless and true", "caused_by=['a','b']\n")}),
                                    world);
    EXPECT_EQ(report.findings.size(), 4u);
}

TEST(Report, HostIsRelatedToAll) {
    World world = adapter();
    world.put(kHost, "iommu", true).sweep();
    const Report report = report_of(book_of({minimal("slow", "not lossless", "caused_by=['iommu-on']\n"),
                                             minimal("iommu-on", "iommu", "", "host", "low")}),
                                    world);
    EXPECT_THAT(order(report.findings), ElementsAre("iommu-on@host", "slow@mlx5_0/1", "slow@mlx5_0/2"));
}

TEST(Report, ProseIsFilledFromEvidence) {
    World world = adapter();
    const Entity port{Kind::port, "d/1"};
    world.number(port, "rx_packets", 100).sweep().number(port, "rx_packets", 137).sweep(3s);
    const Rules rules = book_of(
        {minimal("loss", "rate(rx_packets, 1m) > $limit and device.pci.link_width < 16 and not known(active_mtu)",
                 "params={ limit=10 }\n"
                 "explain='''\n{subject} loses {rx_packets}, over {$limit}; {netdev} has {netdev.mtu}, link "
                 "{device.pci.link_width}, mtu {active_mtu}, {device.name} {{x}}\n'''\n"
                 "[[fix]]\nset='netdev.mtu'\nto='{netdev.mtu}'\n"
                 "[[fix]]\nadvice='at {netdev.mtu}'\ncommands=['ip link set {netdev} mtu {netdev.mtu}']\n")});
    const Report report = report_of(rules, world);
    ASSERT_EQ(report.findings.size(), 1u);
    const Finding& finding = report.findings[0];
    EXPECT_EQ(finding.explanation,
              "mlx5_0/1 loses 12.3 packets/s, over 10; n1 has 1500 bytes, link 8 lanes, mtu unknown (not collected), "
              "mlx5_0 {x}");
    EXPECT_EQ(finding.fixes.at(0).to, "1500");
    EXPECT_EQ(finding.fixes.at(1).advice, "at 1500 bytes");
    EXPECT_EQ(finding.fixes.at(1).commands.at(0), "ip link set n1 mtu 1500");
    EXPECT_EQ(finding.since, world.history().last());
    EXPECT_EQ(finding.title, "Title of loss");
    EXPECT_EQ(finding.evidence.at(0).entity_name, "mlx5_0/1");
    EXPECT_EQ(report.from, world.history().first());
    EXPECT_EQ(report.sweeps, 2u);
    EXPECT_EQ(report.devices, 1u);
    EXPECT_TRUE(report.devices_known);
    EXPECT_EQ(report.tool, "rdmadoctor 0.1.0");
    EXPECT_EQ(report.rules_hash, rules.book.hash);
}

TEST(Report, ProseOfWhatAQuantifierSaw) {
    World world;
    world.number(kNetdev, "mtu", 1);
    for (int i = 0; i < 6; ++i)
        world.put(Entity{Kind::priority, std::to_string(i)}, "netdev", kNetdev)
            .put(Entity{Kind::priority, std::to_string(i)}, "pfc_enabled", false);
    world.sweep();
    const Rule rule = rule_of(minimal("a", "any(priority, not pfc_enabled)", "", "netdev"));
    const Verdict verdict = judge(rule, world.history(), kNetdev, {});
    EXPECT_EQ(fill_prose("{pfc_enabled}", verdict, world.history(), Units::shown),
              "false (0), false (1), false (2), false (3) and 2 more");
    EXPECT_EQ(fill_prose("{pci.link_width} {$x}", verdict, world.history(), Units::shown), "unknown unknown");
}

TEST(Report, ProseOfATermThatDidNotDecide) {
    World world;
    world.number(kPort, "rx_packets", 900).number(kPort, "symbol_errors", 7).sweep();
    world.number(kPort, "rx_packets", 950).sweep();
    const Rule rule = rule_of(minimal("a",
                                      "increase(rx_packets, 9s) > 0 or increase(symbol_errors, 9s) > 0 or "
                                      "rate(out_of_sequence, 9s) > 0"));
    const Verdict verdict = judge(rule, world.history(), kPort, {});
    ASSERT_EQ(verdict.state, State::firing);
    EXPECT_EQ(fill_prose("{rx_packets}, {symbol_errors}, {out_of_sequence}", verdict, world.history(), Units::shown),
              "50 packets, 0, unknown (not collected)");
    EXPECT_EQ(fill_prose("({rx_packets}, {out_of_sequence}), ((x) {out_of_sequence}) {out_of_sequence}", verdict,
                         world.history(), Units::shown),
              "(50 packets, unknown, not collected), ((x) unknown, not collected) unknown (not collected)");
}

TEST(Report, ProseOfWhatOnceWasMoreTellsWhatIs) {
    World world;
    world.number(kNetdev, "mtu", 16).sweep();
    world.number(kNetdev, "mtu", 10).sweep();
    const Rule rule = rule_of(minimal("a", "mtu < max(mtu, 1h)", "", "netdev"));
    const Verdict verdict = judge(rule, world.history(), kNetdev, {});
    ASSERT_EQ(verdict.state, State::firing);
    EXPECT_EQ(fill_prose("{mtu}", verdict, world.history(), Units::shown).substr(0, 2), "10");
}

TEST(Report, ProseOfACounterThatIsKnown) {
    World world;
    world.number(kPort, "rx_packets", 900).number(kPort, "symbol_errors", 7).sweep();
    world.number(kPort, "rx_packets", 950).sweep();
    const Rule rule = rule_of(minimal("a",
                                      "known(rx_packets) and increase(rx_packets, 9s) > 0 or "
                                      "known(symbol_errors) and increase(symbol_errors, 9s) > 3"));
    const Verdict verdict = judge(rule, world.history(), kPort, {});
    ASSERT_EQ(verdict.state, State::firing);
    EXPECT_EQ(fill_prose("{rx_packets}, {symbol_errors}", verdict, world.history(), Units::shown), "50 packets, 0");
    ASSERT_EQ(verdict.outcome.evidence.size(), 1u) << "the total is not told beside the increase";
    EXPECT_EQ(verdict.outcome.evidence[0].how, "increase");
    const Rule other = rule_of(minimal("b", "known(rx_packets)"));
    const Verdict total = judge(other, world.history(), kPort, {});
    EXPECT_EQ(fill_prose("{rx_packets}", total, world.history(), Units::shown), "950 packets");
    ASSERT_EQ(total.outcome.evidence.size(), 1u);
    EXPECT_EQ(total.outcome.evidence[0].how, "");
}

TEST(Report, ValuesReadWell) {
    EXPECT_EQ(show(Value(12.3456), "packets/s"), "12.3 packets/s");
    EXPECT_EQ(show(Value(123456.7), ""), "123457");
    EXPECT_EQ(show(Value(100.0), ""), "100");
    EXPECT_EQ(show(Value(1.5e-5), ""), "1.5e-05");
    EXPECT_EQ(show(Value(true), ""), "true");
    EXPECT_EQ(show(tl::unexpected(Gap{GapClass::no_privilege, "", ""}), "bytes"), "unknown (no privilege)");
}

TEST(Report, SuspectedIsApartAndLow) {
    World world = adapter();
    world.sweep();
    const Rules rules = book_of({minimal("s", "active_mtu > 2", "suspect='not lossless'\n", "port", "critical"),
                                 minimal("t", "active_mtu > 3", "suspect='not lossless'\n", "port", "info")});
    const Report report = report_of(rules, world);
    EXPECT_THAT(report.findings, IsEmpty());
    ASSERT_EQ(report.suspected.size(), 4u);
    EXPECT_EQ(report.suspected[0].severity, Severity::low);
    EXPECT_EQ(report.suspected[3].severity, Severity::info);
    EXPECT_EQ(report.suspected[0].confidence, Confidence::low);
    EXPECT_EQ(report.summary.suspected, 4u);
    EXPECT_EQ(exit_code(report, Severity::info, true), 0);
}

TEST(Report, ALineThatIsExplainedMakesNoSuspicion) {
    const auto suspected = [](std::string_view when, std::string_view more = "") {
        World world = adapter();
        const Entity line{Kind::log, "kernel/1"};
        world.text(line, "name", "kernel").text(line, "source", "kernel").text(line, "line", "queue not made");
        world.number(line, "count", 1).sweep();
        const std::string log = "[[log]]\npattern='queue not'\n";
        const Rules rules =
            book_of({minimal("known", when, std::string(more) + log, "host"),
                     minimal("doubt", "known(intent)", "[[log]]\npattern='not made'\nconfidence='low'\n", "host"),
                     minimal("cause", "any(port, not lossless)", "", "host")});
        const Report report = report_of(rules, world);
        EXPECT_EQ(report.summary.suspected, report.suspected.size());
        return order(report.suspected).size();
    };
    EXPECT_EQ(suspected("known(intent)"), 1u) << "the finding rests on the same line, and knows no more";
    EXPECT_EQ(suspected("known(intent)", "caused_by=['cause']\n"), 0u) << "another finding caused it";
    EXPECT_EQ(suspected("any(port, not lossless)"), 0u) << "it was measured";
}

TEST(Report, NothingSeenIsNotHealthy) {
    const Report report = make_report(Rulebook{}, World().history(), {}, HostIdentity{});
    EXPECT_FALSE(report.devices_known);
    EXPECT_EQ(report.sweeps, 0u);
}

Finding finding_of(Severity severity, State state = State::firing) {
    Finding finding;
    finding.severity = severity;
    finding.state = state;
    return finding;
}

Unknown unknown_of(Severity severity, std::initializer_list<GapClass> gaps) {
    Unknown unknown;
    unknown.severity = severity;
    for (const GapClass gap : gaps) unknown.missing.push_back({Missing{kPort, "f", Gap{gap, "", ""}}, ""});
    return unknown;
}

TEST(ExitCode, Contract) {
    using enum Severity;
    struct Case {
        std::vector<Finding> findings;
        std::vector<Unknown> unknown;
        Severity fail_on;
        bool strict;
        int code;
    };
    const Unknown root = unknown_of(high, {GapClass::no_privilege}),
                  blind = unknown_of(critical, {GapClass::no_privilege, GapClass::error});
    const Case cases[] = {
        {{}, {}, info, false, 0},
        {{finding_of(info)}, {}, info, false, 0},
        {{finding_of(low)}, {}, info, false, 1},
        {{finding_of(medium), finding_of(low)}, {}, info, false, 1},
        {{finding_of(low), finding_of(high)}, {}, info, false, 2},
        {{finding_of(critical)}, {}, info, false, 2},
        {{finding_of(critical, State::pending)}, {}, info, false, 0},
        {{finding_of(medium)}, {}, high, false, 0},
        {{finding_of(high)}, {}, high, false, 2},
        {{}, {root}, info, false, 0},
        {{}, {root}, info, true, 3},
        {{}, {blind}, info, false, 3},
        {{}, {blind}, critical, false, 3},
        {{}, {unknown_of(high, {GapClass::error})}, critical, false, 0},
        {{}, {unknown_of(medium, {GapClass::error})}, info, true, 0},
        {{}, {unknown_of(high, {})}, info, false, 3},
        {{finding_of(low)}, {blind}, info, false, 1},
        {{finding_of(low)}, {blind}, medium, false, 3},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        Report report;
        report.findings = cases[i].findings;
        report.unknown = cases[i].unknown;
        EXPECT_EQ(exit_code(report, cases[i].fail_on, cases[i].strict), cases[i].code) << i;
    }
}

}  // namespace
}  // namespace rd::test
