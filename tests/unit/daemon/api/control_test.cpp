// SPDX-License-Identifier: GPL-2.0-or-later
// Orders: what is one, who may give one, and that nothing else is.
#include "daemon/api/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/unit/daemon/api/client.h"
#include "tests/unit/support/in_child.h"

namespace rd::daemon {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ReadOrder, SaysWhatIsWantedAndByWhom) {
    auto order = read_order("/v1/alerts/ack", R"({"fingerprint": "f1", "comment": "seen", "by": "alice"})", "root");
    ASSERT_TRUE(order) << order.error().what;
    EXPECT_EQ(std::get<AckOrder>(*order).fingerprint, "f1");
    EXPECT_EQ(std::get<AckOrder>(*order).by, "alice (root)")
        << "who says he is somebody is not taken at his word alone";
    EXPECT_EQ(std::get<AckOrder>(*order).comment, "seen");
    order = read_order("/v1/alerts/silence",
                       R"({"rule": "link-*", "subject": "mlx5_0/1", "severity": "high", "for": "90m"})", "root");
    ASSERT_TRUE(order) << order.error().what;
    const auto& silence = std::get<SilenceOrder>(*order);
    EXPECT_EQ(silence.lasts, std::chrono::minutes(90));
    EXPECT_EQ(silence.silence.rule, "link-*");
    EXPECT_EQ(silence.silence.subject, "mlx5_0/1");
    EXPECT_EQ(silence.silence.severity, Severity::high);
    EXPECT_EQ(silence.silence.by, "root");
    order = read_order("/v1/alerts/unsilence", R"({"id": "s4"})", "root");
    ASSERT_TRUE(order) << order.error().what;
    EXPECT_EQ(std::get<UnsilenceOrder>(*order).id, "s4");
}

TEST(ReadOrder, WhatIsWrongIsSaidWithTheWayOut) {
    const auto refused = [](const char* path, const char* body, const char* what, const char* remedy) {
        const auto order = read_order(path, body, "root");
        ASSERT_FALSE(order) << body;
        EXPECT_THAT(order.error().what, HasSubstr(what)) << body;
        EXPECT_THAT(order.error().remedy, HasSubstr(remedy)) << body;
    };
    refused("/v1/alerts", "{}", "no such order", "/v1/alerts/silence");
    for (const char* body : {"", "{", "[]", "7", "null", "\"x\"", "{\"fingerprint\": \"f\"} x", "\xff"})
        refused("/v1/alerts/ack", body, "no JSON object", "fingerprint");
    refused("/v1/alerts/ack", "{}", "fingerprint is missing", "/v1/alerts");
    refused("/v1/alerts/ack", R"({"fingerprint": 7})", "fingerprint: not a text", "quote");
    refused("/v1/alerts/ack", R"({"fingerprint": "f", "coment": "x"})", "no such key: 'coment'", "comment");
    refused("/v1/alerts/silence", R"({"rule": "x"})", "for:", "\"for\": \"2h\"");
    refused("/v1/alerts/silence", R"({"rule": "x", "for": "-2h"})", "for:", "2h");
    refused("/v1/alerts/silence", R"({"rule": "x", "for": "0s"})", "for:", "2h");
    refused("/v1/alerts/silence", R"({"rule": "x", "for": "99999999999999d"})", "for:", "2h");
    refused("/v1/alerts/silence", R"({"rule": "x", "for": "2h", "severity": "dire"})", "severity", "critical");
    refused("/v1/alerts/silence", R"({"subjekt": "x", "for": "2h"})", "no such key", "subject");
    refused("/v1/alerts/unsilence", "{}", "id is missing", "/v1/alerts");
}

