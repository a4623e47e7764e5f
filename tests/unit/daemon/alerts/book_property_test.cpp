// SPDX-License-Identifier: GPL-2.0-or-later
// What holds whatever happens to a host: random stories, with restarts, reboots and clocks that are set.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "daemon/alerts/book.h"
#include "tests/unit/daemon/alerts/story.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

class RandomStory {
public:
    RandomStory(unsigned seed, BookConfig config) : random_(seed), config_(config), book_(config) {}

    void step() {
        now_.boot_ns += pick(4) == 0 ? pick(120) * 1'000'000'000LL : pick(3000) * 1'000'000LL;
        now_.wall_ns += pick(50) == 0 ? (pick(2) == 0 ? -1 : 1) * pick(100'000) * 1'000'000'000LL : 1'000'000'000;
        switch (pick(12)) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4:
                return findings();
            case 5:
            case 6:
            case 7:
                return event();
            case 8:
                return silence();
            case 9:
                if (const auto all = book_.alerts(); !all.empty()) {
                    const auto& alert = all[pick(all.size())];
                    take(book_.acknowledge(alert.fingerprint, "eve", "", now_).value());
                }
                return;
            case 10:
                if (pick(8) == 0) return restart();
                [[fallthrough]];
            default:
                // Sometimes a stamp that was taken earlier.
                return take(book_.tick({now_.boot_ns - (pick(5) == 0 ? 3'000'000'000 : 0), now_.wall_ns}));
        }
    }

    // Everything ends.
    void end() {
        take(book_.settle(now_, [](const AlertBook::Sign&) { return false; }));
        for (int i = 0; i < 40; ++i) {
            now_.boot_ns += 60'000'000'000;
            take(book_.tick(now_));
        }
        for (const auto& [fingerprint, raised] : raised_) EXPECT_FALSE(raised) << fingerprint;
        EXPECT_TRUE(book_.alerts().empty());
    }

    std::map<std::string, std::vector<std::int64_t>> raises;

private:
    std::size_t pick(std::size_t below) { return random_() % below; }
    std::int64_t pick(int below) { return static_cast<std::int64_t>(pick(static_cast<std::size_t>(below))); }

    void take(const AlertBook::Actions& actions) {
        for (const Action& action : actions) {
            bool& raised = raised_[action.alert.fingerprint];
            EXPECT_EQ(raised, action.deed != Deed::raise) << name_of(action.deed) << " " << action.alert.name;
            raised = action.deed != Deed::clear;
            EXPECT_EQ(action.alert.raised, raised);
            if (action.deed == Deed::raise) {
                EXPECT_GE(action.alert.severity, config_.least);
                EXPECT_FALSE(action.alert.silenced);
                EXPECT_TRUE(action.alert.firing);
                raises[action.alert.fingerprint].push_back(now_.boot_ns);
            }
        }
        // Who was told of something can look it up.
        std::size_t open = 0, listed = 0;
        for (const auto& [fingerprint, raised] : raised_) open += raised ? 1 : 0;
        for (const Alert& alert : book_.alerts()) listed += alert.raised ? 1 : 0;
        EXPECT_EQ(open, listed);
    }

    void findings() {
        static const Words kRules{"port-no-carrier", "link-flap", "a", "b", "c", "nvme-keepalive-failed"};
        std::vector<FindingChange> changes;
        for (std::size_t i = 0; i <= static_cast<std::size_t>(pick(3)); ++i) {
            auto change = Story::change(kRules[pick(kRules.size())], pick(2) == 0 ? kPort : kNetdev,
                                        pick(2) == 0   ? State::firing
                                        : pick(2) == 0 ? State::quiet
                                                       : State::pending);
            change.severity = static_cast<Severity>(pick(5));
            change.at = now_;
            while (pick(3) == 0) change.causes.push_back({kRules[pick(kRules.size())], pick(2) == 0 ? kPort : kNetdev});
            changes.push_back(std::move(change));
        }
        take(book_.take(changes, now_));
    }

    void event() {
        const auto kinds = event_kinds();
        const EventKind& kind = kinds[pick(kinds.size())];
        Happening happening;
        happening.at = now_;
        happening.source = kind.source;
        happening.name = kind.name;
        if (!kind.detail.empty()) happening.details.emplace_back(kind.detail, kind.value);
        const Subject& subject = pick(2) == 0 ? kPort : kNetdev;
        happening.subject = subject.name;
        if (pick(4) != 0) happening.entity = subject.entity;
        if (subject.entity.kind == Kind::netdev && pick(4) != 0) happening.port = kPort;
        happening.carries_rdma = pick(8) != 0;
        happening.count = static_cast<std::uint64_t>(pick(6) == 0 ? pick(1000) : 1);
        take(book_.take(happening));
    }

    void silence() {
        Silence silence;
        if (pick(2) == 0) silence.rule = pick(2) == 0 ? "a" : "rdma-*";
        if (pick(2) == 0) silence.severity = static_cast<Severity>(pick(5));
        silence.until = {now_.boot_ns + pick(200) * 1'000'000'000LL, now_.wall_ns};
        if (book_.silences().size() < 2) (void)book_.silence(silence, now_);
        if (!book_.silences().empty() && pick(3) == 0) take(book_.unsilence(book_.silences()[0].id, now_).value());
    }

    void restart() {
        const std::string saved = book_.save(boot_, now_);
        if (pick(3) == 0) {
            boot_ += "x";
            now_.boot_ns = 5'000'000'000 + pick(100) * 1'000'000'000LL;
            now_.wall_ns += 60'000'000'000;
            raises.clear();  // another clock
        }
        AlertBook fresh(config_);
        const auto restored = fresh.restore(saved, boot_, now_);
        ASSERT_TRUE(restored) << restored.error().what;
        EXPECT_EQ(fresh.alerts().size(), book_.alerts().size());
        book_ = std::move(fresh);
        take({});
    }

    std::mt19937 random_;
    BookConfig config_;
    AlertBook book_;
    Stamp now_{1'000'000'000'000, 1'700'000'000'000'000'000};
    std::string boot_ = "boot";
    std::map<std::string, bool> raised_;
};

class BookProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(BookProperty, NeverRaisesTwiceAndClearsEverything) {
    BookConfig config;
    if (GetParam() % 3 == 1)
        config = {.hold = 2s, .clear_after = 0s, .flap_count = 3, .flap_window = 60s, .repeat = 30s};
    if (GetParam() % 3 == 2) config = {.least = Severity::info, .clear_after = 90s, .flap_window = 10s, .repeat = 0s};
    RandomStory story(GetParam(), config);
    for (int i = 0; i < 600 && !HasFailure(); ++i) story.step();
    story.end();
    // Damped: one alert is raised no oftener within a window than makes it flap, and once more for what began before the window and
    // was held back.
    for (const auto& [fingerprint, times] : story.raises) {
        const auto most = static_cast<std::size_t>(config.flap_count) + 1;
        for (std::size_t i = most; i < times.size(); ++i) {
            EXPECT_GE(times[i] - times[i - most], config.flap_window.count()) << fingerprint;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BookProperty, ::testing::Range(0U, 60U));

TEST(BookRestore, RefusesWhatIsDamagedAndStaysEmpty) {
    Story story;
    story.event("verbs", "PORT_ERR", kPort).begins("a", kPort, {{"b", kNetdev}});
    const std::string saved = story.book.save("boot", story.now());
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string damaged = saved;
        for (unsigned j = 0; j <= random() % 3; ++j) {
            const std::size_t at = random() % damaged.size();
            if (random() % 2 == 0)
                damaged[at] = static_cast<char>(random() % 256);
            else
                damaged.erase(at, 1 + random() % 20);
        }
        AlertBook book;
        if (!book.restore(damaged, "boot", story.now())) {
            EXPECT_TRUE(book.alerts().empty());
            EXPECT_TRUE(book.silences().empty());
        }
        (void)book.tick(Story::stamp(1000));
    }
    AlertBook book;
    EXPECT_EQ(book.restore("", "boot", story.now()).error().code, Errc::bad_input);
    EXPECT_EQ(book.restore("form=rdmadoctor-alerts version=2\n", "boot", story.now()).error().code, Errc::bad_input);
}

TEST(BookRestore, KeepsWhatWasSaid) {
    Story story;
    story.begins("crc-errors", kPort).begins("timeouts", kPort, {{"crc-errors", kPort}});
    story.told(story.book.acknowledge(story.book.alerts().at(0).fingerprint, "eve", "a cable\nis ordered", story.now())
                   .value());
    ASSERT_TRUE(story.book.silence({.rule = "x",
                                    .subject = "",
                                    .severity = Severity::low,
                                    .by = "eve",
                                    .comment = "é",
                                    .until = Story::stamp(500)},
                                   story.now()));
    const std::string saved = story.book.save("boot", story.now());
    // Another boot, a minute later: its clock begins anew.
    Stamp later{9'000'000'000, story.now().wall_ns + 60'000'000'000};
    AlertBook book;
    ASSERT_TRUE(book.restore(saved, "other", later));
    EXPECT_EQ(book.silences().at(0).comment, "é");
    EXPECT_EQ(book.silences().at(0).until.boot_ns - later.boot_ns, 440'000'000'000);
    ASSERT_EQ(book.alerts().size(), 2U);
    ASSERT_TRUE(book.alerts().at(0).acknowledged);
    EXPECT_EQ(book.alerts().at(0).acknowledged->by, "eve");
    EXPECT_EQ(book.alerts().at(0).acknowledged->comment, "a cable\nis ordered");
    EXPECT_EQ(book.alerts().at(0).acknowledged->at.wall_ns, story.now().wall_ns);
    // The finding goes on: no second raise. The consequence stays under it.
    FindingChange again = Story::change("crc-errors", kPort, State::firing);
    again.at = later;
    EXPECT_TRUE(book.take(std::vector{again}, later).empty());
    EXPECT_EQ(book.alerts().at(0).consequences, Words{"timeouts on mlx5_0/1"});
    EXPECT_EQ(book.save("other", later), [&] {
        AlertBook twice;
        EXPECT_TRUE(twice.restore(book.save("other", later), "other", later));
        return twice.save("other", later);
    }());
}

}  // namespace
}  // namespace rd::daemon
