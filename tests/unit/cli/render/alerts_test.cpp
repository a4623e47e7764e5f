// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/alerts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rd::cli {
namespace {

using nlohmann::json;

constexpr const char* kList = R"json({"schema_version": 1, "at": "2026-11-24T10:03:00.000Z", "alerts": [
  {"fingerprint": "0123456789abcdef", "alert": "rdma-link", "rule": "verbs/PORT_ERR", "severity": "high",
   "subject": {"kind": "port", "id": "pci-0000:41:00.0/1", "name": "mlx5_0/1"}, "title": "The link is lost",
   "since": "2026-11-24T10:00:00.000Z", "raised": true, "firing": true, "flapping": true, "times": 14, "silenced": false,
   "acknowledged": {"by": "alice (root)", "comment": "cable\nis changed", "at": "2026-11-24T10:01:00.000Z"}},
  {"fingerprint": "00000000000000aa", "alert": "few-devices", "severity": "low",
   "subject": {"kind": "host", "id": "", "name": ""}, "title": "A device is missing",
   "since": "2026-11-24T10:00:00.000Z", "raised": false, "firing": false, "flapping": false,
   "times": 1, "silenced": true, "acknowledged": null}],
  "silences": [{"id": "s3", "rule": "few-*", "subject": "", "severity": "low", "by": "root", "comment": "",
   "from": "2026-11-24T10:00:00.000Z", "until": "2026-11-24T12:00:00.000Z"}], "refused": 0})json";

TEST(Alerts, AreListedOneALine) {
    const auto text = render_alerts(kList);
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_EQ(
        *text,
        "0123456789abcdef  high     since 2026-11-24T10:00:00.000Z  rdma-link on mlx5_0/1: The link is lost (flapping, "
        "came 14 times; acknowledged by alice (root): cable\\x0ais changed)\n"
        "00000000000000aa  low      since 2026-11-24T10:00:00.000Z  few-devices on host: A device is missing (over; "
        "not told; silenced)\n"
        "\nSilent of\n"
        "  s3  until 2026-11-24T12:00:00.000Z  rule few-*, severity low; by root\n");
    EXPECT_EQ(*render_alerts(R"({"alerts": [], "silences": []})"), "No alert.\n");
}

TEST(Alerts, WhatIsNoListIsNotBelieved) {
    for (const char* body : {"", "[]", "{}", R"({"alerts": 1, "silences": []})", R"({"alerts": []})"}) {
        const auto text = render_alerts(body);
        ASSERT_FALSE(text) << body;
        EXPECT_EQ(text.error().remedy, "rdmadoctor and rdmadoctord must be of one version");
    }
    EXPECT_TRUE(render_alerts(R"({"alerts": [1, null, {"subject": 3, "acknowledged": 4}], "silences": [7]})"));
}

TEST(Alerts, OrdersAndTheLineThatGivesThemAsRoot) {
    AlertsAckOptions ack;
    ack.fingerprint = "0123456789abcdef";
    ack.comment = "it's known";
    const Order told = order_of(ack, "alice");
    EXPECT_EQ(told.path, "/v1/alerts/ack");
    EXPECT_EQ(json::parse(told.body),
              (json{{"fingerprint", "0123456789abcdef"}, {"comment", "it's known"}, {"by", "alice"}}));
    EXPECT_EQ(told.as_root, R"(sudo rdmadoctor alerts ack 0123456789abcdef --comment 'it'\''s known')");
    AlertsSilenceOptions silence;
    silence.rule = "link-*";
    silence.subject = "mlx5_0/1";
    silence.severity = Severity::high;
    silence.socket = "/x/control.sock";
    const Order quiet = order_of(silence, "");
    EXPECT_EQ(quiet.path, "/v1/alerts/silence");
    EXPECT_EQ(json::parse(quiet.body),
              (json{{"rule", "link-*"}, {"subject", "mlx5_0/1"}, {"severity", "high"}, {"for", "2h"}}));
    EXPECT_EQ(quiet.as_root,
              "sudo rdmadoctor alerts silence --rule 'link-*' --subject mlx5_0/1 --severity high --for 2h --socket "
              "/x/control.sock");
    silence = {};
    silence.end = "s3";
    EXPECT_EQ(order_of(silence, "").path, "/v1/alerts/unsilence");
    EXPECT_EQ(json::parse(order_of(silence, "").body), (json{{"id", "s3"}}));
}

TEST(Alerts, SaysWhatWasDone) {
    EXPECT_EQ(*render_done(R"({"done": "ack", "id": "f1"})"), "acknowledged: f1\n");
    EXPECT_EQ(*render_done(R"({"done": "silence", "id": "s3", "until": "2026-11-24T12:00:00.000Z"})"),
              "silent until 2026-11-24T12:00:00.000Z (s3; rdmadoctor alerts silence --end s3 takes it back)\n");
    EXPECT_EQ(*render_done(R"({"done": "unsilence", "id": "s3"})"), "no longer silent: s3\n");
    EXPECT_FALSE(render_done("{}"));
    EXPECT_FALSE(render_done(""));
}

}  // namespace
}  // namespace rd::cli
