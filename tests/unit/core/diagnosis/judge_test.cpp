// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/diagnosis/windows.h"
#include "rules.h"
#include "tests/unit/support/judging.h"

namespace rd {
namespace {

using namespace std::chrono_literals;
using test::book_of;
using test::minimal;

// A host on which everything happens: values move, stand still, are gaps, are not read; entities come and go, references lead elsewhere,
// kinds cannot be enumerated, lines are written and grow old.
class RestlessHost {
public:
    explicit RestlessHost(std::shared_ptr<Layout> layout, unsigned seed) : layout_(std::move(layout)), random_(seed) {
        for (const auto& [kind, count] : std::initializer_list<std::pair<Kind, int>>{{Kind::host, 1},
                                                                                     {Kind::device, 2},
                                                                                     {Kind::port, 3},
                                                                                     {Kind::netdev, 3},
                                                                                     {Kind::priority, 4},
                                                                                     {Kind::pci, 2},
                                                                                     {Kind::numa, 2},
                                                                                     {Kind::process, 3},
                                                                                     {Kind::log, 4}}) {
            for (int i = 0; i < count; ++i) {
                const std::string id = kind == Kind::host  ? ""
                                       : kind == Kind::pci ? "0000:41:00." + std::to_string(i)
                                                           : std::string(name_of(kind)) + std::to_string(i);
                entities_.push_back({{kind, id}, true});
            }
        }
        for (std::size_t i = 0; i < entities_.size(); ++i) {
            for (const FactSpec* row : test::catalog().all()) {
                if (row->kind == entities_[i].entity.kind && !row->family)
                    facts_.push_back({i, row, std::nullopt, 0, 0});
            }
        }
    }

    Snapshot sweep() {
        now_ += roll(40) == 0 ? 10'000'000 : roll(60) == 0 ? 900'000'000'000 : 1'000'000'000;
        hand_on();
        Snapshot snapshot(layout_, Stamp{now_, now_ + 5});
        for (Thing& thing : entities_) {
            const int sides = thing.entity.kind == Kind::process ? 8 : thing.entity.kind == Kind::log ? 30 : 90;
            if (thing.entity.kind != Kind::host && roll(sides) == 0) thing.there = !thing.there;
            thing.away = thing.there ? 0 : thing.away + 1;
            if (thing.there) snapshot.present(thing.entity);
        }
        for (Fact& fact : facts_) {
            if (!entities_[fact.thing].there) continue;
            if (fact.left-- <= 0) {
                fact.mood = roll(7);
                fact.left = roll(fact.mood < 3 ? 120 : 12);
            }
            if (fact.mood == 6 || roll(60) == 0) continue;  // not read
            if (!fact.reading || (fact.mood > 2 && roll(2) == 0)) fact.reading = value(*fact.row);
            snapshot.set(entities_[fact.thing].entity, *fact.row, fact.row->name, *fact.reading);
        }
        for (int kind = 0; kind < kKindCount; ++kind) {
            if (roll(150) == 0) unseen_ ^= only(static_cast<Kind>(kind));
            if ((unseen_ & only(static_cast<Kind>(kind))) != 0)
                snapshot.kind_gap(static_cast<Kind>(kind), Gap{GapClass::no_privilege, "not listed", "be root"});
        }
        return snapshot;
    }

private:
    struct Thing {
        Entity entity;
        bool there = true;
        int away = 0;  // sweeps
    };
    struct Fact {
        std::size_t thing;
        const FactSpec* row;
        std::optional<Reading> reading;
        int mood, left;
    };

    int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }

    // As a sweep does with what is of short life: who has gone may lose the place, and is somebody else afterwards or comes again.
    void hand_on() {
        for (Thing& thing : entities_) {
            const Kind kind = thing.entity.kind;
            if ((kind != Kind::process && kind != Kind::log) || thing.away < 3 || roll(4) != 0) continue;
            if (const auto place = layout_->find(thing.entity)) layout_->retire(*place);
            if (roll(2) == 0) thing.entity.id = std::string(name_of(kind)) + std::to_string(roll(1000));
        }
    }

