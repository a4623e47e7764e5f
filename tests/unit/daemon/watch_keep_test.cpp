// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

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
    for (const store::FindingSpan& one : open()) {
        const auto& now = frame->report.findings;
        const auto told = std::find_if(now.begin(), now.end(), [&](const Finding& finding) {
            return finding.rule == one.rule && finding.subject.entity == one.subject;
        });
        ASSERT_NE(told, now.end()) << one.rule;
        EXPECT_EQ(one.from_ns / kSecond, told->since.wall_ns / kSecond) << one.rule;
        ++made_up_for;
        EXPECT_EQ(one.text, told->explanation);
    }
    EXPECT_GT(made_up_for, 5);
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
    // There was no store while these began and ended.
    int over = 0;
    for (const store::FindingSpan& one : kept()) {
        if (!one.to_ns) continue;
        EXPECT_GT(*one.to_ns, one.from_ns) << one.rule;
        EXPECT_LE(one.from_ns / kSecond, frame->at.wall_ns / kSecond - 60) << one.rule;
        ++over;
    }
    EXPECT_GT(over, 3);
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
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
    EXPECT_GT(kept().size(), open().size()) << "what began and ended meanwhile";
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
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
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
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
}

TEST_F(WatchTest, CountsForAFileThatHasGoneAreSaidToBeLost) {
    watch("made-cx7x8-training-degraded");
    look(3);
    std::vector<FoldedEvent> many{port_error(1), port_error(2)};
    subject->keep(many, {});
    std::filesystem::remove(path);
    many[0].event.count = many[1].event.count = 5;
    subject->keep({}, many);
    host->pass(std::chrono::seconds(60));
    look(1);
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("events lost: 8")));
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
        if (i == 5) {
            EXPECT_THAT(open(), IsEmpty()) << "what has ended is written at once";
        }
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
    const std::size_t findings = going_on();
    EXPECT_THAT(subject->stop(), testing::ElementsAre(testing::ContainsRegex(fmt::format(
                                     "for 3 s; events lost: 1, beginnings and ends of findings: {} \\(", findings))));
}

// It would fire in a while, but then it heals.
TEST_F(WatchTest, WhatTheLastRunLeftOpenAndIsNotYetCertainEndsWhenItHeals) {
    host = std::make_shared<Watched>("made-cx7x8-training-degraded");
    const Entity port{Kind::port, "pci-0000:9a:00.0/1"};
    {
        auto before = store::Store::open(path, "boot", host->now(), {}, {});
        ASSERT_TRUE(before);
        ASSERT_TRUE((*before)->write({{{"queue-pairs-in-error", port, "high", "", "", ""}}, {}}, host->now()));
        ASSERT_TRUE((*before)->close());
    }
    again();
    const auto is_it = [](const auto& one) { return one.rule == "queue-pairs-in-error"; };
    look(5);
    const auto frame = subject->frame();
    const auto& found = frame->report.findings;
    const auto pending = std::find_if(found.begin(), found.end(), is_it);
    ASSERT_NE(pending, found.end());
    EXPECT_EQ(pending->state, State::pending);
    auto all = open();
    EXPECT_EQ(std::count_if(all.begin(), all.end(), is_it), 1);
    host->become("made-cx7x8-training-healthy");
    look(70);
    all = open();
    EXPECT_EQ(std::count_if(all.begin(), all.end(), is_it), 0);
}

// At the start all is well: only what is to be removed cannot be found in its index.
TEST_F(WatchTest, DamageThatOnlyAWriteFindsIsSetAside) {
    watch("made-cx7x8-training-degraded");
    look(14);
    EXPECT_THAT(subject->stop(), IsEmpty());
    EXPECT_GT(kept().size(), open().size());
    {
        auto database = store::Database::open(path, store::Database::Mode::write);
        ASSERT_TRUE(database);
        ASSERT_TRUE(
            database->run("CREATE TABLE empty (from_ms INTEGER); CREATE INDEX empty_from ON empty (from_ms);"
                          "PRAGMA writable_schema = ON;"
                          "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = "
                          "'empty_from') WHERE name = 'finding_from'"));
    }
    host->pass(std::chrono::hours(24 * 100));
    again();
    look(2);
    for (int minute = 0; minute < 3; ++minute) {
        host->pass(std::chrono::seconds(60));
        look(2);
    }
    EXPECT_TRUE(std::filesystem::exists(path + ".set-aside-1"));
    EXPECT_FALSE(std::filesystem::exists(path + ".set-aside-2"));
    EXPECT_EQ(subject->frame()->health.store_trouble, "");
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
    EXPECT_THAT(subject->stop(), IsEmpty());
}

TEST_F(WatchTest, OfAFloodWhoseBeginningIsLostTheRestIsKept) {
    store::FailingDisk disk;
    watch("made-cx7x8-training-degraded");
    look(4);
    disk.fail_after(0);
    FoldedEvent flood = port_error(1);
    subject->keep({&flood, 1}, {});
    disk.make_room();
    host->pass(std::chrono::seconds(61));
    look(1);
    EXPECT_THAT(losses(), testing::ElementsAre(HasSubstr("events lost: 1 (")));
    flood.event.count = 500;
    flood.last = host->now();
    subject->keep({}, {&flood, 1});
    std::int64_t count = 0;
    for (const store::EventRow& one : events()) count += one.name == "PORT_ERR" ? one.count : 0;
    EXPECT_EQ(count, 499);
    EXPECT_THAT(subject->stop(), IsEmpty());
}

TEST_F(WatchTest, WhoIsStoppedOnAFullDiskSaysWhatIsNotKept) {
    store::FailingDisk disk;
    watch("made-cx7x8-training-healthy");
    look(4);
    disk.fail_after(0);
    look(30);
    EXPECT_THAT(last.notes, IsEmpty()) << "nothing was to be written yet";
    EXPECT_THAT(subject->stop(),
                testing::ElementsAre(HasSubstr("make room"), HasSubstr("in the last 33 s is not kept")));
}

// More than is held.
TEST_F(WatchTest, WhatCannotBeHeldAnyLongerIsCounted) {
    store::FailingDisk disk;
    watch("made-cx7x8-training-degraded");
    look(1);
    disk.fail_after(0);
    for (int i = 0; i < 100; ++i) {
        host->become(i % 2 == 0 ? "made-cx7x8-training-healthy" : "made-cx7x8-training-degraded");
        look(1);
    }
    disk.make_room();
    host->pass(std::chrono::seconds(60));
    look(2);
    EXPECT_THAT(losses(), testing::Contains(HasSubstr("beginnings and ends of findings: ")));
    EXPECT_THAT(open(), testing::SizeIs(going_on()));
    EXPECT_THAT(subject->stop(), IsEmpty());
}

}  // namespace
}  // namespace rd::daemon
