// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/sweep.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "tests/unit/core/facts/ports.h"

namespace rd {
namespace {

using namespace std::chrono_literals;
using namespace ports;

TEST(Sweep, ReadsDecodesAndDerivesInOrder) {
    Sweep sweep(two_ports(), kCollectors, kDerivations, {});
    const Snapshot snapshot = sweep.run(Due::all);
    EXPECT_EQ(snapshot.integer(port("p1"), "a"), 1);
    EXPECT_EQ(snapshot.integer(port("p2"), "b"), 20);
    EXPECT_EQ(snapshot.integer(port("p1"), "raw_x"), 7);
    EXPECT_EQ(snapshot.integer({Kind::host, ""}, "twice"), 6);
    EXPECT_EQ(snapshot.integer({Kind::host, ""}, "sweep_reads"), 4);
    EXPECT_FALSE(sweep.stuck());
}

TEST(Sweep, ACollectorMayPutOnlyWhatItDeclares) {
    Sweep sweep(two_ports(), kCollectors, {}, {});
    EXPECT_FALSE(sweep.run(Due::all).integer(port("p1"), "foreign"));
}

TEST(Sweep, OneBadFileHidesNoOther) {
    auto host = two_ports();
    host->file("/ports/p1/a", "garbage")
        .error("/ports/p2/b", {Errc::no_privilege, "/ports/p2/b: denied", "run as root"});
    Sweep sweep(host, kCollectors, {}, {});
    const Snapshot snapshot = sweep.run(Due::all);
    EXPECT_EQ(snapshot.integer(port("p1"), "b"), 10);
    EXPECT_EQ(snapshot.integer(port("p2"), "a"), 2);
    const Reading& garbage = snapshot.get(port("p1"), "a");
    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().kind, GapClass::error);
    EXPECT_NE(garbage.error().reason.find("/ports/p1/a"), std::string::npos);
    const Reading& denied = snapshot.get(port("p2"), "b");
    ASSERT_FALSE(denied);
    EXPECT_EQ(denied.error(), (Gap{GapClass::no_privilege, "/ports/p2/b: denied", "run as root"}));
    EXPECT_EQ(snapshot.integer({Kind::host, ""}, "sweep_failed"), 2);
}

TEST(Sweep, AKindThatCannotBeListedIsUnknownNotEmpty) {
    auto host = std::make_shared<FakeHost>();
    host->error("/ports", {Errc::no_privilege, "/ports: denied", ""});
    Sweep sweep(host, kCollectors, {}, {});
    const Snapshot snapshot = sweep.run(Due::all);
    ASSERT_NE(snapshot.kind_gap(Kind::port), nullptr);
    EXPECT_EQ(snapshot.kind_gap(Kind::port)->kind, GapClass::no_privilege);
}

TEST(Sweep, WhatVanishesAndAppearsIsSeenThroughTheWatchedListing) {
    auto host = two_ports();
    host->next_moment(1s).gone("/ports/p2").file("/ports/p3/a", "3\n").file("/ports/p3/b", "30\n");
    Sweep sweep(host, kCollectors, {}, {});
    const Snapshot before = sweep.run(Due::all);
    ASSERT_TRUE(host->advance(1s));
    const Snapshot after = sweep.run(Due::all);
    EXPECT_TRUE(before.has(port("p2")));
    EXPECT_FALSE(after.has(port("p2")));
    EXPECT_TRUE(after.has(port("p3")));
    EXPECT_EQ(after.integer(port("p3"), "a"), 3);
    EXPECT_EQ(after.entities(Kind::port).size(), 2u);
}

TEST(Sweep, WhatIsNotDueIsCarriedAndNotCountedAgain) {
    auto host = two_ports();
    host->next_moment(10ms).file("/ports/p1/a", "9\n");
    Sweep sweep(host, kCollectors, {}, {});
    (void)sweep.run(Due::by_cadence);
    ASSERT_TRUE(host->advance(0s));
    const Snapshot snapshot = sweep.run(Due::by_cadence);
    EXPECT_EQ(snapshot.integer(port("p1"), "a"), 1);  // ten milliseconds after a read that is due every second
    EXPECT_FALSE(snapshot.fresh(*snapshot.layout().find(*snapshot.layout().find(port("p1")), "a")));
    EXPECT_TRUE(snapshot.has(port("p1")));
}

TEST(Sweep, ASweepThatComesALittleEarlyReadsAllTheSame) {
    auto host = two_ports();
    host->next_moment(998ms).file("/ports/p1/a", "9\n");
    Sweep sweep(host, kCollectors, {}, {});
    (void)sweep.run(Due::by_cadence);
    ASSERT_TRUE(host->advance(0s));
    EXPECT_EQ(sweep.run(Due::by_cadence).integer(port("p1"), "a"), 9);
}

// What a sweep says without what it says of itself.
std::string print_ports(const Snapshot& snapshot) {
    std::istringstream lines(print(snapshot));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("host host ") || line.starts_with("host host sum") ||
            line.starts_with("host host twice")) {
            text += line + "\n";
        }
    }
    return text;
}

// A sweep leaves out what it knows to be unchanged. That must not show: at each moment it says what a sweep that has never looked
// before says, and what it said earlier stays.
TEST(Sweep, SaysAtEachMomentWhatAFirstLookWouldSay) {
    constexpr int kMoments = 300;
    std::mt19937 random(7);
    const auto one_of = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); };
    auto host = two_ports();
    const std::string names[] = {"/ports/p1/a", "/ports/p1/b", "/ports/p2/a", "/ports/p2/b"};
    for (int moment = 1; moment < kMoments; ++moment) {
        host->next_moment(1500ms);
        for (const std::string& name : names) {
            switch (one_of(9)) {
                case 0:
                    host->file(name, std::to_string(one_of(3)) + "\n");
                    break;
                case 1:
                    host->file(name, std::string(30, ' ') + std::to_string(one_of(3)) + "\n");
                    break;
                case 2:
                    host->file(name, one_of(2) == 0 ? "garbage" : "rubbish");
                    break;
                case 3:
                    host->error(name, {Errc::io, name + (one_of(2) == 0 ? ": broken" : ": torn"), {}});
                    break;
                case 4:
                    host->file(name, "");
                    break;
                default:
                    break;
            }
        }
    }
    Sweep sweep(host, kCollectors, kDerivations, {});
    std::vector<std::pair<Snapshot, std::string>> held;
    for (int moment = 0; moment < kMoments; ++moment) {
        const Snapshot snapshot = sweep.run(one_of(2) == 0 ? Due::all : Due::by_cadence);
        ASSERT_EQ(print_ports(snapshot), print_ports(Sweep(host, kCollectors, kDerivations, {}).run(Due::all)))
            << moment;
        if (one_of(5) == 0) held.emplace_back(snapshot, print(snapshot));
        static_cast<void>(host->advance(0s));
    }
    ASSERT_GT(held.size(), 20u);
    for (const auto& [snapshot, text] : held) EXPECT_EQ(print(snapshot), text);
}

}  // namespace
}  // namespace rd
