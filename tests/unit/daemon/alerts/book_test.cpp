// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/book.h"

#include <gtest/gtest.h>

#include "tests/unit/daemon/alerts/story.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

TEST(Book, OneTroubleIsOneAlertWhoeverTellsOfIt) {
    Story story;
    story.event("link", "carrier-down", kNetdev).event("verbs", "PORT_ERR", kPort);
    story.at(11).begins("port-no-carrier", kNetdev).begins("link-flap", kPort);
    EXPECT_EQ(story.take_said(), Words{"raise rdma-link mlx5_0/1"});
    EXPECT_EQ(story.book.alerts().at(0).told_by.size(), 4U);
    EXPECT_EQ(story.book.alerts().at(0).title.substr(0, 9), "Title of ");  // a rule explains more than an event
    story.at(20)
        .event("link", "carrier-up", kNetdev)
        .event("verbs", "PORT_ACTIVE", kPort)
        .ends("port-no-carrier", kNetdev);
    story.at(100);
    EXPECT_EQ(story.take_said(), Words{});
    story.ends("link-flap", kPort).at(129);
    EXPECT_EQ(story.take_said(), Words{});
    story.at(130);
    EXPECT_EQ(story.take_said(), Words{"clear rdma-link mlx5_0/1"});
    EXPECT_TRUE(story.book.alerts().empty());
}

TEST(Book, LeavesInterfacesAloneThatCarryNoRdma) {
    Story story;
    story.event("link", "carrier-down", {{Kind::netdev, "pci-0000:01:00.0/0"}, "eth0"});
    EXPECT_EQ(story.take_said(), Words{});
    EXPECT_TRUE(story.book.alerts().empty());
}

TEST(Book, TellsAnEventAtOnceAndAFindingAfterTheHold) {
    Story story({.hold = 5s});
    story.event("verbs", "DEVICE_FATAL", {{Kind::device, "pci-0000:41:00.0"}, "mlx5_0"});
    EXPECT_EQ(story.take_said(), Words{"raise rdma-device mlx5_0"});
    story.begins("crc-errors", kPort).at(4);
    EXPECT_EQ(story.take_said(), Words{});
    EXPECT_EQ(story.book.due(), Story::stamp(5).boot_ns);
    story.at(5);
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
}

TEST(Book, IsOverOnlyAfterItWasQuiet) {
    Story story;
    story.begins("crc-errors", kPort).at(10).ends("crc-errors", kPort).at(39).begins("crc-errors", kPort);
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
    story.at(50).ends("crc-errors", kPort).at(79);
    EXPECT_EQ(story.take_said(), Words{});
    story.at(80);
    EXPECT_EQ(story.take_said(), Words{"clear crc-errors mlx5_0/1"});
    EXPECT_EQ(story.last.alert.since, Story::stamp(0));
}

TEST(Book, TellsFlappingOnceThenNothingUntilItIsSteady) {
    Story story({.clear_after = 0s});
    for (int i = 0; i < 200; ++i) {
        story.at(i * 2).begins("crc-errors", kPort).at(i * 2 + 1).ends("crc-errors", kPort).at(i * 2 + 1.5);
    }
    const Words said = story.take_said();
    ASSERT_EQ(said.size(), 9U) << fmt::format("{}",
                                              fmt::join(said, "\n"));  // four times raised and over, then it stays
    EXPECT_EQ(said.back(), "raise crc-errors mlx5_0/1");
    EXPECT_TRUE(story.book.alerts().at(0).flapping);
    EXPECT_EQ(story.book.alerts().at(0).times, 200U);
    story.at(398 + 599);
    EXPECT_EQ(story.take_said(), Words{});
    story.at(399 + 601);
    EXPECT_EQ(story.take_said(), Words{"clear crc-errors mlx5_0/1"});
}

