// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's own day, as fast as it goes: real sweeps of a made tree whose counters count on, judged and written to a store with the
// limits the daemon has, on a host whose clock goes a second further with every look. A device is taken away for five minutes of every
// hour, a process begins and one ends every ten seconds, and the daemon is asked for a frame once a minute. What it holds in the last
// third is what it held in the second.
//
//     day_watch TREE RULES HOURS
#include <filesystem>
#include <memory>
#include <optional>

#include "core/host/live.h"
#include "core/store/reader.h"
#include "daemon/footprint.h"
#include "daemon/watch.h"
#include "tests/bench/busy_host.h"
#include "tests/bench/contest.h"
#include "tests/bench/rules_in.h"

namespace {

using namespace rd::bench;

constexpr int kHour = 3600;
constexpr double kMostGrowth = 1.05;
constexpr double kMostMib = 32;  // of the whole program

int fail_run(const std::string& what) {
    fmt::print(stderr, "{}\n", what);
    return 1;
}

// All of one counter of the last port, as `history` and the API read it.
bool read_one_series(const rd::store::Reader& reader) {
    const auto entities = reader.entities();
    if (!entities) return false;
    std::optional<rd::store::SeriesRow> wanted;
    for (const rd::Entity& entity : *entities) {
        if (entity.kind != rd::Kind::port) continue;
        if (auto found = reader.find(entity, "out_of_sequence"); found && *found) wanted = **found;
    }
    if (!wanted) return false;
    const double begin = cpu_seconds();
    const auto samples = reader.samples(*wanted, {});
    const double seconds = cpu_seconds() - begin;
    if (!samples || samples->empty()) return false;
    fmt::print("one series of {:.1f} h read: {} samples in {:.1f} ms of CPU\n",
               double(samples->back().at_ns - samples->front().at_ns) / 3.6e12, samples->size(), 1000 * seconds);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: day_watch TREE RULES HOURS\n");
        return 64;
    }
    rd::daemon::keep_little_memory();
    const std::string tree = argv[1];
    const int end = int(std::atof(argv[3]) * kHour);
    auto host = rd::tree_host(tree);
    const auto catalog = rd::collectors::catalog();
    if (!host || !catalog) return fail_run(!host ? host.error().what : catalog.error().what);
    const auto book = rules_in(argv[2], *catalog);
    if (!book) return 70;
    const std::string gone = tree + "/sys/class/infiniband";
    std::string device;
    for (const auto& one : std::filesystem::directory_iterator(gone)) {
        if (device.empty() || one.path().filename().string() < device) device = one.path().filename().string();
    }
    const auto hurried = std::make_shared<BusyHost>(std::move(*host), device);
    rd::daemon::WatchOptions options;
    options.store = tree + ".db";
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(options.store + suffix);
    rd::daemon::Watch watch(hurried, *book, options);
    rd::daemon::give_back_what_is_idle();

    std::vector<std::string> names;
    for (const auto& file : std::filesystem::recursive_directory_iterator(tree + "/sys/devices")) {
        const std::string path = file.path().string();
        if (file.is_regular_file() && path.find("counters/") != std::string::npos)
            names.push_back(path.substr(tree.size()));
    }
    Files files(tree, names);

    double middle = 0, last = 0;
    std::size_t changes = 0, notes = 0, shown = 0;
    const double start = cpu_seconds();
    for (int second = 1; second <= end; ++second) {
        hurried->pass(1'000'000'000);
        files.count_on();
        if (second % kHour == kHour / 2) std::filesystem::rename(gone + "/" + device, tree + "/taken");
        if (second % kHour == kHour / 2 + 300) std::filesystem::rename(tree + "/taken", gone + "/" + device);
        const rd::daemon::News news = watch.look(rd::Due::by_cadence);
        changes += news.findings.size();
        for (const std::string& note : news.notes) {
            ++notes;
            fmt::print("{} s: {}\n", second, note);
        }
        if (second % 60 == 0) {
            const auto frame = watch.frame();
            if (frame->facts.empty()) return fail_run("an empty frame");
            const auto& all = frame->entities;
            shown += std::size_t(std::count_if(all.begin(), all.end(), [](const rd::daemon::FrameEntity& one) {
                return one.entity.kind == rd::Kind::process;
            }));
        }
        if (second >= end / 3 && second < 2 * end / 3) middle = std::max(middle, resident_mib());
        if (second >= 2 * end / 3) last = std::max(last, resident_mib());
    }
    const double seconds = cpu_seconds() - start;
    for (const std::string& note : watch.stop()) fmt::print("at the end: {}\n", note);
    const auto bytes = std::filesystem::file_size(options.store);
    fmt::print(
        "{} counters, {} s watched in {:.1f} s of CPU ({:.2f} ms a second), {} findings began or ended, {} notes\n",
        files.counters(), end, seconds, 1000 * seconds / end, changes, notes);
    fmt::print("{} processes began, {:.1f} were there at a time\n", hurried->begun(), double(shown) / (end / 60));
    if (shown == 0) return fail_run("no process was seen");
    fmt::print("store {:.1f} MiB, {:.0f} kB an hour\n", double(bytes) / (1 << 20), double(bytes) / 1000 * kHour / end);
    fmt::print(
        "resident at most {:.1f} MiB in the second third, {:.1f} in the last (at most {:.2f} times, and {} MiB)\n",
        middle, last, kMostGrowth, kMostMib);
    const auto reader = rd::store::Reader::open(options.store);
    if (!reader) return fail_run(reader.error().what);
    if (!read_one_series(*reader)) return fail_run("no series could be read");
    if (notes != 0) return fail_run("the daemon had something to say");
    return last <= middle * kMostGrowth && last <= kMostMib ? 0 : 1;
}
