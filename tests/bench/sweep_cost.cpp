// SPDX-License-Identifier: GPL-2.0-or-later
// CPU of one full sweep (all collectors and derivations, parsed, in a snapshot) beside a C loop that preads the same files
// with kept descriptors. Both take turns in one process, so that the machine's moods hit both; the median of the ratios counts.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "collectors/all.h"
#include "core/facts/sweep.h"
#include "core/host/live.h"

extern "C" long pread_loop(const int* fds, int count);

namespace {

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);  // all threads
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: sweep_cost TREE MOST_RATIO\n");
        return 64;
    }
    const std::string root = argv[1];
    auto host = rd::tree_host(root);
    if (!host) {
        fmt::print(stderr, "{}\n", host.error().what);
        return 70;
    }
    rd::Sweep sweep(std::shared_ptr<const rd::Host>(std::move(*host)), rd::collectors::all(),
                    rd::collectors::derivations(), {});
    std::size_t facts = sweep.run(rd::Due::all).entities(rd::Kind::port).size();

    std::vector<int> fds;
    for (const std::string& name : sweep.read_names()) {
        if (!name.starts_with('/')) continue;
        const int fd = open((root + name).c_str(), O_RDONLY | O_CLOEXEC);
        if (fd >= 0) fds.push_back(fd);
    }
    constexpr int kRounds = 15, kSweeps = 40;
    std::vector<double> ratios, ours, bare;
    long bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
        double begin = cpu_seconds();
        for (int i = 0; i < kSweeps; ++i) bytes += pread_loop(fds.data(), int(fds.size()));
        bare.push_back((cpu_seconds() - begin) / kSweeps);
        begin = cpu_seconds();
        for (int i = 0; i < kSweeps; ++i) facts += sweep.run(rd::Due::all).entities(rd::Kind::port).size();
        ours.push_back((cpu_seconds() - begin) / kSweeps);
        ratios.push_back(ours.back() / bare.back());
    }
    const auto median = [](std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    };
    const double ratio = median(ratios), most = std::atof(argv[2]);
    fmt::print("{} reads prepared, {} of them files that exist ({} bytes a loop)\n", sweep.read_count(), fds.size(),
               bytes / (kRounds * kSweeps));
    fmt::print("sweep {:.3f} ms CPU, bare pread loop {:.3f} ms CPU (budgets, not bars)\n", median(ours) * 1e3,
               median(bare) * 1e3);
    fmt::print("ratio sweep / loop: {:.2f} (median of {}; at most {:.2f})\n", ratio, kRounds, most);
    fmt::print("sweep_cpu_ms {:.4f}\n", median(ours) * 1e3);
    if (facts != 16u * (1 + kRounds * kSweeps)) {
        fmt::print(stderr, "the sweeps did not see sixteen ports each\n");
        return 70;
    }
    return ratio <= most ? 0 : 1;
}
