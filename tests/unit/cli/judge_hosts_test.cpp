// SPDX-License-Identifier: GPL-2.0-or-later
// The shipped rules on the recorded and made hosts, and on what becomes of them when values change and entities come and go: what is
// judged sweep after sweep is what evaluate() says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "cli/look.h"
#include "cli/setup.h"
#include "cli/source.h"
#include "core/diagnosis/windows.h"
#include "tests/unit/support/judging.h"
#include "tests/unit/support/sanitized.h"

namespace rd::cli {
namespace {

const std::filesystem::path kHosts = RDMADOCTOR_SOURCE_DIR "/tests/hosts";

std::vector<std::filesystem::path> bundles() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(kHosts)) {
        if (std::filesystem::is_directory(entry.path() / "bundle")) found.push_back(entry.path() / "bundle");
    }
    std::sort(found.begin(), found.end());
    return found;
}

// A limit may be the largest there is (unlimited memlock).
std::int64_t raised(std::int64_t value, int by) {
    return value > std::numeric_limits<std::int64_t>::max() - by ? value : value + by;
}

// What a host may be a second later.
class Drifting {
public:
    Drifting(const Snapshot& from, std::shared_ptr<Layout> layout, unsigned seed)
        : layout_(std::move(layout)), random_(seed), now_(from.stamp()) {
        for (SlotIndex slot = 0; slot < layout_->slot_count(); ++slot) {
            if (const Reading* reading = from.at(slot)) facts_.push_back({slot, *reading, *reading, roll(12) == 0});
        }
        for (EntityIndex entity = 0; entity < layout_->entity_count(); ++entity)
            there_.push_back(from.has(layout_->entity(entity)));
        for (int kind = 0; kind < kKindCount; ++kind) {
            if (const Gap* gap = from.kind_gap(static_cast<Kind>(kind)))
                gaps_.emplace_back(static_cast<Kind>(kind), *gap);
        }
    }

    Snapshot sweep() {
        now_.boot_ns += 1'000'000'000;
        now_.wall_ns += 1'000'000'000;
        Snapshot snapshot(layout_, now_);
        if (roll(4) == 0) {
            const auto entity = static_cast<std::size_t>(roll(static_cast<int>(there_.size())));
            there_[entity] = !there_[entity];
        }
        for (EntityIndex entity = 0; entity < there_.size(); ++entity) {
            if (there_[entity]) snapshot.present(entity);
        }
        for (int changes = roll(12); changes > 0; --changes)
            change(facts_[static_cast<std::size_t>(roll(static_cast<int>(facts_.size())))]);
        for (Fact& fact : facts_) {
            if (!there_[layout_->slot(fact.slot).entity] || roll(500) == 0) continue;
            auto* value = fact.counts && fact.now ? std::get_if<std::int64_t>(&*fact.now) : nullptr;
            if (value != nullptr && is_counter(layout_->slot(fact.slot).spec->nature))
                *value = raised(*value, roll(200));
            snapshot.set(fact.slot, fact.now);
        }
        for (const auto& [kind, gap] : gaps_) snapshot.kind_gap(kind, gap);
        return snapshot;
    }

private:
    struct Fact {
        SlotIndex slot;
        Reading first, now;
        bool counts;
    };

    int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }

    void change(Fact& fact) {
        switch (roll(4)) {
            case 0:
                fact.now = fact.first;
                return;
            case 1:
                fact.now =
                    tl::unexpected(Gap{roll(2) == 0 ? GapClass::not_offered : GapClass::error, "as it came", ""});
                return;
            default:
                break;
        }
        if (!fact.now) return;
        Value& value = *fact.now;
        if (auto* flag = std::get_if<bool>(&value)) *flag = !*flag;
        if (auto* whole = std::get_if<std::int64_t>(&value)) *whole = roll(3) == 0 ? 0 : raised(*whole, roll(1000));
        if (auto* real = std::get_if<double>(&value)) *real *= roll(40) / 10.0;
        if (auto* text = std::get_if<std::string>(&value)) *text = roll(2) == 0 ? "1.0" : *text + "x";
        if (auto* entity = std::get_if<Entity>(&value)) {
            const auto& others = layout_->entities_of(entity->kind);
            if (!others.empty())
                *entity = layout_->entity(others[static_cast<std::size_t>(roll(static_cast<int>(others.size())))]);
        }
    }

    std::shared_ptr<Layout> layout_;
    std::mt19937 random_;
    Stamp now_;
    std::vector<Fact> facts_;
    std::vector<bool> there_;
    std::vector<std::pair<Kind, Gap>> gaps_;
};

constexpr int kTicks = test::kSanitized ? 15 : 40, kTicksOfLarge = test::kSanitized ? 60 : 300;

class JudgeHostsTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(JudgeHostsTest, SaysWhatEvaluateSays) {
    ASSERT_EQ(setenv("RDMADOCTOR_RULES", RDMADOCTOR_SOURCE_DIR "/rules", 1), 0);
    RuleSource source;
    source.own_site = false;
    const auto site = GetParam().parent_path() / "site.toml";
    if (std::filesystem::exists(site)) source.config = site;
    const auto setup = load_setup_with_rules(source);
    ASSERT_TRUE(setup) << setup.error().text;
    SourceOptions from;
    from.from = GetParam();
    const auto opened = open_source(from);
    ASSERT_TRUE(opened) << opened.error().text;
    const Rulebook& book = setup->rules.book;
    LookOptions looking;
    looking.deadline = std::chrono::seconds(50);
    Progress progress(false);
    const History recorded = look(opened->host, *setup, looking, progress);
    test::JudgeBesideEvaluate both(book);
    ASSERT_TRUE(both.same_after_sweep(recorded));

    const bool large = GetParam().string().find("cx7x8-training-degraded") != std::string::npos;
    const auto layout = recorded.latest().shared_layout();
    Drifting host(recorded.latest(), layout, 1);
    History history(layout, windows_of(book));
    for (int tick = 0; tick < (large ? kTicksOfLarge : kTicks); ++tick) {
        SCOPED_TRACE(testing::Message() << "tick " << tick);
        history.append(host.sweep());
        if (!both.same_after_sweep(history)) return;
    }
    EXPECT_LT(both.judged(), both.total() / 2);
}

INSTANTIATE_TEST_SUITE_P(Hosts, JudgeHostsTest, testing::ValuesIn(bundles()), [](const auto& one) {
    std::string name = one.param.parent_path().filename();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace rd::cli
