// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of what watches for a day: rules, sweep, history and judge, over 86,400 made sweeps of sixteen devices. A third of the counters
// counts every second, the others for an hour in six, gauges wander. What it holds after half a day is what it holds after a whole one.
#include <malloc.h>

#include <memory>
#include <optional>
#include <random>

#include "core/diagnosis/judge.h"
#include "core/diagnosis/windows.h"
#include "core/facts/sweep.h"
#include "core/host/live.h"
#include "tests/bench/contest.h"
#include "tests/bench/rules_in.h"

namespace {

using namespace rd::bench;

constexpr int kHour = 3600, kDay = 24 * kHour;
constexpr double kMostGrowth = 1.05;

double told_mib(const char* when) {
    static double before = 0;
    const double now = resident_mib();
    fmt::print("{:<36} {:6.1f} MiB resident ({:+.1f}), {:6.1f} MiB allocated\n", when, now, now - before,
               double(mallinfo2().uordblks + mallinfo2().hblkhd) / (1 << 20));
    return before = now;
}

class Day {
public:
    explicit Day(const rd::Snapshot& from) : layout_(from.shared_layout()), now_(from.stamp()), newest_(from) {
        for (rd::SlotIndex slot = 0; slot < layout_->slot_count(); ++slot) {
            const rd::Reading* reading = from.at(slot);
            const auto* value = reading != nullptr && *reading ? std::get_if<std::int64_t>(&**reading) : nullptr;
            if (value != nullptr) moving_.push_back({slot, rd::is_counter(layout_->slot(slot).spec->nature), *value});
        }
        for (rd::EntityIndex entity = 0; entity < layout_->entity_count(); ++entity) {
            if (from.has(layout_->entity(entity))) there_.push_back(entity);
        }
    }

    rd::Snapshot next(int second) {
        now_.boot_ns += 1'000'000'000;
        now_.wall_ns += 1'000'000'000;
        rd::Snapshot snapshot =
            spare_ ? rd::Snapshot::in_place_of(std::move(*spare_), now_) : rd::Snapshot(layout_, now_);
        for (const rd::EntityIndex entity : there_) snapshot.present(entity);
        for (rd::SlotIndex slot = 0; slot < layout_->slot_count(); ++slot) {
            if (newest_.at(slot) != nullptr) snapshot.keep(slot, newest_);
        }
        const bool trouble = second % (6 * kHour) < kHour;
        for (std::size_t i = 0; i < moving_.size(); ++i) {
            Moving& one = moving_[i];
            if (one.counts ? i % 3 != 0 && !(trouble && random_() % 2 == 0) : random_() % 20 != 0) continue;
            one.value = one.counts ? one.value + std::int64_t(random_() % 1000) : std::int64_t(random_() % 100);
            snapshot.set(one.slot, one.value);
        }
        spare_ = std::move(newest_);
        newest_ = snapshot;
        return snapshot;
    }

private:
    struct Moving {
        rd::SlotIndex slot;
        bool counts;
        std::int64_t value;
    };
    std::shared_ptr<rd::Layout> layout_;
    rd::Stamp now_;
    rd::Snapshot newest_;
    std::optional<rd::Snapshot> spare_;
    std::vector<Moving> moving_;
    std::vector<rd::EntityIndex> there_;
    std::mt19937 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: day_memory TREE RULES\n");
        return 64;
    }
    told_mib("at the start");
    auto host = rd::tree_host(argv[1]);
    const auto catalog = rd::collectors::catalog();
    if (!host || !catalog) {
        fmt::print(stderr, "{}\n", !host ? host.error().what : catalog.error().what);
        return 70;
    }
    told_mib("catalogue");
    const auto book = rules_in(argv[2], *catalog);
    if (!book) return 70;
    told_mib("rules");
    malloc_trim(0);
    told_mib("rules, what was freed given back");
    rd::Sweep sweep(std::shared_ptr<const rd::Host>(std::move(*host)), rd::collectors::all(),
                    rd::collectors::derivations(), {});
    std::optional<rd::Snapshot> first;
    for (int i = 0; i < 5; ++i) first = sweep.run(rd::Due::all);
    told_mib("sweep");
    Day day(*first);
    rd::History history(sweep.layout(), rd::windows_of(*book));
    rd::Judge judge(*book);
    double noon = 0;
    std::size_t judged = 0;
    for (int second = 1; second <= kDay; ++second) {
        history.append(day.next(second));
        judge.update(history);
        judged += judge.judged();
        if (second == 60) told_mib("history and judge, a minute");
        if (second == kHour) told_mib("an hour");
        if (second == kDay / 2) noon = told_mib("half a day");
    }
    const double evening = told_mib("a day");
    fmt::print(
        "{} facts, {} verdicts, {} judged again a second; grown in the second half {:.3f} times (at most {:.2f})\n",
        sweep.layout()->slot_count(), judge.size(), judged / kDay, evening / noon, kMostGrowth);
    return evening <= noon * kMostGrowth ? 0 : 1;
}
