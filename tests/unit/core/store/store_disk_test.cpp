// SPDX-License-Identifier: GPL-2.0-or-later
// A store on a disk that is full, or on one that it must not fill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "core/store/reader.h"
#include "core/store/store.h"
#include "tests/unit/core/store/scene.h"

namespace rd::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class StoreDiskTest : public testing::Test, protected Scene {};

TEST_F(StoreDiskTest, AFullDiskIsSaidAndSamplesAreHeldUntilThereIsRoom) {
    open();
    sweep(0, 0, "a");
    ASSERT_TRUE(store->flush());
    Result<> last;
    std::int64_t tick = 1;
    disk.fail_after(3);
    for (; tick < 200; ++tick) {
        if (auto done = sweep_result(tick, double(tick) * 1.37, std::string(3000, char('a' + tick % 26))); !done)
            last = done;
    }
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().code, Errc::limit) << last.error().what;
    EXPECT_THAT(last.error().remedy, HasSubstr("room"));
    disk.make_room();
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, SizeIs(200));  // held: less than ten flushes
    EXPECT_THAT(store->notes(), SizeIs(0));
}

// To sqlite it is an error like that of a broken disk.
TEST_F(StoreDiskTest, AFileThatMayNotGrowSaysWhatToRaise) {
    open();
    sweep(0, 0, "a");
    ASSERT_TRUE(store->flush());
    EXPECT_FALSE(store->behind());
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{64 << 10, before.rlim_max};
    const auto was = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    Result<> last;
    for (std::int64_t tick = 1; tick < 200; ++tick) {
        if (auto done = sweep_result(tick, double(tick) * 1.37, std::string(3000, char('a' + tick % 26))); !done)
            last = done;
    }
    EXPECT_TRUE(store->behind());
    EXPECT_GT(store->unwritten(), 0);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, was);
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().code, Errc::limit) << last.error().what;
    EXPECT_THAT(last.error().remedy, HasSubstr("LimitFSIZE="));
    ASSERT_TRUE(store->flush());
    EXPECT_FALSE(store->behind());
    EXPECT_EQ(store->unwritten(), 0);
}

