// SPDX-License-Identifier: GPL-2.0-or-later
// What is asked of the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/store/sqlite.h"
#include "daemon/api/routes.h"
#include "tests/unit/core/store/scene.h"
#include "tests/unit/daemon/scene.h"

namespace rd::daemon {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PastTest : public testing::Test, protected store::Scene {
protected:
    void SetUp() override {
        open();
        begin = wall_ns();
        for (int i = 0; i < 90; ++i) {
            gap.reset();
            if (i >= 30 && i < 40) gap = Gap{GapClass::timed_out, "no answer", "look at the kernel log"};
            sweep(i, 20.5, i < 60 ? "ens1f0" : "ens1");
        }
        ASSERT_TRUE(store->add(std::vector{event("PORT_ERR", "mlx5_0/1")}));
        pass(5000);
        ASSERT_TRUE(store->add(std::vector{event("PORT_ACTIVE", "mlx5_0/1")}));
        store::FindingRow finding;
        finding.rule = "link-down";
        finding.subject = store::kEntity;
        finding.severity = "high";
        finding.title = "The link is down";
        ASSERT_TRUE(store->write({{finding}, {}}, now));
        pass(5000);
        ASSERT_TRUE(store->write({{}, {{finding.rule, finding.subject}}}, now));
        ASSERT_TRUE(store->flush());
    }
    Reply ask(std::string path_of, Arguments arguments) {
        const Request request{std::move(path_of), std::move(arguments), {}, false};
        const auto frame = needs_frame(request) ? std::make_shared<const Frame>(small_frame()) : nullptr;
        return answer(request, {frame, path(), desk}, metrics);
    }
    json get(std::string path_of, Arguments arguments) {
        const Reply reply = ask(std::move(path_of), std::move(arguments));
        EXPECT_EQ(reply.status, 200) << reply.body;
        return json::parse(reply.body);
    }
    [[nodiscard]] std::string at(int seconds) const { return std::to_string(begin / 1'000'000'000 + seconds); }

    static inline const std::string kId = "netdev:pci-0000:41:00.0/0";
    std::int64_t begin = 0;
    AlertDesk desk{[] {}};
    MetricsText metrics;
};

TEST_F(PastTest, ASeriesWithItsGaps) {
    const json got = get("/v1/series", {{"entity", kId}, {"fact", "rx_packets"}});
    EXPECT_EQ(got["unit"], "packets");
    EXPECT_EQ(got["nature"], "counter");
    EXPECT_EQ(got["truncated"], false);
    ASSERT_EQ(got["points"].size(), 80u);
    EXPECT_EQ(got["points"][5]["value"], 5);
    EXPECT_EQ(got["points"][5]["at"], "2025-12-01T00:00:05.000Z");
    const json& states = got["states"];
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[0]["gap"]["class"], "timed_out");
    EXPECT_EQ(states[0]["at"], "2025-12-01T00:00:30.000Z");
    EXPECT_EQ(states[1]["sampled"], true);
    const json part = get("/v1/series", {{"entity", kId}, {"fact", "rx_packets"}, {"since", at(3)}, {"until", at(5)}});
    EXPECT_EQ(part["points"].size(), 3u);
    EXPECT_EQ(part["since"], "2025-12-01T00:00:03.000Z");
    const json texts = get("/v1/series", {{"entity", kId}, {"fact", "name"}});
    EXPECT_EQ(texts["points"].size(), 0u);
    ASSERT_EQ(texts["states"].size(), 2u);
    EXPECT_EQ(texts["states"][1]["value"], "ens1");
}

TEST_F(PastTest, ByMinutesAndHours) {
    for (int i = 0; i < 400; ++i) sweep(90 + i, 30, "ens1", 10);
    ASSERT_TRUE(store->maintain());
    json got = get("/v1/series", {{"entity", kId}, {"fact", "rx_packets"}, {"step", "minute"}});
    ASSERT_EQ(got["points"].size(), 69u);
    EXPECT_EQ(got["points"][0]["seconds"], 60);
    EXPECT_EQ(got["points"][0]["first"], 0);
    EXPECT_EQ(got["points"][0]["increase"], 59);
    got = get("/v1/series", {{"entity", kId}, {"fact", "temperature"}, {"step", "hour"}});
    ASSERT_EQ(got["points"].size(), 2u);
    EXPECT_EQ(got["points"][0]["least"], 20.5);
    EXPECT_EQ(got["points"][0]["most"], 30);
}

TEST_F(PastTest, StateIsHowItStood) {
    const auto fact = [&](int seconds, const std::string& name) {
        const json got = get("/v1/state", {{"at", at(seconds)}});
        EXPECT_EQ(got["entities"].size(), 1u) << seconds;
        for (const json& one : got["entities"][0]["facts"]) {
            if (one["fact"] == name) return one;
        }
        return json();
    };
    EXPECT_EQ(fact(10, "rx_packets")["value"], 10);
    EXPECT_EQ(fact(10, "temperature")["value"], 20.5);
    EXPECT_EQ(fact(10, "name")["value"], "ens1f0");
    EXPECT_EQ(fact(10, "name")["since"], "2025-12-01T00:00:00.000Z");
    EXPECT_EQ(fact(35, "rx_packets")["gap"]["class"], "timed_out");
    EXPECT_EQ(fact(45, "rx_packets")["value"], 45);
    EXPECT_EQ(fact(70, "name")["value"], "ens1");
    const json named = get("/v1/state", {{"at", at(70)}, {"entity", kId}, {"fact", "temperature"}});
    EXPECT_EQ(named["entities"][0]["name"], "ens1");
    EXPECT_EQ(named["entities"][0]["facts"].size(), 1u);
    EXPECT_EQ(get("/v1/state", {{"at", "2020-01-01T00:00:00Z"}})["entities"].size(), 0u);
    // From a packed hour it is the same.
    for (int i = 0; i < 400; ++i) sweep(90 + i, 30, "ens1", 10);
    ASSERT_TRUE(store->maintain());
    EXPECT_EQ(fact(10, "rx_packets")["value"], 10);
    EXPECT_EQ(fact(35, "rx_packets")["gap"]["class"], "timed_out");
    EXPECT_EQ(fact(85, "rx_packets")["value"], 85);
    // And an entity that has gone is gone.
    there = false;
    sweep(0, 0, "", 1);
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(get("/v1/state", {{"at", at(5000)}})["entities"].size(), 0u);
}

TEST_F(PastTest, StateSaysWhoSawIt) {
    json got = get("/v1/state", {{"at", at(10)}});
    EXPECT_EQ(got["run"]["boot_id"], "boot");
    EXPECT_EQ(got["run"]["from"], "2025-12-01T00:00:00.000Z");
    EXPECT_EQ(got["run"]["to"], "2025-12-01T00:01:29.000Z") << "of the last sweep";
    EXPECT_TRUE(get("/v1/state", {{"at", "2020-01-01T00:00:00Z"}})["run"].is_null());
    // The next one begins an hour later, and what is asked for between them is what the first saw last.
    ASSERT_TRUE(store->close());
    pass(3'600'000);
    open();
    sweep(1, 30, "ens2");
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(get("/v1/state", {{"at", at(1800)}})["run"], got["run"]);
    got = get("/v1/state", {{"at", at(7200)}});
    EXPECT_EQ(got["run"]["from"], "2025-12-01T01:01:40.000Z");
}

TEST_F(PastTest, StateAgreesWithTheReaderSeriesBySeries) {
    const store::Reader reader = read();
    for (const int seconds : {0, 1, 29, 30, 39, 40, 60, 89, 3600}) {
        const std::int64_t when = begin + std::int64_t{seconds} * 1'000'000'000;
        const auto standing = reader.standing(when);
        ASSERT_TRUE(standing) << standing.error().what;
        EXPECT_EQ(standing->size(), 3u) << seconds;
        for (const store::Standing& one : *standing) {
            const auto single = store::at(reader, one.of, when);
            ASSERT_TRUE(single && *single) << one.of.fact;
            EXPECT_EQ((*single)->at_ns, one.state.at_ns) << one.of.fact << " at " << seconds;
            EXPECT_TRUE(same((*single)->reading, one.state.reading)) << one.of.fact << " at " << seconds;
        }
    }
}

TEST_F(PastTest, ADamagedStoreIsNoMistakeOfWhoAsks) {
    store.reset();
    const auto size = std::filesystem::file_size(path());
    {
        std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4096);
        file << std::string(size - 4096, '\xaa');
    }
    const std::vector<std::pair<std::string, Arguments>> all = {
        {"/v1/events", {}},
        {"/v1/findings/history", {}},
        {"/v1/state", {{"at", at(50)}}},
        {"/v1/series", {{"entity", kId}, {"fact", "name"}}},
    };
    for (const auto& [path_of, arguments] : all) {
        const Reply reply = ask(path_of, arguments);
        EXPECT_EQ(reply.status, 503) << path_of << reply.body;
        EXPECT_THAT(reply.body, HasSubstr("the store cannot be read")) << path_of;
    }
    EXPECT_THAT(ask("/v1/events", {}).body, HasSubstr("systemctl restart rdmadoctord"));
}

TEST_F(PastTest, OfVeryManyChangesTheNewest) {
    auto database = store::Database::open(path(), store::Database::Mode::write);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) INSERT INTO state(series, "
        "at_ms, "
        "value) SELECT series.id, (SELECT max(at_ms) FROM state) + i, 'ens' || i FROM series, n WHERE fact = 'name'"));
    const json got = get("/v1/series", {{"entity", kId}, {"fact", "name"}, {"since", at(0)}, {"until", at(1'000'000)}});
    EXPECT_EQ(got["truncated"], true);
    ASSERT_EQ(got["states"].size(), 20'000u);
    EXPECT_EQ(got["states"].front()["value"], "ens5001");
    EXPECT_EQ(got["states"].back()["value"], "ens25000");
}

