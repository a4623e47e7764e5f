// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

std::shared_ptr<FakeHost> threaded_host() {
    auto host = roce_host();
    host->directory("/proc/4242/task", {"4242", "4243"})
        .file("/proc/4242/task/4242/schedstat", "1000 30 5\n")
        .file("/proc/4242/task/4243/schedstat", "2000 4 7\n");
    return host;
}
Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"scheduling"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::process, "4242", fact); }

TEST(Scheduling, SumsOverTheThreads) {
    const Snapshot now = look(threaded_host());
    EXPECT_EQ(of(now, "threads"), "2");
    EXPECT_EQ(of(now, "run_time"), "3000");
    EXPECT_EQ(of(now, "run_wait"), "34");
    expect_complete(now, collector("scheduling"));
}

TEST(Scheduling, AThreadThatEndedIsLeftOut) {
    const auto host = threaded_host();
    host->error("/proc/4242/task/4243/schedstat", absent("/proc/4242/task/4243/schedstat"));
    EXPECT_EQ(of(look(host), "run_time"), "1000");
}

TEST(Scheduling, TooManyThreadsAreNotRead) {
    const auto host = threaded_host();
    std::vector<std::string> names;
    for (int i = 0; i < 129; ++i) names.push_back(fmt::format("{}", 4242 + i));
    host->directory("/proc/4242/task", names);
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "threads"), "129");
    EXPECT_EQ(of(now, "run_wait"), "gap(not collected)");
}

TEST(Scheduling, SurvivesBadInput) {
    expect_bad_input_is_survived(threaded_host, "scheduling",
                                 {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status",
                                   "/proc/4242/task/4242/schedstat", "/proc/4242/task/4243/schedstat"}});
}

}  // namespace
}  // namespace rd::collectors::test
