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

Suspected (from one look only; does not count)
  ? Packets were lost at some time — pci 0000:41:00.0 · old-loss
      0000:41:00.0  link_width  8 lanes

Not known: 1 check lacks facts
  no privilege: run as root
    pci.max_read_request of 0000:41:00.0
      needed by mrrs-small

2 findings: 1 critical, 1 medium
12 checks quiet, 1 unknown (1 need root), 1 suspected, 3 not applicable
rdmadoctor explain RULE tells more of each
)");
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

TEST(Text, NamesFurtherCauses) {
    Report report = empty_report();
    report.findings = {cause(), consequence()};
    report.findings[1].causes.push_back({"other-rule", {kPort, "mlx5_0/1"}});
    EXPECT_THAT(render_text(report, 2, kTicket), HasSubstr("also caused by other-rule on port mlx5_0/1"));
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
    EXPECT_THAT(render_nagios(report, 2), HasSubstr("a/b c"));
}

TEST(Nagios, WordsFollowTheCode) {
    EXPECT_THAT(render_nagios(empty_report(), 0), testing::StartsWith("RDMA OK - nothing found on 1 RDMA device |"));
    EXPECT_THAT(render_nagios(sample_report(), 1), testing::StartsWith("RDMA WARNING - "));
    EXPECT_THAT(render_nagios(sample_report(), 3), testing::StartsWith("RDMA UNKNOWN - 1 check could not be made"));
}

TEST(Npd, IsShortAndHasItsOwnCodes) {
    Report report = sample_report();
    report.findings[0].rule = std::string(200, 'x');
    const std::string line = render_npd(report, 2);
    EXPECT_EQ(line.size(), 81u);
    EXPECT_EQ(line.back(), '\n');
    EXPECT_EQ(npd_code(0), 0);
    EXPECT_EQ(npd_code(1), 1);
    EXPECT_EQ(npd_code(2), 1);
    EXPECT_EQ(npd_code(3), 2);
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

}  // namespace
}  // namespace rd::cli