TEST_F(PastTest, EventsAndFindings) {
    json got = get("/v1/events", {});
    ASSERT_EQ(got["events"].size(), 2u);
    EXPECT_EQ(got["events"][0]["name"], "PORT_ACTIVE");  // newest first
    EXPECT_EQ(got["events"][0]["entity"]["kind"], "netdev");
    const std::string first = std::to_string(got["events"][1]["id"].get<int>());
    got = get("/v1/events", {{"after", first}});
    ASSERT_EQ(got["events"].size(), 1u);
    EXPECT_EQ(got["events"][0]["name"], "PORT_ACTIVE");
    got = get("/v1/events", {{"limit", "1"}});
    EXPECT_EQ(got["events"].size(), 1u);
    EXPECT_EQ(got["truncated"], true);
    EXPECT_EQ(get("/v1/events", {{"until", at(91)}})["events"].size(), 1u);
    got = get("/v1/findings/history", {{"since", at(0)}});
    ASSERT_EQ(got["findings"].size(), 1u);
    EXPECT_EQ(got["findings"][0]["rule"], "link-down");
    EXPECT_EQ(got["findings"][0]["from"], "2025-12-01T00:01:35.000Z");
    EXPECT_EQ(got["findings"][0]["to"], "2025-12-01T00:01:40.000Z");
    EXPECT_EQ(get("/v1/findings/history", {{"until", at(10)}})["findings"].size(), 0u);
}