TEST(Book, CountsSteadyFromTheLastChangeNotFromTheLastBeginning) {
    Story story({.clear_after = 1s, .flap_count = 3, .flap_window = 20s});
    story.begins("crc-errors", kPort).at(0.5).ends("crc-errors", kPort);
    story.at(1).begins("crc-errors", kPort).at(1.5).ends("crc-errors", kPort).at(2).begins("crc-errors", kPort);
    EXPECT_EQ(story.take_said(), (Words{"raise crc-errors mlx5_0/1", "update crc-errors mlx5_0/1 (flapping)"}));
    // It lasts nearly as long as makes it steady there, and ends.
    story.at(17).ends("crc-errors", kPort).at(36.9);
    EXPECT_EQ(story.take_said(), Words{});
    ASSERT_TRUE(story.book.due());
    EXPECT_EQ(*story.book.due(), Story::stamp(37).boot_ns);
    // Nor is it forgotten across a restart.
    AlertBook again({.clear_after = 1s, .flap_count = 3, .flap_window = 20s});
    ASSERT_TRUE(again.restore(story.book.save("boot", story.now()), "boot", story.now()));
    EXPECT_EQ(again.tick(Story::stamp(36.95)).size(), 0U);
    EXPECT_EQ(again.tick(Story::stamp(37)).size(), 1U);
    // Back for a moment just before: all over again.
    story.begins("crc-errors", kPort).at(36.95).ends("crc-errors", kPort).at(56.9);
    EXPECT_EQ(story.take_said(), Words{});
    story.at(56.95);
    EXPECT_EQ(story.take_said(), Words{"clear crc-errors mlx5_0/1"});
}

TEST(Book, TellsWhenWhatIsRaisedBeginsToFlapAndThatItLastsThen) {
    Story story;
    for (int i = 0; i < 50; ++i) story.at(i * 4).begins("crc-errors", kPort).at(i * 4 + 2).ends("crc-errors", kPort);
    story.at(200).begins("crc-errors", kPort).at(700);
    EXPECT_EQ(story.take_said(), (Words{"raise crc-errors mlx5_0/1", "update crc-errors mlx5_0/1 (flapping)"}));
    story.at(801);
    EXPECT_EQ(story.take_said(), Words{"update crc-errors mlx5_0/1 (steady)"});
}

TEST(Book, TakesTheKernelsCountOfFlaps) {
    Story story;
    story.event("link", "carrier-down", kNetdev, {}, 10).event("link", "carrier-up", kNetdev);
    EXPECT_EQ(story.take_said(), Words{"raise rdma-link mlx5_0/1"});
    EXPECT_TRUE(story.last.alert.flapping);
    EXPECT_EQ(story.last.alert.times, 10U);
}

TEST(Book, HoldsBackWhatAnotherBroughtAbout) {
    Story story;
    const Cause cause{"module-no-light", kNetdev};
    // In one sweep, the consequence first.
    story.findings({Story::change("timeouts", kPort, State::firing, {cause}),
                    Story::change("module-no-light", kNetdev, State::firing)});
    EXPECT_EQ(story.take_said(), Words{"raise module-no-light ens1f0"});
    EXPECT_EQ(story.last.alert.consequences, Words{"timeouts on mlx5_0/1"});
    // The cause has ended, its alert not yet: it may take a moment until the consequence ends too.
    story.at(10).ends("module-no-light", kNetdev).at(39);
    EXPECT_EQ(story.take_said(), Words{});
    story.at(40);
    EXPECT_EQ(story.take_said(), (Words{"clear module-no-light ens1f0", "raise timeouts mlx5_0/1"}));
}

TEST(Book, DoesNotHoldBackUnderACauseThatNobodyIsToldOf) {
    Story story;
    FindingChange cause = Story::change("admin-down", kPort, State::firing);
    cause.severity = Severity::info;
    story.findings({cause, Story::change("timeouts", kPort, State::firing, {{"admin-down", kPort}})});
    EXPECT_EQ(story.take_said(), Words{"raise timeouts mlx5_0/1"});
}

TEST(Book, RaisesTwoThatNameEachOtherAsTheirCause) {
    Story story;
    story.findings({Story::change("a", kPort, State::firing, {{"b", kPort}}),
                    Story::change("b", kPort, State::firing, {{"a", kPort}})});
    EXPECT_EQ(story.take_said(), (Words{"raise a mlx5_0/1", "raise b mlx5_0/1"}));
}

