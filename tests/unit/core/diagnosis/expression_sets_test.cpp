// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace rd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Entity priority(int number) { return {Kind::priority, "n/" + std::to_string(number)}; }

// Priorities of kNetdev, one a letter: y PFC on, n off, u unknown; and one with PFC on that belongs to another netdev.
World priorities(std::string_view states) {
    World world;
    world.number(kNetdev, "mtu", 1500).number(Entity{Kind::netdev, "other"}, "mtu", 9000);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const Entity entity = priority(static_cast<int>(i));
        world.put(entity, "netdev", kNetdev);
        if (states[i] == 'u') {
            world.gap(entity, "pfc_enabled", GapClass::timed_out);
        } else {
            world.put(entity, "pfc_enabled", states[i] == 'y');
        }
    }
    const Entity foreign{Kind::priority, "other/0"};
    world.put(foreign, "netdev", Entity{Kind::netdev, "other"}).put(foreign, "pfc_enabled", true);
    return world;
}

TEST(Sets, Kleene) {
    struct Case {
        std::string_view states;
        Truth any, all, more_than_one;
    };
    const Case cases[] = {
        {"", Truth::no, Truth::yes, Truth::no},
        {"y", Truth::yes, Truth::yes, Truth::no},
        {"n", Truth::no, Truth::no, Truth::no},
        {"u", Truth::unknown, Truth::unknown, Truth::unknown},
        {"yn", Truth::yes, Truth::no, Truth::no},
        {"yu", Truth::yes, Truth::unknown, Truth::unknown},
        {"nu", Truth::unknown, Truth::no, Truth::unknown},
        {"yy", Truth::yes, Truth::yes, Truth::yes},
        {"yyu", Truth::yes, Truth::unknown, Truth::yes},
    };
    for (const Case& one : cases) {
        World world = priorities(one.states);
        world.sweep();
        EXPECT_EQ(truth("any(priority, pfc_enabled)", world, kNetdev), one.any) << one.states;
        EXPECT_EQ(truth("all(priority, pfc_enabled)", world, kNetdev), one.all) << one.states;
        EXPECT_EQ(truth("count(priority, pfc_enabled) > 1", world, kNetdev), one.more_than_one) << one.states;
        EXPECT_EQ(truth("count(priority) == $n", world, kNetdev, {{"n", static_cast<std::int64_t>(one.states.size())}}),
                  Truth::yes);
        EXPECT_EQ(
            truth("count(priority) == $n", world, kHost, {{"n", static_cast<std::int64_t>(one.states.size() + 1)}}),
            Truth::yes);
    }
}

TEST(Sets, EvidenceIsOfThoseThatDecide) {
    World world = priorities("yny");
    world.sweep();
    const auto ids = [](const Outcome& outcome) {
        std::vector<std::string> out;
        for (const Evidence& one : outcome.evidence) out.push_back(one.entity.id);
        return out;
    };
    EXPECT_THAT(ids(outcome("any(priority, pfc_enabled)", world, kNetdev)), ElementsAre("n/0", "n/2"));
    EXPECT_THAT(ids(outcome("all(priority, pfc_enabled)", world, kNetdev)), ElementsAre("n/1"));
    EXPECT_THAT(ids(outcome("any(priority, netdev.mtu > 9000)", world, kNetdev)), ElementsAre("n"));
    EXPECT_THAT(ids(outcome("all(priority, pfc_enabled or not pfc_enabled)", world, kNetdev)),
                ElementsAre("n/0", "n/1", "n/2"));
    const Outcome counted = outcome("count(priority, pfc_enabled) == 2", world, kNetdev);
    EXPECT_THAT(ids(counted), ElementsAre("n", "n/0", "n/2"));
    EXPECT_EQ(counted.evidence[0].how, "count");
    EXPECT_EQ(counted.evidence[0].fact, "priority");
    EXPECT_EQ(counted.evidence[0].reading, Reading(Value(std::int64_t{2})));
    const Outcome unknown = outcome("any(priority, increase(pauses, 5s) > 0) or count(priority, pfc_enabled) > 7",
                                    priorities("u").sweep(), kNetdev);
    EXPECT_EQ(unknown.truth, Truth::unknown);
}

