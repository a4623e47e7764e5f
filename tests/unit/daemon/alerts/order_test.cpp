// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/daemon/alerts/story.h"

namespace rd::daemon {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

SilenceOrder silence_of(std::string rule, std::chrono::nanoseconds lasts) {
    SilenceOrder order;
    order.silence.rule = std::move(rule);
    order.silence.by = "alice (root)";
    order.silence.comment = "the cable is changed";
    order.lasts = lasts;
    return order;
}

TEST(Order, AnAcknowledgementIsToldAndSigned) {
    Story story;
    story.at(1).begins("port-slow", kPort);
    const std::string fingerprint = story.last.alert.fingerprint;
    const auto done = carry_out(AckOrder{fingerprint, "alice (root)", "seen"}, story.book, story.now());
    ASSERT_TRUE(done) << done.error().what;
    EXPECT_EQ(done->id, fingerprint);
    ASSERT_EQ(done->actions.size(), 1u);
    EXPECT_EQ(done->actions[0].reason, Reason::acknowledged);
    EXPECT_EQ(story.book.alerts()[0].acknowledged->by, "alice (root)");
    EXPECT_EQ(done->note, "alert " + fingerprint + " is acknowledged by alice (root): seen");
    const auto none = carry_out(AckOrder{"0000", "root", ""}, story.book, story.now());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::not_found);
    EXPECT_EQ(none.error().remedy, "see: rdmadoctor alerts list");
}

TEST(Order, ASilenceEndsByItselfAndSurvivesARestart) {
    Story story;
    story.at(1);
    const auto done = carry_out(silence_of("port-*", hours(2)), story.book, story.now());
    ASSERT_TRUE(done) << done.error().what;
    EXPECT_EQ(done->id, "s1");
    EXPECT_EQ(done->until_ns, Story::stamp(1 + 7200).wall_ns);
    EXPECT_THAT(done->note, HasSubstr("rule port-* is silenced by alice (root): the cable is changed"));
    const std::string saved = story.book.save("boot", story.now());
    Story later;
    ASSERT_TRUE(later.book.restore(saved, "boot", Story::stamp(60)));
    ASSERT_EQ(later.book.silences().size(), 1u);
    EXPECT_EQ(later.book.silences()[0].by, "alice (root)");
    EXPECT_EQ(later.book.silences()[0].comment, "the cable is changed");
    later.at(100).begins("port-slow", kPort);
    EXPECT_TRUE(later.take_said().empty());
    later.at(7202);
    EXPECT_EQ(later.take_said(), (std::vector<std::string>{"raise port-slow mlx5_0/1"}));
    EXPECT_TRUE(later.book.silences().empty());
}

TEST(Order, ASilenceIsEndedByItsId) {
    Story story;
    story.at(1);
    ASSERT_TRUE(carry_out(silence_of("port-*", hours(2)), story.book, story.now()));
    story.at(2).begins("port-slow", kPort);
    story.at(3);
    const auto done = carry_out(UnsilenceOrder{"s1", "root"}, story.book, story.now());
    ASSERT_TRUE(done);
    ASSERT_EQ(done->actions.size(), 1u) << "what is there then is raised";
    EXPECT_EQ(done->actions[0].deed, Deed::raise);
    EXPECT_FALSE(carry_out(UnsilenceOrder{"s1", "root"}, story.book, story.now()));
}

TEST(Order, NothingIsSilencedForEverOrWithoutAName) {
    Story story;
    story.at(1);
    EXPECT_FALSE(carry_out(silence_of("", hours(2)), story.book, story.now()));
    EXPECT_FALSE(carry_out(silence_of("port-*", kLongestSilence + hours(1)), story.book, story.now()));
    EXPECT_FALSE(carry_out(silence_of("port-*", hours(0)), story.book, story.now()));
    EXPECT_TRUE(carry_out(silence_of("port-*", kLongestSilence), story.book, story.now()));
    EXPECT_EQ(story.book.silences().size(), 1u);
}

}  // namespace
}  // namespace rd::daemon
