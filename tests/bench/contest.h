// SPDX-License-Identifier: GPL-2.0-or-later
// What the benchmarks share: CPU time, memory, medians, and a made tree whose counters count on.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace rd::bench {

inline double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);  // all threads
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

// All threads on the processor that this one is on. Else a loop that reads what its own thread has just written is served from
// that processor's cache, and a program that reads in another thread pays for bringing it over: the contest would be about that.
inline void stay_on_one_cpu() {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<unsigned>(std::max(sched_getcpu(), 0)), &here);
    if (sched_setaffinity(0, sizeof here, &here) != 0) fmt::print(stderr, "cannot stay on one processor\n");
}

inline double resident_mib() {
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Those files of a tree that a sweep reads. The counters among them can be made to count on.
class Files {
public:
    Files(const std::string& root, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (!name.starts_with('/')) continue;
            const int fd = open((root + name).c_str(), O_RDONLY | O_CLOEXEC);
            if (fd < 0) continue;
            all_.push_back(fd);
            if (name.find("counters/") != std::string::npos) {
                counters_.push_back(open((root + name).c_str(), O_WRONLY | O_CLOEXEC));
            }
        }
    }

    void count_on() {
        const std::string text = fmt::format("{}\n", value_++);
        for (const int fd : counters_) {
            if (pwrite(fd, text.data(), text.size(), 0) < 0) std::abort();
        }
    }
    [[nodiscard]] const std::vector<int>& all() const { return all_; }
    [[nodiscard]] std::size_t counters() const { return counters_.size(); }

private:
    std::vector<int> all_, counters_;
    long value_ = 100'000'000;  // more than any begins with: what goes down was reset
};

}  // namespace rd::bench
