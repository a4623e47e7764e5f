// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/vacancies.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "core/facts/history.h"
#include "core/facts/sweep.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/passing_host.h"

namespace rd {
namespace {

using namespace std::chrono_literals;

constexpr FactSpec kFacts[] = {
    {Kind::process, "name", Type::text, Nature::config, "", ""},
    {Kind::process, "work", Type::integer, Nature::counter, "", ""},
    {Kind::process, "load", Type::integer, Nature::gauge, "", ""},
    {Kind::process, "odd", Type::boolean, Nature::config, "", ""},
};
constexpr FactSpec kShare[] = {{Kind::process, "share", Type::integer, Nature::gauge, "", ""}};
constexpr std::string_view kShareReads[] = {"process.load"};

Entity process(const std::string& pid) { return {Kind::process, pid}; }
Entity process(int pid) { return process(std::to_string(pid)); }

// Processes that come and go, and work: nothing of it is kept once they have gone.
class Crowd final : public PassingHost {
public:
    Crowd() : PassingHost(std::make_shared<FakeHost>()) {}

    std::map<int, std::int64_t> work;  // of those that are there, by pid
    bool blind = false;                // they cannot be listed
    Stamp at{1'000'000'000, 1'700'000'000'000'000'000};

    void pass(std::chrono::nanoseconds time) { at.boot_ns += time.count(); }

    [[nodiscard]] Stamp now() const override { return at; }
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view path) const override {
        if (path != "/run") return PassingHost::list(path);
        if (blind) return fail(Errc::no_privilege, "/run: denied");
        std::vector<std::string> names;
        for (const auto& [pid, done] : work) names.push_back(std::to_string(pid));
        return names;
    }
    [[nodiscard]] std::unique_ptr<Handle> open(std::string_view name) const override {
        FakeHost answers;
        for (const auto& [pid, done] : work)
            answers.file("/run/" + std::to_string(pid) + "/work", std::to_string(done) + "\n");
        return answers.open(name);
    }
};

void discover_crowd(const Host& host, Plan& plan) {
    const auto pids = host.list("/run");
    if (!pids) return plan.kind_gap(Kind::process, gap_from(pids.error()));
    for (const std::string& pid : *pids) {
        plan.put(process(pid), kFacts[0], "p" + pid);
        // Not all have the same facts.
        if (std::stoi(pid) % 2 != 0) plan.put(process(pid), kFacts[3], true);
        plan.read("/run/" + pid + "/work", process(pid), kFacts[1], as_integer);
        plan.decode("/run/" + pid + "/work", {{process(pid), &kFacts[2]}}, [pid](std::string_view text, Facts& out) {
            out.put(process(pid), kFacts[2], std::get<std::int64_t>(*as_integer(text)) % 5);
        });
    }
}
constinit const Collector kCrowd{"crowd", kFacts, {}, Seconds(1), Rediscover::always, discover_crowd};
constexpr const Collector* kCollectors[] = {&kCrowd};
const Derivation kSharing{
    "sharing", kShare, kShareReads, [](const Site&, Snapshot& snapshot) {
        const auto all = snapshot.entities(Kind::process);
        for (const Entity& one : all)
            snapshot.put(one, kShare[0],
                         snapshot.integer(one, "load").value_or(-1) * 10 + static_cast<std::int64_t>(all.size()));
    }};
const Derivation* const kDerivations[] = {&kSharing};

// What is looked at by one who gives places away, or keeps all of them.
struct Looker {
    Looker(std::shared_ptr<Crowd> host, Kinds short_lived)
        : sweep(host, kCollectors, kDerivations, options(short_lived)) {}

    static SweepOptions options(Kinds short_lived) {
        SweepOptions made;
        made.deadline = std::chrono::seconds(20);
        made.short_lived = short_lived;
        return made;
    }
    void look() { history.append(sweep.run(Due::all)); }

