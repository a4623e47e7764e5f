// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/inbox_source.h"

#include <gmock/gmock.h>

#include "messages.h"

namespace rd::events {
namespace {

using test::bytes_of;
using test::FakeInbox;
using testing::ElementsAre;
using testing::IsEmpty;
using Got = Inbox::Got;

// A message is as many events as it has letters; "!" makes no sense.
class Letters final : public Decoder {
public:
    explicit Letters(int& resyncs, bool& broken) : resyncs_(resyncs), broken_(broken) {}
    Result<> take(Bytes message, Events& out) override {
        for (const std::byte each : message) {
            if (each == std::byte{'!'}) return fail(Errc::bad_input, "letters: '!'");
            HostEvent event;
            event.name = std::string(1, static_cast<char>(each));
            out.push_back(event);
        }
        return {};
    }
    Result<> resync(Events& out) override {
        ++resyncs_;
        if (broken_) return fail(Errc::timed_out, "letters: no answer");
        HostEvent event;
        event.name = "changed";
        event.source = "own";
        out.push_back(event);
        return {};
    }

private:
    int& resyncs_;
    bool& broken_;
};

struct Scene {
    std::deque<FakeInbox::Step> steps;
    std::int64_t now = 0;
    int resyncs = 0;
    bool broken = false;
    std::vector<HostEvent> events;
    std::unique_ptr<EventSource> source = inbox_source(
        {"letters", std::make_unique<FakeInbox>(steps), std::make_unique<Letters>(resyncs, broken), [this] {
             return Stamp{now, 0};
         }});

    void put(std::string_view text) { steps.push_back({Got::message, bytes_of(text), {}, {}}); }
    void overrun(std::optional<std::uint64_t> lost = {}) { steps.push_back({Got::overrun, {}, lost, {}}); }
    std::vector<std::string> drain(std::size_t most, EventSource::Left expected) {
        events.clear();
        const auto left = source->drain([this](HostEvent&& event) { events.push_back(std::move(event)); }, most);
        EXPECT_TRUE(left);
        EXPECT_EQ(left.value_or(EventSource::Left::more), expected);
        return test::lines_of(events);
    }
};

TEST(InboxSource, GivesWhatThereIsWithItsSourceAndTime) {
    Scene scene;
    scene.put("ab");
    scene.now = 42;
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), ElementsAre("a ", "b "));
    EXPECT_EQ(scene.events[0].source, "letters");
    EXPECT_EQ(scene.events[0].at.boot_ns, 42);
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), IsEmpty());
}

TEST(InboxSource, HandsOverNoMoreThanAskedForAndSaysThatThereIsMore) {
    Scene scene;
    scene.put("abc");
    scene.put("d");
    EXPECT_THAT(scene.drain(2, EventSource::Left::more), ElementsAre("a ", "b "));
    EXPECT_THAT(scene.drain(0, EventSource::Left::more), ElementsAre("c "));
    EXPECT_THAT(scene.drain(2, EventSource::Left::nothing), ElementsAre("d "));
}

TEST(InboxSource, LooksAtABoundedNumberOfMessagesThatSayNothing) {
    Scene scene;
    for (std::size_t i = 0; i < 2 * kMostMessages; ++i) scene.put("");
    EXPECT_THAT(scene.drain(10, EventSource::Left::more), IsEmpty());
    EXPECT_EQ(scene.steps.size(), kMostMessages);
}

TEST(InboxSource, WhatMakesNoSenseIsAnEventAndNotTheEnd) {
    Scene scene;
    scene.put("a!");
    scene.put("b");
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing),
                ElementsAre("a ", "unreadable  class=bad_input reason=letters: '!'", "b "));
}

TEST(InboxSource, AfterAnOverrunTheRestIsReadBeforeComparing) {
    Scene scene;
    scene.overrun(17);
    scene.put("a");
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing),
                ElementsAre("overrun  lost=17", "a ", "changed  found_by=dump"));
    EXPECT_EQ(scene.events[2].source, "own");
    EXPECT_EQ(scene.resyncs, 1);
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), IsEmpty());
    EXPECT_EQ(scene.resyncs, 1);
}

TEST(InboxSource, AFloodDoesNotPutOffComparingForEver) {
    Scene scene;
    scene.overrun();
    for (const char* text : {"a", "b", "c", "d", "e"}) scene.put(text);
    EXPECT_THAT(scene.drain(2, EventSource::Left::more), ElementsAre("overrun ", "a "));
    scene.now = 1'000'000'000;
    EXPECT_THAT(scene.drain(3, EventSource::Left::more), ElementsAre("b ", "c ", "changed  found_by=dump"));
    EXPECT_FALSE(scene.steps.empty());
}

TEST(InboxSource, AComparisonThatFailedIsTriedAgainWithTheNextMessage) {
    Scene scene;
    scene.broken = true;
    scene.overrun();
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing),
                ElementsAre("overrun ", "unreadable  class=timed_out reason=letters: no answer"));
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), IsEmpty());
    EXPECT_EQ(scene.resyncs, 1);
    scene.broken = false;
    scene.put("a");
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), ElementsAre("a ", "changed  found_by=dump"));
    scene.put("b");
    EXPECT_THAT(scene.drain(10, EventSource::Left::nothing), ElementsAre("b "));
}

TEST(InboxSource, AnErrorOfTheInboxEndsIt) {
    Scene scene;
    scene.steps.push_back({Got::nothing, {}, {}, Error{Errc::io, "socket: broken", {}}});
    const auto left = scene.source->drain([](HostEvent&&) {}, 10);
    ASSERT_FALSE(left);
    EXPECT_EQ(left.error().what, "socket: broken");
}

TEST(HostEvent, Detail) {
    HostEvent event;
    event.details = {{"a", "1"}, {"a", "2"}, {"b", ""}};
    EXPECT_EQ(event.detail("a"), "1");
    EXPECT_EQ(event.detail("c"), "");
}

}  // namespace
}  // namespace rd::events
