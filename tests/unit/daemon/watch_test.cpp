// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>

#include "collectors/all.h"
#include "core/host/bundle.h"
#include "core/program/files.h"
#include "core/store/reader.h"
#include "daemon/recorder.h"
#include "tests/unit/core/store/failing_disk.h"
#include "tests/unit/support/passing_host.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kHosts = std::string(RDMADOCTOR_SOURCE_DIR) + "/tests/hosts/";

// A recorded host whose clock goes on as the test says.
class Watched final : public PassingHost {
public:
    explicit Watched(const std::string& name)
        : PassingHost(std::shared_ptr<Host>(replay_host(*load_bundle(kHosts + name + "/bundle"), name))),
          now_(PassingHost::now()) {}
    [[nodiscard]] Stamp now() const override { return now_; }
    void pass(std::chrono::nanoseconds time) {
        now_.boot_ns += time.count();
        now_.wall_ns += time.count();
    }

private:
    Stamp now_;
};

class WatchTest : public testing::Test {
protected:
    static const Rulebook& book() {
        static const auto catalog = std::make_unique<Catalog>(*collectors::catalog());
        static const Rules rules =
            build_rulebook(*read_rule_files(std::string(RDMADOCTOR_SOURCE_DIR) + "/rules"), {}, *catalog, {});
        return rules.book;
    }
    void watch(const std::string& name) {
        host = std::make_shared<Watched>(name);
        again();
    }
    void again() {
        subject.reset();
        WatchOptions options;
        options.store = path;
        options.deadline = std::chrono::seconds(10);
        subject = std::make_unique<Watch>(host, book(), options);
    }
    // Findings that began and ended, "+rule" and "-rule".
    std::vector<std::string> look(int times, Due due = Due::all) {
        std::vector<std::string> told;
        for (int i = 0; i < times; ++i) {
            News news = subject->look(due);
            for (const FindingChange& one : news.findings)
                told.push_back((one.to == State::firing ? "+" : "-") + one.rule);
            last = std::move(news);
            host->pass(std::chrono::seconds(1));
            static_cast<void>(host->advance(std::chrono::seconds(1)));
        }
        return told;
    }
    [[nodiscard]] std::vector<store::FindingSpan> kept() const {
        const auto reader = store::Reader::open(path);
        return reader ? reader->findings({}, 1000).value_or(std::vector<store::FindingSpan>{})
                      : std::vector<store::FindingSpan>{};
    }

    [[nodiscard]] std::size_t going_on() {
        const std::size_t count = subject->frame()->report.findings.size();
        EXPECT_GT(count, 0u);
        return count;
    }
    // What the store says of itself.
    [[nodiscard]] std::vector<std::string> losses() const {
        std::vector<std::string> told;
        const auto reader = store::Reader::open(path);
        if (!reader) return told;
        const auto events = reader->events({}, 1000).value();
        for (const store::EventRow& one : events) {
            if (one.source == "store" && one.name == "lost") told.push_back(one.details);
        }
        return told;
    }
    [[nodiscard]] FoldedEvent port_error(std::uint64_t id) const {
        HostEvent event;
        event.at = host->now();
        event.source = "verbs";
        event.name = "PORT_ERR";
        event.subject = "mlx5_0/1";
        return {id, event, event.at};
    }
    void keep_event(std::uint64_t id) {
        const FoldedEvent folded = port_error(id);
        subject->keep({&folded, 1}, {});
    }

    TempDirectory directory;
    std::string path = directory.path() + "/metrics.db";
    std::shared_ptr<Watched> host;
    std::unique_ptr<Watch> subject;
    News last;
};

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