TEST(Book, TakesWhatIsDoneOnPurposeForInformation) {
    Story story;
    story.event("link", "carrier-down", kNetdev).event("link", "admin-down", kNetdev);
    EXPECT_EQ(story.take_said(), (Words{"raise rdma-link mlx5_0/1", "update rdma-link mlx5_0/1 (on purpose)"}));
    EXPECT_EQ(story.last.alert.severity, Severity::info);
    // Switched on again without a link: now it is a fault.
    story.at(60).event("link", "admin-up", kNetdev);
    EXPECT_EQ(story.take_said(), Words{"update rdma-link mlx5_0/1 (worse)"});
    EXPECT_EQ(story.last.alert.severity, Severity::high);

    Story other;
    other.event("link", "admin-down", kNetdev).event("link", "carrier-down", kNetdev).event("verbs", "PORT_ERR", kPort);
    EXPECT_EQ(other.take_said(), Words{});
}

TEST(Book, RepeatsWhatLasts) {
    Story story({.repeat = 1h});
    story.begins("crc-errors", kPort).at(3599);
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
    story.at(3600).at(3601).at(7200);
    EXPECT_EQ(story.take_said(), (Words(2, "update crc-errors mlx5_0/1 (repeated)")));
}

TEST(Book, IsQuietAboutWhatIsAcknowledgedUntilItIsWorse) {
    Story story({.repeat = 1h});
    story.begins("crc-errors", kPort);
    const auto fingerprint = story.last.alert.fingerprint;
    const auto acknowledged = story.book.acknowledge(fingerprint, "eve", "cable ordered", story.now());
    ASSERT_TRUE(acknowledged);
    story.told(*acknowledged);
    story.at(9000);
    EXPECT_EQ(story.take_said(), (Words{"raise crc-errors mlx5_0/1", "update crc-errors mlx5_0/1 (acknowledged)"}));
    EXPECT_EQ(story.book.alerts().at(0).acknowledged->by, "eve");
    FindingChange worse = Story::change("crc-errors", kPort, State::firing);
    worse.from = State::firing;
    worse.severity = Severity::critical;
    story.findings({worse});
    EXPECT_EQ(story.take_said(), Words{"update crc-errors mlx5_0/1 (worse)"});
    EXPECT_FALSE(story.last.alert.acknowledged);
    EXPECT_FALSE(story.book.acknowledge("0000000000000000", "eve", "", story.now()));
}

TEST(Book, AcknowledgedOnceIsNotForEver) {
    Story story;
    story.begins("crc-errors", kPort);
    story.told(story.book.acknowledge(story.last.alert.fingerprint, "eve", "", story.now()).value());
    story.at(10).ends("crc-errors", kPort).at(40).at(5000).begins("crc-errors", kPort);
    EXPECT_EQ(story.take_said().back(), "raise crc-errors mlx5_0/1");
}

TEST(Book, IsSilentUntilTheSilenceEnds) {
    Story story;
    Silence silence{.rule = "",
                    .subject = "mlx5_0*",
                    .severity = {},
                    .by = "eve",
                    .comment = "maintenance",
                    .until = Story::stamp(100)};
    ASSERT_TRUE(story.book.silence(silence, story.now()));
    story.begins("crc-errors", kPort).at(99);
    EXPECT_EQ(story.take_said(), Words{});
    EXPECT_TRUE(story.book.alerts().at(0).silenced);
    EXPECT_EQ(story.book.due(), Story::stamp(100).boot_ns);
    story.at(100);
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
    EXPECT_TRUE(story.book.silences().empty());
}

TEST(Book, TellsTheEndOfWhatWasRaisedInASilenceToo) {
    Story story;
    story.begins("crc-errors", kPort);
    Silence silence{
        .rule = "crc-errors", .subject = "", .severity = {}, .by = "", .comment = "", .until = Story::stamp(9999)};
    const auto id = story.book.silence(silence, story.now());
    ASSERT_TRUE(id);
    story.at(10).ends("crc-errors", kPort).at(50);
    EXPECT_EQ(story.take_said().back(), "clear crc-errors mlx5_0/1");
    story.begins("crc-errors", kPort);
    EXPECT_EQ(story.take_said(), Words{});
    story.told(story.book.unsilence(*id, story.now()).value());
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
}

