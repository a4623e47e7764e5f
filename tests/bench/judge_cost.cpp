// SPDX-License-Identifier: GPL-2.0-or-later
// CPU of one second of watching sixteen devices: what is due is swept, the snapshot is appended to the history, and what can have
// changed by it is judged. Beside it judging everything anew. Twice: as the tree stands, and with every counter counting on, errors
// too, so that every rule that can fire does.
#include <memory>
#include <optional>

#include "core/diagnosis/judge.h"
#include "core/diagnosis/windows.h"
#include "core/facts/sweep.h"
#include "core/host/live.h"
#include "tests/bench/contest.h"
#include "tests/bench/hurried_host.h"
#include "tests/bench/rules_in.h"

namespace {

using namespace rd::bench;

constexpr int kRounds = 15, kTicks = 20, kBefore = 120;

class Watch {
public:
    Watch(const std::string& root, std::shared_ptr<HurriedHost> host, const rd::Rulebook& book)
        : host_(std::move(host)),
          book_(book),
          sweep_(host_, rd::collectors::all(), rd::collectors::derivations(), {}),
          history_(sweep_.layout(), rd::windows_of(book)),
          judge_(book) {
        tick();
        files_.emplace(root, sweep_.read_names());
    }

    // Prints what it cost; the ratio.
    double run(const char* what, bool counting) {
        const auto second = [&] {
            if (counting) files_->count_on();
            tick();
        };
        for (int i = 0; i < kBefore; ++i) second();
        std::vector<double> sweeps, appends, judgements, anew, ratios;
        std::size_t judged = 0, verdicts = 0;
        for (int round = 0; round < kRounds; ++round) {
            swept_ = appended_ = judged_ = 0;
            for (int i = 0; i < kTicks; ++i) {
                second();
                judged += judge_.judged();
            }
            const double begin = cpu_seconds();
            verdicts = rd::evaluate(book_, history_).size();
            anew.push_back(cpu_seconds() - begin);
            sweeps.push_back(swept_ / kTicks);
            appends.push_back(appended_ / kTicks);
            judgements.push_back(judged_ / kTicks);
            ratios.push_back((appended_ + judged_) / kTicks / anew.back());
        }
        fmt::print(
            "{}: a second costs sweep {:.3f} + history {:.3f} + judge {:.3f} ms CPU; {} of {} verdicts judged "
            "again; all anew {:.3f} ms (budgets, not bars)\n",
            what, median(sweeps) * 1e3, median(appends) * 1e3, median(judgements) * 1e3, judged / (kRounds * kTicks),
            verdicts, median(anew) * 1e3);
        fmt::print("{}: ratio (history + judge) / all anew: {:.3f} (median of {})\n", what, median(ratios), kRounds);
        return median(ratios);
    }

private:
    void tick() {
        host_->pass(1'000'000'000);
        double begin = cpu_seconds();
        rd::Snapshot snapshot = sweep_.run(rd::Due::by_cadence);
        double end = cpu_seconds();
        swept_ += end - begin;
        begin = end;
        history_.append(std::move(snapshot));
        end = cpu_seconds();
        appended_ += end - begin;
        begin = end;
        judge_.update(history_);
        judged_ += cpu_seconds() - begin;
    }

    std::shared_ptr<HurriedHost> host_;
    const rd::Rulebook& book_;
    rd::Sweep sweep_;
    rd::History history_;
    rd::Judge judge_;
    std::optional<Files> files_;
    double swept_ = 0, appended_ = 0, judged_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: judge_cost TREE RULES MOST_RATIO\n");
        return 64;
    }
    stay_on_one_cpu();
    auto host = rd::tree_host(argv[1]);
    const auto catalog = rd::collectors::catalog();
    if (!host || !catalog) {
        fmt::print(stderr, "{}\n", !host ? host.error().what : catalog.error().what);
        return 70;
    }
    const auto book = rules_in(argv[2], *catalog);
    if (!book) return 70;
    Watch watch(argv[1], std::make_shared<HurriedHost>(std::shared_ptr<rd::Host>(std::move(*host))), *book);
    const double most = std::atof(argv[3]);
    const double still = watch.run("still", false), counting = watch.run("counting", true);
    fmt::print("at most {:.2f}\n", most);
    return std::max(still, counting) <= most ? 0 : 1;
}
