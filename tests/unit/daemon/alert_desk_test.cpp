// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alert_desk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/host/clock.h"

namespace rd::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

AlertsView nothing() { return {}; }

Done done_with(const Order& order) {
    Done done;
    done.id = std::get<AckOrder>(order).fingerprint;
    return done;
}

TEST(AlertDesk, AnOrderIsCarriedOutOnTheLoopsThread) {
    std::atomic<int> rung = 0;
    AlertDesk desk([&] { ++rung; });
    std::thread::id carried_out_by;
    std::thread loop([&] {
        while (rung == 0) std::this_thread::sleep_for(milliseconds(1));
        desk.serve(
            [&](const Order& order) -> Result<Done> {
                carried_out_by = std::this_thread::get_id();
                return done_with(order);
            },
            nothing);
    });
    const std::thread::id loops = loop.get_id();
    const auto done = desk.order(AckOrder{"f1", "root", ""}, seconds(20));
    loop.join();
    ASSERT_TRUE(done) << done.error().what;
    EXPECT_EQ(done->id, "f1");
    EXPECT_EQ(carried_out_by, loops);
}

TEST(AlertDesk, WhatIsNotComeToInTimeIsNeverDone) {
    AlertDesk desk([] {});
    const auto late = desk.order(AckOrder{"f1", "root", ""}, milliseconds(20));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Errc::timed_out);
    EXPECT_NE(late.error().what.find("nothing is changed"), std::string::npos);
    desk.serve(
        [](const Order&) -> Result<Done> {
            ADD_FAILURE() << "it was given up";
            return Done{};
        },
        nothing);
}

TEST(AlertDesk, WhatHasBegunIsWaitedFor) {
    std::atomic<int> rung = 0;
    AlertDesk desk([&] { ++rung; });
    std::thread loop([&] {
        while (rung == 0) std::this_thread::sleep_for(milliseconds(1));
        desk.serve(
            [&](const Order& order) -> Result<Done> {
                std::this_thread::sleep_for(milliseconds(300));
                return done_with(order);
            },
            nothing);
    });
    EXPECT_TRUE(desk.order(AckOrder{"f1", "root", ""}, milliseconds(150)));
    loop.join();
}

TEST(AlertDesk, WhenTheLoopEndsNobodyWaits) {
    std::atomic<int> rung = 0;
    AlertDesk desk([&] { ++rung; });
    const std::int64_t begin = steady_ns();
    std::thread loop([&] {
        while (rung == 0) std::this_thread::sleep_for(milliseconds(1));
        desk.close();
    });
    EXPECT_FALSE(desk.order(AckOrder{"f1", "root", ""}, seconds(60)));
    loop.join();
    EXPECT_FALSE(desk.order(AckOrder{"f2", "root", ""}, seconds(60))) << "who comes later neither";
    EXPECT_LT(steady_ns() - begin, 30'000'000'000);
}

TEST(AlertDesk, WhoAsksSeesTheBookAsItIsThen) {
    std::atomic<int> rung = 0, laid_out = 0;
    std::atomic<bool> over = false;
    AlertDesk desk([&] { ++rung; });
    const auto refuse = [](const Order&) -> Result<Done> { return fail(Errc::bad_input, "none is expected"); };
    std::thread loop([&] {
        for (int seen = 0; !over;) {
            std::this_thread::sleep_for(milliseconds(1));
            if (seen == rung) continue;
            seen = rung;
            desk.serve(refuse, [&] {
                AlertsView view;
                view.refused = static_cast<std::uint64_t>(++laid_out);
                return view;
            });
        }
    });
    const auto first = desk.view(seconds(20)), second = desk.view(seconds(20));
    over = true;
    loop.join();
    ASSERT_TRUE(first && second);
    EXPECT_EQ((*first)->refused, 1u);
    EXPECT_EQ((*second)->refused, 2u) << "never one of before it asked";
    desk.serve(refuse, [&] {
        ADD_FAILURE() << "nobody asks";
        return AlertsView{};
    });
}

TEST(AlertDesk, WhoIsNotAnsweredIsToldSo) {
    AlertDesk desk([] {});
    const auto late = desk.view(milliseconds(20));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Errc::timed_out);
    desk.close();
    const std::int64_t begin = steady_ns();
    EXPECT_FALSE(desk.view(seconds(60)));
    EXPECT_LT(steady_ns() - begin, 30'000'000'000);
}

}  // namespace
}  // namespace rd::daemon
