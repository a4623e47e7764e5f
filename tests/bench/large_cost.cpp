// SPDX-License-Identifier: GPL-2.0-or-later
// CPU of a first look at a large host: 2,000 interrupts of 256 processors, four GID tables of 1,024 entries. Beside opening, reading
// and closing the same files in a loop, which is what any first look has to do.
#include <memory>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "core/host/live.h"
#include "core/host/recording.h"
#include "tests/bench/contest.h"

namespace {

using namespace rd::bench;

constexpr int kRounds = 9;

// The files that a look at this host reads.
std::vector<std::string> files_of(rd::Host& host) {
    const auto recording = std::make_shared<rd::RecordingHost>(host);
    rd::Sweep sweep(recording, rd::collectors::all(), rd::collectors::derivations(), {});
    static_cast<void>(sweep.run(rd::Due::all));
    std::vector<std::string> files;
    const rd::Bundle bundle = recording->bundle();
    for (const auto& [name, answer] : bundle.moments.front().reads) {
        if (name.starts_with('/') && answer) files.push_back(name);
    }
    return files;
}

long read_once(const std::string& root, const std::vector<std::string>& files, std::vector<char>& space) {
    long bytes = 0;
    for (const std::string& name : files) {
        const int fd = open((root + name).c_str(), O_RDONLY | O_CLOEXEC);
        for (ssize_t got = 1; fd >= 0 && got > 0;) bytes += got = read(fd, space.data(), space.size());
        if (fd >= 0) close(fd);
    }
    return bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: large_cost TREE MOST_RATIO\n");
        return 64;
    }
    const std::string root = argv[1];
    auto opened = rd::tree_host(root);
    if (!opened) {
        fmt::print(stderr, "{}\n", opened.error().what);
        return 70;
    }
    const std::shared_ptr<rd::Host> host = std::move(*opened);
    const std::vector<std::string> files = files_of(*host);
    std::vector<char> space(1u << 20);
    std::vector<double> ratios, ours, bare;
    std::size_t tables = 0;
    long bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
        double begin = cpu_seconds();
        bytes = read_once(root, files, space);
        bare.push_back(cpu_seconds() - begin);
        begin = cpu_seconds();
        rd::Sweep sweep(host, rd::collectors::all(), rd::collectors::derivations(), {});
        const rd::Snapshot snapshot = sweep.run(rd::Due::all);
        ours.push_back(cpu_seconds() - begin);
        ratios.push_back(ours.back() / bare.back());
        tables = 0;
        for (const rd::Entity& port : snapshot.entities(rd::Kind::port)) {
            if (snapshot.integer(port, "gids") == 600) ++tables;
        }
    }
    const double most = std::atof(argv[2]);
    fmt::print("{} files, {} bytes\n", files.size(), bytes);
    fmt::print("first look {:.1f} ms CPU, open-read-close loop {:.1f} ms CPU (budgets, not bars)\n", median(ours) * 1e3,
               median(bare) * 1e3);
    fmt::print("ratio look / loop: {:.2f} (median of {}; at most {:.2f})\n", median(ratios), kRounds, most);
    if (tables != 4 || bytes < 5'000'000) {
        fmt::print(stderr, "{} full GID tables and {} bytes were seen\n", tables, bytes);
        return 70;
    }
    return median(ratios) <= most ? 0 : 1;
}
