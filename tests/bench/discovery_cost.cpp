// SPDX-License-Identifier: GPL-2.0-or-later
// How the cost of finding out what there is grows with the host. Each collector discovers, and each derivation derives, on a host in
// memory and on one sixteen times as large: sixteen times the work is right, 256 times is a search within a search. What no longer fits
// into the caches costs two or three times as much, hence the bar between the two. The least of several runs counts, in CPU of this thread, so that
// the machine's moods do not decide.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "tests/bench/contest.h"
#include "tests/unit/support/large_host.h"

namespace {

constexpr int kGrowth = 16;
constexpr int kRounds = 5;
constexpr int kTries = 3;
constexpr double kTooQuick = 0.01;  // seconds: below, caches and allocator are what is measured

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

double least(const std::function<void()>& work) {
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const double begin = thread_seconds();
        work();
        best = std::min(best, thread_seconds() - begin);
    }
    return best;
}

// A host, and what a sweep of it knows.
struct World {
    explicit World(int functions) : host(rd::large_host(functions)) {
        rd::SweepOptions options;
        options.deadline = std::chrono::minutes(5);
        rd::Sweep sweep(host, rd::collectors::all(), {}, options);
        snapshot = std::make_unique<rd::Snapshot>(sweep.run(rd::Due::all));
    }
    std::shared_ptr<rd::FakeHost> host;
    std::unique_ptr<rd::Snapshot> snapshot;

    double discover(const rd::Collector& collector) const {
        return least([&] {
            rd::Plan plan{std::string(collector.name)};
            collector.discover(*host, plan);
        });
    }
    double derive(const rd::Derivation& derivation) const {
        return least([&] { derivation.derive({}, *snapshot); });
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: discovery_cost FUNCTIONS MOST_RATIO\n");
        return 64;
    }
    rd::bench::stay_on_one_cpu();
    const int functions = std::atoi(argv[1]);
    const double most = std::atof(argv[2]);
    const World small(functions), large(kGrowth * functions);
    bool good = true;
    const auto judge = [&](std::string_view kind, std::string_view name, const auto& seconds_on) {
        double few = 0, many = 0, ratio = 0;
        bool held = false;
        for (int attempt = 0; attempt < kTries && !held; ++attempt) {
            few = seconds_on(small);
            many = seconds_on(large);
            ratio = many / few;
            held = ratio <= most || many < kTooQuick;
        }
        fmt::print("{} {:<14} {:8.2f} ms for {}, {:8.2f} ms for {}: ratio {:.2f}{}\n", kind, name, few * 1e3, functions,
                   many * 1e3, kGrowth * functions, ratio, held ? "" : "  TOO MUCH");
        good = good && held;
    };
    for (const rd::Collector* collector : rd::collectors::all()) {
        judge("discover", collector->name, [&](const World& world) { return world.discover(*collector); });
    }
    for (const rd::Derivation* derivation : rd::collectors::derivations()) {
        judge("derive  ", derivation->name, [&](const World& world) { return world.derive(*derivation); });
    }
    fmt::print("bench: {} (a ratio of {} is linear; at most {:.1f})\n", good ? "passed" : "FAILED", kGrowth, most);
    return good ? 0 : 1;
}