TEST_F(PastTest, WhatIsWrongIsSaidWithTheWayOut) {
    const auto refused = [&](int status, const char* path_of, Arguments arguments, const char* remedy) {
        const Reply reply = ask(path_of, std::move(arguments));
        EXPECT_EQ(reply.status, status) << reply.body;
        EXPECT_THAT(json::parse(reply.body)["remedy"].get<std::string>(), HasSubstr(remedy)) << reply.body;
    };
    refused(400, "/v1/series", {}, "entity=KIND:ID");
    refused(400, "/v1/series", {{"entity", kId}}, "fact=NAME");
    refused(404, "/v1/series", {{"entity", kId}, {"fact", "rx_packet"}}, "rx_packets");
    refused(404, "/v1/series", {{"entity", "netdev:pci-0000:41:00.0/9"}, {"fact", "rx_packets"}}, kId.c_str());
    refused(404, "/v1/series", {{"entity", "mlx5_0/9"}, {"fact", "rx_bytes"}}, "mlx5_0/1");
    refused(400, "/v1/series", {{"entity", kId}, {"fact", "rx_packets"}, {"step", "day"}}, "step=minute");
    refused(400, "/v1/series", {{"entity", kId}, {"fact", "rx_packets"}, {"since", "yesterday"}},
            "2026-03-01T12:00:00Z");
    refused(400, "/v1/events", {{"since", at(5)}, {"until", at(1)}}, "exchange");
    refused(400, "/v1/events", {{"after", "1"}, {"since", at(1)}}, "after=ID");
    refused(400, "/v1/events", {{"limit", "0"}}, "1000");
    refused(400, "/v1/events", {{"limit", "-5"}}, "1000");
    refused(400, "/v1/state", {}, "at=");
    const Request request{"/v1/events", {}, {}, false};
    EXPECT_EQ(answer(request, {nullptr, "", desk}, metrics).status, 503);
    EXPECT_EQ(answer(request, {nullptr, path() + ".none", desk}, metrics).status, 503);
}

}  // namespace
}  // namespace rd::daemon
