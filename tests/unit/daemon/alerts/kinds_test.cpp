// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace rd::daemon {
namespace {

TEST(Kinds, NameRulesThatThereAre) {
    std::set<std::string> ids;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(RDMADOCTOR_SOURCE_DIR "/rules")) {
        ids.insert(entry.path().stem().string());
    }
    for (const RuleKind& kind : rule_kinds()) {
        EXPECT_TRUE(ids.contains(std::string(kind.rule))) << kind.rule;
        EXPECT_FALSE(ids.contains(std::string(kind.trouble)))
            << kind.trouble;  // would be one alert with another's rule
    }
    EXPECT_EQ(trouble_of("link-flap"), kLink);
    EXPECT_EQ(trouble_of("crc-errors"), "crc-errors");
}

TEST(Kinds, WhatAnEventRaisesAnotherClearsOrItExpires) {
    for (const EventKind& kind : event_kinds()) {
        if (kind.effect == EventKind::Effect::clears) continue;
        EXPECT_FALSE(kind.title.empty()) << kind.name;
        EXPECT_FALSE(kind.text.empty()) << kind.name;
        const bool cleared = std::ranges::any_of(event_kinds(), [&](const EventKind& other) {
            return other.effect == EventKind::Effect::clears && other.trouble == kind.trouble &&
                   other.sign == kind.sign;
        });
        EXPECT_TRUE(cleared) << kind.name;
    }
}

TEST(Kinds, LookAtTheDetail) {
    Happening happening;
    happening.source = "devlink";
    happening.name = "health";
    happening.details = {{"state", "healthy"}, {"errors", "1"}};
    const auto of = [&](EventKind::Effect effect) {
        return std::ranges::count_if(
            event_kinds(), [&](const EventKind& kind) { return kind.effect == effect && applies(kind, happening); });
    };
    EXPECT_EQ(of(EventKind::Effect::raises), 0);
    EXPECT_EQ(of(EventKind::Effect::clears), 1);
    happening.details[0].second = "error";
    EXPECT_EQ(of(EventKind::Effect::raises), 1);
    EXPECT_EQ(of(EventKind::Effect::clears), 0);
}

TEST(Kinds, KnowWhichEventsTellOfNothing) {
    EXPECT_TRUE(is_told_of("link", "carrier-up"));
    EXPECT_TRUE(is_told_of("verbs", "PORT_ERR"));
    EXPECT_FALSE(is_told_of("address", "added"));
    EXPECT_FALSE(is_told_of("link", "PORT_ERR"));
}

}  // namespace
}  // namespace rd::daemon