TEST_F(WatchTest, ARestartNeitherForgetsNorRepeats) {
    watch("made-cx7x8-training-degraded");
    look(4);
    const auto before = kept();
    EXPECT_THAT(subject->stop(), IsEmpty());
    again();
    look(4);
    EXPECT_EQ(kept().size(), before.size());
    // The same host, mended while nobody looked.
    EXPECT_THAT(subject->stop(), IsEmpty());
    host = std::make_shared<Watched>("made-cx7x8-training-healthy");
    host->pass(std::chrono::hours(2));
    again();
    look(6);
    const auto after = kept();
    EXPECT_EQ(after.size(), before.size());
    for (const store::FindingSpan& one : after) EXPECT_TRUE(one.to_ns) << one.rule << " on " << one.subject.id;
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
    HostEvent event;
    event.at = host->now();
    event.source = "verbs";
    event.name = "PORT_ERR";
    event.subject = "mlx5_0/1";
    event.details = {{"state", "DOWN"}};
    const Happening happening = subject->names()->happening(event);
    ASSERT_TRUE(happening.entity);
    EXPECT_EQ(happening.entity->kind, Kind::port);
    EXPECT_TRUE(happening.carries_rdma);
    FoldedEvent folded{1, event, event.at};
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

TEST_F(WatchTest, WithoutAStoreItGoesOnAndSaysSo) {
    host = std::make_shared<Watched>("made-cx7x8-training-degraded");
    WatchOptions options;
    options.store = directory.path() + "/none/metrics.db";
    options.deadline = std::chrono::seconds(10);
    subject = std::make_unique<Watch>(host, book(), options);
    News first = subject->look(Due::all);
    ASSERT_EQ(first.notes.size(), 1u);
    EXPECT_THAT(first.notes[0], HasSubstr("/none/metrics.db"));
    EXPECT_THAT(look(3), Not(IsEmpty()));
    EXPECT_THAT(last.notes, IsEmpty()) << "said once";
    EXPECT_THAT(subject->frame()->health.store_trouble, HasSubstr("/none/metrics.db"));
}

TEST_F(WatchTest, AStoreThatComesLaterSaysWhatItMissedAndHasWhatGoesOn) {
    path = directory.path() + "/later/metrics.db";
    watch("made-cx7x8-training-degraded");
    look(10);
    keep_event(1);
    keep_event(2);
    std::filesystem::create_directory(directory.path() + "/later");
    host->pass(std::chrono::seconds(60));
    look(1);
    EXPECT_THAT(last.notes,
                testing::Contains(HasSubstr("there was no store for 70 s: nothing is kept of it, nor of 2 events")));
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("/later/metrics.db")));
    EXPECT_THAT(kept(), testing::SizeIs(going_on()));
}

TEST_F(WatchTest, WhatAFullDiskRefusesIsToldAndFindingsThatGoOnAreKeptWhenThereIsRoom) {
    store::FailingDisk disk;
    watch("made-cx7x8-training-degraded");
    disk.fail_after(0);
    look(5);
    keep_event(1);
    EXPECT_THAT(subject->frame()->health.store_trouble, HasSubstr("disk"));
    disk.make_room();
    EXPECT_THAT(kept(), IsEmpty());
    host->pass(std::chrono::seconds(60));
    look(2);
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("1 events within")));
    EXPECT_THAT(kept(), testing::SizeIs(going_on()));
    EXPECT_THAT(subject->stop(), IsEmpty());
}

// The count of an event is written after it, maybe to a file that has become another one meanwhile.
TEST_F(WatchTest, ADamagedStoreIsSetAsideWhileItIsWritten) {
    watch("made-cx7x8-training-degraded");
    look(3);
    std::vector<FoldedEvent> many{port_error(1), port_error(2)};
    subject->keep(many, {});
    // Every page of file and log.
    for (const char* suffix : {"", "-wal"}) {
        const std::string file = path + suffix;
        const auto size = std::filesystem::file_size(file);
        std::ofstream(file, std::ios::in | std::ios::out) << std::string(size, 'x');
    }
    host->pass(std::chrono::seconds(120));
    look(1);
    many[0].event.count = many[1].event.count = 5;
    subject->keep({}, many);
    host->pass(std::chrono::seconds(120));
    look(3);
    EXPECT_TRUE(std::filesystem::exists(path + ".set-aside-1"));
    EXPECT_THAT(kept(), testing::SizeIs(going_on()));
    EXPECT_THAT(losses(), testing::Contains(HasSubstr("there was no store for")));
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
    FoldedEvent event;
    event.id = 1;
    event.event.at = event.last = host->now();
    event.event.source = "verbs";
    event.event.name = "PORT_ERR";
    event.event.subject = "mlx5_0/1";
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
