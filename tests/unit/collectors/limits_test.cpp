// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"limits"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::process, "4242", fact); }

std::shared_ptr<FakeHost> with_capabilities(std::string_view mask, std::string_view uid_map) {
    auto host = roce_host();
    host->file("/proc/4242/status", fmt::format("Name:\trcpair\nVmPin:\t 0 kB\nCapEff:\t{}\n", mask))
        .file("/proc/4242/uid_map", uid_map);
    return host;
}

TEST(Limits, OfAProcess) {
    const Snapshot now = look(roce_host());
    EXPECT_EQ(of(now, "memlock_limited"), "true");
    EXPECT_EQ(of(now, "memlock_limit"), "8388608") << "the soft limit counts";
    EXPECT_EQ(of(now, "ipc_lock"), "false");
    EXPECT_EQ(of(now, "pinned"), "16777216");
    EXPECT_EQ(of(now, "ipc_lock_inert"), "true") << "in the bounding set only";
    EXPECT_EQ(of(now, "root"), "false");
    EXPECT_EQ(of(now, "fds"), "3");
    EXPECT_EQ(of(now, "fd_limit"), "1024");
    expect_complete(now, collector("limits"));
}

TEST(Limits, Unlimited) {
    const auto host = roce_host();
    host->file("/proc/4242/limits", "Max locked memory         unlimited            unlimited            bytes     \n");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "memlock_limited"), "false");
    EXPECT_EQ(of(now, "memlock_limit"), "gap(not offered)");
}

TEST(Limits, Users) {
    const auto user = [](std::string_view uid) {
        const auto host = roce_host();
        host->file("/proc/4242/status", fmt::format("Name:\trcpair\nUid:\t{}\nCapEff:\t0\nCapBnd:\t0\n", uid));
        return of(look(host), "root");
    };
    EXPECT_EQ(user("1000\t0\t0\t0"), "true") << "the effective one counts";
    EXPECT_EQ(user("0\t1000\t0\t0"), "false");
    EXPECT_EQ(user("0\t0"), "gap(error)");
}

TEST(Limits, OpenFiles) {
    const auto limit = [](std::string_view text) {
        const auto host = roce_host();
        host->file("/proc/4242/limits", text);
        return of(look(host), "fd_limit");
    };
    EXPECT_EQ(limit("Max open files            unlimited            unlimited            files\n"), "gap(not offered)");
    EXPECT_EQ(limit("Max open files            some                 more                 files\n"), "gap(error)");
    EXPECT_EQ(limit("Max file size unlimited unlimited bytes\n"), "gap(error)");
}

TEST(Limits, ACapabilityThatMayNotBeHad) {
    const auto inert = [](std::string_view effective, std::string_view bounding) {
        const auto host = roce_host();
        host->file("/proc/4242/status", fmt::format("Name:\trcpair\nCapEff:\t{}\nCapBnd:\t{}\n", effective, bounding));
        return of(look(host), "ipc_lock_inert");
    };
    EXPECT_EQ(inert("0", "4000"), "true");
    EXPECT_EQ(inert("4000", "4000"), "false");
    EXPECT_EQ(inert("0", "0"), "false");
    EXPECT_EQ(inert("0", "none"), "gap(error)");
}

TEST(Limits, TextThatIsNoLimit) {
    const auto limit = [](std::string_view text) {
        const auto host = roce_host();
        host->file("/proc/4242/limits", text);
        return of(look(host), "memlock_limit");
    };
    EXPECT_EQ(limit("Max locked memory         8388608\n"), "gap(error)");
    EXPECT_EQ(limit("Max file size unlimited unlimited bytes\n"), "gap(error)");
    EXPECT_EQ(limit("Max locked memory         some   more   bytes\n"), "gap(error)");
}

TEST(Limits, TheCapabilityCountsInTheInitialNamespaceOnly) {
    constexpr std::string_view kInitial = "         0          0 4294967295\n";
    EXPECT_EQ(of(look(with_capabilities("000001ffffffffff", kInitial)), "ipc_lock"), "true");
    EXPECT_EQ(of(look(with_capabilities("0000000000004000", kInitial)), "ipc_lock"), "true");
    EXPECT_EQ(of(look(with_capabilities("000001ffffffbfff", kInitial)), "ipc_lock"), "false");
    EXPECT_EQ(of(look(with_capabilities("000001ffffffffff", "         0     100000      65536\n")), "ipc_lock"),
              "false");
    EXPECT_EQ(of(look(with_capabilities("000001ffffffffff", "")), "ipc_lock"), "gap(error)");
    EXPECT_EQ(of(look(with_capabilities("none", kInitial)), "ipc_lock"), "gap(error)");
}

TEST(Limits, WithoutTheCapabilityTheMapDoesNotMatter) {
    const auto host = with_capabilities("0", "");
    host->error("/proc/4242/uid_map", denied("/proc/4242/uid_map"));
    EXPECT_EQ(of(look(host), "ipc_lock"), "false");
}

TEST(Limits, SurvivesBadInput) {
    expect_bad_input_is_survived(roce_host, "limits", {{"rdma.ctx/mlx5_0", "/proc/self/status", "/proc/4242/status"}});
}

}  // namespace
}  // namespace rd::collectors::test
