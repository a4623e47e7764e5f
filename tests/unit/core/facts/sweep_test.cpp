// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/sweep.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "core/facts/workers.h"
#include "core/host/clock.h"
#include "tests/unit/support/fake_host.h"

namespace rd {
namespace {

using namespace std::chrono_literals;

constexpr FactSpec kPortFacts[] = {
    {Kind::port, "a", Type::integer, Nature::gauge, "", ""},
    {Kind::port, "b", Type::integer, Nature::gauge, "", ""},
    family(Kind::port, "raw_", Nature::counter, "", ""),
};
constexpr FactSpec kForeign[] = {{Kind::port, "foreign", Type::integer, Nature::gauge, "", ""}};

Entity port(const std::string& id) { return {Kind::port, id}; }

void discover_ports(const Host& host, Plan& plan) {
    plan.watch("/ports");
    const auto names = host.list("/ports");
    if (!names) {
        plan.kind_gap(Kind::port, gap_from(names.error()));
        return;
    }
    for (const std::string& name : *names) {
        plan.lane(name);
        plan.read("/ports/" + name + "/a", port(name), kPortFacts[0], as_integer);
        plan.decode("/ports/" + name + "/b", {{port(name), &kPortFacts[1]}}, [name](std::string_view text, Facts& out) {
            out.set(port(name), kPortFacts[1], as_integer(text));
            out.put(port(name), kPortFacts[2], "raw_x", std::int64_t{7});
            out.put(port(name), kForeign[0], std::int64_t{1});
        });
        plan.present(port(name));
    }
}
const Collector kPorts{"ports", kPortFacts, {}, Seconds{1}, Rediscover::on_change, discover_ports};
const Collector* const kCollectors[] = {&kPorts};

constexpr FactSpec kSumFacts[] = {{Kind::host, "sum", Type::integer, Nature::gauge, "", ""}};
constexpr FactSpec kTwiceFacts[] = {{Kind::host, "twice", Type::integer, Nature::gauge, "", ""}};
constexpr std::string_view kSumReads[] = {"port.a"};
constexpr std::string_view kTwiceReads[] = {"host.sum"};
const Derivation kTwice{"twice", kTwiceFacts, kTwiceReads, [](const Site&, Snapshot& snapshot) {
                            const auto sum = snapshot.integer({Kind::host, ""}, "sum");
                            snapshot.put({Kind::host, ""}, kTwiceFacts[0], sum.value_or(-1) * 2);
                        }};
const Derivation kSum{"sum", kSumFacts, kSumReads, [](const Site&, Snapshot& snapshot) {
                          std::int64_t sum = 0;
                          for (const Entity& entity : snapshot.entities(Kind::port)) {
                              sum += snapshot.integer(entity, "a").value_or(0);
                          }
                          snapshot.put({Kind::host, ""}, kSumFacts[0], sum);
                      }};
const Derivation* const kDerivations[] = {&kTwice, &kSum};

std::shared_ptr<FakeHost> two_ports() {
    auto host = std::make_shared<FakeHost>();
    host->file("/ports/p1/a", "1\n").file("/ports/p1/b", "10\n").file("/ports/p2/a", "2\n").file("/ports/p2/b", "20\n");
    return host;
}

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

// A host some of whose reads do not come back until they are let go.
class HangingHost final : public Host {
public:
    explicit HangingHost(std::shared_ptr<FakeHost> inner) : inner_(std::move(inner)) {}

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
        return std::make_unique<HangingHandle>(inner_->open(name), hangs ? gate : nullptr);
    }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        if (std::find(hung.begin(), hung.end(), path) != hung.end() && hang_lists) gate->wait();
        return inner_->list(path);
    }
    [[nodiscard]] Result<std::string> link(std::string_view path) const override { return inner_->link(path); }
    [[nodiscard]] Result<> write(std::string_view name, std::string_view text) override {
        return inner_->write(name, text);
    }
    [[nodiscard]] Stamp now() const override { return inner_->now(); }
    [[nodiscard]] const HostIdentity& identity() const override { return inner_->identity(); }
    [[nodiscard]] bool advance(std::chrono::nanoseconds interval) override { return inner_->advance(interval); }
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
    std::shared_ptr<FakeHost> inner_;
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

TEST(Sweep, AHungDiscoveryIsAGapOfItsKindsAndIsNotRepeated) {
    auto inner = two_ports();
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

class Count final : public Job {
public:
    explicit Count(std::atomic<int>& counter) : counter_(counter) {}
    void work() override { ++counter_; }

private:
    std::atomic<int>& counter_;
};

TEST(Workers, RunEveryJobOnceEachRound) {
    std::atomic<int> counter{0};
    std::vector<std::shared_ptr<Job>> jobs;
    for (int i = 0; i < 100; ++i) jobs.push_back(std::make_shared<Count>(counter));
    Workers workers;
    for (int round = 1; round <= 20; ++round) {
        workers.run(jobs, 5s, 1s);
        EXPECT_EQ(counter.load(), 100 * round);
        for (const auto& job : jobs) EXPECT_TRUE(job->finished());
    }
}

}  // namespace
}  // namespace rd
