// SPDX-License-Identifier: GPL-2.0-or-later
// CPU of judging all shipped rules on sixteen devices and a minute of history, beside one pass that adds up every number of that
// history: what any judgement that looks at all of it must cost at least.
#include <memory>
#include <optional>

#include "core/diagnosis/evaluate.h"
#include "core/facts/sweep.h"
#include "core/host/live.h"
#include "tests/bench/contest.h"
#include "tests/bench/rules_in.h"

namespace {

using namespace rd::bench;

constexpr int kRounds = 15, kTimes = 5, kSweeps = 60;

double sum(const std::vector<rd::Snapshot>& snapshots) {
    double total = 0;
    for (const rd::Snapshot& snapshot : snapshots) {
        for (rd::SlotIndex slot = 0; slot < snapshot.layout().slot_count(); ++slot) {
            const rd::Reading* reading = snapshot.at(slot);
            if (reading == nullptr || !*reading) continue;
            if (const auto* whole = std::get_if<std::int64_t>(&**reading)) total += double(*whole);
            if (const auto* real = std::get_if<double>(&**reading)) total += *real;
        }
    }
    return total;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: evaluate_cost TREE RULES MOST_RATIO\n");
        return 64;
    }
    auto host = rd::tree_host(argv[1]);
    const auto catalog = rd::collectors::catalog();
    if (!host || !catalog) {
        fmt::print(stderr, "{}\n", !host ? host.error().what : catalog.error().what);
        return 70;
    }
    const auto book = rules_in(argv[2], *catalog);
    if (!book) return 70;
    rd::Sweep sweep(std::shared_ptr<const rd::Host>(std::move(*host)), rd::collectors::all(),
                    rd::collectors::derivations(), {});
    rd::History history(sweep.layout());
    std::vector<rd::Snapshot> snapshots;
    std::optional<Files> tree;
    for (int i = 0; i < kSweeps; ++i) {
        snapshots.push_back(sweep.run(rd::Due::all));
        history.append(snapshots.back());
        if (!tree) tree.emplace(argv[1], sweep.read_names());
        tree->count_on();
    }
    std::vector<double> ratios, ours, passes;
    std::size_t verdicts = 0;
    double total = 0;
    for (int round = 0; round < kRounds; ++round) {
        double begin = cpu_seconds();
        for (int i = 0; i < kTimes; ++i) total += sum(snapshots);
        passes.push_back((cpu_seconds() - begin) / kTimes);
        begin = cpu_seconds();
        for (int i = 0; i < kTimes; ++i) verdicts += rd::evaluate(*book, history).size();
        ours.push_back((cpu_seconds() - begin) / kTimes);
        ratios.push_back(ours.back() / passes.back());
    }
    const double most = std::atof(argv[3]);
    fmt::print("{} rules, {} verdicts, {} sweeps of {} facts (sum {:g})\n", book->rules.size(),
               verdicts / (kRounds * kTimes), kSweeps, snapshots.back().layout().slot_count(), total);
    fmt::print("evaluate {:.3f} ms CPU, one pass over the history {:.3f} ms CPU (budgets, not bars)\n",
               median(ours) * 1e3, median(passes) * 1e3);
    fmt::print("ratio evaluate / pass: {:.2f} (median of {}; at most {:.2f})\n", median(ratios), kRounds, most);
    return median(ratios) <= most ? 0 : 1;
}
