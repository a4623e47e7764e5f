// SPDX-License-Identifier: GPL-2.0-or-later
// The same samples into the store and, as OpenMetrics text, into a file for promtool: how large each becomes is for store_size.py to
// compare. And what it costs to write them, and to read one series back.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/store/reader.h"
#include "core/store/store.h"
#include "tests/bench/contest.h"
#include "tests/bench/store_samples.h"

namespace {

using namespace rd;
using namespace rd::bench;

constexpr std::int64_t kBegin = 1'764'547'200;  // an hour begins

struct Target {
    Entity entity;
    FactSpec spec;
};

Target target_of(const MadeSeries& one) {
    const auto slash = one.entity.find('/');
    const Kind kind = one.entity.substr(0, slash) == "port" ? Kind::port : Kind::netdev;
    return {Entity{kind, "pci-0000:0" + one.entity.substr(slash + 1) + ":00.0/1"},
            FactSpec{kind, one.fact, Type::integer, one.counter ? Nature::counter : Nature::gauge, "", ""}};
}

void write_text(const MadeSamples& made, const std::vector<std::vector<std::pair<int, std::int64_t>>>& samples,
                std::FILE* to) {
    std::map<std::string, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < made.series().size(); ++i) families[made.series()[i].fact].push_back(i);
    for (const auto& [fact, members] : families) {
        const bool counter = made.series()[members.front()].counter;
        fmt::print(to, "# TYPE rdma_{} {}\n", fact, counter ? "counter" : "gauge");
        for (const std::size_t i : members) {
            for (const auto& [second, value] : samples[i]) {
                fmt::print(to, "rdma_{}{}{{entity=\"{}\"}} {} {}\n", fact, counter ? "_total" : "",
                           made.series()[i].entity, value, kBegin + second);
            }
        }
    }
    fmt::print(to, "# EOF\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: store_size HOURS STORE TEXT\n");
        return 64;
    }
    const int hours = std::atoi(argv[1]);
    MadeSamples made(42);
    std::vector<Target> targets;
    for (const MadeSeries& one : made.series()) targets.push_back(target_of(one));
    std::vector<std::vector<std::pair<int, std::int64_t>>> samples(targets.size());
    const auto layout = std::make_shared<Layout>();

    auto opened = store::Store::open(argv[2], "boot", Stamp{0, kBegin * 1'000'000'000}, {}, {});
    if (!opened) {
        fmt::print(stderr, "{}\n", opened.error().what);
        return 70;
    }
    store::Store& store = **opened;
    double spent = 0;
    std::size_t count = 0;
    for (int second = 0; second < hours * 3600; ++second) {
        const Stamp now{std::int64_t(second) * 1'000'000'000, (kBegin + second) * 1'000'000'000};
        Snapshot snapshot(layout, now);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (second % made.series()[i].every_s != 0) continue;
            snapshot.put(targets[i].entity, targets[i].spec, made.series()[i].value);
            samples[i].emplace_back(second, made.series()[i].value);
            ++count;
        }
        const double begin = cpu_seconds();
        if (auto done = store.append(snapshot); !done) {
            fmt::print(stderr, "{}\n", done.error().what);
            return 70;
        }
        if (second % 3600 == 0) static_cast<void>(store.maintain());
        spent += cpu_seconds() - begin;
        made.step();
    }
    // One sweep of the hour that follows, so that the last one is over and packed.
    Snapshot after(layout, Stamp{std::int64_t(hours) * 3600'000'000'000, (kBegin + hours * 3600) * 1'000'000'000});
    if (!store.append(after) || !store.flush() || !store.maintain() || !store.close()) return 70;
    fmt::print("{} series, {} samples; written with {:.2f} ms CPU for 1,000 of them\n", targets.size(), count,
               spent * 1e6 / double(count));
    fmt::print("samples {}\n", count);

    const auto reader = store::Reader::open(argv[2]);
    if (!reader) return 70;
    const auto series = reader->find(targets[0].entity, targets[0].spec.name);
    if (!series || !*series) return 70;
    const double begin = cpu_seconds();
    const auto back = reader->samples(**series, {});
    const double took = cpu_seconds() - begin;
    if (!back || back->size() != samples[0].size() || std::int64_t(back->back().value) != samples[0].back().second) {
        fmt::print(stderr, "the samples did not come back as they were\n");
        return 70;
    }
    fmt::print("{} samples of one series over {} h read in {:.1f} ms CPU (budget, not bar)\n", back->size(), hours,
               took * 1e3);

    std::FILE* text = std::fopen(argv[3], "w");
    if (text == nullptr) return 70;
    write_text(made, samples, text);
    return std::fclose(text) == 0 ? 0 : 70;
}
