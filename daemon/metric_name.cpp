// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/metric_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace rd::daemon {
namespace {

struct Unit {
    std::string_view fact, base;
    std::string_view word;  // of the fact's name, which the base unit takes the place of
    double times, by;
};

constexpr Unit kUnits[] = {
    {"bytes", "bytes", "bytes", 1, 1},
    {"KiB", "bytes", "kib", 1024, 1},
    {"bits", "bytes", "bits", 1, 8},
    {"Gbit/s", "bytes_per_second", "gbps", 1e9, 8},
    {"Mbit/s", "bytes_per_second", "mbps", 1e6, 8},
    {"GT/s", "transfers_per_second", "gtps", 1e9, 1},
    {"seconds", "seconds", "seconds", 1, 1},
    {"ms", "seconds", "ms", 1, 1e3},
    {"microseconds", "seconds", "us", 1, 1e6},
    {"microseconds", "seconds", "usecs", 1, 1e6},
    {"ns", "seconds", "ns", 1, 1e9},
    {"nanoseconds", "seconds", "ns", 1, 1e9},
    {"%", "ratio", "percent", 1, 100},
    {"°C", "celsius", "celsius", 1, 1},
    {"V", "volts", "volts", 1, 1},
    {"mA", "amperes", "ma", 1, 1e3},
    {"mW", "watts", "mw", 1, 1e3},
    {"MHz", "hertz", "mhz", 1e6, 1},
};

}  // namespace

MetricName metric_name(const FactSpec& spec) {
    MetricName out;
    std::vector<std::string_view> words = split(spec.name, '_');
    std::erase(words, "");  // a family ends in '_'
    for (const Unit& unit : kUnits) {
        if (unit.fact != spec.unit) continue;
        out.unit = unit.base;
        out.times = unit.times;
        out.by = unit.by;
        if (words.size() > 1) std::erase(words, unit.word);
    }
    // Ceph's "ms_" is its messenger; as a word of a metric it would be milliseconds.
    std::replace(words.begin(), words.end(), std::string_view("ms"), std::string_view("messenger"));
    // "_count" and "_total" mean something else at the end of a metric.
    while (words.size() > 1 && (words.back() == "count" || words.back() == "total")) words.pop_back();
    if (!out.unit.empty()) words.push_back(out.unit);
    out.name = fmt::format("rdmadoctor_{}_{}", name_of(spec.kind), fmt::join(words, "_"));
    return out;
}

}  // namespace rd::daemon
