// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/support/fake_host.h"

namespace rd {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

Bundle example() {
    FakeHost host({{"/sys/class/net/ens1f0/mtu", "9000\n"},
                   {"/sys/class/net/ens1f0-up", "x"},
                   {"/sys/class/net/ens1f0/statistics/rx_bytes", "1\n"},
                   {"dcb.pfc/ens1f0", "cap=8 enabled=8\n"}});
    host.link("/sys/class/infiniband/mlx5_0/device", "/sys/devices/pci0000:40/0000:41:00.0")
        .directory("/sys/class/listed", {"b", "a"})
        .error("/sys/class/infiniband_verbs", {Errc::not_found, "/sys/class/infiniband_verbs: none", ""})
        .next_moment(2s)
        .file("/sys/class/net/ens1f0/statistics/rx_bytes", "2\n")
        .gone("dcb.pfc/ens1f0");
    return host.bundle();
}

TEST(Replay, AnswersAsRecorded) {
    const auto host = replay_host(example(), "somewhere.tar");
    EXPECT_EQ(host->identity().source, "somewhere.tar");
    EXPECT_EQ(host->read("/sys/class/net/ens1f0/mtu"), "9000\n");
    EXPECT_EQ(host->read("dcb.pfc/ens1f0"), "cap=8 enabled=8\n");
    EXPECT_EQ(host->link("/sys/class/infiniband/mlx5_0/device"), "/sys/devices/pci0000:40/0000:41:00.0");
}

TEST(Replay, WhatWasNeverAskedIsNotCollected) {
    const auto host = replay_host(example(), "");
    EXPECT_EQ(host->read("/sys/x").error(), (Error{Errc::not_collected, "/sys/x: not in the bundle", ""}));
    EXPECT_EQ(host->list("/sys/x").error().code, Errc::not_collected);
    EXPECT_EQ(host->link("/sys/x").error().code, Errc::not_collected);
}

TEST(Replay, ListsWhatLiesBelow) {
    const auto host = replay_host(example(), "");
    EXPECT_THAT(*host->list("/sys/class/net"), ElementsAre("ens1f0", "ens1f0-up"));
    EXPECT_THAT(*host->list("/sys/class/net/ens1f0/"), ElementsAre("mtu", "statistics"));
    EXPECT_THAT(*host->list("/sys/class/infiniband"), ElementsAre("mlx5_0"));
    EXPECT_THAT(*host->list("/sys/class/listed"), ElementsAre("a", "b"));
    EXPECT_THAT(*host->list("/"), ElementsAre("sys"));
    EXPECT_THAT(*host->list("/sys/class"), ElementsAre("infiniband", "infiniband_verbs", "listed", "net"));
}

TEST(Replay, AFailedPathFailsForListsAndLinksToo) {
    const auto host = replay_host(example(), "");
    EXPECT_EQ(host->list("/sys/class/infiniband_verbs").error().code, Errc::not_found);
    EXPECT_EQ(host->link("/sys/class/infiniband_verbs").error().code, Errc::not_found);
}

TEST(Replay, WallTimesAreInOrder) {
    constexpr std::int64_t s = 1'000'000'000, noon = 1'764'590'400 * s;
    const auto told = [](std::vector<Stamp> stamps) {
        Bundle bundle;
        for (const Stamp& stamp : stamps) bundle.moments.emplace_back().stamp = stamp;
        const auto host = replay_host(std::move(bundle), "");
        std::vector<std::int64_t> seconds;
        do {
            seconds.push_back(host->now().wall_ns / s);
            EXPECT_EQ(host->now().boot_ns, stamps[seconds.size() - 1].boot_ns);
        } while (host->advance(0s));
        return seconds;
    };
    const std::int64_t at = noon / s;
    EXPECT_THAT(told({{1 * s, noon}, {3 * s, noon + 2 * s}}), ElementsAre(at, at + 2));
    // Set forward: as it was.
    EXPECT_THAT(told({{1 * s, 5 * s}, {3 * s, noon}}), ElementsAre(5, at));
    // Set back, once and in the middle.
    EXPECT_THAT(told({{1 * s, noon}, {3 * s, noon - 98 * s}}), ElementsAre(at - 100, at - 98));
    EXPECT_THAT(told({{1 * s, noon}, {3 * s, noon - 98 * s}, {7 * s, noon - 94 * s}}),
                ElementsAre(at - 100, at - 98, at - 94));
    EXPECT_THAT(told({{1 * s, noon}, {3 * s, noon + 2 * s}, {7 * s, 9 * s}}), ElementsAre(3, 5, 9));
    // Said of some moments only, or of none.
    EXPECT_THAT(told({{1 * s, noon}, {3 * s, 0}, {7 * s, 0}}), ElementsAre(at, at + 2, at + 6));
    EXPECT_THAT(told({{1 * s, 0}, {3 * s, noon}}), ElementsAre(at - 2, at));
    EXPECT_THAT(told({{1 * s, 0}, {3 * s, 0}}), ElementsAre(0, 0));
}

TEST(Replay, HandlesReadTheCurrentMoment) {
    const auto host = replay_host(example(), "");
    const auto bytes = host->open("/sys/class/net/ens1f0/statistics/rx_bytes");
    const auto pfc = host->open("dcb.pfc/ens1f0");
    const Stamp first = host->now();
    Buffer buffer;
    ASSERT_TRUE(bytes->read(buffer));
    EXPECT_EQ(buffer.text(), "1\n");
    ASSERT_TRUE(host->advance(0s));
    EXPECT_EQ(host->now().boot_ns - first.boot_ns, 2'000'000'000);
    ASSERT_TRUE(bytes->read(buffer));
    EXPECT_EQ(buffer.text(), "2\n");
    EXPECT_EQ(pfc->read(buffer).error().code, Errc::not_collected);
    EXPECT_FALSE(host->advance(0s));
    ASSERT_TRUE(bytes->read(buffer));
    EXPECT_EQ(buffer.text(), "2\n");
}

TEST(Replay, CannotBeChanged) {
    EXPECT_EQ(replay_host(example(), "")->write("/sys/x", "1").error().code, Errc::not_supported);
}

TEST(Replay, AnEmptyBundleAnswersNothing) {
    const auto host = replay_host({}, "");
    EXPECT_EQ(host->read("/sys/x").error().code, Errc::not_collected);
    EXPECT_EQ(host->list("/").error().code, Errc::not_collected);
    EXPECT_FALSE(host->advance(0s));
}

TEST(FakeHost, RemembersWrites) {
    FakeHost host({{"/sys/knob", "0"}});
    host.refuse_write("/sys/fixed", {Errc::no_privilege, "no", ""});
    EXPECT_TRUE(host.write("/sys/knob", "1"));
    EXPECT_FALSE(host.write("/sys/fixed", "1"));
    EXPECT_EQ(host.read("/sys/knob"), "1");
    EXPECT_THAT(host.writes(), ElementsAre(std::pair<std::string, std::string>("/sys/knob", "1")));
}

}  // namespace
}  // namespace rd
