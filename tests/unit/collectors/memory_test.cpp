// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "tests/unit/collectors/support.h"

namespace rd::collectors::test {
namespace {

void add_pool(FakeHost& host, const std::string& folder, int kilobytes, int pages, int free, bool whole) {
    const std::string pool = fmt::format("{}/hugepages-{}kB", folder, kilobytes);
    host.file(pool + "/nr_hugepages", fmt::format("{}\n", pages))
        .file(pool + "/free_hugepages", fmt::format("{}\n", free))
        .file(pool + "/surplus_hugepages", "0\n");
    if (whole) host.file(pool + "/resv_hugepages", "3\n");
}

std::shared_ptr<FakeHost> host_with_pages() {
    auto host = roce_host();
    add_pool(*host, "/sys/kernel/mm/hugepages", 2048, 1024, 200, true);
    add_pool(*host, "/sys/kernel/mm/hugepages", 1048576, 4, 0, true);
    for (const int node : {0, 1}) {
        const std::string folder = fmt::format("/sys/devices/system/node/node{}", node);
        add_pool(*host, folder + "/hugepages", 2048, node == 0 ? 1024 : 0, node == 0 ? 200 : 0, false);
        add_pool(*host, folder + "/hugepages", 1048576, 2, 0, false);
        host->file(folder + "/numastat", "numa_hit 5\nnuma_miss 7\nnuma_foreign 9\n");
        host->file(folder + "/meminfo",
                   fmt::format("\nNode {0} MemTotal:       263921840 kB\nNode {0} MemFree:        10000 kB\n", node));
    }
    host->file("/proc/meminfo",
               "MemTotal:       527843680 kB\nMemFree:        20000 kB\nMemAvailable:   40000 kB\nHugePages_Total:    "
               "1024\n"
               "Hugepagesize:       2048 kB\nHugetlb:         6291456 kB\n")
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .file("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n")
        .file("/proc/sys/kernel/numa_balancing", "1\n")
        .file("/proc/sys/vm/zone_reclaim_mode", "0\n")
        .file("rdma.system", "netns=shared copy_on_fork=1 monitor=1\n");
    return host;
}

Snapshot look(std::shared_ptr<FakeHost> host) { return sweep(std::move(host), {"memory"}); }
std::string of(const Snapshot& now, std::string_view fact) { return value(now, Kind::host, "", fact); }

TEST(Memory, OfAHost) {
    const Snapshot now = look(host_with_pages());
    EXPECT_EQ(of(now, "hugepages_2m"), "1024");
    EXPECT_EQ(of(now, "hugepages_2m_free"), "200");
    EXPECT_EQ(of(now, "hugepages_2m_reserved"), "3");
    EXPECT_EQ(of(now, "hugepages_1g"), "4");
    EXPECT_EQ(of(now, "hugepages_bytes"), "6442450944");
    EXPECT_EQ(of(now, "hugepage_size"), "2097152");
    EXPECT_EQ(of(now, "memory"), "540511928320");
    EXPECT_EQ(of(now, "memory_available"), "40960000");
    EXPECT_EQ(of(now, "thp"), "madvise");
    EXPECT_EQ(of(now, "thp_defrag"), "madvise");
    EXPECT_EQ(of(now, "numa_balancing"), "1");
    EXPECT_EQ(of(now, "zone_reclaim"), "0");
    EXPECT_EQ(of(now, "copy_on_fork"), "true");
    expect_complete(now, collector("memory"));
}

TEST(Memory, OfANode) {
    const Snapshot now = look(host_with_pages());
    EXPECT_EQ(value(now, Kind::numa, "0", "hugepages_2m"), "1024");
    EXPECT_EQ(value(now, Kind::numa, "1", "hugepages_2m"), "0");
    EXPECT_EQ(value(now, Kind::numa, "1", "hugepages_1g_free"), "0");
    EXPECT_EQ(value(now, Kind::numa, "1", "memory"), "270255964160");
    EXPECT_EQ(value(now, Kind::numa, "1", "memory_free"), "10240000");
    EXPECT_EQ(value(now, Kind::numa, "1", "foreign"), "9") << "not numa_miss";
}

TEST(Memory, ASizeTheKernelDoesNotKnow) {
    const auto host = host_with_pages();
    host->gone("/sys/kernel/mm/hugepages/hugepages-1048576kB");
    const Snapshot now = look(host);
    EXPECT_EQ(of(now, "hugepages_1g"), "gap(not offered)");
    EXPECT_EQ(of(now, "hugepages_2m"), "1024");
    expect_complete(now, collector("memory"));
}

TEST(Memory, AKernelBeforeCopyOnFork) {
    const auto host = host_with_pages();
    host->file("rdma.system", "netns=shared\n");
    EXPECT_EQ(of(look(host), "copy_on_fork"), "false");
    host->gone("rdma.system");
    EXPECT_EQ(of(look(host), "copy_on_fork"), "gap(not collected)");
}

TEST(Memory, AKernelWithoutNuma) {
    const auto host = host_with_pages();
    host->gone("/sys/devices/system/node").error("/sys/devices/system/node", absent("node"));
    const Snapshot now = look(host);
    EXPECT_TRUE(now.entities(Kind::numa).empty());
    EXPECT_EQ(now.kind_gap(Kind::numa), nullptr);
}

TEST(Memory, SurvivesBadInput) { expect_bad_input_is_survived(host_with_pages, "memory"); }

}  // namespace
}  // namespace rd::collectors::test
