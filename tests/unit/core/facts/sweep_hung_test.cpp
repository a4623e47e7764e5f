// SPDX-License-Identifier: GPL-2.0-or-later
// Reads that do not come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/host/clock.h"
#include "tests/unit/core/facts/ports.h"
#include "tests/unit/support/passing_host.h"

namespace rd {
namespace {

using namespace std::chrono_literals;
using namespace ports;

// A host some of whose reads do not come back until they are let go.
class HangingHost final : public PassingHost {
public:
    using PassingHost::PassingHost;

    struct Gate {
        std::mutex mutex;
        std::condition_variable opened;
        bool open = false;
        void wait() {
            std::unique_lock lock(mutex);
            opened.wait(lock, [&] { return open; });
        }
        void let_go() {
            const std::lock_guard lock(mutex);
            open = true;
            opened.notify_all();
        }
    };
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();
    std::vector<std::string> hung;

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        const bool hangs = std::find(hung.begin(), hung.end(), name) != hung.end();
        return std::make_unique<HangingHandle>(PassingHost::open(name), hangs ? gate : nullptr);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        if (std::find(hung.begin(), hung.end(), path) != hung.end() && hang_lists) gate->wait();
        return PassingHost::list(path);
    }
    bool hang_lists = false;

private:
    class HangingHandle final : public Handle {
    public:
        HangingHandle(std::unique_ptr<Handle> inner, std::shared_ptr<Gate> gate)
            : inner_(std::move(inner)), gate_(std::move(gate)) {}
        [[nodiscard]] Result<> read(Buffer& into) override {
            if (gate_) gate_->wait();
            return inner_->read(into);
        }