    Sweep sweep;
    History history{sweep.layout(), Windows{{{Kind::process, "work"}, 5min}, {{Kind::process, "load"}, 20min}}};
};

std::string print(const tl::expected<Increase, Gap>& one) {
    if (!one) return one.error().reason;
    return std::to_string(one->amount) + (one->reset ? " reset " : " ") + std::to_string(one->window.count());
}
template <class Value>
std::string print(const tl::expected<Value, Gap>& one) {
    return one ? std::to_string(*one) : one.error().reason;
}

// All that can be said of a process.
std::string said_of(const Entity& one, const History& history) {
    std::string text;
    for (const std::string_view fact : {"name", "work", "load", "odd", "share"}) {
        const Observation seen = history.observe(one, fact);
        text += std::string(fact) + " " + (*seen.reading ? rd::print(**seen.reading) : seen.reading->error().reason);
        for (const auto window : {3s, 300s}) {
            text += ", " + print(history.increase(one, fact, window));
            text += ", " + print(history.aggregate(one, fact, window, Aggregate::max));
            text += ", " + print(history.aggregate(one, fact, window, Aggregate::avg));
            text += ", " + print(history.changed(one, fact, window));
        }
        text += "\n";
    }
    return text;
}

TEST(Vacancies, APlaceIsHandedOnWithItsSlotsToOneOfItsKind) {
    Layout layout;
    const EntityIndex first = layout.add(process(1));
    const SlotIndex work = layout.add(first, kFacts[1], "work");
    const SlotIndex load = layout.add(first, kFacts[2], "load");
    const std::uint32_t tenure = layout.tenure(first);
    layout.retire(first);
    EXPECT_TRUE(layout.vacant(first));
    EXPECT_FALSE(layout.find(process(1)));
    layout.retire(first);
    EXPECT_EQ(layout.moves(), 1u) << "twice is once";
    EXPECT_NE(layout.add({Kind::log, "1"}), first);
    EXPECT_EQ(layout.add(process(2)), first);
    EXPECT_FALSE(layout.vacant(first));
    EXPECT_NE(layout.tenure(first), tenure);
    EXPECT_EQ(layout.entity(first), process(2));
    EXPECT_EQ(layout.add(first, kFacts[2], "load"), load);
    EXPECT_EQ(layout.find(first, "work"), work);
    EXPECT_NE(layout.add(process(1)), first) << "who comes again is new";
    EXPECT_EQ(layout.entities_of(Kind::process).size(), 2u);
    EXPECT_EQ(layout.slot_count(), 2u);
}

TEST(Vacancies, ThousandsComeAndGoInTheSpaceOfAFewAndNobodyIsTakenForAnother) {
    auto host = std::make_shared<Crowd>();
    Looker sparing(host, only(Kind::process)), lavish(host, 0);
    std::size_t entities = 0, slots = 0;
    constexpr int kProcesses = 4000;
    for (int pid = 1; pid <= kProcesses; ++pid) {
        host->work[pid] = pid * 7;
        host->work.erase(pid - 1 - pid % 9);  // some live for a second, some for ever so long
        if (host->work.size() > 12) host->work.erase(host->work.begin());
        for (auto& [one, done] : host->work) done += one % 3 == 0 ? 0 : one % 11;
        host->blind = pid % 100 == 50;
        sparing.look();
        lavish.look();
        for (const auto& [one, done] : host->work)
            ASSERT_EQ(said_of(process(one), sparing.history), said_of(process(one), lavish.history)) << one;
        ASSERT_EQ(sparing.history.latest().entities(Kind::process), lavish.history.latest().entities(Kind::process));
        host->pass(1s);
        if (pid != kProcesses / 4) continue;
        entities = sparing.sweep.layout()->entity_count();
        slots = sparing.sweep.layout()->slot_count();
    }
    EXPECT_LE(sparing.sweep.layout()->entity_count(), entities + 8);
    EXPECT_LE(sparing.sweep.layout()->slot_count(), slots + 40);
    EXPECT_LE(entities, 100u);
    EXPECT_GT(lavish.sweep.layout()->entity_count(), std::size_t{kProcesses} * 9 / 10);
    EXPECT_GT(sparing.sweep.layout()->moves(), std::size_t{kProcesses});
}

TEST(Vacancies, WhoComesAgainInTimeIsTheSameAndLaterSomebodyElse) {
    auto host = std::make_shared<Crowd>();
    Looker looker(host, only(Kind::process));
    const auto away = [&](std::chrono::seconds time) {
        host->work.erase(1);
        for (int second = 0; second < time.count(); second += 10) {
            host->pass(10s);
            looker.look();
        }
        host->work[1] = 500;
        host->pass(1s);
        looker.look();
    };
    host->work = {{1, 100}};
    looker.look();
    const auto place = looker.sweep.layout()->find(process(1));
    away(500s);
    EXPECT_EQ(looker.sweep.layout()->find(process(1)), place);
    EXPECT_EQ(looker.history.increase(process(1), "work", 300s)->amount, 400) << "the sample before the window";
    EXPECT_EQ(looker.sweep.layout()->moves(), 0u);
    away(620s);
    EXPECT_EQ(looker.sweep.layout()->find(process(1)), place) << "the only one that there is";
    EXPECT_EQ(looker.sweep.layout()->moves(), 2u);
    EXPECT_FALSE(looker.history.increase(process(1), "work", 300s)) << "one sample";
    EXPECT_FALSE(looker.history.aggregate(process(1), "load", 1200s, Aggregate::max));
    EXPECT_EQ(looker.history.latest().integer(process(1), "work"), 500);
}

TEST(Vacancies, AListingThatFailsForAWhileMakesNobodyNew) {
    auto host = std::make_shared<Crowd>();
    Looker looker(host, only(Kind::process));
    for (int pid = 1; pid <= 200; ++pid) host->work[pid] = 100;
    const auto look = [&](int times) {
        for (int i = 0; i < times; ++i) {
            host->pass(10s);
            looker.look();
        }
    };
    look(2);
    host->blind = true;
    look(50);
    host->blind = false;
    look(1);
    EXPECT_EQ(looker.sweep.layout()->moves(), 0u);
    EXPECT_EQ(looker.history.latest().entities(Kind::process).size(), 200u);
    host->blind = true;
    look(70);
    EXPECT_EQ(looker.sweep.layout()->moves(), 200u) << "after ten minutes";
    host->blind = false;
    look(3);
    host->work.clear();
    look(1);
    EXPECT_EQ(looker.sweep.layout()->moves(), 400u);
    look(4);
    EXPECT_EQ(looker.sweep.layout()->moves(), 592u) << "where they can be listed few wait";
}

TEST(Vacancies, NothingIsKnownOfWhoseWasThePlace) {
    auto host = std::make_shared<Crowd>();
    Looker looker(host, only(Kind::process));
    host->work = {{1, 100}};
    looker.look();
    host->work.clear();
    for (int minute = 0; minute < 12; ++minute) {
        host->pass(60s);
        looker.look();
    }
    ASSERT_EQ(looker.sweep.layout()->moves(), 1u);
    EXPECT_FALSE(*looker.history.observe(process(1), "name").reading);
    host->work = {{2, 7}};
    host->pass(1s);
    looker.look();
    EXPECT_EQ(*looker.history.observe(process(2), "work").reading, Reading(Value(std::int64_t{7})));
    EXPECT_FALSE(*looker.history.observe(process(2), "odd").reading) << "it was the other one's";
    EXPECT_FALSE(looker.history.latest().has(process(1)));
    EXPECT_EQ(rd::print(looker.history.latest()).find("p1"), std::string::npos);
}

// A source that answers about one that it has not shown for long would answer about somebody else.
TEST(Vacancies, WhatALaneWritesAboutKeepsItsPlace) {
    static constexpr auto discover = [](const Host&, Plan& plan) {
        plan.read("/run/1/work", process(1), kFacts[1], as_integer);  // whether it is there or not
        plan.decode("/run/2/work", {{process(2), &kFacts[2]}}, [](std::string_view, Facts&) {});
    };
    static constinit const Collector kBlind{"blind", kFacts, {}, Seconds(1), Rediscover::on_change, discover};
    static constexpr const Collector* kBoth[] = {&kBlind, &kCrowd};
    auto host = std::make_shared<Crowd>();
    host->work = {{1, 100}, {2, 100}, {3, 100}};
    Sweep sweep(host, kBoth, {}, Looker::options(only(Kind::process)));
    (void)sweep.run(Due::all);
    const auto first = sweep.layout()->find(process(1)), second = sweep.layout()->find(process(2));
    host->work.clear();
    for (int minute = 0; minute < 20; ++minute) {
        host->pass(60s);
        (void)sweep.run(Due::all);
    }
    EXPECT_EQ(sweep.layout()->find(process(1)), first);
    EXPECT_EQ(sweep.layout()->find(process(2)), second);
    EXPECT_FALSE(sweep.layout()->find(process(3)));
}

TEST(Vacancies, WhoDoesNotAskForItKeepsAll) {
    auto host = std::make_shared<Crowd>();
    Looker looker(host, 0);
    for (int pid = 1; pid <= 300; ++pid) {
        host->work = {{pid, 1}};
        host->pass(60s);
        looker.look();
    }
    EXPECT_EQ(looker.sweep.layout()->moves(), 0u);
    EXPECT_EQ(looker.sweep.layout()->entities_of(Kind::process).size(), 300u);
}

}  // namespace
}  // namespace rd
