// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/host/clock.h"
#include "tests/unit/cli/answering.h"
#include "tests/unit/cli/render/sample_report.h"
#include "tests/unit/support/in_child.h"

namespace rd::cli {
namespace {

using testing::HasSubstr;

std::string label(const Entity& entity) { return entity.id; }

constexpr const char* kFindings = R"({"findings": [
  {"rule": "rate-low", "title": "Slow", "severity": "medium", "subject": {"kind": "port", "id": "pci-0000:41:00.0/1"},
   "from": "2023-11-14T20:00:00.000Z", "to": null},
  {"rule": "new-in-a-later-version", "title": "?", "severity": "dire", "subject": {"kind": "port", "id": "x"},
   "from": "2023-11-14T20:00:00.000Z", "to": null},
  {"rule": "over", "title": "Over", "severity": "low", "subject": {"kind": "host", "id": ""},
   "from": "2023-11-14T20:00:00.000Z", "to": "2023-11-14T21:00:00.000Z"}, 7, null, {"rule": "over"}]})";
constexpr const char* kEvents = R"({"events": [
  {"id": 4, "at": "2023-11-14T20:00:00.000Z", "last": "2023-11-14T20:00:09.000Z", "count": 3, "source": "verbs", "name": "PORT_ERR",
   "subject": "mlx5_0/1", "entity": {"kind": "port", "id": "pci-0000:41:00.0/1"}, "details": ""},
  {"id": 3, "source": "verbs"}, []]})";

TEST(Recall, LaysWhatTheDaemonKnowsBesideTheReport) {
    Answering daemon({answer_with(200, kFindings), answer_with(200, kEvents)});
    Report report = sample_report();
    recall(report, daemon.path(), label);
    ASSERT_TRUE(report.past);
    EXPECT_FALSE(report.past->gap);
    const Finding& port = report.findings[1];
    ASSERT_TRUE(port.recurrence);
    EXPECT_EQ(port.recurrence->times, 1u);
    EXPECT_EQ(port.since.wall_ns, 1'699'992'000'000'000'000);
    ASSERT_EQ(port.told.size(), 1u);
    EXPECT_EQ(port.told[0].times, 3u);
    ASSERT_EQ(report.past->not_now.size(), 1u);
    EXPECT_EQ(report.past->not_now[0].rule, "over");
    const std::vector<std::string> asked = daemon.asked();
    EXPECT_THAT(asked[0], HasSubstr("GET /v1/findings/history?limit=2000 "));
    EXPECT_THAT(asked[1], HasSubstr("GET /v1/events?since=1699913602&limit=2000 ")) << "the last 24 hours";
}

TEST(Recall, NoDaemonIsNoNews) {
    const TempDirectory directory;
    Report report = sample_report();
    recall(report, directory / "api.sock", label);
    EXPECT_FALSE(report.past);
    recall(report, directory.file("left-behind", ""), label);
    EXPECT_FALSE(report.past);
}

TEST(Recall, ADaemonThatHangsIsAGapAndHoldsUpNobody) {
    const Silent daemon;
    const std::int64_t begin = steady_ns();
    Report report = sample_report();
    recall(report, daemon.path(), label);
    EXPECT_LT(steady_ns() - begin, 3'000'000'000);
    ASSERT_TRUE(report.past && report.past->gap);
    EXPECT_EQ(report.past->gap->kind, GapClass::timed_out);
    EXPECT_EQ(report.findings.size(), 2u);
    // Nor one that answers half of it.
    Answering half({answer_with(200, kFindings)});
    Report other = sample_report();
    recall(other, half.path(), label);
    ASSERT_TRUE(other.past && other.past->gap);
    EXPECT_FALSE(other.findings[1].recurrence) << "a part would pass for the whole";
}

TEST(Recall, WhatIsNoAnswerIsAGap) {
    for (const std::string& bytes : {answer_with(200, "{}"), answer_with(200, "[1"),
                                     answer_with(503, R"({"error": "nothing is kept", "remedy": "set [store] path"})"),
                                     std::string("SSH-2.0\r\n\r\n")}) {
        const Answering daemon({bytes, bytes});
        Report report = sample_report();
        recall(report, daemon.path(), label);
        ASSERT_TRUE(report.past && report.past->gap) << bytes;
        EXPECT_EQ(report.past->gap->kind, GapClass::error) << bytes;
        EXPECT_NE(report.past->gap->remedy, "") << bytes;
    }
}

TEST(Recall, WhoMayNotAskIsToldTheLineThatMendsIt) {
    const Silent daemon;
    ASSERT_EQ(::chmod(daemon.path().c_str(), ::geteuid() == 0 ? 0600 : 0), 0);
    EXPECT_TRUE(in_child([&] {
        if (!become_nobody()) return false;
        Report report = sample_report();
        recall(report, daemon.path(), label);
        return report.past && report.past->gap && report.past->gap->kind == GapClass::no_privilege &&
               report.past->gap->remedy.find("sudo usermod -aG rdmadoctor") == 0;
    }));
}

}  // namespace
}  // namespace rd::cli
