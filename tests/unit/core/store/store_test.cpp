// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/store/pack.h"
#include "core/store/reader.h"
#include "tests/unit/core/store/scene.h"

namespace rd::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class StoreTest : public testing::Test, protected Scene {};

TEST_F(StoreTest, SamplesComeBackFromTheJournalAndFromPackedHours) {
    open();
    const std::int64_t begin = wall_ns();
    for (int i = 0; i < 2 * 3600; ++i) sweep(i, 20 + i % 7, "ens1f0");
    ASSERT_TRUE(store->maintain());
    EXPECT_EQ(count("chunk"), 1);  // the last sweep lies in the second hour: that one is not over
    for (int i = 7200; i < 7500; ++i) sweep(i, 20 + i % 7, "ens1f0");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto packets = series(reader, "rx_packets");
    const auto samples = reader.samples(packets, {});
    ASSERT_TRUE(samples);
    ASSERT_THAT(*samples, SizeIs(7500));
    for (std::size_t i = 0; i < samples->size(); ++i) {
        ASSERT_EQ((*samples)[i].value, double(i)) << i;
        ASSERT_EQ((*samples)[i].at_ns, begin + std::int64_t(i) * 1'000'000'000) << i;
    }
    const auto part = reader.samples(packets, {begin + 3'000'000'000, begin + 5'000'000'000});
    ASSERT_TRUE(part);
    ASSERT_THAT(*part, SizeIs(3));
    EXPECT_EQ((*part)[0].value, 3);
    const auto real = reader.samples(series(reader, "temperature"), {begin, begin + 1'000'000'000});
    ASSERT_TRUE(real);
    ASSERT_THAT(*real, SizeIs(2));
    EXPECT_EQ((*real)[1].value, 21);
}

TEST_F(StoreTest, MinutesAndHoursAreThereBeforeTheHourIsOver) {
    open();
    const std::int64_t begin = wall_ns();
    for (int i = 0; i < 150; ++i) sweep(10 * i, i % 7, "a");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto packets = series(reader, "rx_packets");
    const auto minutes = reader.minutes(packets, {});
    ASSERT_TRUE(minutes);
    ASSERT_THAT(*minutes, SizeIs(3));
    EXPECT_EQ((*minutes)[1].at_ns, begin + 60'000'000'000);
    EXPECT_EQ((*minutes)[1].bucket.samples, 60);
    EXPECT_EQ((*minutes)[1].bucket.first, 600);
    EXPECT_EQ((*minutes)[1].bucket.increase(), 590);
    EXPECT_EQ((*minutes)[2].bucket.samples, 30);
    const auto hours = reader.hours(packets, {});
    ASSERT_TRUE(hours);
    ASSERT_THAT(*hours, SizeIs(1));
    EXPECT_EQ((*hours)[0].bucket.samples, 150);
    // A part of the time: whole buckets, the first of them too.
    const auto part = reader.minutes(packets, {begin + 90'000'000'000, begin + 100'000'000'000});
    ASSERT_TRUE(part);
    ASSERT_THAT(*part, SizeIs(1));
    EXPECT_EQ((*part)[0].bucket.first, 600);
}

TEST_F(StoreTest, PackedAndUnpackedMinutesFollowEachOther) {
    open();
    for (int i = 0; i < 3600 + 90; ++i) sweep(i, 1, "a");
    ASSERT_TRUE(store->maintain());
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto minutes = reader.minutes(series(reader, "rx_packets"), {});
    ASSERT_TRUE(minutes);
    ASSERT_THAT(*minutes, SizeIs(62));
    std::int64_t samples = 0;
    for (std::size_t i = 0; i < minutes->size(); ++i) {
        if (i > 0) {
            EXPECT_EQ((*minutes)[i].at_ns - (*minutes)[i - 1].at_ns, 60'000'000'000);
        }
        samples += (*minutes)[i].bucket.samples;
    }
    EXPECT_EQ(samples, 3690);
}

TEST_F(StoreTest, MinutesAndHoursOutliveTheSamples) {
    limits.keep_samples = kHour;
    open();
    const std::int64_t begin = wall_ns();
    for (int i = 0; i < 5 * 3600 + 70; i += 10) sweep(i, i % 3600, "a", 10);
    ASSERT_TRUE(store->maintain());
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto packets = series(reader, "rx_packets");
    const auto samples = reader.samples(packets, {});
    ASSERT_TRUE(samples);
    EXPECT_GE(samples->front().at_ns, begin + 3 * 3600LL * 1'000'000'000);
    const auto minutes = reader.minutes(packets, {});
    ASSERT_TRUE(minutes);
    EXPECT_EQ(minutes->size(), 5u * 60 + 2);
    const auto hours = reader.hours(series(reader, "temperature"), {});
    ASSERT_TRUE(hours);
    ASSERT_EQ(hours->size(), 6u);
    EXPECT_EQ((*hours)[0].bucket.least, 0);
    EXPECT_EQ((*hours)[0].bucket.most, 3590);
    EXPECT_EQ((*hours)[0].bucket.samples, 360);
    const auto counted = reader.hours(packets, {});
    ASSERT_TRUE(counted);
    EXPECT_EQ((*counted)[4].bucket.last - (*counted)[0].bucket.first, 5 * 3600 - 10);
}

TEST_F(StoreTest, AStateIsARowWhenItChanges) {
    open();
    const std::int64_t begin = wall_ns();
    for (int i = 0; i < 100; ++i) sweep(i, 0, i < 40 ? "ens1f0" : "ens1");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto states = reader.states(series(reader, "name"), {}, 10'000);
    ASSERT_TRUE(states);
    ASSERT_THAT(*states, SizeIs(2));
    EXPECT_EQ((*states)[1].at_ns, begin + 40'000'000'000);
    EXPECT_EQ((*states)[1].reading, Reading(Value(std::string("ens1"))));
    const auto newest = reader.states(series(reader, "name"), {}, 1);
    ASSERT_TRUE(newest);
    ASSERT_THAT(*newest, SizeIs(1));
    EXPECT_EQ((*newest)[0].reading, (*states)[1].reading);
    // A renamed interface is the same entity: one series.
    EXPECT_EQ(count("series WHERE fact = 'name'"), 1);
    const auto name = at(reader, series(reader, "name"), begin + 39'500'000'000);
    ASSERT_TRUE(name && *name);
    EXPECT_EQ((*name)->reading, Reading(Value(std::string("ens1f0"))));
    const auto packets = at(reader, series(reader, "rx_packets"), begin + 39'500'000'000);
    ASSERT_TRUE(packets && *packets);
    EXPECT_EQ((*packets)->reading, Reading(Value(std::int64_t{39})));
}

TEST_F(StoreTest, AGapIsKeptWithItsReasonFromBeginningToEnd) {
    open();
    const std::int64_t begin = wall_ns();
    for (int i = 0; i < 30; ++i) {
        gap = i >= 10 && i < 20 ? std::optional(Gap{GapClass::timed_out, "read: no answer", "look at the firmware"})
                                : std::nullopt;
        sweep(i, 0, "a");
    }
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto packets = series(reader, "rx_packets");
    const auto states = reader.states(packets, {}, 10'000);
    ASSERT_TRUE(states);
    ASSERT_THAT(*states, SizeIs(2));
    EXPECT_EQ((*states)[0].at_ns, begin + 10'000'000'000);
    EXPECT_EQ((*states)[0].reading.error(), (Gap{GapClass::timed_out, "read: no answer", "look at the firmware"}));
    EXPECT_TRUE((*states)[1].reading);
    EXPECT_EQ((*states)[1].at_ns, begin + 20'000'000'000);
    const auto samples = reader.samples(packets, {});
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, SizeIs(20));
    const auto then = at(reader, packets, begin + 15'000'000'000);
    ASSERT_TRUE(then && *then);
    EXPECT_FALSE((*then)->reading);
}

TEST_F(StoreTest, AnEntityThatGoesIsKnownToBeGone) {
    open();
    for (int i = 0; i < 10; ++i) sweep(i, 0, "a");
    there = false;
    for (int i = 10; i < 20; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    const auto presence = reader.states(series(reader, ""), {}, 10'000);
    ASSERT_TRUE(presence);
    ASSERT_THAT(*presence, SizeIs(2));
    EXPECT_EQ((*presence)[1].reading, Reading(Value(false)));
}

TEST_F(StoreTest, AnEventIsARowAndMayTurnOutToBeMany) {
    open();
    const Event events[] = {event("PORT_ERR", "mlx5_0/1"), event("GID_CHANGE", "mlx5_0/1")};
    const auto rows = store->add(events);
    ASSERT_TRUE(rows);
    ASSERT_THAT(*rows, SizeIs(2));
    pass(900);
    ASSERT_TRUE(store->recount(std::vector<Store::Recount>{{(*rows)[1], 1000, now}}));
    pass(1000);
    ASSERT_TRUE(store->add({events, 1}));
    const Reader reader = read();
    const auto all = reader.events({}, 100);
    ASSERT_TRUE(all);
    ASSERT_THAT(*all, SizeIs(3));
    EXPECT_EQ((*all)[1].name, "GID_CHANGE");
    EXPECT_EQ((*all)[1].count, 1000);
    EXPECT_EQ((*all)[1].last_ns - (*all)[1].at_ns, 900'000'000);
    EXPECT_EQ((*all)[1].entity, kEntity);
    const auto after = reader.events_after((*rows)[0], 100);
    ASSERT_TRUE(after);
    EXPECT_THAT(*after, SizeIs(2));
}

TEST_F(StoreTest, CountsOfManyEventsAreWrittenAtOnceToTheFileThatIsThere) {
    open();
    const std::vector<Event> events(50, event("PORT_ERR", "mlx5_0/1"));
    const auto rows = store->add(events);
    ASSERT_TRUE(rows);
    std::vector<Store::Recount> counts;
    for (const std::int64_t row : *rows) counts.push_back({row, 7, now});
    const std::int64_t before = disk.writes();
    ASSERT_TRUE(store->recount(counts));
    EXPECT_LT(disk.writes() - before, 25);
    EXPECT_EQ(count("event WHERE count = 7"), 50);
    std::filesystem::remove(path());
    const auto done = store->recount(counts);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::not_found);
}

TEST_F(StoreTest, AFindingHasABeginningAndAnEnd) {
    open();
    const FindingRow finding{"roce-packet-loss", kEntity, "high", "title", "text", "0.1 abc"};
    ASSERT_TRUE(store->write({{finding}, {}}, now));
    pass(5000);
    ASSERT_TRUE(store->write({{finding}, {}}, now));
    EXPECT_THAT(*store->open_findings(), SizeIs(1));
    ASSERT_TRUE(store->write({{}, {{finding.rule, kEntity}}}, now));
    pass(5000);
    ASSERT_TRUE(store->write({{finding}, {}}, now));
    const auto findings = read().findings({}, 10);
    ASSERT_TRUE(findings);
    ASSERT_THAT(*findings, SizeIs(2));
    EXPECT_FALSE((*findings)[0].to_ns);
    EXPECT_EQ(*(*findings)[1].to_ns - (*findings)[1].from_ns, 5'000'000'000);
}

TEST_F(StoreTest, ACleanStopIsNoLossAndAKillIsSaid) {
    open();
    for (int i = 0; i < 10; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->close());
    open();
    EXPECT_THAT(store->notes(), SizeIs(0));
    for (int i = 0; i < 100; ++i) sweep(i, 0, "a");
    pass(1000);
    open();  // the one before was not closed
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("nothing is kept of up to 60 s")));
    const Reader reader = read();
    const auto events = reader.events({}, 10);
    ASSERT_TRUE(events);
    ASSERT_THAT(*events, SizeIs(1));
    EXPECT_EQ((*events)[0].name, "lost");
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, SizeIs(10 + 61));
}

TEST_F(StoreTest, AClockSetBackLosesNothing) {
    open();
    for (int i = 0; i < 50; ++i) sweep(i, 0, "a");
    now.wall_ns -= 3600LL * 1'000'000'000;
    for (int i = 50; i < 100; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->flush());
    EXPECT_THAT(store->notes(), testing::ElementsAre(HasSubstr("set back by 3600.000 s")));
    const Reader reader = read();
    const auto samples = reader.samples(series(reader, "rx_packets"), {});
    ASSERT_TRUE(samples);
    EXPECT_THAT(*samples, SizeIs(100));
    EXPECT_EQ((*samples)[50].at_ns - (*samples)[49].at_ns, -3599LL * 1'000'000'000);
}

TEST_F(StoreTest, ProcessesAndLinesOfLogsAreNoSeries) {
    open();
    Snapshot snapshot(layout, now);
    constexpr FactSpec kProcess{Kind::process, "qps", Type::integer, Nature::gauge, "QPs", ""};
    snapshot.put(Entity{Kind::process, "4711"}, kProcess, std::int64_t{3});
    ASSERT_TRUE(store->append(snapshot));
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(count("series"), 0);
    EXPECT_EQ(count("state"), 0);
}

TEST_F(StoreTest, ANewLayoutIsTheSameHost) {
    open();
    for (int i = 0; i < 10; ++i) sweep(i, 0, "a");
    layout = std::make_shared<Layout>();
    layout->add(Entity{Kind::numa, "0"});  // numbers of entities and slots differ now
    for (int i = 10; i < 20; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->flush());
    const Reader reader = read();
    EXPECT_THAT(*reader.samples(series(reader, "rx_packets"), {}), SizeIs(20));
    EXPECT_THAT(*reader.states(series(reader, "name"), {}, 10'000), SizeIs(1));
}

TEST_F(StoreTest, ARestartRepeatsNoState) {
    open();
    for (int i = 0; i < 10; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->close());
    open();
    for (int i = 0; i < 10; ++i) sweep(i, 0, "a");
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(count("state"), 2);  // its presence and its name
}

}  // namespace
}  // namespace rd::store
