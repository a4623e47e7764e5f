// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/queue.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <map>
#include <thread>

#include "messages.h"

namespace rd::events {
namespace {

using testing::ElementsAre;

HostEvent event_at(std::int64_t boot_ns, std::string name, std::string state = {}) {
    HostEvent event;
    event.at.boot_ns = boot_ns;
    event.name = std::move(name);
    event.subject = "mlx5_0/1";
    if (!state.empty()) event.details = {{"state", std::move(state)}};
    return event;
}

struct Scene {
    std::shared_ptr<EventQueue> queue = EventQueue::make().value();

    [[nodiscard]] bool readable() const {
        pollfd fd{queue->fd(), POLLIN, 0};
        return ::poll(&fd, 1, 0) == 1;
    }
    std::vector<std::string> drain(std::size_t most, EventSource::Left expected) const {
        std::vector<HostEvent> events;
        EXPECT_EQ(queue->drain([&](HostEvent&& event) { events.push_back(std::move(event)); }, most), expected);
        return test::lines_of(events);
    }
};

TEST(EventQueue, IsReadableWhileItHasSomething) {
    const Scene scene;
    EXPECT_FALSE(scene.readable());
    EXPECT_TRUE(scene.drain(5, EventSource::Left::nothing).empty());
    for (const char* name : {"a", "b", "c"}) scene.queue->push(event_at(0, name));
    EXPECT_TRUE(scene.readable());
    EXPECT_THAT(scene.drain(2, EventSource::Left::more), ElementsAre("a mlx5_0/1", "b mlx5_0/1"));
    EXPECT_TRUE(scene.readable());
    EXPECT_THAT(scene.drain(0, EventSource::Left::nothing), ElementsAre("c mlx5_0/1"));
    EXPECT_FALSE(scene.readable());
    scene.queue->push(event_at(0, "d"));
    EXPECT_TRUE(scene.readable());
}

TEST(EventQueue, CountsWhatSaysTheSameWithinASecond) {
    const Scene scene;
    for (int i = 0; i < 100'000; ++i) scene.queue->push(event_at(i, "GID_CHANGE"));
    scene.queue->push(event_at(1'000'000'000, "GID_CHANGE"));
    scene.queue->push(event_at(1'000'000'001, "PORT_ERR", "DOWN"));
    scene.queue->push(event_at(1'000'000'002, "PORT_ERR", "ACTIVE"));
    scene.queue->push(event_at(1'000'000'003, "PORT_ERR", "ACTIVE"));
    EXPECT_THAT(scene.drain(9, EventSource::Left::nothing),
                ElementsAre("GID_CHANGE mlx5_0/1 x100000", "GID_CHANGE mlx5_0/1", "PORT_ERR mlx5_0/1 state=DOWN",
                            "PORT_ERR mlx5_0/1 x2 state=ACTIVE"));
    scene.queue->push(event_at(1'000'000'004, "PORT_ERR", "ACTIVE"));
    EXPECT_THAT(scene.drain(9, EventSource::Left::nothing), ElementsAre("PORT_ERR mlx5_0/1 state=ACTIVE"));
}

TEST(EventQueue, StaysSmallWhenNobodyDrains) {
    const Scene scene;
    for (int i = 0; i < 50'000; ++i) scene.queue->push(event_at(i * 2'000'000'000LL, "PORT_ERR", std::to_string(i)));
    std::uint64_t rows = 0, count = 0;
    (void)scene.queue->drain(
        [&](HostEvent&& event) {
            ++rows;
            count += event.count;
        },
        100'000);
    EXPECT_EQ(rows, 4096u);
    EXPECT_EQ(count, 50'000u);
}

TEST(EventQueue, SeveralThreadsPutInWhileOneTakesOut) {
    const Scene scene;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 5'000; ++i) scene.queue->push(event_at(i, std::to_string(t * 100 + i % 7)));
        });
    }
    std::uint64_t count = 0;
    const auto take = [&] { return scene.queue->drain([&](HostEvent&& event) { count += event.count; }, 3); };
    for (int i = 0; i < 1'000; ++i) (void)take();
    for (std::thread& thread : threads) thread.join();
    while (take() == EventSource::Left::more) continue;
    EXPECT_EQ(count, 20'000u);
    EXPECT_FALSE(scene.readable());
}

}  // namespace
}  // namespace rd::events
