// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <fstream>

#include "core/store/sqlite.h"
#include "tests/unit/core/store/failing_disk.h"
#include "tests/unit/daemon/watch_scene.h"

namespace rd::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

TEST_F(WatchTest, WithoutAStoreItGoesOnAndSaysSo) {
    path = directory.path() + "/none/metrics.db";
    watch("made-cx7x8-training-degraded");
    look(1);
    ASSERT_EQ(last.notes.size(), 1u);
    EXPECT_THAT(last.notes[0], HasSubstr("/none/metrics.db"));
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
                testing::Contains(HasSubstr("there was no store, so nothing is kept, for 70 s; events lost: 2 (")));
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("/later/metrics.db")));
    constexpr std::int64_t kSecond = 1'000'000'000;
    const auto frame = subject->frame();
    int made_up_for = 0;
    for (const store::FindingSpan& one : kept()) {
        const auto& now = frame->report.findings;
        const auto told = std::find_if(now.begin(), now.end(), [&](const Finding& finding) {
            return finding.rule == one.rule && finding.subject.entity == one.subject;
        });
        ASSERT_NE(told, now.end()) << one.rule;
        // What this look itself has begun is dated by it.
        if (one.from_ns / kSecond == frame->at.wall_ns / kSecond) continue;
        EXPECT_EQ(one.from_ns / kSecond, told->since.wall_ns / kSecond) << one.rule;
        ++made_up_for;
        EXPECT_EQ(one.text, told->explanation);
    }
    EXPECT_GT(made_up_for, 5);
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
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("could not be written for 60 s; events lost: 1 (")));
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
    EXPECT_THAT(losses(), testing::Contains(HasSubstr("there was no store")));
}

TEST_F(WatchTest, AFullDiskIsSaidOnceHoweverMuchHappens) {
    store::FailingDisk disk;
    watch("made-cx7x8-training-degraded");
    look(5);
    FoldedEvent flood = port_error(1);
    subject->keep({&flood, 1}, {});
    disk.fail_after(0);
    flood.event.count = 2000;
    subject->keep({}, {&flood, 1});
    std::size_t notes = 0;
    for (std::uint64_t id = 2; id < 102; ++id) {
        keep_event(id);
        look(1);
        notes += last.notes.size();
        EXPECT_THAT(subject->frame()->health.store_trouble, HasSubstr("make room")) << id;
    }
    EXPECT_EQ(notes, 1u);
    disk.make_room();
    const auto end = subject->stop();
    EXPECT_THAT(end, testing::ElementsAre(HasSubstr("events lost: 2099 (")));
    EXPECT_THAT(losses(), testing::Contains(HasSubstr("for 100 s; events lost: 2099 (")));
}

TEST_F(WatchTest, WhatWasTakenInAndNotWrittenIsLostWithTheFile) {
    watch("made-cx7x8-training-degraded");
    look(30);
    std::filesystem::remove(path);
    keep_event(1);
    look(1);
    EXPECT_THAT(last.notes, testing::ElementsAre(HasSubstr("was removed or replaced")));
    host->pass(std::chrono::seconds(60));
    look(1);
    EXPECT_THAT(last.notes, testing::ElementsAre(HasSubstr("nothing is kept, for 90 s; events lost: 1 (")));
    EXPECT_THAT(kept(), testing::SizeIs(going_on()));
}

// Samples cannot be packed, but all else can be written.
TEST_F(WatchTest, MaintenanceThatFailsHoldsUpNothingElse) {
    watch("made-cx7x8-training-degraded");
    look(4);
    EXPECT_THAT(subject->stop(), IsEmpty());
    const std::size_t before = kept().size();
    ASSERT_TRUE(store::Database::open(path, store::Database::Mode::write)->run("DROP TABLE chunk"));
    // Mended while nobody looked.
    host = std::make_shared<Watched>("made-cx7x8-training-healthy");
    host->pass(std::chrono::hours(2));
    again();
    std::size_t notes = 0;
    for (int i = 0; i < 200; ++i) {
        look(1);
        notes += last.notes.size();
    }
    EXPECT_EQ(notes, 1u);
    const auto after = kept();
    EXPECT_EQ(after.size(), before);
    for (const store::FindingSpan& one : after) EXPECT_TRUE(one.to_ns) << one.rule << " on " << one.subject.id;
}

TEST_F(WatchTest, WhoNeverHadAStoreSaysAtTheEndWhatIsLost) {
    path = directory.path() + "/later/metrics.db";
    watch("made-cx7x8-training-degraded");
    look(3);
    keep_event(1);
    EXPECT_THAT(subject->stop(), testing::ElementsAre(HasSubstr("for 3 s; events lost: 1 (")));
}

}  // namespace
}  // namespace rd::daemon
