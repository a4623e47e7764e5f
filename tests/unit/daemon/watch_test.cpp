// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/watch.h"

#include <future>
#include <mutex>

#include "daemon/recorder.h"
#include "tests/unit/daemon/watch_scene.h"

namespace rd::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(WatchTest, WhatIsFoundIsToldOnceAndKept) {
    watch("made-cx7x8-training-degraded");
    const auto told = look(5);
    EXPECT_THAT(told, testing::Contains("+pcie-link-width-degraded"));
    for (const std::string& one : told) EXPECT_EQ(std::count(told.begin(), told.end(), one) > 40, false) << one;
    const auto findings = kept();
    EXPECT_EQ(std::int64_t(findings.size()),
              std::count_if(told.begin(), told.end(), [](const auto& one) { return one[0] == '+'; }));
    for (const store::FindingSpan& one : findings) {
        EXPECT_THAT(one.text, Not(IsEmpty())) << one.rule;
        EXPECT_THAT(one.rulebook, HasSubstr(book().hash));
    }
}

TEST_F(WatchTest, AHealthyHostHasNoFinding) {
    watch("made-cx7x8-training-healthy");
    EXPECT_THAT(look(5), IsEmpty());
    EXPECT_THAT(last.notes, IsEmpty());
    EXPECT_EQ(subject->frame()->health.sweeps, 5u);
}

TEST_F(WatchTest, SaysWhatStandsWhenItIsKnownAndNowAndAgain) {
    watch("made-cx7x8-training-degraded");
    look(2);
    EXPECT_FALSE(last.standing);
    look(1);
    ASSERT_TRUE(last.standing);
    const Standing& standing = *last.standing;
    const auto frame = subject->frame();
    for (const Finding& one : frame->report.findings)
        EXPECT_TRUE(standing.findings.contains({one.rule, one.subject.entity})) << one.rule;
    for (const Unknown& one : frame->report.unknown)
        EXPECT_TRUE(standing.findings.contains({one.rule, one.subject.entity})) << one.rule;
    const auto of = [&](std::string_view label) {
        return std::find_if(frame->entities.begin(), frame->entities.end(),
                            [&](const FrameEntity& one) { return one.label == label; })
            ->entity;
    };
    EXPECT_TRUE(standing.up.contains(of("mlx5_0/1")));
    EXPECT_FALSE(standing.findings.contains({"pcie-link-width-degraded", of("mlx5_0/1")})) << "it is of a function";
    EXPECT_LE(standing.at.boot_ns, frame->at.boot_ns);
    look(56);
    EXPECT_FALSE(last.standing);
    look(1);
    EXPECT_TRUE(last.standing);
}

TEST_F(WatchTest, AFrameHasWhatTheLastSweepSaw) {
    watch("made-cx7x8-training-degraded");
    look(3);
    const auto frame = subject->frame();
    const auto port = std::find_if(frame->entities.begin(), frame->entities.end(),
                                   [](const FrameEntity& one) { return one.label == "mlx5_0/1"; });
    ASSERT_NE(port, frame->entities.end());
    const auto state = std::find_if(frame->facts.begin(), frame->facts.end(), [&](const FrameFact& one) {
        return one.entity == port->entity && one.name == "state";
    });
    ASSERT_NE(state, frame->facts.end());
    EXPECT_EQ(state->reading, Reading(Value(std::string("ACTIVE"))));
    EXPECT_FALSE(frame->report.findings.empty());
    EXPECT_EQ(frame->health.store_trouble, "");
}

TEST_F(WatchTest, AnEventIsNamedAndKeptWithItsCount) {
    watch("made-cx7x8-training-degraded");
    look(3);
    FoldedEvent folded = port_error(1);
    folded.event.details = {{"state", "DOWN"}};
    const Happening happening = subject->names()->happening(folded.event);
    ASSERT_TRUE(happening.entity);
    EXPECT_EQ(happening.entity->kind, Kind::port);
    EXPECT_TRUE(happening.carries_rdma);
    subject->keep({&folded, 1}, {});
    folded.event.count = 2000;
    folded.last.boot_ns += 900'000'000;
    folded.last.wall_ns += 900'000'000;
    subject->keep({}, {&folded, 1});
    const auto reader = store::Reader::open(directory.path() + "/metrics.db");
    const auto events = reader->events({}, 10);
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 1u);
    EXPECT_EQ((*events)[0].count, 2000);
    EXPECT_EQ((*events)[0].details, "state=DOWN");
    EXPECT_EQ((*events)[0].entity, happening.entity);
    EXPECT_EQ(subject->frame()->health.events, 2000u);
}

TEST_F(WatchTest, ARecorderLooksAnswersAndStops) {
    host = std::make_shared<Watched>("made-cx7x8-training-degraded");
    WatchOptions options;
    options.store = directory.path() + "/metrics.db";
    std::mutex mutex;
    std::size_t findings = 0, happenings = 0;
    Recorder recorder(std::make_unique<Watch>(host, book(), options), std::chrono::hours(1),
                      {[&](News news) {
                           const std::lock_guard lock(mutex);
                           findings += news.findings.size();
                       },
                       [&](std::vector<Happening> told) {
                           const std::lock_guard lock(mutex);
                           happenings += told.size();
                       }},
                      Textfile(directory.path() + "/rdmadoctor.prom"));
    recorder.start();
    FoldedEvent event = port_error(1);
    const bool known = recorder.name(event.event).has_value();
    recorder.opened(event);
    recorder.closed(event);
    std::promise<std::shared_ptr<const Frame>> promise;
    recorder.request([&](std::shared_ptr<const Frame> frame) { promise.set_value(std::move(frame)); });
    auto future = promise.get_future();
    ASSERT_EQ(future.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_FALSE(future.get()->facts.empty());
    event.id = 2;
    recorder.opened(event);
    const auto happening = recorder.name(event.event);
    ASSERT_TRUE(happening) << "it has looked by now";
    EXPECT_EQ(happening->entity->kind, Kind::port);
    ASSERT_TRUE(recorder.stop(std::chrono::seconds(60)));
    EXPECT_EQ(recorder.sweeps(), 1u);
    EXPECT_TRUE(exists(directory.path() + "/rdmadoctor.prom"));
    const std::lock_guard lock(mutex);
    EXPECT_GT(findings, 0u);
    EXPECT_EQ(happenings, known ? 0u : 1u) << "told once";
    const auto reader = store::Reader::open(directory.path() + "/metrics.db");
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->events({}, 10)->size(), 2u);
    ASSERT_EQ(reader->runs()->size(), 1u);
    EXPECT_TRUE(reader->runs()->front().clean);
}

}  // namespace
}  // namespace rd::daemon