    private:
        std::unique_ptr<Handle> inner_;
        std::shared_ptr<Gate> gate_;
    };
};

std::int64_t milliseconds_since(std::int64_t begin) { return (steady_ns() - begin) / 1'000'000; }

TEST(Sweep, AHungReadCostsItsDeviceAndNobodyElse) {
    auto inner = two_ports();
    inner->next_moment(1s).next_moment(1s);
    auto host = std::make_shared<HangingHost>(inner);
    host->hung = {"/ports/p1/b"};
    SweepOptions options;
    options.deadline = 400ms;
    options.stall = 50ms;
    Sweep sweep(host, kCollectors, {}, options);

    std::int64_t begin = steady_ns();
    const Snapshot first = sweep.run(Due::all);
    EXPECT_LT(milliseconds_since(begin), 1000);
    EXPECT_EQ(first.integer(port("p1"), "a"), 1);  // answered before the hang
    ASSERT_FALSE(first.get(port("p1"), "b"));
    EXPECT_EQ(first.get(port("p1"), "b").error().kind, GapClass::timed_out);
    EXPECT_EQ(first.integer(port("p2"), "b"), 20);  // stood behind it in the queue
    EXPECT_EQ(first.integer({Kind::host, ""}, "stuck_readers"), 1);
    EXPECT_TRUE(sweep.stuck());

    // While it is stuck its device is not asked again and holds nobody up.
    ASSERT_TRUE(inner->advance(1s));
    begin = steady_ns();
    const Snapshot second = sweep.run(Due::all);
    EXPECT_LT(milliseconds_since(begin), 200);
    EXPECT_EQ(second.get(port("p1"), "a").error().kind, GapClass::timed_out);
    EXPECT_EQ(second.integer(port("p2"), "a"), 2);

    // When it comes back, all is as before.
    host->gate->let_go();
    for (int i = 0; i < 100 && sweep.stuck(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(sweep.stuck());
    ASSERT_TRUE(inner->advance(1s));
    EXPECT_EQ(sweep.run(Due::all).integer(port("p1"), "b"), 10);
}

TEST(Sweep, AnAnswerThatCameTooLateIsNotTakenForTheOneBefore) {
    auto inner = two_ports();
    inner->next_moment(1s).file("/ports/p1/a", "5\n").next_moment(1s);
    auto host = std::make_shared<HangingHost>(inner);
    host->hung = {"/ports/p1/a"};
    host->gate->open = true;
    SweepOptions options;
    options.deadline = 200ms;
    options.stall = 20ms;
    Sweep sweep(host, kCollectors, {}, options);
    EXPECT_EQ(sweep.run(Due::all).integer(port("p1"), "a"), 1);

    host->gate->open = false;
    ASSERT_TRUE(inner->advance(1s));
    EXPECT_EQ(sweep.run(Due::all).get(port("p1"), "a").error().kind, GapClass::timed_out);

    host->gate->let_go();
    for (int i = 0; i < 100 && sweep.stuck(); ++i) std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(inner->advance(1s));
    EXPECT_EQ(sweep.run(Due::all).integer(port("p1"), "a"), 5);
}
TEST(Sweep, AHungDiscoveryIsAGapOfItsKindsAndIsNotRepeated) {
    auto inner = two_ports();
    inner->next_moment(1s);
    auto host = std::make_shared<HangingHost>(inner);
    host->hung = {"/ports"};
    host->hang_lists = true;
    SweepOptions options;
    options.deadline = 200ms;
    options.stall = 20ms;
    Sweep sweep(host, kCollectors, {}, options);
    const std::int64_t begin = steady_ns();
    const Snapshot snapshot = sweep.run(Due::all);
    EXPECT_LT(milliseconds_since(begin), 1000);
    ASSERT_NE(snapshot.kind_gap(Kind::port), nullptr);
    EXPECT_EQ(snapshot.kind_gap(Kind::port)->kind, GapClass::timed_out);
    EXPECT_TRUE(sweep.stuck());
    host->gate->let_go();
    for (int i = 0; i < 100 && sweep.stuck(); ++i) std::this_thread::sleep_for(10ms);

    // What it found late is taken, or a slow host would never be seen.
    ASSERT_TRUE(inner->advance(1s));
    const Snapshot after = sweep.run(Due::by_cadence);
    EXPECT_EQ(after.kind_gap(Kind::port), nullptr);
    EXPECT_EQ(after.integer(port("p1"), "a"), 1);
    EXPECT_EQ(after.integer({Kind::host, ""}, "stuck_readers"), 0);
    EXPECT_FALSE(sweep.stuck());
}

TEST(Sweep, ADiscoveryThatWasNotBegunInTimeIsAskedAgain) {
    auto inner = two_ports();
    inner->next_moment(1s);
    SweepOptions options;
    options.deadline = 0ms;
    Sweep sweep(inner, kCollectors, {}, options);
    const Snapshot first = sweep.run(Due::all);
    ASSERT_NE(first.kind_gap(Kind::port), nullptr);
    sweep.set_deadline(10s);
    ASSERT_TRUE(inner->advance(1s));
    for (int i = 0; i < 100 && sweep.stuck(); ++i) std::this_thread::sleep_for(10ms);
    const Snapshot second = sweep.run(Due::by_cadence);
    EXPECT_EQ(second.kind_gap(Kind::port), nullptr);
    EXPECT_TRUE(second.get(port("p1"), "a"));
    EXPECT_EQ(second.integer({Kind::host, ""}, "stuck_readers"), 0);
}

TEST(Sweep, DestroyedWhileAReadHangs) {
    auto host = std::make_shared<HangingHost>(two_ports());
    host->hung = {"/ports/p1/a", "/ports/p2/a"};
    auto gate = host->gate;
    {
        SweepOptions options;
        options.deadline = 500ms;
        options.stall = 10ms;
        Sweep sweep(host, kCollectors, {}, options);
        const Snapshot snapshot = sweep.run(Due::all);
        EXPECT_EQ(snapshot.integer({Kind::host, ""}, "stuck_readers"), 2);
    }
    host.reset();
    gate->let_go();
    std::this_thread::sleep_for(50ms);  // the threads come back into what they kept alive
}

}  // namespace
}  // namespace rd