TEST_F(StoreDiskTest, AfterTooLongAFullDiskTheLossIsStated) {
    open();
    sweep(0, 0, "a");
    ASSERT_TRUE(store->flush());
    disk.fail_after(3);
    for (std::int64_t tick = 1; tick < 2000; ++tick) {
        static_cast<void>(sweep_result(tick, double(tick), std::string(3000, char('a' + tick % 26))));
    }
    disk.make_room();
    for (std::int64_t tick = 2000; tick < 2100; ++tick) sweep(tick, 0, "b");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_LT(samples->size(), 2100u);
    const auto events = reader.events({}, 10);
    ASSERT_TRUE(events);
    ASSERT_FALSE(events->empty());
    EXPECT_EQ(events->back().name, "lost");
    // What is not in the samples is in the stated loss, to the second.
    const std::int64_t stated = (events->back().last_ns - events->back().at_ns) / 1'000'000'000 + 1;
    EXPECT_EQ(std::int64_t(samples->size()) + stated, 2100);
    const auto name = reader.states(series(reader, "name"), {}, 10'000);
    ASSERT_TRUE(name);
    EXPECT_EQ(name->back().reading, Reading(Value(std::string("b"))));
}

TEST_F(StoreDiskTest, WhatWasGivenUpIsStatedAtTheEndToo) {
    open();
    sweep(0, 0, "a");
    ASSERT_TRUE(store->flush());
    disk.fail_after(0);
    std::int64_t tick = 1;
    while (store->notes().empty() && tick < 2000) static_cast<void>(sweep_result(tick++, 0, "a"));
    EXPECT_GE(store->unwritten(), 600'000);
    disk.make_room();
    ASSERT_TRUE(store->close());
    const auto events = read().events({}, 10);
    ASSERT_TRUE(events);
    ASSERT_THAT(*events, SizeIs(1));
    EXPECT_THAT((*events)[0].details, HasSubstr("nothing is kept of 6"));
}

TEST_F(StoreDiskTest, StepsOfTheClockAreKeptOnceWhenThereIsRoom) {
    open();
    sweep(0, 0, "a");
    ASSERT_TRUE(store->flush());
    for (int step = 0; step < 2; ++step) {
        now.wall_ns += 3'600'000'000'000;
        disk.fail_after(step);  // the second time nearly all is written
        sweep(1, 0, "a");
        EXPECT_FALSE(store->flush());
        EXPECT_FALSE(store->flush());
    }
    disk.make_room();
    EXPECT_THAT(store->notes(), SizeIs(0));
    ASSERT_TRUE(store->flush());
    EXPECT_THAT(store->notes(), SizeIs(2));
    const Reader reader = read();
    const auto events = reader.events({}, 10);
    ASSERT_TRUE(events);
    EXPECT_THAT(*events, SizeIs(2));
    EXPECT_EQ(count("clock"), 3);  // and that of the beginning
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_EQ(samples->back().at_ns - samples->front().at_ns, 7'202'000'000'000) << "as the clock showed it";
}

TEST_F(StoreDiskTest, ADamagedFileThatCannotBeReplacedIsToldOf) {
    open();
    ASSERT_TRUE(store->close());
    store.reset();
    disk.fail_after(0);
    std::optional<Error> damage = Error{Errc::bad_input, "an index is damaged", {}};
    const auto opened = Store::open(path(), "boot", now, limits, {}, &damage);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("an index is damaged (kept as " + path() + ".set-aside-1)"));
    EXPECT_FALSE(damage) << "it is not to be set aside again";
    EXPECT_TRUE(std::filesystem::exists(path() + ".set-aside-1"));
}

// Whatever write of a flush, a packing or the first opening is the one that finds no room: afterwards the file is whole, and nothing but
// the stated is missing.
TEST_F(StoreDiskTest, NoWriteThatFailsLeavesHalfOfAnything) {
    for (std::int64_t writes = 0; writes < 60; ++writes) {
        SCOPED_TRACE(writes);
        std::filesystem::remove(path());
        std::filesystem::remove(path() + "-wal");
        std::filesystem::remove(path() + "-shm");
        layout = std::make_shared<Layout>();
        now = Stamp{5'000'000'000, 1'764'547'200'000'000'000};
        open();
        pass(3'000'000);
        for (int i = 3000; i < 3590; i += 10) sweep(i, i % 17, "a", 10);
        ASSERT_TRUE(store->flush());
        disk.fail_after(writes);
        for (int i = 3590; i < 3700; i += 10) static_cast<void>(sweep_result(i, i % 17, std::string(1000, 'b'), 10));
        static_cast<void>(store->maintain());
        disk.make_room();
        ASSERT_TRUE(store->flush());
        ASSERT_TRUE(store->maintain());
        const Reader reader = read();
        const auto samples = reader.samples(series(reader, "rx_packets"), {});
        ASSERT_TRUE(samples) << samples.error().what;
        ASSERT_THAT(*samples, SizeIs(70));
        for (std::size_t i = 0; i < samples->size(); ++i) ASSERT_EQ((*samples)[i].value, double(i) * 10 + 3000);
        EXPECT_EQ(reader.minutes(series(reader, "rx_packets"), {})->size(), 12u);
        auto database = Database::open(path(), Database::Mode::read);
        auto check = database->prepare("PRAGMA integrity_check");
        ASSERT_TRUE(*check->step());
        EXPECT_EQ(check->text(0), "ok");
    }
}

TEST_F(StoreDiskTest, TheOldestSamplesGoWhenTheFileIsTooLarge) {
    limits.most_bytes = 200'000;
    open();
    for (int i = 0; i < 8 * 3600; ++i) {
        sweep(std::int64_t(i) * 1'000'003 % 999'999'937, (i * 7919) % 1000 / 3.0, "a");
        if (i % 3600 == 0) {
            ASSERT_TRUE(store->maintain());
        }
    }
    ASSERT_TRUE(store->maintain());
    EXPECT_LE(*store->bytes(), 260'000);
    const Reader reader = read();
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_GT(samples->size(), 3600u);
    EXPECT_LT(samples->size(), 8u * 3600);
    EXPECT_THAT(*reader.minutes(series(reader, "rx_packets"), {}), SizeIs(testing::Ge(420)));
}

// Else the advice to let the store have less would help nobody whose disk is full.
TEST_F(StoreDiskTest, OnAFullDiskTheOldestSamplesGoThoughNothingCanBePacked) {
    open();
    std::uint64_t noise = 1;  // no packing makes it small
    const auto hours = [&](int count) {
        for (int i = 0; i < count * 36'000; ++i) {
            noise = noise * 6'364'136'223'846'793'005u + 1;
            sweep(std::int64_t(noise >> 16), double(noise >> 20), "a", 0);
            pass(100);
        }
    };
    hours(3);
    ASSERT_TRUE(store->maintain());
    hours(1);
    const std::int64_t chunks = count("chunk");
    ASSERT_EQ(chunks, 2) << "one hour is over and not packed";
    ASSERT_TRUE(store->close());
    limits.most_bytes = *store->bytes() * 3 / 4;
    open();
    // A log of some pages that can be written over, as there is beside any store that has been in use.
    sweep(1, 1, std::string(120'000, 'b'));
    ASSERT_TRUE(store->flush());
    ASSERT_TRUE(Database::open(path(), Database::Mode::write)->run("PRAGMA wal_checkpoint"));
    disk.fill();
    const auto done = store->maintain();
    disk.make_room();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit) << done.error().what;
    EXPECT_LT(count("chunk"), chunks);
    ASSERT_TRUE(store->maintain());
    EXPECT_EQ(count("journal WHERE to_ms < (SELECT max(hour) * 3600000 FROM tick)"), 0);
}

TEST_F(StoreDiskTest, WhereStatesAreWhatGrowsTheOldestOfThemGoAndTheSamplesStay) {
    limits.most_bytes = 1'000'000;
    open();
    const std::int64_t begin = wall_ns();
    constexpr FactSpec kSpeed{Kind::netdev, "speed", Type::text, Nature::config, "", ""};
    Snapshot once(layout, now);
    once.put(kEntity, kSpeed, std::string("100G"));
    ASSERT_TRUE(store->append(once));
    pass(1000);
    for (int i = 0; i < 4 * 360; ++i) {
        gap = i < 360 && i % 2 == 0 ? std::optional(Gap{GapClass::error, "no answer to " + std::to_string(i), ""})
                                    : std::nullopt;
        sweep(i, i % 17, std::string(2000, 'a') + std::to_string(i), 10);
        if (i % 360 == 0) {
            ASSERT_TRUE(store->maintain());
        }
    }
    ASSERT_TRUE(store->flush());
    ASSERT_TRUE(store->maintain());
    EXPECT_LE(*store->bytes(), limits.most_bytes);
    const Reader reader = read();
    EXPECT_THAT(*reader.samples(series(reader, "temperature"), {}), SizeIs(4 * 360)) << "they have not grown";
    const auto names = reader.states(series(reader, "name"), {}, 10'000);
    ASSERT_TRUE(names);
    EXPECT_THAT(*names, SizeIs(testing::AllOf(testing::Gt(100u), testing::Lt(500u))));
    EXPECT_EQ(names->back().reading, Reading(Value(std::string(2000, 'a') + "1439")));
    EXPECT_LT(count("gap"), 10) << "reasons that no state gives any more";
    // What has not changed since is as it stands.
    const auto speed = at(reader, series(reader, "speed"), begin);
    ASSERT_TRUE(speed && *speed);
    EXPECT_EQ((*speed)->reading, Reading(Value(std::string("100G"))));
}

TEST_F(StoreDiskTest, WhereSamplesAreWhatGrowsTheStatesStay) {
    limits.most_bytes = 200'000;
    open();
    for (int i = 0; i < 4 * 3600; ++i) {
        sweep(std::int64_t(i) * 1'000'003 % 999'999'937, (i * 7919) % 1000 / 3.0, std::to_string(i / 1000));
        if (i % 3600 == 0) {
            ASSERT_TRUE(store->maintain());
        }
    }
    ASSERT_TRUE(store->maintain());
    const Reader reader = read();
    EXPECT_LT(reader.samples(series(reader, "rx_packets"), {})->size(), 4u * 3600);
    EXPECT_THAT(*reader.states(series(reader, "name"), {}, 10'000), SizeIs(15));
}

}  // namespace
}  // namespace rd::store
