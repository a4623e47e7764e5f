// SPDX-License-Identifier: GPL-2.0-or-later
// Two ways to the same counters of one port of a live kernel: its files in hw_counters by kept handles, and one statistics call of
// RDMA netlink. Both take turns; CPU of this process, the kernel's part included. The best turn of each counts: in a virtual machine
// whose host has other work, what the others take away is counted as ours, and that only ever adds.
#include "core/base/records.h"
#include "core/host/live.h"
#include "tests/bench/contest.h"

namespace {

using namespace rd::bench;

// A kernel without a steady cycle counter counts CPU time in ticks: a turn lasts many of them.
constexpr int kTurns = 10, kReads = 20;
constexpr double kTurn = 0.1;

std::vector<std::unique_ptr<rd::Handle>> open_files(const rd::Host& host, const std::string& directory) {
    std::vector<std::unique_ptr<rd::Handle>> files;
    const auto names = host.list(directory);
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
        if (name != "lifespan") files.push_back(host.open(directory + '/' + name));
    }
    return files;
}

// Seconds that one reading of all of `handles` takes, in one turn; 0 where one cannot be read.
double read_all(const std::vector<std::unique_ptr<rd::Handle>>& handles, rd::Buffer& buffer) {
    const double begin = cpu_seconds();
    for (int reads = 0;;) {
        for (int i = 0; i < kReads; ++i, ++reads) {
            for (const auto& handle : handles) {
                if (!handle->read(buffer)) return 0;
            }
        }
        const double spent = cpu_seconds() - begin;
        if (spent >= kTurn) return spent / reads;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: stat_cost DEVICE PORT MOST_RATIO\n");
        return 64;
    }
    const auto host = rd::live_host();
    const auto files =
        open_files(*host, fmt::format("/sys/class/infiniband/{}/ports/{}/hw_counters", argv[1], argv[2]));
    std::vector<std::unique_ptr<rd::Handle>> call;
    call.push_back(host->open(fmt::format("rdma.stat/{}/{}", argv[1], argv[2])));
    rd::Buffer buffer;
    const auto answer = call.front()->read(buffer);
    const auto counters = answer ? rd::parse_record(buffer.text()) : tl::unexpected(answer.error());
    if (!counters) {
        fmt::print(stderr, "{}\n", counters.error().what);
        return 70;
    }
    double files_s = 1, call_s = 1;
    for (int turn = 0; turn < kTurns; ++turn) {
        files_s = std::min(files_s, read_all(files, buffer));
        call_s = std::min(call_s, read_all(call, buffer));
    }
    if (files_s <= 0 || call_s <= 0) {
        fmt::print(stderr, "a counter cannot be read\n");
        return 70;
    }
    const double ratio = call_s / files_s, most = std::atof(argv[3]);
    fmt::print("{} files {:.1f} us CPU, one statistics call with {} counters {:.1f} us CPU (budgets, not bars)\n",
               files.size(), files_s * 1e6, counters->fields().size(), call_s * 1e6);
    fmt::print("ratio call / files: {:.2f} (at most {:.2f})\n", ratio, most);
    return ratio <= most && counters->fields().size() >= files.size() ? 0 : 1;
}
