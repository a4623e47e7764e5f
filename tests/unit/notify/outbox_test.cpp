// SPDX-License-Identifier: GPL-2.0-or-later
#include "notify/outbox.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rd::notify {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kSecond = 1'000'000'000;

std::string alert(const std::string& name, const std::string& severity = "high", bool over = false) {
    Json out;
    out["labels"] = {{"alertname", name}, {"severity", severity}};
    out["annotations"] = {{"fingerprint", name}};
    out["startsAt"] = "2026-01-01T00:00:00.000Z";
    if (over) out["endsAt"] = "2026-01-01T00:01:00.000Z";
    return out.dump();
}

std::string entry(const std::vector<std::string>& alerts, bool all = false) {
    std::string list;
    for (const std::string& one : alerts) list += (list.empty() ? "" : ",") + one;
    return R"({"at":"2026-01-01T00:02:00.000Z","all":)" + std::string(all ? "true" : "false") + ",\"alerts\":[" + list +
           "]}";
}

// "a high" for one that fires, "a high over" for one that does not.
std::vector<std::string> words(const std::optional<Outbox::Batch>& batch) {
    std::vector<std::string> out;
    if (!batch) return out;
    for (const Json& one : Json::parse(batch->body)) {
        out.push_back(one["labels"]["alertname"].get<std::string>() + " " +
                      one["labels"]["severity"].get<std::string>() + (one.contains("endsAt") ? " over" : ""));
    }
    return out;
}
using Words = std::vector<std::string>;

TEST(Outbox, SendsWhatIsNewAndRemindsOfWhatFires) {
    Outbox box(1, 60s);
    EXPECT_FALSE(box.next(0, 0));
    EXPECT_EQ(box.due(0), 60 * kSecond);
    ASSERT_TRUE(box.take("1", entry({alert("a")}), 0));
    ASSERT_TRUE(box.take("2", entry({alert("b")}), 0));
    auto batch = box.next(0, kSecond);
    EXPECT_EQ(words(batch), (Words{"a high", "b high"}));
    EXPECT_TRUE(box.delivered().empty());
    box.accepted(*batch, kSecond);
    EXPECT_EQ(box.delivered(), (Words{"1", "2"}));
    EXPECT_TRUE(box.delivered().empty());
    EXPECT_FALSE(box.next(0, 59 * kSecond));
    batch = box.next(0, 60 * kSecond);
    EXPECT_EQ(words(batch), (Words{"a high", "b high"}));
    box.accepted(*batch, 60 * kSecond);
    EXPECT_FALSE(box.next(0, 119 * kSecond));

    ASSERT_TRUE(box.take("3", entry({alert("a", "high", true)}), 100 * kSecond));
    batch = box.next(0, 100 * kSecond);
    EXPECT_EQ(words(batch), Words{"a high over"});
    box.accepted(*batch, 100 * kSecond);
    EXPECT_EQ(box.size(), 1U);
    EXPECT_EQ(words(box.next(0, 121 * kSecond)), Words{"b high"});
}