    Entity one_of(Kind kind) {
        std::vector<Entity> all;
        for (const Thing& thing : entities_) {
            if (thing.entity.kind == kind) all.push_back(thing.entity);
        }
        return all[static_cast<std::size_t>(roll(static_cast<int>(all.size())))];
    }

    Reading value(const FactSpec& row) {
        static constexpr GapClass kGaps[] = {GapClass::not_offered, GapClass::no_privilege, GapClass::error,
                                             GapClass::timed_out, GapClass::not_collected};
        if (roll(9) == 0) return tl::unexpected(Gap{kGaps[roll(5)], "because " + std::to_string(roll(2)), ""});
        if (row.name == "at") return static_cast<double>(now_) / 1e9 - roll(7000);
        if (row.name == "source") return std::string(roll(3) == 0 ? "ceph" : "kernel");
        if (row.name == "line") {
            static const char* const kLines[] = {"mlx5_core 0000:41:00.0: port down", "port down", "device0: port down",
                                                 "netdev1: port up again", "nothing of interest"};
            return std::string(kLines[roll(5)]);
        }
        if (row.name == "name") return std::string("device") + std::to_string(roll(3));
        switch (row.type) {
            case Type::boolean:
                return roll(2) == 0;
            case Type::real:
                return roll(100) / 10.0;
            case Type::text:
                return std::string(roll(2) == 0 ? "Ethernet" : "28.41.1000");
            case Type::reference:
                return one_of(row.target);
            default:
                break;
        }
        if (!is_counter(row.nature)) return std::int64_t{roll(6)};
        counted_ += roll(5);
        return std::min(counted_, is_saturating(row.nature) ? counter_max(row.nature) : counted_);
    }

    std::shared_ptr<Layout> layout_;
    std::mt19937 random_;
    std::vector<Thing> entities_;
    std::vector<Fact> facts_;
    std::int64_t now_ = 3'600'000'000'000;
    std::int64_t counted_ = 0;
    Kinds unseen_ = 0;
};

Rules restless_rules() {
    const std::pair<const char*, const char*> conditions[] = {
        {"port", "rate(rx_packets, 10s) > 1 and not lossless"},
        {"port", "increase(out_of_sequence, 1m) > 20 or lossless"},
        {"port", "increase(symbol_errors, 10s) > 2"},
        {"port", "avg(load, 30s) > 5"},
        {"port", "min(uptime, 10s) > 1 and max(uptime, 1m) < 5"},
        {"port", "changed(link_layer, 10s) or changed(lossless, 1m)"},
        {"port", "changed(netdev, 1m)"},
        {"port", "known(device.pci.link_width) and device.pci.link_width < device.pci.link_width_max"},
        {"port", "device.pci == netdev.pci"},
        {"port", "link_layer == \"Ethernet\" and active_mtu > netdev.mtu"},
        {"port", "rate(rx_packets, 10s) / rate(out_of_sequence, 10s) < 2"},
        {"port", "host.iommu and host.intent == \"Ethernet\""},
        {"netdev", "any(priority, pfc_enabled and rate(pauses, 10s) > 1)"},
        {"netdev", "all(priority, pfc_enabled)"},
        {"netdev", "count(priority, pfc_enabled) == 1 and mtu > 2"},
        {"device", "version(fw_version) < version(\"29.1\")"},
        {"device", "count(process) > 1 or any(port, uptime > 3)"},
        {"pci", "bit(flags, 1) and known(numa)"},
        {"process", "pinned > 3 and known(device.pci)"},
        {"numa", "tenant.pinned > 2 or tenant.device.pci.link_width > 3"},
        {"host", "any(port, rate(rx_packets, 1m) > 0.5)"},
        {"host", "count(process, pinned > 2) >= 2"},
        {"host", "changed(memory, 24h) and memory > 1"},
    };
    std::vector<std::string> texts;
    for (const auto& [scope, when] : conditions) {
        std::string more;
        if (texts.size() % 3 == 0 && std::string_view(scope) == "port")
            more = "suspect = 'lifetime(out_of_sequence) / lifetime(rx_packets) > 0.5'\n";
        if (texts.size() % 2 == 0) more += "for = \"5s\"\n";
        if (texts.size() % 4 == 0) more += "[[log]]\npattern = 'port down'\nconfidence = \"high\"\n";
        texts.push_back(minimal("rule-" + std::to_string(100 + texts.size()), when, more, scope));
    }
    return book_of(texts);
}

TEST(JudgeTest, SaysWhatEvaluateSaysWhateverHappens) {
    const Rules rules = restless_rules();
    ASSERT_THAT(test::printed(rules.errors), testing::IsEmpty());
    ASSERT_GT(rules.book.rules.size(), 20u);
    std::size_t judged = 0, total = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        auto layout = std::make_shared<Layout>();
        RestlessHost host(layout, seed);
        History history = seed % 2 == 0 ? History(layout) : History(layout, windows_of(rules.book));
        test::JudgeBesideEvaluate both(rules.book);
        for (int tick = 0; tick < 400; ++tick) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " tick " << tick);
            history.append(host.sweep());
            if (!both.same_after_sweep(history)) return;
            if (!both.tracked_alike(history.last())) return;
        }
        EXPECT_GT(both.changes(), 400u);
        EXPECT_GT(layout->moves(), 40u);
        judged += both.judged();
        total += both.total();
    }
    EXPECT_LT(judged, total * 3 / 4);
}

