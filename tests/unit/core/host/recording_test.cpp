// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/passing_host.h"

namespace rd {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

// Reading "/sys/stuck" waits until it is let go.
class StuckHost final : public PassingHost {
public:
    explicit StuckHost(FakeHost& inner)
        : PassingHost(std::shared_ptr<Host>(std::shared_ptr<Host>(), &inner)), go_(release_.get_future().share()) {}

    std::unique_ptr<Handle> open(std::string_view name) const override {
        if (name != "/sys/stuck") return PassingHost::open(name);
        return std::make_unique<StuckHandle>(PassingHost::open(name), go_, started_);
    }

    void wait_until_stuck() const { started_->get_future().wait(); }
    void let_go() { release_.set_value(); }

private:
    using Signal = std::shared_ptr<std::promise<void>>;
    class StuckHandle final : public Handle {
    public:
        StuckHandle(std::unique_ptr<Handle> inner, std::shared_future<void> go, Signal started)
            : inner_(std::move(inner)), go_(std::move(go)), started_(std::move(started)) {}
        Result<> read(Buffer& into) override {
            started_->set_value();
            go_.wait();
            return inner_->read(into);
        }

    private:
        std::unique_ptr<Handle> inner_;
        std::shared_future<void> go_;
        Signal started_;
    };

    std::promise<void> release_;
    std::shared_future<void> go_;
    Signal started_ = std::make_shared<std::promise<void>>();
};

FakeHost example() {
    FakeHost host({{"/sys/a", "1"}, {"/sys/b/c", "2"}, {"/sys/stuck", "late"}});
    host.error("kmsg", {Errc::no_privilege, "kmsg: not permitted", "run as root"})
        .link("/sys/l", "/sys/b")
        .next_moment(2s)
        .file("/sys/a", "3");
    return host;
}

TEST(Recording, PassesOnAndRemembers) {
    FakeHost inner = example();
    RecordingHost host(inner);
    EXPECT_EQ(host.read("/sys/a"), "1");
    EXPECT_FALSE(host.read("kmsg"));
    EXPECT_THAT(*host.list("/sys/b"), ElementsAre("c"));
    EXPECT_FALSE(host.list("/sys/none"));
    EXPECT_EQ(host.link("/sys/l"), "/sys/b");
    EXPECT_EQ(host.write("/sys/a", "9").error().code, Errc::not_supported);
    EXPECT_THAT(inner.writes(), testing::IsEmpty());

    const Bundle bundle = host.bundle();
    EXPECT_EQ(bundle.identity.hostname, "fake");
    ASSERT_EQ(bundle.moments.size(), 1U);
    const Moment& moment = bundle.moments.front();
    EXPECT_EQ(moment.stamp, inner.now());
    EXPECT_EQ(moment.reads.size(), 2U);
    EXPECT_EQ(moment.reads.at("/sys/a"), "1");
    EXPECT_EQ(moment.reads.at("kmsg").error().remedy, "run as root");
    EXPECT_EQ(moment.lists.size(), 2U);
    EXPECT_EQ(moment.lists.at("/sys/none").error().code, Errc::not_collected);
    EXPECT_EQ(moment.links.at("/sys/l"), "/sys/b");
}

TEST(Recording, OpeningAloneIsNotReading) {
    FakeHost inner = example();
    RecordingHost host(inner);
    const auto handle = host.open("/sys/a");
    EXPECT_TRUE(host.bundle().moments.front().reads.empty());
}

TEST(Recording, KeepsMomentsApart) {
    FakeHost inner = example();
    RecordingHost host(inner);
    const auto handle = host.open("/sys/a");
    Buffer buffer;
    ASSERT_TRUE(handle->read(buffer));
    EXPECT_EQ(host.read("/sys/b/c"), "2");
    ASSERT_TRUE(host.advance(2s));
    ASSERT_TRUE(handle->read(buffer));
    EXPECT_FALSE(host.advance(2s));
    const Bundle bundle = host.bundle();
    ASSERT_EQ(bundle.moments.size(), 2U);
    EXPECT_EQ(bundle.moments[0].reads.at("/sys/a"), "1");
    EXPECT_EQ(bundle.moments[1].reads.at("/sys/a"), "3");
    // Not asked in the second moment: there is no value of it for that time.
    EXPECT_FALSE(bundle.moments[1].reads.contains("/sys/b/c"));
    EXPECT_EQ(bundle.moments[1].stamp.boot_ns - bundle.moments[0].stamp.boot_ns, 2'000'000'000);
}

TEST(Recording, AReadThatHangsIsRecordedAsTimedOut) {
    FakeHost fake = example();
    StuckHost inner(fake);
    auto host = std::make_unique<RecordingHost>(inner);
    std::jthread lane([handle = std::shared_ptr(host->open("/sys/stuck"))] {
        Buffer buffer;
        EXPECT_TRUE(handle->read(buffer));
    });
    inner.wait_until_stuck();
    EXPECT_EQ(host->read("/sys/a"), "1");
    ASSERT_TRUE(host->advance(2s));
    const Bundle bundle = host->bundle();
    for (const Moment& moment : bundle.moments) EXPECT_EQ(moment.reads.at("/sys/stuck").error().code, Errc::timed_out);
    host.reset();  // the lane comes back later than the recording lives
    inner.let_go();
}

TEST(Recording, ALateAnswerBelongsToTheMomentInWhichItCame) {
    FakeHost fake = example();
    StuckHost inner(fake);
    RecordingHost host(inner);
    std::jthread lane([handle = std::shared_ptr(host.open("/sys/stuck"))] {
        Buffer buffer;
        EXPECT_TRUE(handle->read(buffer));
    });
    inner.wait_until_stuck();
    ASSERT_TRUE(host.advance(2s));
    inner.let_go();
    lane.join();
    const Bundle bundle = host.bundle();
    EXPECT_EQ(bundle.moments[0].reads.at("/sys/stuck").error().code, Errc::timed_out);
    EXPECT_EQ(bundle.moments[1].reads.at("/sys/stuck"), "late");
}

TEST(Recording, TakesSeveralLanesAtOnce) {
    FakeHost inner({{"/sys/0", "0"}, {"/sys/1", "1"}, {"/sys/2", "2"}, {"/sys/3", "3"}});
    RecordingHost host(inner);
    {
        std::vector<std::jthread> lanes;
        for (int lane = 0; lane < 4; ++lane) {
            lanes.emplace_back([&host, lane] {
                for (int i = 0; i < 200; ++i) {
                    EXPECT_EQ(host.read("/sys/" + std::to_string((lane + i) % 4)), std::to_string((lane + i) % 4));
                    EXPECT_TRUE(host.list("/sys"));
                    if (i % 50 == 0) {
                        EXPECT_EQ(host.bundle().moments.size(), 1U);
                    }
                }
            });
        }
    }
    EXPECT_EQ(host.bundle().moments.front().reads.size(), 4U);
}

}  // namespace
}  // namespace rd
