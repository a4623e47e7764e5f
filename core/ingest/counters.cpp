// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/counters.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

constexpr std::array<std::string_view, 11> kCountingPaths{
    "/counters/", "/hw_counters/",  "/statistics/",    "/carrier_changes", "/carrier_up_count", "/carrier_down_count",
    "/aer_dev_",  "/counters_ext/", "/diag_counters/", "/cm_rx_",          "/cm_tx_",
};
constexpr std::array<std::string_view, 9> kCountingFiles{"/proc/interrupts", "/proc/softirqs",     "/proc/stat",
                                                         "/proc/vmstat",     "/proc/net/snmp",     "/proc/net/netstat",
                                                         "/proc/net/dev",    "/proc/net/sockstat", "/proc/uptime"};

bool is_counting_link_field(std::string_view field) {
    return starts_with(field, "rx_") || starts_with(field, "tx_") || starts_with(field, "carrier_");
}

}  // namespace

bool is_counter(std::string_view name, std::string_view field) {
    if (field == "partial") return false;  // says of the answer that fields are left out
    if (starts_with(name, "/")) {
        if (has(name, "/hw_counters/lifespan")) return false;
        return std::any_of(kCountingPaths.begin(), kCountingPaths.end(),
                           [&](std::string_view part) { return has(name, part); }) ||
               std::find(kCountingFiles.begin(), kCountingFiles.end(), name) != kCountingFiles.end();
    }
    if (starts_with(name, "ethtool.stats/") || starts_with(name, "rdma.stat/")) return true;
    if (name == "rtnl.link") return is_counting_link_field(field);
    if (starts_with(name, "ethtool.fec/")) return has(field, "corrected") || has(field, "uncorrectable");
    if (starts_with(name, "ethtool.link/")) return field == "ext_down_count";
    return false;
}

std::optional<std::int64_t> between(const Mark& before, const Mark& after) {
    if (before.wall_ns && after.wall_ns && *after.wall_ns > *before.wall_ns) return *after.wall_ns - *before.wall_ns;
    if (before.day_ns && after.day_ns && *after.day_ns != *before.day_ns) {
        return (*after.day_ns - *before.day_ns + kDayNs) % kDayNs;
    }
    if (after.slept_ns > before.slept_ns) return after.slept_ns - before.slept_ns;
    return std::nullopt;
}

void Readings::add(Key key, Reading reading) {
    auto& readings = all_[std::move(key)];
    readings.push_back(std::move(reading));
    if (readings.size() > kMostReadings) readings.erase(readings.begin() + 1);
}

void Readings::rename(const Key& from, Key to) {
    const auto found = all_.find(from);
    if (found == all_.end() || from == to) return;
    auto moved = std::move(found->second);
    all_.erase(found);
    auto& readings = all_[std::move(to)];
    readings.insert(readings.end(), std::make_move_iterator(moved.begin()), std::make_move_iterator(moved.end()));
    std::stable_sort(readings.begin(), readings.end(),
                     [](const Reading& a, const Reading& b) { return a.mark.section < b.mark.section; });
    while (readings.size() > kMostReadings) readings.erase(readings.begin() + 1);
}

std::size_t Readings::moments() const {
    std::size_t most = 1;
    for (const auto& [key, readings] : all_) most = std::max(most, readings.size());
    return most;
}

std::vector<Mark> Readings::marks() const {
    const std::size_t count = moments();
    std::vector<Mark> marks(count);
    for (const auto& [key, readings] : all_) {
        for (std::size_t i = 0; i < readings.size(); ++i) {
            Mark& mark = marks[moment_of(i, readings.size(), count)];
            if (readings[i].mark.section >= mark.section) mark = readings[i].mark;
        }
    }
    return marks;
}

}  // namespace rd::ingest
