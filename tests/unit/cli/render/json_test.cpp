// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/render/report.h"
#include "tests/unit/cli/render/sample_report.h"

namespace rd::cli {
namespace {

using nlohmann::json;

TEST(Json, HasWhatTheContractSays) {
    const json got = json::parse(render_json(sample_report()));
    EXPECT_EQ(got["schema_version"], 1);
    EXPECT_EQ(got["source"], "live");
    EXPECT_EQ(got["window"]["seconds"], 2.0);
    EXPECT_EQ(got["window"]["from"], "2023-11-14T22:13:20.000Z");
    EXPECT_EQ(got["rules"]["hash"], "0123456789abcdef");
    EXPECT_EQ(got["summary"]["needs_root"], 1);
    ASSERT_EQ(got["findings"].size(), 2u);
    const json& second = got["findings"][1];
    EXPECT_EQ(second["subject"], (json{{"kind", "port"}, {"id", "pci-0000:41:00.0/1"}, {"name", "mlx5_0/1"}}));
    EXPECT_EQ(second["evidence"][0]["value"], 1.5e9);
    EXPECT_EQ(second["evidence"][0]["window"], 2.0);
    EXPECT_FALSE(second["evidence"][1].contains("value"));
    EXPECT_EQ(second["evidence"][1]["gap"]["class"], "not_offered");
    EXPECT_EQ(second["causes"][0]["rule"], "pcie-link-width-degraded");
    EXPECT_EQ(got["findings"][0]["fixes"][0]["cost"], "reboot");
    EXPECT_EQ(got["unknown"][0]["missing"][0]["class"], "no_privilege");
    EXPECT_EQ(second["rulebook"], got["rules"]);
    EXPECT_EQ(second["peer"], (json{"rdmadoctor check", "rdma link"}));
    const json& verdict = got["verdict"];
    EXPECT_EQ(verdict["outcome"], "cause");
    EXPECT_EQ(verdict["rule"], "pcie-link-width-degraded");
    EXPECT_EQ(verdict["subjects"][0]["name"], "0000:41:00.0");
    EXPECT_EQ(verdict["explains"][0]["rule"], "rate-low");
    EXPECT_EQ(verdict["confidence"], "high");
    EXPECT_EQ(verdict["settle"], "apply its fix");
    const json none = json::parse(render_json(empty_report()))["verdict"];
    EXPECT_TRUE(none["rule"].is_null());
    EXPECT_TRUE(none["confidence"].is_null());
}

TEST(Json, ThePastIsThereWhereSomebodyWasAsked) {
    Report report = sample_report();
    EXPECT_FALSE(json::parse(render_json(report)).contains("past"));
    EXPECT_FALSE(json::parse(render_json(report))["findings"][0].contains("history"));
    const std::int64_t hour = 3600 * std::int64_t{1'000'000'000}, now = report.to.wall_ns;
    report.findings[0].recurrence = Recurrence{14, now - 90 * hour, now - 2 * hour, true};
    report.findings[0].told = {{"verbs", "PORT_ERR", 3, now - hour}};
    report.past = Past{std::nullopt,
                       {{"link-flap",
                         "The link flaps",
                         Severity::high,
                         {kPort, "mlx5_0/1"},
                         now - hour,
                         std::nullopt,
                         {1, now - hour, {}, true}}}};
    json got = json::parse(render_json(report));
    EXPECT_EQ(got["findings"][0]["history"], (json{{"times", 14},
                                                   {"first", "2023-11-11T04:13:22.000Z"},
                                                   {"cleared", "2023-11-14T20:13:22.000Z"},
                                                   {"goes_on", true}}));
    EXPECT_EQ(got["findings"][0]["events"],
              (json::array(
                  {{{"source", "verbs"}, {"name", "PORT_ERR"}, {"times", 3}, {"last", "2023-11-14T21:13:22.000Z"}}})));
    EXPECT_TRUE(got["findings"][1]["history"].is_null());
    EXPECT_TRUE(got["past"]["gap"].is_null());
    const json& over = got["past"]["not_now"][0];
    EXPECT_EQ(over["subject"]["name"], "mlx5_0/1");
    EXPECT_EQ(over["from"], "2023-11-14T21:13:22.000Z");
    EXPECT_TRUE(over["to"].is_null());
    EXPECT_TRUE(over["history"]["cleared"].is_null());
    report.past->gap = Gap{GapClass::no_privilege, "api.sock: no", "join the group"};
    got = json::parse(render_json(report));
    EXPECT_EQ(got["past"]["gap"]["class"], "no_privilege");
    EXPECT_EQ(got["past"]["gap"]["remedy"], "join the group");
}

TEST(Json, DevicesThatCouldNotBeEnumeratedAreNull) {
    Report report = empty_report();
    EXPECT_EQ(json::parse(render_json(report))["host"]["rdma_devices"], 1);
    report.devices_known = false;
    EXPECT_TRUE(json::parse(render_json(report))["host"]["rdma_devices"].is_null());
}

TEST(Json, SurvivesBytesThatAreNoText) {
    Report report = sample_report();
    report.findings[0].evidence[0].evidence.reading = Value(std::string("\xff\xfe"));
    const json got = json::parse(render_json(report));
    EXPECT_EQ(got["findings"][0]["evidence"][0]["value"], "\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace rd::cli
