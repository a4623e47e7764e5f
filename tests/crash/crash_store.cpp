// SPDX-License-Identifier: GPL-2.0-or-later
// Kills a writer of the store at random moments under load and opens what it left. A child sweeps, adds events, packs hours and begins
// findings as fast as it can, telling its parent through a pipe what it has done; the parent kills it and then asks the file.
//
// After each kill: the file opens and is whole; each event that was said to be written is there; each sweep up to the last flush that
// had returned is there with its value, in order and once; at most one flush interval is missing, and a loss is stated.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "core/store/reader.h"
#include "core/store/store.h"

namespace {

using namespace rd;
using namespace rd::store;

const Entity kPort{Kind::port, "pci-0000:41:00.0/1"};
constexpr FactSpec kCounter{Kind::port, "rx_packets", Type::integer, Nature::counter, "packets", ""};
constexpr FactSpec kName{Kind::port, "name", Type::text, Nature::config, "", ""};
constexpr Millis kFlush = 60'000;
constexpr std::int64_t kSweepNs = 5'000'000'000;

// What the child has done by now. Written whole: it is shorter than PIPE_BUF.
struct Done {
    std::int64_t sweep = 0;    // number of the last sweep appended
    std::int64_t flushed = 0;  // sweeps below this were flushed when append() returned
    std::int64_t events = 0;
};

[[noreturn]] void fail_test(int round, const std::string& what) {
    fmt::print(stderr, "round {}: {}\n", round, what);
    std::exit(1);
}

Limits limits() {
    Limits made;
    made.flush = kFlush;
    return made;
}

Stamp stamp_of(std::int64_t sweep) { return {sweep * kSweepNs, 1'764'547'200'000'000'000 + sweep * kSweepNs}; }

// Never returns; ends by SIGKILL. `from`: the first sweep, counted over all rounds.
[[noreturn]] void work(const std::string& path, std::int64_t from, std::int64_t events, int pipe) {
    auto opened = Store::open(path, "boot", stamp_of(from), limits(), {});
    if (!opened) _exit(70);
    Store& store = **opened;
    const auto layout = std::make_shared<Layout>();
    Done done{from - 1, from, events};
    std::int64_t first_held = from;
    for (std::int64_t sweep = from;; ++sweep) {
        Snapshot snapshot(layout, stamp_of(sweep));
        snapshot.present(kPort);
        snapshot.put(kPort, kCounter, sweep * 1000 + sweep % 7);
        snapshot.put(kPort, kName, std::string(sweep % 50 < 25 ? "mlx5_0" : "rocep65s0"));
        if (!store.append(snapshot)) _exit(71);
        if ((sweep - first_held) * kSweepNs / 1'000'000 >= kFlush) {
            done.flushed = sweep + 1;
            first_held = sweep + 1;
        }
        if (sweep % 3 == 0) {
            Event event;
            event.at = stamp_of(sweep);
            event.source = "verbs";
            event.name = "PORT_ERR";
            event.subject = fmt::format("mlx5_0/{}", done.events);
            if (!store.add({&event, 1})) _exit(72);
            ++done.events;
        }
        if (sweep % 40 == 0 && !store.write({{{"rule", kPort, "high", "t", "x", "h"}}, {}}, stamp_of(sweep))) _exit(73);
        if (sweep % 40 == 20 && !store.write({{}, {{"rule", kPort}}}, stamp_of(sweep))) _exit(74);
        if (sweep % 100 == 0 && !store.maintain()) _exit(75);
        done.sweep = sweep;
        if (write(pipe, &done, sizeof done) != sizeof done) _exit(76);
    }
}

void check(int round, const std::string& path, const Done& done, std::int64_t begun) {
    auto database = Database::open(path, Database::Mode::read);
    if (!database) fail_test(round, database.error().what);
    auto integrity = database->prepare("PRAGMA integrity_check");
    if (!integrity || !integrity->step().value_or(false) || integrity->text(0) != "ok")
        fail_test(round, "the file is damaged");
    const auto events = database->integer("SELECT count(DISTINCT subject) FROM event WHERE source = 'verbs'");
    if (!events || *events < done.events)
        fail_test(round, fmt::format("{} of {} events are there", events.value_or(-1), done.events));
    const auto reader = Reader::open(path);
    if (!reader) fail_test(round, reader.error().what);
    const auto series = reader->find(kPort, "rx_packets");
    if (!series) fail_test(round, series.error().what);
    if (!*series) {
        if (done.flushed > begun) fail_test(round, "nothing was kept");
        return;
    }
    const auto samples = reader->samples(**series, {stamp_of(begun).wall_ns - 1, INT64_MAX});
    if (!samples) fail_test(round, samples.error().what);
    std::int64_t expected = begun;
    for (const SamplePoint& one : *samples) {
        if (std::int64_t(one.value) != expected * 1000 + expected % 7) {
            fail_test(round, fmt::format("sample {} where sweep {} should be", one.value, expected));
        }
        ++expected;
    }
    if (expected < done.flushed)
        fail_test(round, fmt::format("sweeps from {} to {} were flushed and are gone", expected, done.flushed));
    const Millis missing = (done.sweep + 1 - expected) * kSweepNs / 1'000'000;
    if (missing > kFlush + kSweepNs / 1'000'000) fail_test(round, fmt::format("{} ms are missing", missing));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: crash_store DIRECTORY ROUNDS SEED\n");
        return 64;
    }
    const std::string directory = argv[1], path = directory + "/metrics.db";
    const int rounds = std::atoi(argv[2]);
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    std::mt19937_64 random(std::uint64_t(std::atoll(argv[3])));
    Done done{-1, 0, 0};
    std::int64_t killed_in_work = 0, stated = 0;
    for (int round = 0; round < rounds; ++round) {
        int pipe_ends[2];
        if (pipe2(pipe_ends, O_CLOEXEC) != 0) return 70;
        const std::int64_t begun = done.sweep + 1;
        const pid_t child = fork();
        if (child < 0) return 70;
        if (child == 0) {
            close(pipe_ends[0]);
            work(path, begun, done.events, pipe_ends[1]);
        }
        close(pipe_ends[1]);
        Done last = done;
        last.sweep = begun - 1;
        last.flushed = begun;
        // Every third may be killed while it opens; the others have begun, however little of the machine is theirs.
        if (round % 3 != 0 && read(pipe_ends[0], &last, sizeof last) == sizeof last) ++killed_in_work;
        usleep(useconds_t(random() % 60'000));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFSIGNALED(status)) fail_test(round, fmt::format("the writer ended by itself: {}", WEXITSTATUS(status)));
        while (read(pipe_ends[0], &last, sizeof last) == sizeof last) ++killed_in_work;
        close(pipe_ends[0]);
        if (std::filesystem::exists(path)) {
            // The next run says what it may have lost before it does anything else.
            auto next = Store::open(path, "boot", stamp_of(last.sweep + 1), limits(), {});
            if (!next) fail_test(round, next.error().what);
            for (const std::string& note : (*next)->notes())
                stated += note.find("nothing is kept of up to 60 s") != std::string::npos;
            check(round, path, last, begun);
            if (!(*next)->close()) fail_test(round, "cannot be closed");
        }
        done = last;
        done.sweep += 1;  // the run that looked took a moment of the axis
    }
    if (killed_in_work < rounds || stated < rounds / 2) {
        fmt::print(stderr, "{} steps and {} stated losses in {} rounds: the test tested nothing\n", killed_in_work,
                   stated, rounds);
        return 1;
    }
    fmt::print("crash: {} kills, {} steps of work, {} losses stated, {} events all there, the file whole after each\n",
               rounds, killed_in_work, stated, done.events);
    return 0;
}
