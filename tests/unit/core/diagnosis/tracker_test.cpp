// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One rule on one port, fed a state at a time.
class Fed {
public:
    explicit Fed(std::string_view hold)
        : rule_(rule_of(minimal("r", "lossless", "for='" + std::string(hold) + "'\n"))) {}

    // "quiet→firing" for each change.
    std::vector<std::string> at(int second, State state, Entity subject = kPort) {
        std::vector<Verdict> verdicts{Verdict{&rule_, std::move(subject), state, {}, stamp(second), stamp(second)}};
        return feed(second, verdicts);
    }
    std::vector<std::string> nothing(int second) {
        std::vector<Verdict> none;
        return feed(second, none);
    }
    [[nodiscard]] const Verdict& last() const { return last_; }
    [[nodiscard]] bool going_on() const {
        const auto all = tracker_.firing();
        EXPECT_EQ(!all.empty(), tracker_.fires("r", kPort));
        for (const Tracker::Firing& one : all) EXPECT_EQ(one.since.boot_ns / 1'000'000'000, since());
        return !all.empty();
    }
    [[nodiscard]] std::int64_t since() const { return tracker_.since("r", kPort).boot_ns / 1'000'000'000; }

private:
    static Stamp stamp(int second) { return {second * 1'000'000'000LL, 0}; }

    std::vector<std::string> feed(int second, std::vector<Verdict>& verdicts) {
        std::vector<std::string> out;
        for (const Tracker::Change& change : tracker_.update(verdicts, stamp(second))) {
            EXPECT_EQ(change.rule, "r");
            EXPECT_EQ(change.at, stamp(second));
            out.push_back(std::string(name_of(change.from)) + "→" + std::string(name_of(change.to)));
        }
        if (!verdicts.empty()) last_ = verdicts[0];
        return out;
    }

    Rule rule_;
    Tracker tracker_;
    Verdict last_;
};

TEST(Tracker, WithoutHoldFiresAtOnce) {
    Fed fed("0s");
    EXPECT_THAT(fed.at(1, State::quiet), IsEmpty());
    EXPECT_THAT(fed.at(2, State::firing), ElementsAre("quiet→firing"));
    EXPECT_THAT(fed.at(3, State::firing), IsEmpty());
    EXPECT_EQ(fed.last().since.boot_ns, 2'000'000'000);
    EXPECT_EQ(fed.since(), 2);
    EXPECT_THAT(fed.at(4, State::quiet), ElementsAre("firing→quiet"));
    EXPECT_EQ(fed.since(), 0);
    EXPECT_THAT(fed.at(5, State::firing), ElementsAre("quiet→firing"));
    EXPECT_EQ(fed.since(), 5);
}

TEST(Tracker, HoldMakesPendingFirst) {
    Fed fed("10s");
    EXPECT_THAT(fed.at(1, State::firing), ElementsAre("quiet→pending"));
    EXPECT_EQ(fed.last().state, State::pending);
    EXPECT_FALSE(fed.going_on());
    EXPECT_THAT(fed.at(10, State::firing), IsEmpty());
    EXPECT_THAT(fed.at(11, State::firing), ElementsAre("pending→firing"));
    EXPECT_EQ(fed.last().state, State::firing);
    EXPECT_EQ(fed.since(), 1) << "since it was first true";
    EXPECT_TRUE(fed.going_on());
    Fed brief("10s");
    EXPECT_THAT(brief.at(1, State::firing), ElementsAre("quiet→pending"));
    EXPECT_THAT(brief.at(5, State::quiet), ElementsAre("pending→quiet"));
    EXPECT_THAT(brief.at(6, State::firing), ElementsAre("quiet→pending"));
    EXPECT_THAT(brief.at(12, State::firing), IsEmpty()) << "the time starts anew";
}

TEST(Tracker, UnknownNeitherStartsNorEnds) {
    Fed fed("0s");
    EXPECT_THAT(fed.at(1, State::unknown), IsEmpty());
    EXPECT_THAT(fed.at(2, State::firing), ElementsAre("quiet→firing"));
    EXPECT_THAT(fed.at(3, State::unknown), IsEmpty());
    EXPECT_EQ(fed.since(), 2);
    EXPECT_EQ(fed.last().since.boot_ns, 2'000'000'000);
    EXPECT_TRUE(fed.going_on());
    EXPECT_THAT(fed.at(4, State::suspected), IsEmpty());
    EXPECT_TRUE(fed.going_on());
    EXPECT_THAT(fed.at(5, State::firing), IsEmpty());
    EXPECT_EQ(fed.since(), 2);
    EXPECT_THAT(fed.at(6, State::quiet), ElementsAre("firing→quiet"));
}

TEST(Tracker, Suspected) {
    Fed fed("0s");
    EXPECT_THAT(fed.at(1, State::suspected), ElementsAre("quiet→suspected"));
    EXPECT_THAT(fed.at(2, State::suspected), IsEmpty());
    EXPECT_EQ(fed.since(), 1);
    EXPECT_THAT(fed.at(3, State::firing), ElementsAre("suspected→firing"));
    EXPECT_EQ(fed.since(), 3);
    EXPECT_THAT(fed.at(4, State::quiet), ElementsAre("firing→quiet"));
}

TEST(Tracker, SubjectThatWentAway) {
    Fed fed("0s");
    EXPECT_THAT(fed.at(1, State::firing), ElementsAre("quiet→firing"));
    EXPECT_THAT(fed.at(2, State::unknown, kHost), IsEmpty()) << "the ports could not be listed";
    EXPECT_EQ(fed.since(), 1);
    EXPECT_THAT(fed.at(3, State::not_applicable, kHost), ElementsAre("firing→not_applicable"));
    EXPECT_THAT(fed.at(4, State::firing), ElementsAre("quiet→firing"));
    EXPECT_THAT(fed.nothing(5), ElementsAre("firing→not_applicable"));
}

// Port "p" and then the host, as evaluate() says it where only a part could be listed.
std::vector<std::string> in_part(Kind scope) {
    const Rule rule = rule_of(minimal("r", "true", "", name_of(scope)));
    Tracker tracker;
    const Stamp now{1, 1};
    std::vector<Verdict> first{Verdict{&rule, Entity{scope, "a"}, State::firing, {}, now, now},
                               Verdict{&rule, Entity{scope, "b"}, State::quiet, {}, now, now}};
    EXPECT_EQ(tracker.update(first, now).size(), 1u);
    std::vector<Verdict> then{Verdict{&rule, Entity{scope, "b"}, State::quiet, {}, now, now},
                              Verdict{&rule, kHost, State::unknown, {}, now, now}};
    std::vector<std::string> out;
    for (const Tracker::Change& change : tracker.update(then, now)) out.emplace_back(name_of(change.to));
    return out;
}

TEST(Tracker, OnlyAPartCouldBeListed) {
    EXPECT_THAT(in_part(Kind::port), IsEmpty()) << "not seen is not healed";
    EXPECT_THAT(in_part(Kind::process), ElementsAre("not_applicable")) << "processes end";
}

}  // namespace
}  // namespace rd::test
