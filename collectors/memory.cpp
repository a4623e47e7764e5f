// SPDX-License-Identifier: GPL-2.0-or-later
// Huge pages of the host and of each NUMA node, and what the kernel does with memory by itself: transparent huge pages, moving pages
// between nodes, and copying registered memory when a process forks.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectors/common/files.h"
#include "collectors/common/identity.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec pages(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::integer, Nature::gauge, "pages", doc};
}
constexpr FactSpec bytes(Kind kind, std::string_view name, std::string_view doc) {
    return {kind, name, Type::integer, Nature::gauge, "bytes", doc};
}
constexpr FactSpec text_row(std::string_view name, std::string_view doc) {
    return {Kind::host, name, Type::text, Nature::config, "", doc};
}

constexpr FactSpec kFacts[] = {
    pages(Kind::host, "hugepages_2m", "Huge pages of 2 MB: /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"),
    pages(Kind::host, "hugepages_2m_free", "Free ones of 2 MB, the reserved included: free_hugepages"),
    pages(Kind::host, "hugepages_2m_reserved", "Free ones of 2 MB that are promised to a process: resv_hugepages"),
    pages(Kind::host, "hugepages_2m_surplus", "Those of 2 MB beyond the pool, made on demand: surplus_hugepages"),
    pages(Kind::host, "hugepages_1g", "Huge pages of 1 GB: /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"),
    pages(Kind::host, "hugepages_1g_free", "Free ones of 1 GB, the reserved included: free_hugepages"),
    pages(Kind::host, "hugepages_1g_reserved", "Free ones of 1 GB that are promised to a process: resv_hugepages"),
    pages(Kind::host, "hugepages_1g_surplus", "Those of 1 GB beyond the pool: surplus_hugepages"),
    bytes(Kind::host, "hugepages_bytes", "Memory in huge pages of all sizes: /proc/meminfo Hugetlb"),
    bytes(Kind::host, "hugepage_size", "Size of a huge page when none is named: /proc/meminfo Hugepagesize"),
    bytes(Kind::host, "memory", "Memory: /proc/meminfo MemTotal"),
    bytes(Kind::host, "memory_available", "Memory a new program could have: /proc/meminfo MemAvailable"),
    text_row("thp", "Transparent huge pages: always, madvise or never: /sys/kernel/mm/transparent_hugepage/enabled"),
    text_row("thp_defrag", "How hard the kernel tries for one: /sys/kernel/mm/transparent_hugepage/defrag"),
    {Kind::host, "numa_balancing", Type::integer, Nature::config, "",
     "Moving pages to the node that uses them: 0 off, 1 on, 2 between tiers: /proc/sys/kernel/numa_balancing"},
    {Kind::host, "zone_reclaim", Type::integer, Nature::config, "",
     "Freeing memory of the own node before taking that of another: /proc/sys/vm/zone_reclaim_mode"},
    {Kind::host, "copy_on_fork", Type::boolean, Nature::config, "",
     "The kernel copies registered memory when a process forks, so that forking is safe: netlink SYS_GET, Linux 5.12"},
    pages(Kind::numa, "hugepages_2m", "Huge pages of 2 MB on the node: nodeN/hugepages/hugepages-2048kB/nr_hugepages"),
    pages(Kind::numa, "hugepages_2m_free", "Free ones of 2 MB on the node: free_hugepages"),
    pages(Kind::numa, "hugepages_2m_surplus", "Those of 2 MB beyond the pool on the node: surplus_hugepages"),
    pages(Kind::numa, "hugepages_1g",
          "Huge pages of 1 GB on the node: nodeN/hugepages/hugepages-1048576kB/nr_hugepages"),
    pages(Kind::numa, "hugepages_1g_free", "Free ones of 1 GB on the node: free_hugepages"),
    pages(Kind::numa, "hugepages_1g_surplus", "Those of 1 GB beyond the pool on the node: surplus_hugepages"),
    bytes(Kind::numa, "memory", "Memory of the node: nodeN/meminfo MemTotal"),
    bytes(Kind::numa, "memory_free", "Free memory of the node: nodeN/meminfo MemFree"),
    {Kind::numa, "foreign", Type::integer, Nature::counter, "pages",
     "Pages that were asked of it and had to be taken from another node: /sys/devices/system/node/nodeN/numastat "
     "numa_foreign"},
};

