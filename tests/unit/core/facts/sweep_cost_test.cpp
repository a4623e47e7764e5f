// SPDX-License-Identifier: GPL-2.0-or-later
// What looking costs, and how a slow device is spared.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <thread>

#include "tests/unit/core/facts/ports.h"
#include "tests/unit/support/passing_host.h"

namespace rd {
namespace {

using namespace std::chrono_literals;
using namespace ports;

// A host that takes its time for some reads.
class SlowHost final : public PassingHost {
public:
    using PassingHost::PassingHost;

    std::set<std::string> slow;
    std::shared_ptr<std::map<std::string, int>> asked = std::make_shared<std::map<std::string, int>>();

    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        return std::make_unique<SlowHandle>(*this, std::string(name), PassingHost::open(name));
    }

private:
    class SlowHandle final : public Handle {
    public:
        SlowHandle(const SlowHost& host, std::string name, std::unique_ptr<Handle> inner)
            : host_(host), name_(std::move(name)), inner_(std::move(inner)) {}
        [[nodiscard]] Result<> read(Buffer& into) override {
            ++(*host_.asked)[name_];
            if (host_.slow.contains(name_)) std::this_thread::sleep_for(120ms);
            return inner_->read(into);
        }

    private:
        const SlowHost& host_;
        std::string name_;
        std::unique_ptr<Handle> inner_;
    };
};

TEST(Sweep, ADeviceThatAnswersSlowlyIsReadLessOften) {
    auto inner = two_ports();
    for (int i = 0; i < 24; ++i) inner->next_moment(1s);
    auto host = std::make_shared<SlowHost>(inner);
    host->slow = {"/ports/p1/a"};
    Sweep sweep(host, kCollectors, {}, {});
    std::optional<Snapshot> snapshot;
    for (int second = 0; second < 16; ++second) {
        snapshot = sweep.run(Due::by_cadence);
        ASSERT_TRUE(inner->advance(1s));
    }
    EXPECT_EQ((*host->asked)["/ports/p2/a"], 16);
    EXPECT_EQ((*host->asked)["/ports/p1/a"], 4);  // at 0, 2, 6 and 14 s
    EXPECT_EQ(snapshot->integer({Kind::host, ""}, "read_backoff_p1"), 16);
    EXPECT_EQ(snapshot->get({Kind::host, ""}, "read_backoff_p2").error().kind, GapClass::not_collected);
    EXPECT_EQ(snapshot->integer(port("p1"), "a"), 1);  // carried

    // Whoever asks for all gets all, and a device that has recovered is read as before, step by step.
    host->slow.clear();
    for (int i = 0; i < 4; ++i) {
        snapshot = sweep.run(Due::all);
        ASSERT_TRUE(inner->advance(1s));
    }
    EXPECT_EQ((*host->asked)["/ports/p1/a"], 8);
    EXPECT_EQ(snapshot->get({Kind::host, ""}, "read_backoff_p1").error().kind, GapClass::not_collected);
}

TEST(Sweep, AnEventDoesNotHurryADeviceThatAnswersSlowly) {
    auto inner = two_ports();
    for (int i = 0; i < 24; ++i) inner->next_moment(1s);
    auto host = std::make_shared<SlowHost>(inner);
    host->slow = {"/ports/p1/a"};
    Sweep sweep(host, kCollectors, {}, {});
    for (int second = 0; second < 16; ++second) {
        static_cast<void>(sweep.run(Due::soon));
        ASSERT_TRUE(inner->advance(1s));
    }
    EXPECT_EQ((*host->asked)["/ports/p2/a"], 16);
    EXPECT_EQ((*host->asked)["/ports/p1/a"], 4);
}

TEST(Sweep, AsksRarelyForWhatIsNotThere) {
    auto inner = two_ports();
    inner->error("/ports/p1/b", {Errc::not_supported, "/ports/p1/b: the driver lacks it", ""})
        .error("/ports/p2/b", {Errc::io, "/ports/p2/b: input/output error", ""});
    for (int i = 0; i < 10; ++i) inner->next_moment(1s);
    inner->file("/ports/p1/b", "10\n");
    auto host = std::make_shared<SlowHost>(inner);
    Sweep sweep(host, kCollectors, {}, {});
    for (int second = 0; second < 10; ++second) {
        const Snapshot snapshot = sweep.run(Due::all);
        EXPECT_EQ(snapshot.get(port("p1"), "b").error().kind, GapClass::not_offered) << second;
        ASSERT_TRUE(inner->advance(1s));
    }
    EXPECT_EQ((*host->asked)["/ports/p1/b"], 1);
    EXPECT_EQ((*host->asked)["/ports/p2/b"], 10);  // an error may pass
    EXPECT_EQ(sweep.run(Due::all).integer(port("p1"), "b"), 10);
}

TEST(Sweep, SaysWhatEachSourceCosts) {
    auto host = std::make_shared<SlowHost>(two_ports());
    host->slow = {"/ports/p1/a"};
    Sweep sweep(host, kCollectors, {}, {});
    const Snapshot snapshot = sweep.run(Due::all);
    EXPECT_EQ(snapshot.integer({Kind::host, ""}, "source_reads_ports"), 4);
    EXPECT_GE(snapshot.integer({Kind::host, ""}, "source_ns_ports").value_or(0), 120'000'000);
    EXPECT_LT(snapshot.integer({Kind::host, ""}, "source_ns_ports").value_or(0), 10'000'000'000);
    EXPECT_GT(snapshot.integer({Kind::host, ""}, "discovery_ns_ports").value_or(0), 0);
}

TEST(Sweep, SaysWhichSourceFailsAndWhichComesLate) {
    auto inner = two_ports();
    inner->error("/ports/p1/b", {Errc::not_supported, "/ports/p1/b: the driver lacks it", ""})
        .error("/ports/p2/b", {Errc::io, "/ports/p2/b: input/output error", ""});
    inner->next_moment(1s).next_moment(4s).next_moment(1s);
    Sweep sweep(inner, kCollectors, {}, {});
    const Entity host{Kind::host, ""};
    Snapshot snapshot = sweep.run(Due::by_cadence);
    EXPECT_EQ(snapshot.integer(host, "source_failed_ports"), 1);  // what is not offered has not failed
    EXPECT_EQ(snapshot.integer(host, "source_late_ns_ports"), 0);
    ASSERT_TRUE(inner->advance(1s));
    snapshot = sweep.run(Due::by_cadence);
    EXPECT_EQ(snapshot.integer(host, "source_late_ns_ports"), 0);
    ASSERT_TRUE(inner->advance(1s));
    snapshot = sweep.run(Due::by_cadence);
    EXPECT_EQ(snapshot.integer(host, "source_late_ns_ports"), 3'000'000'000);
    ASSERT_TRUE(inner->advance(1s));
    EXPECT_EQ(sweep.run(Due::by_cadence).integer(host, "source_late_ns_ports"), 0);
}

}  // namespace
}  // namespace rd
