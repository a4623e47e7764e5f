// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/render/report.h"
#include "tests/unit/cli/render/sample_report.h"

namespace rd::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Terminal kTicket{.width = 100, .colour = false, .utf8 = true};

TEST(Text, TellsEverythingOfASample) {
    EXPECT_EQ(render_text(sample_report(), 2, kTicket), R"(rdmadoctor 0.1.0 on stor17, Linux 6.1.0-57-amd64 x86_64
live as root · 2 sweeps over 2.0 s, until 2023-11-14T22:13:22.000Z
1 RDMA device · rules 0.1.0 (0123456789abcdef)

CRITICAL  The adapter trained fewer PCIe lanes than it has
    pci 0000:41:00.0 · pcie-link-width-degraded
    It runs with 8 of 16 lanes, half of what the slot gives.
      0000:41:00.0  link_width  8 lanes
    fix: Reseat the card. (reboot)
         lspci -vv -s 0000:41:00.0
    mended when: quiet for 30s, workload storage-4k

    └─ MEDIUM  The port moves less than it could
           port mlx5_0/1 · rate-low · confidence medium
           Half the rate & less.
             mlx5_0/1  rx_bytes  1500000000 bytes/s over 2.0 s
             mlx5_0/1  tx_wait   not offered: no such counter
           look at the peer, and run there:
                rdmadoctor check
                rdma link

Suspected (from one look or a line of a log; does not count)
  ? Packets were lost at some time — pci 0000:41:00.0 · old-loss
      0000:41:00.0  link_width  8 lanes

Not known: 1 check lacks facts
  no privilege: run as root
    pci.max_read_request of 0000:41:00.0
      needed by mrrs-small

2 findings: 1 critical, 1 medium
12 checks quiet, 1 unknown (1 need root), 1 suspected, 3 not applicable
rdmadoctor explain RULE tells more of each

Most likely cause: it; to settle it: apply its fix.
)");
}

