// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/fold.h"

#include <gmock/gmock.h>

#include <map>

namespace rd {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kSecond = 1'000'000'000;

HostEvent event_at(std::int64_t boot_ns, std::string name, std::uint64_t count = 1) {
    HostEvent event;
    event.at = {boot_ns, boot_ns + 7};
    event.source = "verbs";
    event.name = std::move(name);
    event.subject = "mlx5_0/1";
    event.count = count;
    return event;
}

struct Log {
    std::vector<std::string> lines;
    EventFolder folder;

    explicit Log(EventFolder::Limits limits = {})
        : folder([this](const FoldedEvent& folded) { note("+", folded); },
                 [this](const FoldedEvent& folded) { note("-", folded); }, limits) {}
    void note(const char* what, const FoldedEvent& folded) {
        lines.push_back(what + std::to_string(folded.id) + " " + folded.event.name + " " +
                        std::to_string(folded.event.count) + " " + std::to_string(folded.event.at.boot_ns) + "-" +
                        std::to_string(folded.last.boot_ns));
    }
};

TEST(EventFolder, TellsTheFirstAtOnceAndTheCountWhenItsSecondIsOver) {
    Log log;
    log.folder.add(event_at(100, "PORT_ERR"));
    EXPECT_THAT(log.lines, ElementsAre("+1 PORT_ERR 1 100-100"));
    log.folder.add(event_at(200, "PORT_ERR", 4));
    log.folder.add(event_at(99 + kSecond, "PORT_ERR"));
    EXPECT_EQ(log.lines.size(), 1u);
    EXPECT_EQ(log.folder.due(), 100 + kSecond);
    log.folder.close_until(99 + kSecond);
    EXPECT_EQ(log.lines.size(), 1u);
    log.folder.add(event_at(100 + kSecond, "PORT_ERR"));
    EXPECT_THAT(log.lines, ElementsAre("+1 PORT_ERR 1 100-100", "-1 PORT_ERR 6 100-1000000099",
                                       "+2 PORT_ERR 1 1000000100-1000000100"));
    log.folder.close_all();
    EXPECT_EQ(log.lines.back(), "-2 PORT_ERR 1 1000000100-1000000100");
    EXPECT_EQ(log.folder.due(), std::nullopt);
}

TEST(EventFolder, KeepsKindsApart) {
    Log log;
    HostEvent other = event_at(1, "PORT_ERR");
    other.subject = "mlx5_1/1";
    HostEvent source = event_at(2, "PORT_ERR");
    source.source = "link";
    for (const HostEvent& event : {event_at(0, "PORT_ERR"), event_at(0, "PORT_ACTIVE"), other, source}) {
        log.folder.add(event);
    }
    EXPECT_EQ(log.lines.size(), 4u);
    EXPECT_NE(fold_key(other), fold_key(source));
}

TEST(EventFolder, LinesOfALogAreTheSameByTheirShape) {
    HostEvent one = event_at(0, "err"), two = one, three = one;
    one.details = {{"text", "mlx5_core 0000:41:00.0: CQ error on CQN 0x8f"}, {"seq", "1"}};
    two.details = {{"text", "mlx5_core 0000:41:00.0: CQ error on CQN 0x90"}, {"seq", "2"}};
    three.details = {{"text", "mlx5_core 0000:41:00.0: health compromised"}, {"seq", "3"}};
    EXPECT_EQ(fold_key(one), fold_key(two));
    EXPECT_NE(fold_key(one), fold_key(three));
}

TEST(EventFolder, AFloodOfOneKindIsOneRow) {
    Log log;
    for (int i = 0; i < 100'000; ++i) log.folder.add(event_at(i, "GID_CHANGE"));
    log.folder.close_all();
    EXPECT_THAT(log.lines, ElementsAre("+1 GID_CHANGE 1 0-0", "-1 GID_CHANGE 100000 0-99999"));
}

TEST(EventFolder, AFloodOfManyKindsKeepsFewOpenAndLosesNothing) {
    std::size_t open = 0, most = 0;
    std::uint64_t closed = 0;
    std::map<std::uint64_t, int> ends;
    EventFolder folder([&](const FoldedEvent&) { most = std::max(most, ++open); },
                       [&](const FoldedEvent& folded) {
                           --open;
                           closed += folded.event.count;
                           ++ends[folded.id];
                       },
                       {std::chrono::seconds(1), 100});
    for (int i = 0; i < 100'000; ++i) folder.add(event_at(i, std::to_string(i % 5'000)));
    folder.close_all();
    EXPECT_EQ(closed, 100'000u);
    EXPECT_EQ(most, 100u);
    EXPECT_EQ(open, 0u);
    for (const auto& [id, times] : ends) EXPECT_EQ(times, 1) << id;
}

}  // namespace
}  // namespace rd