TEST(Sets, MissingIsOfThoseInDoubt) {
    World world = priorities("nu");
    world.sweep();
    const Outcome any = outcome("any(priority, pfc_enabled)", world, kNetdev);
    ASSERT_THAT(names(any.missing), ElementsAre("priority.pfc_enabled"));
    EXPECT_EQ(any.missing[0].entity, priority(1));
    const Outcome count = outcome("count(priority, pfc_enabled) > 0", world, kNetdev);
    ASSERT_THAT(names(count.missing), ElementsAre("priority.pfc_enabled"));
    EXPECT_EQ(count.missing[0].gap.kind, GapClass::timed_out);
}

TEST(Sets, KindThatCouldNotBeListed) {
    World none;
    none.number(kNetdev, "mtu", 1).kind_gap(Kind::priority, GapClass::no_privilege).sweep();
    for (const std::string_view text :
         {"any(priority, pfc_enabled)", "all(priority, pfc_enabled)", "count(priority) > 0", "count(priority) < 5"}) {
        const Outcome result = outcome(text, none, kNetdev);
        EXPECT_EQ(result.truth, Truth::unknown) << text;
        ASSERT_THAT(names(result.missing), ElementsAre("host.priority")) << text;
        EXPECT_EQ(result.missing[0].gap.kind, GapClass::no_privilege);
    }
    World some = priorities("yn");
    some.kind_gap(Kind::priority, GapClass::no_privilege).sweep();
    EXPECT_EQ(truth("any(priority, pfc_enabled)", some, kNetdev), Truth::yes);
    EXPECT_EQ(truth("all(priority, pfc_enabled)", some, kNetdev), Truth::no);
    EXPECT_EQ(truth("count(priority) > 1", some, kNetdev), Truth::yes);
    EXPECT_EQ(truth("count(priority) > 2", some, kNetdev), Truth::unknown);
}

TEST(Sets, ReferenceInDoubt) {
    World world;
    const Entity process{Kind::process, "1"};
    world.text(kDevice, "name", "d")
        .gap(process, "device", GapClass::no_privilege)
        .number(process, "pinned", 5)
        .sweep();
    const Outcome maybe = outcome("any(process, pinned > 1)", world, kDevice);
    EXPECT_EQ(maybe.truth, Truth::unknown);
    EXPECT_THAT(names(maybe.missing), ElementsAre("process.device"));
    EXPECT_EQ(truth("any(process, pinned > 9)", world, kDevice), Truth::no) << "wherever it refers to";
    EXPECT_EQ(truth("all(process, pinned > 1)", world, kDevice), Truth::yes) << "wherever it refers to";
    EXPECT_EQ(truth("all(process, pinned > 9)", world, kDevice), Truth::unknown);
    EXPECT_EQ(truth("any(process, pinned > 1)", world, kHost), Truth::yes);
    World none;
    none.text(kDevice, "name", "d").gap(process, "device", GapClass::not_offered).number(process, "pinned", 5).sweep();
    EXPECT_EQ(truth("any(process, pinned > 1)", none, kDevice), Truth::no) << "not offered refers to nothing";
}

TEST(Sets, Nested) {
    World world = priorities("y");
    world.put(kNetdev, "pci", kPci).number(kPci, "flags", 1).sweep();
    EXPECT_EQ(truth("any(netdev, any(priority, pfc_enabled))", world, kPci), Truth::yes);
    EXPECT_EQ(truth("any(netdev, count(priority, not pfc_enabled) > 0)", world, kPci), Truth::no);
}

TEST(Sets, EvidenceIsBounded) {
    World world;
    for (int i = 0; i < 1000; ++i) world.number(Entity{Kind::process, std::to_string(i)}, "pinned", i);
    world.sweep();
    EXPECT_LE(outcome("any(process, pinned > 1000)", world, kHost).evidence.size(), 256u);
    EXPECT_EQ(truth("count(process, pinned >= 0) == 1000", world, kHost), Truth::yes);
}

}  // namespace
}  // namespace rd::test