constexpr const FactSpec& kCopyOnFork = row(kFacts, Kind::host, "copy_on_fork");
const Entity kHost{Kind::host, ""};

constexpr std::string_view kPools = "/sys/kernel/mm/hugepages";
constexpr std::string_view kNodes = "/sys/devices/system/node";

// "2048 kB"
Result<Value> as_size(std::string_view text) {
    const auto size = parse_size(text);
    if (!size) return tl::unexpected<Error>(size.error());
    return Value(*size);
}

constexpr Source kHostPools[] = {
    {"hugepages-2048kB/nr_hugepages", row(kFacts, Kind::host, "hugepages_2m"), as_count},
    {"hugepages-2048kB/free_hugepages", row(kFacts, Kind::host, "hugepages_2m_free"), as_count},
    {"hugepages-2048kB/resv_hugepages", row(kFacts, Kind::host, "hugepages_2m_reserved"), as_count},
    {"hugepages-2048kB/surplus_hugepages", row(kFacts, Kind::host, "hugepages_2m_surplus"), as_count},
    {"hugepages-1048576kB/nr_hugepages", row(kFacts, Kind::host, "hugepages_1g"), as_count},
    {"hugepages-1048576kB/free_hugepages", row(kFacts, Kind::host, "hugepages_1g_free"), as_count},
    {"hugepages-1048576kB/resv_hugepages", row(kFacts, Kind::host, "hugepages_1g_reserved"), as_count},
    {"hugepages-1048576kB/surplus_hugepages", row(kFacts, Kind::host, "hugepages_1g_surplus"), as_count},
};
constexpr Source kNodePools[] = {
    {"hugepages-2048kB/nr_hugepages", row(kFacts, Kind::numa, "hugepages_2m"), as_count},
    {"hugepages-2048kB/free_hugepages", row(kFacts, Kind::numa, "hugepages_2m_free"), as_count},
    {"hugepages-2048kB/surplus_hugepages", row(kFacts, Kind::numa, "hugepages_2m_surplus"), as_count},
    {"hugepages-1048576kB/nr_hugepages", row(kFacts, Kind::numa, "hugepages_1g"), as_count},
    {"hugepages-1048576kB/free_hugepages", row(kFacts, Kind::numa, "hugepages_1g_free"), as_count},
    {"hugepages-1048576kB/surplus_hugepages", row(kFacts, Kind::numa, "hugepages_1g_surplus"), as_count},
};
constexpr Source kSettings[] = {
    {"/sys/kernel/mm/transparent_hugepage/enabled", row(kFacts, Kind::host, "thp"), as_choice},
    {"/sys/kernel/mm/transparent_hugepage/defrag", row(kFacts, Kind::host, "thp_defrag"), as_choice},
    {"/proc/sys/kernel/numa_balancing", row(kFacts, Kind::host, "numa_balancing"), as_count},
    {"/proc/sys/vm/zone_reclaim_mode", row(kFacts, Kind::host, "zone_reclaim"), as_count},
};
constexpr Source kMeminfo[] = {
    {"MemTotal", row(kFacts, Kind::host, "memory"), as_size},
    {"MemAvailable", row(kFacts, Kind::host, "memory_available"), as_size},
    {"Hugetlb", row(kFacts, Kind::host, "hugepages_bytes"), as_size},
    {"Hugepagesize", row(kFacts, Kind::host, "hugepage_size"), as_size},
};
constexpr Source kNodeMeminfo[] = {
    {"MemTotal", row(kFacts, Kind::numa, "memory"), as_size},
    {"MemFree", row(kFacts, Kind::numa, "memory_free"), as_size},
};

constexpr Source kNodeStatistics[] = {
    {"numa_foreign", row(kFacts, Kind::numa, "foreign"), as_counter},
};

std::string_view pool_of(const Source& file) { return file.name.substr(0, file.name.find('/')); }