// What stands still costs nothing; what moves costs the rules that look at it.
TEST(JudgeTest, JudgesAgainOnlyWhatCanHaveChanged) {
    const Rules rules = book_of({minimal("a", "active_mtu > 1000"), minimal("b", "rate(rx_packets, 10s) > 5"),
                                 minimal("c", "active_mtu > 1000 and rate(rx_packets, 10s) > 5")});
    test::World world;
    world.number(test::kPort, "active_mtu", 900).number(test::kPort, "rx_packets", 0).sweep().sweep().sweep();
    Judge judge(rules.book);
    EXPECT_EQ(judge.update(world.history()).size(), 3u);
    EXPECT_EQ(judge.judged(), 3u);
    world.sweep();
    EXPECT_THAT(judge.update(world.history()), testing::IsEmpty());
    EXPECT_EQ(judge.judged(), 0u);
    world.number(test::kPort, "rx_packets", 100).sweep();
    const auto& changes = judge.update(world.history());
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].rule->id, "b");
    EXPECT_EQ(changes[0].from, State::quiet);
    EXPECT_EQ(changes[0].to, State::firing);
    // "c" looks at both: all its terms are evidence where they hold.
    EXPECT_EQ(judge.judged(), 1u);
    for (int i = 0; i < 9; ++i) {
        world.sweep();
        judge.update(world.history());
        EXPECT_EQ(judge.judged(), 1u) << i;
    }
    world.sweep().sweep().sweep();
    judge.update(world.history());  // more than one sweep: all anew
    EXPECT_EQ(judge.judged(), 3u);
    world.sweep();
    judge.update(world.history());
    EXPECT_EQ(judge.judged(), 0u);
}

TEST(JudgeTest, WithoutASweepThereIsNothing) {
    const Rules rules = book_of({minimal("a", "active_mtu > 1000")});
    Judge judge(rules.book);
    test::World world;
    EXPECT_THAT(judge.update(world.history()), testing::IsEmpty());
    EXPECT_THAT(judge.verdicts(), testing::IsEmpty());
}

TEST(WindowsTest, EachFactHasTheLongestThatARuleInForceAsks) {
    const Rules rules =
        book_of({minimal("a", "rate(rx_packets, 10s) > 5 and increase(rx_packets, 1h) > 1"),
                 minimal("b", "any(port, changed(lossless, $w))", "params = { w = \"5m\" }\n", "host"),
                 minimal("c", "max(netdev.mtu, 24h) > 5"), minimal("d", "active_mtu > 1")},
                {"id = \"b\"\nparams = { w = \"2h\" }\n", "id = \"c\"\nenabled = false\nreason = \"no\"\n"});
    ASSERT_THAT(test::printed(rules.errors), testing::IsEmpty());
    const Windows windows = windows_of(rules.book);
    ASSERT_EQ(windows.size(), 2u);
    EXPECT_EQ((windows.at({Kind::port, "rx_packets"})), 1h);
    EXPECT_EQ((windows.at({Kind::port, "lossless"})), 2h);
}

}  // namespace
}  // namespace rd
