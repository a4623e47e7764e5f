// SPDX-License-Identifier: GPL-2.0-or-later
// Actions as journal entries and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "daemon/alerts/journal.h"
#include "daemon/alerts/payload.h"
#include "tests/unit/daemon/alerts/story.h"

namespace rd::daemon {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::Not;

Action raised() {
    Action action;
    action.alert.fingerprint = "0123456789abcdef";
    action.alert.name = "rdma-link";
    action.alert.rule = "verbs/PORT_ERR";
    action.alert.subject = kPort;
    action.alert.title = "An RDMA port lost its link";
    action.alert.text = "Connections\nstall.";
    action.alert.evidence = {"state DOWN", "phys_state Polling"};
    action.alert.severity = Severity::high;
    action.alert.since = Story::stamp(0);
    action.alert.raised = action.alert.firing = true;
    action.at = Story::stamp(60);
    return action;
}

HostIdentity host() {
    HostIdentity host;
    host.hostname = "node17";
    return host;
}

TEST(Journal, HasAFieldForEachThingToFilterBy) {
    const auto fields = journal_fields(raised());
    for (const char* field :
         {"MESSAGE=raise: An RDMA port lost its link: mlx5_0/1 (high)", "MESSAGE_ID=6db96cf00fb943f2867f46cdffc943d8",
          "PRIORITY=3", "RDMADOCTOR_RULE=verbs/PORT_ERR", "RDMADOCTOR_SUBJECT=mlx5_0/1", "RDMADOCTOR_SEVERITY=high",
          "RDMADOCTOR_STATE=firing", "RDMADOCTOR_FINGERPRINT=0123456789abcdef", "RDMADOCTOR_EVIDENCE=state DOWN",
          "RDMADOCTOR_EVIDENCE=phys_state Polling", "RDMADOCTOR_TEXT=Connections\nstall."}) {
        EXPECT_THAT(fields, Contains(field));
    }
    Action over = raised();
    over.deed = Deed::clear;
    over.alert.firing = false;
    EXPECT_THAT(journal_fields(over), Contains("PRIORITY=6"));
    EXPECT_THAT(journal_fields(over), Contains("RDMADOCTOR_STATE=over"));
    EXPECT_THAT(journal_fields(over), Contains("MESSAGE_ID=d80536439a0348bd9a6ee45a1bf927e6"));
}

TEST(Journal, CannotBeForgedByNames) {
    Action action = raised();
    action.alert.subject.name = "x\nPRIORITY=0\nMESSAGE=\x1b[2Jforged";
    EXPECT_EQ(alert_line(action),
              "raise: An RDMA port lost its link: x\\x0aPRIORITY=0\\x0aMESSAGE=\\x1b[2Jforged (high)");
    // Fields go to the journal with their length: what a value holds never begins another.
    EXPECT_THAT(journal_fields(action), Not(Contains("PRIORITY=0")));
}

TEST(Journal, WritesToStderrWhereThereIsNone) {
    ::testing::internal::CaptureStderr();
    Journal(false, "/nowhere/socket").write(raised());
    Journal(true).write(raised());
    const std::string line = "raise: An RDMA port lost its link: mlx5_0/1 (high)\n";
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), line + line);
}

TEST(Payload, OfAHookHasAll) {
    Action action = raised();
    action.alert.acknowledged = Acknowledgement{"eve", "cable", Story::stamp(1)};
    const json got = json::parse(hook_json(action, host()));
    EXPECT_EQ(got["schema_version"], 1);
    EXPECT_EQ(got["action"], "raise");
    EXPECT_EQ(got["reason"], "began");
    EXPECT_EQ(got["host"]["hostname"], "node17");
    EXPECT_EQ(got["alert"], "rdma-link");
    EXPECT_EQ(got["subject"], json({{"kind", "port"}, {"id", "pci-0000:41:00.0/1"}, {"name", "mlx5_0/1"}}));
    EXPECT_EQ(got["severity"], "high");
    EXPECT_EQ(got["since"], "2023-11-14T22:13:20.000Z");
    EXPECT_EQ(got["evidence"].size(), 2U);
    EXPECT_EQ(got["acknowledged"]["by"], "eve");
}

TEST(Payload, OfNamesOfAnyBytesIsJsonStill) {
    Action action = raised();
    action.alert.subject.name = "x\xff\"\n\\";
    EXPECT_EQ(json::parse(hook_json(action, host()))["subject"]["name"], "x\xEF\xBF\xBD\"\n\\");
    EXPECT_TRUE(json::accept(spool_json(action, host(), "")));
}

TEST(Payload, OfAnAlertmanagerHasWhatIdentifiesAsLabels) {
    Action action = raised();
    const json raise = json::parse(spool_json(action, host(), "https://wiki"));
    EXPECT_EQ(raise["all"], false);
    const json alert = raise["alerts"][0];
    EXPECT_EQ(alert["labels"], json({{"alertname", "rdma-link"},
                                     {"severity", "high"},
                                     {"instance", "node17"},
                                     {"kind", "port"},
                                     {"subject", "mlx5_0/1"},
                                     {"job", "rdmadoctor"}}));
    EXPECT_EQ(alert["startsAt"], "2023-11-14T22:13:20.000Z");
    EXPECT_FALSE(alert.contains("endsAt"));
    EXPECT_EQ(alert["generatorURL"], "https://wiki");
    EXPECT_EQ(alert["annotations"]["evidence"], "state DOWN\nphys_state Polling");
    // Somebody else tells most of it now: it is the same alert.
    action.deed = Deed::clear;
    action.alert.rule = "port-no-carrier";
    const json clear = json::parse(spool_json(action, host(), ""))["alerts"][0];
    EXPECT_EQ(clear["labels"], alert["labels"]);
    EXPECT_EQ(clear["endsAt"], "2023-11-14T22:14:20.000Z");
    EXPECT_FALSE(clear.contains("generatorURL"));
}

TEST(Payload, OfAllThatStandsLeavesOutWhatNobodyWasTold) {
    Alert held = raised().alert;
    held.raised = false;
    const json all = json::parse(spool_json(std::vector{raised().alert, held}, Story::stamp(0), host(), ""));
    EXPECT_EQ(all["all"], true);
    EXPECT_EQ(all["alerts"].size(), 1U);
}

}  // namespace
}  // namespace rd::daemon