TEST(Outbox, EndsWhatStoodUnderOtherLabels) {
    Outbox box(1, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a", "medium")}), 0));
    box.accepted(box.next(0, 0).value(), 0);
    ASSERT_TRUE(box.take("2", entry({alert("a", "critical")}), 0));
    auto batch = box.next(0, 0);
    EXPECT_EQ(words(batch), (Words{"a medium over", "a critical"}));
    EXPECT_NE(batch->body.find(R"("endsAt":"2026-01-01T00:02:00.000Z")"), std::string::npos);
    box.accepted(*batch, 0);
    EXPECT_EQ(box.size(), 1U);
}

TEST(Outbox, AnEntryOfAllEndsEverythingElse) {
    Outbox box(1, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a"), alert("b")}), 0));
    box.accepted(box.next(0, 0).value(), 0);
    ASSERT_TRUE(box.take("2", entry({alert("b")}, true), 0));
    EXPECT_EQ(words(box.next(0, 0)), (Words{"a high over", "b high"}));
    ASSERT_TRUE(box.take("3", entry({}, true), 0));
    EXPECT_EQ(words(box.next(0, 0)), (Words{"a high over", "b high over"}));
}

TEST(Outbox, ADeafReceiverHoldsUpNoOther) {
    Outbox box(2, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a")}), 0));
    const auto first = box.next(0, 0), second = box.next(1, 0);
    EXPECT_EQ(words(first), words(second));
    box.accepted(*first, 0);
    EXPECT_EQ(box.delivered(), Words{"1"});
    ASSERT_TRUE(box.take("2", entry({alert("a", "high", true)}), kSecond));
    box.accepted(box.next(0, kSecond).value(), kSecond);
    EXPECT_EQ(box.size(), 1U);  // still to be told to the second
    EXPECT_EQ(words(box.next(1, 2 * kSecond)), Words{"a high over"});
    ASSERT_TRUE(box.take("3", entry({alert("b")}), 1000 * kSecond));
    box.accepted(box.next(0, 1000 * kSecond).value(), 1000 * kSecond);
    EXPECT_EQ(words(box.next(1, 1000 * kSecond)), Words{"b high"});  // an Alertmanager has forgotten it by itself
}

TEST(Outbox, KeepsEveryEntryWhileNobodyTakesAny) {
    Outbox box(2, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a", "high", true)}), 0));
    ASSERT_TRUE(box.take("2", entry({alert("b")}), 100'000 * kSecond));
    EXPECT_TRUE(box.delivered().empty());
    EXPECT_EQ(words(box.next(1, 100'000 * kSecond)), (Words{"a high over", "b high"}));
}

TEST(Outbox, FindsTheOneThatIsRefused) {
    Outbox box(1, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a"), alert("bad"), alert("c")}), 0));
    EXPECT_FALSE(box.rejected(box.next(0, 0).value(), 0));
    EXPECT_EQ(words(box.next(0, 0)), Words{"a high"});
    box.accepted(box.next(0, 0).value(), 0);
    // After one that was taken they go together again: it is refused again, and then alone.
    EXPECT_FALSE(box.rejected(box.next(0, 0).value(), 0));
    EXPECT_EQ(words(box.next(0, 0)), Words{"bad high"});
    EXPECT_TRUE(box.rejected(box.next(0, 0).value(), 0));
    EXPECT_EQ(words(box.next(0, 0)), Words{"c high"});
    box.accepted(box.next(0, 0).value(), 0);
    EXPECT_EQ(box.delivered(), Words{"1"});
}

TEST(Outbox, RemindsOfManyInParts) {
    Outbox box(1, 60s);
    std::vector<std::string> many;
    for (std::size_t i = 0; i < 2 * Outbox::kMostAtOnce + 5; ++i) many.push_back(alert("a" + std::to_string(i)));
    ASSERT_TRUE(box.take("1", entry(many), 0));
    const auto all_of_a_round = [&](std::int64_t now) {
        Words seen;
        while (auto batch = box.next(0, now)) {
            EXPECT_LE(batch->alerts, Outbox::kMostAtOnce);
            for (auto& word : words(batch)) seen.push_back(word);
            box.accepted(*batch, now);
        }
        std::ranges::sort(seen);
        EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
        return seen.size();
    };
    (void)box.next(0, 0);
    while (auto batch = box.next(0, 0)) {
        if (batch->version == 0) break;
        box.accepted(*batch, 0);
    }
    EXPECT_EQ(all_of_a_round(kSecond), many.size());
    EXPECT_EQ(all_of_a_round(2 * kSecond), 0U);
    EXPECT_EQ(all_of_a_round(62 * kSecond), many.size());
}

TEST(Outbox, RemembersWhatFiresAcrossRestarts) {
    Outbox box(1, 60s);
    ASSERT_TRUE(box.take("1", entry({alert("a"), alert("b"), alert("c", "low", true)}), 0));
    Outbox next(1, 60s);
    ASSERT_TRUE(next.recall(box.standing(), 0));
    EXPECT_EQ(words(next.next(0, 0)), (Words{"a high", "b high"}));
    ASSERT_TRUE(next.take("2", entry({alert("a", "high", true)}), 0));
    EXPECT_EQ(words(next.next(0, 0)), (Words{"b high", "a high over"}));
}

TEST(Outbox, RefusesWhatIsNoEntry) {
    Outbox box(1, 60s);
    for (const char* text :
         {"", "[]", "{}", "null", R"({"at":1,"alerts":[]})", R"({"at":"x","alerts":{}})", R"({"at":"x","alerts":[1]})",
          R"({"at":"x","alerts":[{"labels":{"a":1},"annotations":{"fingerprint":"x"},"startsAt":"x"}]})",
          R"({"at":"x","alerts":[{"labels":{"a":"1"},"annotations":{},"startsAt":"x"}]})", "\xff"}) {
        const auto taken = box.take("1", text, 0);
        ASSERT_FALSE(taken) << text;
        EXPECT_EQ(taken.error().code, Errc::bad_input);
    }
    EXPECT_FALSE(box.recall("{}", 0));
    EXPECT_FALSE(box.recall("[1]", 0));
    EXPECT_EQ(box.size(), 0U);
}

}  // namespace
}  // namespace rd::notify