TEST(Book, RefusesASilenceOfEverythingOrOfThePast) {
    AlertBook book;
    EXPECT_FALSE(book.silence({.rule = "", .subject = "", .severity = {}, .until = Story::stamp(9)}, Story::stamp(0)));
    EXPECT_FALSE(book.silence({.rule = "x", .subject = "", .severity = {}, .until = Story::stamp(0)}, Story::stamp(1)));
    EXPECT_FALSE(book.unsilence("s1", Story::stamp(1)));
}

TEST(Book, EndsWhatTheSweepDeniesUnlessItIsNewer) {
    Story story;
    story.event("verbs", "PORT_ERR", kPort);
    const auto nothing_stands = [](const AlertBook::Sign&) { return false; };
    story.told(story.book.settle(Story::stamp(-1), nothing_stands));
    story.at(60);
    EXPECT_EQ(story.take_said(), Words{"raise rdma-link mlx5_0/1"});
    story.told(story.book.settle(Story::stamp(60), [](const AlertBook::Sign& sign) {
        EXPECT_TRUE(sign.event);
        EXPECT_EQ(sign.rule, "verbs/PORT_ERR");
        EXPECT_EQ(sign.subject.entity, kPort.entity);
        return false;
    }));
    story.at(90);
    EXPECT_EQ(story.take_said(), Words{"clear rdma-link mlx5_0/1"});
}

TEST(Book, KnowsAThingByItsKernelNameWhenItIsGone) {
    Story story;
    const Subject known{{Kind::nvme, "nqn.x#3"}, "nvme3"}, unknown{{Kind::host, ""}, "nvme3"};
    story.begins("nvme-keepalive-failed", known);
    story.event("nvme", "remove", unknown, {{"subsystem", "nvme"}}).ends("nvme-keepalive-failed", known).at(100);
    EXPECT_EQ(story.take_said(), Words{"raise nvme-controller nvme3"});
    story.event("nvme", "connected", known).at(130);
    EXPECT_EQ(story.take_said(), Words{"clear nvme-controller nvme3"});
}

TEST(Book, ForgetsARemovalThatNothingTakesBack) {
    Story story;
    story.event("uevent", "remove", {{Kind::device, "pci-0000:41:00.0"}, "mlx5_0"}, {{"subsystem", "infiniband"}})
        .at(3599);
    EXPECT_EQ(story.take_said(), Words{"raise rdma-device mlx5_0"});
    story.at(3600).at(3630);
    EXPECT_EQ(story.take_said(), Words{"clear rdma-device mlx5_0"});
}

TEST(Book, ToldByNoOneItRefusesWhatIsTooMuch) {
    Story story;
    std::vector<FindingChange> many;
    for (std::size_t i = 0; i < AlertBook::kMostAlerts + 10; ++i) {
        many.push_back(
            Story::change("crc-errors", {{Kind::process, std::to_string(i)}, std::to_string(i)}, State::firing));
    }
    story.findings(many);
    EXPECT_EQ(story.take_said().size(), AlertBook::kMostAlerts);
    EXPECT_EQ(story.book.refused(), 10U);
}

TEST(Book, DoesNotMindAWallClockThatIsSetBackNorABootClockThatSeemsTo) {
    Story story;
    story.begins("crc-errors", kPort).at(10).ends("crc-errors", kPort).at(30);
    story.told(story.book.tick({Story::stamp(35).boot_ns, 5}));
    story.told(story.book.tick({Story::stamp(2).boot_ns, 5}));
    EXPECT_EQ(story.take_said(), Words{"raise crc-errors mlx5_0/1"});
    story.told(story.book.tick({Story::stamp(40).boot_ns, 5}));
    EXPECT_EQ(story.take_said(), Words{"clear crc-errors mlx5_0/1"});
}

}  // namespace
}  // namespace rd::daemon