TEST(Text, ThePastStandsBesideWhatIsFound) {
    const std::int64_t hour = 3600 * std::int64_t{1'000'000'000};
    Report report = sample_report();
    const std::int64_t now = report.to.wall_ns;
    report.past.emplace();
    report.findings[0].since.wall_ns = now - hour;
    report.findings[0].recurrence = Recurrence{14, now - 90 * hour, now - 2 * hour, true};
    report.findings[0].told = {{"verbs", "PORT_ERR", 3, now - hour}, {"link", "DOWN", 1, now - 2 * hour}};
    report.findings[1].recurrence = Recurrence{1, now - hour, std::nullopt, true};
    constexpr Terminal kWide{.width = 160, .colour = false, .utf8 = true};
    EXPECT_THAT(
        render_text(report, 2, kWide),
        HasSubstr("    pci 0000:41:00.0 · pcie-link-width-degraded · since 2023-11-14T21:13:22.000Z\n"
                  "    fired 14 times since Saturday 2023-11-11 04:13 UTC, last cleared Tuesday 2023-11-14 20:13 UTC\n"
                  "    the kernel told of it: verbs PORT_ERR ×3 (last Tuesday 2023-11-14 21:13 UTC), link DOWN (last "
                  "Tuesday 2023-11-14 20:13 UTC)\n"
                  "    It runs with"));
    EXPECT_THAT(render_text(report, 2, kTicket), HasSubstr("confidence medium\n           Half"))
        << "what began once and goes on has its since";
    EXPECT_THAT(render_text(report, 2, kTicket), Not(HasSubstr("Not found now")));
    report.findings[1].recurrence->goes_on = false;
    report.findings[1].recurrence->cleared_ns = now - hour / 2;
    EXPECT_THAT(render_text(report, 2, kTicket),
                HasSubstr("fired once, Tuesday 2023-11-14 21:13 UTC, last cleared Tuesday 2023-11-14 21:43 UTC"));
}

TEST(Text, WhatIsOverHasASectionOfItsOwn) {
    const std::int64_t hour = 3600 * std::int64_t{1'000'000'000};
    Report report = empty_report();
    const std::int64_t now = report.to.wall_ns;
    const NotNow flap{"link-flap",
                      "The link flaps",
                      Severity::high,
                      {kPort, "mlx5_0/1"},
                      now - hour,
                      now - hour / 2,
                      {7, now - 50 * hour, now - hour / 2, false}};
    report.past = Past{std::nullopt, {flap}};
    report.past->not_now.push_back(
        {"few-devices", "A device is missing", Severity::low, {}, now - hour, {}, {1, now - hour, {}, true}});
    EXPECT_THAT(render_text(report, 0, kTicket), HasSubstr(R"(
Not found now, but by the daemon in the last 24 hours
  • HIGH: The link flaps — port mlx5_0/1 · link-flap: fired 7 times since Sunday 2023-11-12 20:13
    UTC, last cleared Tuesday 2023-11-14 21:43 UTC
  • LOW: A device is missing — this host · few-devices: fired once, Tuesday 2023-11-14 21:13 UTC;
    the daemon sees it still, this look did not

healthy: nothing was found)"));
    report.past->not_now.assign(15, flap);
    EXPECT_THAT(render_text(report, 0, kTicket), HasSubstr("\n  and 3 more (rdmadoctor history lists all)\n"));
}

TEST(Text, APastThatCouldNotBeReadIsAGapWithItsRemedy) {
    Report report = empty_report();
    report.past = Past{Gap{GapClass::no_privilege, "api.sock: this user may not ask", "sudo mend it"}, {}};
    EXPECT_THAT(render_text(report, 0, kTicket), HasSubstr(R"(
Not known
  no privilege: sudo mend it
    what the daemon knows of the past: api.sock: this user may not ask

healthy)"));
    Report more = sample_report();
    more.past = report.past;
    EXPECT_THAT(render_text(more, 2, kTicket),
                HasSubstr("Not known: 1 check lacks facts\n  no privilege: sudo mend it\n"));
}

TEST(Text, SaysHealthyOnlyWhenADeviceWasSeen) {
    EXPECT_THAT(render_text(empty_report(), 0, kTicket), HasSubstr("healthy: nothing was found"));
    Report report = empty_report();
    report.devices = 0;
    EXPECT_THAT(render_text(report, 0, kTicket), HasSubstr("\nno RDMA device found on this host · rules"));
    EXPECT_THAT(render_text(report, 0, kTicket), Not(HasSubstr("healthy")));
    report.devices_known = false;
    EXPECT_THAT(render_text(report, 0, kTicket),
                HasSubstr("\nRDMA devices could not be enumerated on this host · rules"));
    EXPECT_THAT(render_text(report, 0, kTicket), Not(HasSubstr("healthy")));
    EXPECT_THAT(render_text(empty_report(), 3, kTicket), HasSubstr("cannot tell"));
}

TEST(Text, NamesCannotForgeLines) {
    Report report = sample_report();
    const std::string forged = "x\n\nhealthy: nothing was found\n";
    report.host.hostname = forged;
    report.host.source = forged;
    for (Finding* finding : {&report.findings[0], &report.findings[1], &report.suspected[0]}) {
        finding->title = forged;
        finding->subject.name = forged;
        finding->evidence[0].entity_name = forged;
        finding->evidence[0].evidence.reading = Value(forged);
    }
    report.unknown[0].missing[0].entity_name = forged;
    report.unknown[0].missing[0].missing.gap = {GapClass::error, forged, forged};
    const std::string text = render_text(report, 2, kTicket);
    EXPECT_THAT(text, HasSubstr("\\x0a"));
    EXPECT_THAT(text, Not(HasSubstr("\nhealthy")));
    EXPECT_THAT(text, Not(HasSubstr(" healthy: nothing was found\n")));
}

TEST(Text, PrintsEachFindingOnceWhenCausesAreCircular) {
    Report report = empty_report();
    report.findings = {cause(), consequence()};
    report.findings[0].causes = {{"rate-low", {kPort, "mlx5_0/1"}}};
    const std::string text = render_text(report, 2, kTicket);
    for (const Finding& finding : report.findings) {
        const std::size_t at = text.find(finding.title);
        ASSERT_NE(at, std::string::npos);
        EXPECT_EQ(text.find(finding.title, at + 1), std::string::npos);
    }
}

TEST(Text, PointsToFurtherCausesAndBack) {
    Report report = empty_report();
    report.findings = {cause(), cause(), consequence()};
    report.findings[1].rule = "other-rule";
    report.findings[1].subject = {kPort, "mlx5_0/1"};
    report.findings[2].causes.push_back({"other-rule", {kPort, "mlx5_0/1"}});
    report.findings[2].causes.push_back({"not-in-this-report", {kPort, "mlx5_0/1"}});
    const std::string text = render_text(report, 2, kTicket);
    EXPECT_THAT(text, HasSubstr("also caused by other-rule on port mlx5_0/1 (below)"));
    EXPECT_THAT(text, HasSubstr("also brings about rate-low on port mlx5_0/1 (above)"));
    EXPECT_THAT(text, Not(HasSubstr("not-in-this-report")));
    EXPECT_EQ(text.find("also caused by"), text.rfind("also caused by"));
}

TEST(Text, SaysOnceWhatIsTheSameOnMany) {
    Report report = empty_report();
    report.findings = {cause(), cause(), cause()};
    report.findings[1].subject = {{Kind::pci, "0000:42:00.0"}, "0000:42:00.0"};
    report.findings[2].subject = {{Kind::pci, "0000:43:00.0"}, "0000:43:00.0"};
    for (int i : {1, 2}) report.findings[static_cast<std::size_t>(i)].evidence[0].entity_name = "another";
    std::string text = render_text(report, 2, kTicket);
    EXPECT_THAT(text, HasSubstr("\n    the same on 0000:42:00.0, 0000:43:00.0\n"));
    EXPECT_EQ(text.find("CRITICAL"), text.rfind("CRITICAL"));
    EXPECT_THAT(text, HasSubstr("3 findings: 3 critical"));

    // Another value, or consequences, make a story of its own.
    report.findings[2].evidence[0].evidence.reading = Value(std::int64_t{4});
    EXPECT_THAT(render_text(report, 2, kTicket), HasSubstr("\n    the same on 0000:42:00.0\n"));
    report.findings[1] = consequence();
    text = render_text(report, 2, kTicket);
    EXPECT_THAT(text, Not(HasSubstr("the same on")));
}

TEST(Text, IsAsciiAndPlainWhereItMustBe) {
    const std::string text = render_text(sample_report(), 2, {.width = 100, .colour = false, .utf8 = false});
    for (const char byte : text) EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~'));
}

TEST(Text, FactsOfTheHostCannotSteerTheTerminal) {
    Report report = sample_report();
    report.host.hostname = "\x1b]0;owned\x07";
    report.findings[0].evidence[0].evidence.reading = Value(std::string("\x1b[2J"));
    report.findings[0].fixes[0].commands = {"echo \x1b[2J"};
    report.unknown[0].missing[0].missing.gap.reason = "\x1b[2J";
    EXPECT_EQ(render_text(report, 2, kTicket).find('\x1b'), std::string::npos);
}

TEST(Nagios, IsOneLineWithDataAndOneBar) {
    const std::string line = render_nagios(sample_report(), 2);
    EXPECT_EQ(line,
              "RDMA CRITICAL - 2 findings: pcie-link-width-degraded on 0000:41:00.0, rate-low on mlx5_0/1 | "
              "critical=1 high=0 medium=1 low=0 suspected=1 quiet=12 unknown=1 needs_root=1\n");
    Report report = sample_report();
    report.findings[0].subject.name = "a|b\nc";
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 1);
    EXPECT_THAT(render_nagios(report, 2), HasSubstr("a/b\\x0ac"));
    EXPECT_EQ(nagios_trouble("a|b\nc\x1b"), "RDMA UNKNOWN - a/b\\x0ac\\x1b\n");
}

TEST(Nagios, WordsFollowTheCode) {
    EXPECT_THAT(render_nagios(empty_report(), 0), testing::StartsWith("RDMA OK - nothing found on 1 RDMA device |"));
    EXPECT_THAT(render_nagios(sample_report(), 1), testing::StartsWith("RDMA WARNING - "));
    EXPECT_THAT(render_nagios(sample_report(), 3), testing::StartsWith("RDMA UNKNOWN - 1 check could not be made"));
}

TEST(Nagios, WhatDoesNotCountIsSaidNotTo) {
    Report report = sample_report();
    EXPECT_THAT(render_nagios(report, 2, Severity::critical),
                testing::StartsWith("RDMA CRITICAL - 1 finding: pcie-link-width-degraded on 0000:41:00.0; "
                                    "1 finding below critical |"));
    report.findings.erase(report.findings.begin());
    EXPECT_THAT(render_nagios(report, 0, Severity::critical),
                testing::StartsWith("RDMA OK - 1 finding below critical: rate-low on mlx5_0/1 |"));
    EXPECT_EQ(render_npd(report, 0, Severity::high), "1 finding below high: rate-low on mlx5_0/1\n");
    report.findings[0].severity = Severity::info;
    EXPECT_THAT(render_nagios(report, 0), testing::StartsWith("RDMA OK - 1 finding below low: "));
    report.findings[0].severity = Severity::high;
    report.findings[0].state = State::pending;
    EXPECT_THAT(render_nagios(report, 0), testing::StartsWith("RDMA OK - 1 finding not confirmed yet: "));
}

TEST(Nagios, WithoutSightOfTheDevicesNothingIsOk) {
    Report report = empty_report();
    report.devices = 0;
    report.devices_known = false;
    report.summary.unknown = 9;
    EXPECT_EQ(nagios_code(report, 0), 3);
    EXPECT_THAT(render_nagios(report, 0),
                testing::StartsWith(
                    "RDMA UNKNOWN - RDMA devices could not be enumerated, 9 checks could not be made | critical=0"));
    EXPECT_EQ(render_nagios(report, 0), render_nagios(report, 3));
    EXPECT_EQ(npd_code(report, 0), 2);
    EXPECT_EQ(render_npd(report, 0), "RDMA devices could not be enumerated, 9 checks could not be made\n");
    report.findings = {cause()};
    EXPECT_EQ(nagios_code(report, 2), 2) << "what was found counts nevertheless";
    EXPECT_EQ(npd_code(report, 2), 1);
    report.findings.clear();
    report.devices_known = true;
    EXPECT_EQ(nagios_code(report, 0), 0);
    EXPECT_THAT(render_nagios(report, 0), testing::StartsWith("RDMA OK - no RDMA device found |"));
}

TEST(Npd, IsShortAndHasItsOwnCodes) {
    Report report = sample_report();
    report.findings[0].rule = std::string(200, 'x');
    const std::string line = render_npd(report, 2);
    EXPECT_EQ(line.size(), 81u);
    EXPECT_EQ(line.back(), '\n');
    EXPECT_EQ(npd_trouble("a|b\nc"), "a/b\\x0ac\n");
    EXPECT_EQ(npd_code(report, 0), 0);
    EXPECT_EQ(npd_code(report, 1), 1);
    EXPECT_EQ(npd_code(report, 2), 1);
    EXPECT_EQ(npd_code(report, 3), 2);
}

TEST(Junit, HasACaseForEachRule) {
    Rulebook book;
    book.rules.resize(4);
    book.rules[0].id = "pcie-link-width-degraded";
    book.rules[0].title = "a \"title\"";
    book.rules[1].id = "mrrs-small";
    book.rules[2].id = "off";
    book.rules[2].enabled = false;
    book.rules[2].disabled_because = "we < know";
    book.rules[3].id = "quiet";
    Report report = sample_report();
    report.findings[0].explanation = "1 < 2 & \x1b[2J";
    const std::string text = render_junit(report, book);
    EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\""));
    EXPECT_THAT(
        text,
        HasSubstr("<failure type=\"critical\" message=\"a &quot;title&quot;\">0000:41:00.0: 1 &lt; 2 &amp; \\x1b[2J"));
    EXPECT_THAT(text, HasSubstr("name=\"off\">\n      <skipped message=\"disabled: we &lt; know\"/>"));
    EXPECT_THAT(text, HasSubstr("name=\"quiet\"/>"));
}

// XML 1.0 allows tab, line ends, and U+0020 to U+10FFFF without surrogates, U+FFFE and U+FFFF; not even escaped.
TEST(Junit, HasOnlyWhatXmlAllows) {
    const std::string foreign("a\0b\x01\x0c\x1f\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xff\n", 17);
    Rulebook book;
    book.rules.resize(2);
    book.rules[0].id = "pcie-link-width-degraded";
    book.rules[0].title = foreign;
    book.rules[1].id = "off";
    book.rules[1].enabled = false;
    book.rules[1].disabled_because = foreign;
    Report report = sample_report();
    report.host.hostname = foreign;
    report.findings[0].explanation = foreign;
    report.findings[0].subject.name = foreign;
    report.findings[0].evidence[0].evidence.reading = Value(foreign);
    const std::string text = render_junit(report, book);
    const std::string shown = "a\\x00b\\x01\\x0c\\x1f\\xef\\xbf\\xbe\\xef\\xbf\\xbf\\xed\\xa0\\x80\\xff";
    EXPECT_THAT(text, HasSubstr("hostname=\"" + shown + "\\x0a\""));
    EXPECT_THAT(text, HasSubstr("message=\"" + shown + "\\x0a\""));
    EXPECT_THAT(text, HasSubstr("disabled: " + shown));
    EXPECT_THAT(text, HasSubstr(shown + "\\x0a: " + shown + "\n"));
    for (const char byte : text) EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << int{byte};
}

}  // namespace
}  // namespace rd::cli