// A loop with a book, and both sockets.
class ControlTest : public testing::Test, protected ApiScene {
protected:
    void SetUp() override {
        auto listening = listen_private(control());
        ASSERT_TRUE(listening) << listening.error().what;
        ApiOptions options;
        options.control = std::move(*listening);
        start(std::move(options));
        FindingChange change;
        change.rule = "port-slow";
        change.subject = {kPort, "mlx5_0/1"};
        change.severity = Severity::high;
        change.to = State::firing;
        change.title = "The port is slow";
        change.at = now;
        static_cast<void>(book.take(std::vector{change}, now));
        loop = std::thread([this] {
            while (!over) {
                desk.serve([this](const Order& order) { return carry_out(order, book, now); },
                           [this] {
                               return AlertsView{now, book.alerts(), book.silences(), book.refused()};
                           });
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
            desk.close();
        });
    }
    void TearDown() override {
        over = true;
        if (loop.joinable()) loop.join();
        api.reset();
    }
    [[nodiscard]] std::string control() const { return directory / "control.sock"; }
    [[nodiscard]] Answer tell(const std::string& request) const {
        const Client client(control());
        client.send(request);
        return client.receive();
    }
    [[nodiscard]] static std::string post(const std::string& path_of, const std::string& body,
                                          const std::string& type = "application/json") {
        return "POST " + path_of + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type +
               "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    [[nodiscard]] json alerts() const { return json::parse(get("/v1/alerts").body); }

    Stamp now{5'000'000'000, 1'764'547'200'000'000'000};
    AlertBook book;
    std::atomic<bool> over = false;
    std::thread loop;
};

TEST_F(ControlTest, WhatIsOrderedIsSeenInTheList) {
    json seen = alerts();
    ASSERT_EQ(seen["alerts"].size(), 1u);
    EXPECT_EQ(seen["schema_version"], 1);
    EXPECT_EQ(seen["alerts"][0]["alert"], "port-slow");
    EXPECT_EQ(seen["alerts"][0]["subject"]["name"], "mlx5_0/1");
    EXPECT_EQ(seen["alerts"][0]["acknowledged"], nullptr);
    const std::string fingerprint = seen["alerts"][0]["fingerprint"];
    const Answer ack = tell(post("/v1/alerts/ack", R"({"fingerprint": ")" + fingerprint + R"(", "comment": "seen"})"));
    ASSERT_EQ(ack.status, 200) << ack.body;
    EXPECT_EQ(json::parse(ack.body)["done"], "ack");
    const Answer silence =
        tell(post("/v1/alerts/silence", R"({"rule": "link-*", "for": "2h"})", "application/json; charset=utf-8"));
    ASSERT_EQ(silence.status, 200) << silence.body;
    EXPECT_EQ(json::parse(silence.body)["id"], "s1");
    EXPECT_EQ(json::parse(silence.body)["until"], "2025-12-01T02:00:00.000Z");
    seen = alerts();
    EXPECT_EQ(seen["alerts"][0]["acknowledged"]["by"], user_name(::geteuid()));
    EXPECT_EQ(seen["alerts"][0]["acknowledged"]["comment"], "seen");
    ASSERT_EQ(seen["silences"].size(), 1u);
    EXPECT_EQ(seen["silences"][0]["rule"], "link-*");
    EXPECT_EQ(seen["silences"][0]["severity"], nullptr);
    EXPECT_EQ(tell(post("/v1/alerts/unsilence", R"({"id": "s1"})")).status, 200);
    EXPECT_EQ(tell(post("/v1/alerts/unsilence", R"({"id": "s1"})")).status, 404);
}

TEST_F(ControlTest, TheOtherSocketStaysReadOnly) {
    EXPECT_EQ(ask(post("/v1/alerts/silence", R"({"rule": "*", "for": "2h"})")).status, 405);
    EXPECT_EQ(ask(post("/v1/alerts", "{}")).status, 405);
    EXPECT_EQ(get("/v1/alerts/silence").status, 404);
    EXPECT_EQ(get("/v1/alerts?limit=1").status, 400);
    EXPECT_TRUE(alerts()["silences"].empty());
}

TEST_F(ControlTest, ALoopThatIsStuckIsSaidToBe) {
    over = true;
    loop.join();
    const Answer question = get("/v1/alerts");
    EXPECT_EQ(question.status, 503);
    EXPECT_EQ(tell(post("/v1/alerts/unsilence", R"({"id": "s1"})")).status, 503);
    EXPECT_EQ(get("/v1/health").status, 200);
}

TEST_F(ControlTest, OnlyWhatIsAnOrderIsTaken) {
    const std::string body = R"({"rule": "x", "for": "2h"})";
    const Answer question = tell("GET /v1/alerts HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(question.status, 405);
    EXPECT_THAT(question.head, HasSubstr("Allow: POST"));
    EXPECT_EQ(tell(post("/v1/alerts/silence", body, "text/plain")).status, 415);
    EXPECT_EQ(tell(post("/v1/alerts/silence", body, "application/json5")).status, 415);
    EXPECT_EQ(tell(post("/v1/alerts/silence?for=2h", body)).status, 400);
    EXPECT_EQ(tell(post("/v1/alerts/silence", "{\"rule\": \"x\", \"for\"")).status, 400);
    EXPECT_EQ(tell(post("/v1/alerts/silense", body)).status, 404);
    EXPECT_EQ(tell(post("/v1/alerts/silence", "{\"rule\": \"" + std::string(kMostOrder, 'x') + "\"}")).status, 413);
    const std::string head = "POST /v1/alerts/silence HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    EXPECT_EQ(tell(head + "\r\n").status, 411);
    EXPECT_EQ(tell(head + "Transfer-Encoding: chunked\r\n\r\n1a\r\n" + body + "\r\n0\r\n\r\n").status, 411);
    EXPECT_EQ(tell(head + "Content-Length: -1\r\n\r\n").status / 100, 4);
    EXPECT_TRUE(alerts()["silences"].empty()) << "and nothing was done";
    // In pieces it is whole at the end.
    const Client slow(control());
    const std::string request = post("/v1/alerts/silence", body);
    slow.send(request.substr(0, request.size() - 9));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    slow.send(request.substr(request.size() - 9));
    EXPECT_EQ(slow.receive().status, 200);
}

TEST_F(ControlTest, NobodyElseMay) {
    struct stat what {};
    ASSERT_EQ(::stat(control().c_str(), &what), 0);
    EXPECT_EQ(what.st_mode & 0777u, 0600u);
    if (::geteuid() != 0) GTEST_SKIP() << "without root there is nobody else to be";
    EXPECT_TRUE(in_child([&] { return become_nobody() && !Client(control()).connected(); }));
    // Nor where somebody has opened the file to all.
    ASSERT_EQ(::chmod(control().c_str(), 0666), 0);
    EXPECT_TRUE(in_child([&] {
        if (!become_nobody()) return false;
        const Answer answer = tell(post("/v1/alerts/silence", R"({"rule": "*", "for": "2h"})"));
        return answer.status == 403 && answer.body.find("remedy") != std::string::npos;
    }));
    EXPECT_TRUE(alerts()["silences"].empty());
}

}  // namespace
}  // namespace rd::daemon