// A size that the kernel does not know has no folder.
void plan_pools(const Host& host, const std::string& folder, const Entity& entity, std::span<const Source> files,
                Plan& plan) {
    const auto pools = host.list(folder);
    for (const Source& file : files) {
        const bool absent = pools && std::find(pools->begin(), pools->end(), pool_of(file)) == pools->end();
        if (absent) {
            plan.gap(
                entity, file.spec,
                not_offered(fmt::format("{}/{}: this kernel has no huge pages of that size", folder, pool_of(file))));
        } else {
            plan.read(fmt::format("{}/{}", folder, file.name), entity, file.spec, file.parser);
        }
    }
}

// "Node 0 MemTotal:       263921840 kB" and, of the host, "MemTotal:       527843680 kB"
void decode_meminfo(const std::string& path, const Entity& entity, std::span<const Source> sources,
                    std::string_view text, Facts& out) {
    std::vector<bool> given(sources.size());
    for (const std::string_view line : lines(text)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view key = line.substr(line.find_last_of(' ', colon) + 1);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (given[i] || key.substr(0, key.find(':')) != sources[i].name) continue;
            given[i] = true;
            auto value = sources[i].parser(line.substr(colon + 1));
            if (!value) value.error().what = fmt::format("{}: {}: {}", path, sources[i].name, value.error().what);
            out.set(entity, sources[i].spec, std::move(value));
        }
    }
    const bool any = std::find(given.begin(), given.end(), true) != given.end();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (given[i]) continue;
        const std::string reason = fmt::format("{}: no line {}", path, sources[i].name);
        out.gap(entity, sources[i].spec, any ? not_offered(reason) : Gap{GapClass::error, reason, {}});
    }
}

// "numa_foreign 312"
void plan_statistics(std::string path, const Entity& entity, Plan& plan) {
    plan.decode(path, covers_of(entity, kNodeStatistics), [=](std::string_view text, Facts& out) {
        for (const Source& source : kNodeStatistics) {
            Result<Value> value = fail(Errc::bad_input, fmt::format("{}: no line {}", path, source.name));
            for (const std::string_view line : lines(text)) {
                const auto fields = words(line);
                if (fields.size() != 2 || fields[0] != source.name) continue;
                value = source.parser(fields[1]);
                if (!value) value.error().what = fmt::format("{}: {}: {}", path, source.name, value.error().what);
            }
            out.set(entity, source.spec, std::move(value));
        }
    });
}

void plan_meminfo(std::string path, const Entity& entity, std::span<const Source> sources, Plan& plan) {
    plan.decode(path, covers_of(entity, sources),
                [=](std::string_view text, Facts& out) { decode_meminfo(path, entity, sources, text, out); });
}

// Kernels that know copying on fork say whether they do it; older ones do not.
void plan_copy_on_fork(Plan& plan) {
    plan.decode("rdma.system", {{kHost, &kCopyOnFork}}, [](std::string_view text, Facts& out) {
        const auto answer = Answer::parse("rdma.system", text);
        if (!answer) return out.gap(kHost, kCopyOnFork, gap_from(answer.error()));
        if (answer->get("copy_on_fork") == nullptr && !answer->partial()) return out.put(kHost, kCopyOnFork, false);
        answer->put(kHost, {"copy_on_fork", kCopyOnFork, as_switch}, out);
    });
}

void discover(const Host& host, Plan& plan) {
    plan.watch(std::string(kNodes));
    plan.every(Seconds(10));
    plan_pools(host, std::string(kPools), kHost, kHostPools, plan);
    plan_meminfo("/proc/meminfo", kHost, kMeminfo, plan);
    const auto names = list_subsystem(host, kNodes, "/sys/devices/system");
    if (!names) plan.kind_gap(Kind::numa, gap_from(names.error()));
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
        const std::int64_t number = number_after(name, "node");
        if (number < 0) continue;
        const std::string folder = fmt::format("{}/{}", kNodes, name);
        plan_pools(host, folder + "/hugepages", numa_entity(number), kNodePools, plan);
        plan_meminfo(folder + "/meminfo", numa_entity(number), kNodeMeminfo, plan);
        plan_statistics(folder + "/numastat", numa_entity(number), plan);
    }
    plan.every(Seconds(60));
    for (const Source& file : kSettings) plan.read(std::string(file.name), kHost, file.spec, file.parser);
    plan_copy_on_fork(plan);
}

}  // namespace

extern const Collector memory;
constinit const Collector memory{"memory", kFacts, {}, Seconds(60), Rediscover::on_change, discover};

}  // namespace rd::collectors
