// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of the kernel log and of applications' logs, one entity for each shape of line: what a line means is for the rules.
//
// Bounded: a log that says a thousand different things makes no thousand entities. Of the kernel's lines those are kept that may concern
// RDMA (core/base/log_line.h), are warnings or worse, or sound like trouble; trouble before the rest, new before old. Of applications' logs a source has
// only what whoever read them chose. What is left out is counted.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "collectors/common/table.h"
#include "core/base/log_line.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "kernel_log_shapes", Type::integer, Nature::gauge, "shapes",
     "Distinct lines of the kernel that may concern RDMA or are warnings: kernel log"},
    {Kind::host, "kernel_log_left_out", Type::integer, Nature::gauge, "lines",
     "Lines beyond the number of distinct ones that are kept: kernel log"},
    {Kind::host, "application_log_shapes", Type::integer, Nature::gauge, "shapes",
     "Distinct lines of applications' logs that were given: subject logs"},
    {Kind::host, "application_log_left_out", Type::integer, Nature::gauge, "lines",
     "Lines beyond the number of distinct ones that are kept: subject logs"},
    {Kind::log, "name", Type::text, Nature::config, "", "Whose line it is, as people call it: kernel, ceph, …"},
    {Kind::log, "source", Type::text, Nature::config, "",
     "Whose line it is: kernel, ceph, …; application where not known"},
    {Kind::log, "line", Type::text, Nature::gauge, "", "The last line of this shape"},
    {Kind::log, "count", Type::integer, Nature::gauge, "lines", "Lines of this shape that are still there"},
    {Kind::log, "newer_shapes", Type::integer, Nature::gauge, "shapes",
     "Shapes of the same log whose last line came later than that of this one"},
    {Kind::log, "repeats", Type::integer, Nature::gauge, "lines",
     "The most of them that are the same word for word (one link that goes down again and again), within an hour of "
     "the last"},
    {Kind::log, "at", Type::real, Nature::gauge, "seconds", "When the last one came, since boot"},
};
constexpr const FactSpec& kKernelShapes = row(kFacts, Kind::host, "kernel_log_shapes");
constexpr const FactSpec& kKernelLeftOut = row(kFacts, Kind::host, "kernel_log_left_out");
constexpr const FactSpec& kOthersShapes = row(kFacts, Kind::host, "application_log_shapes");
constexpr const FactSpec& kOthersLeftOut = row(kFacts, Kind::host, "application_log_left_out");
constexpr const FactSpec& kName = row(kFacts, Kind::log, "name");
constexpr const FactSpec& kSource = row(kFacts, Kind::log, "source");
constexpr const FactSpec& kLine = row(kFacts, Kind::log, "line");
constexpr const FactSpec& kCount = row(kFacts, Kind::log, "count");
constexpr const FactSpec& kNewer = row(kFacts, Kind::log, "newer_shapes");
constexpr const FactSpec& kRepeats = row(kFacts, Kind::log, "repeats");
constexpr const FactSpec& kAt = row(kFacts, Kind::log, "at");

// Together 512 a host. A host with sixteen adapters has twenty lines of each.
constexpr std::size_t kKernelMost = 352, kOthersMost = 160;
constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kMostOfOneShape = 64;  // whose words differ in what a shape leaves out
constexpr double kHourSeconds = 3600;
constexpr std::int64_t kWarning = 4;

constexpr std::string_view kKernel = "kmsg";
constexpr std::string_view kOthers = "logs";
const Entity kHost{Kind::host, ""};

// FNV-1a of the shape: an id that does not depend on the order of lines.
std::string hash_of(std::string_view shape) {
    std::uint64_t state = 14695981039346656037u;
    for (const char c : shape) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return fmt::format("{:012x}", state & 0xffffffffffffu);
}

// Lines by shape, from the newest to the oldest.
class Shapes {
public:
    struct One {
        std::string source, line;
        std::optional<double> at;
        std::int64_t count = 0;
        int rank = 0;  // less is kept first
        std::size_t order = 0;
        std::map<std::string, std::int64_t, std::less<>> same;  // lines by their words
    };

    void add(std::string_view source, std::string_view line, std::optional<double> at, std::int64_t count, int rank) {
        One& one = by_id_[fmt::format("{}/{}", source, hash_of(log_shape(line.substr(0, kLongestLine))))];
        if (one.count == 0) {
            one = {std::string(source), printable(line, kLongestLine), at, 0, rank, by_id_.size(), {}};
        }
        if (!one.at || !at || *one.at - *at < kHourSeconds) {
            const auto found = one.same.find(line);
            if (found != one.same.end()) {
                found->second += count;
            } else if (one.same.size() < kMostOfOneShape) {
                one.same.emplace(line.substr(0, kLongestLine), count);
            }
        }
        one.rank = std::min(one.rank, rank);
        one.count += count;
    }

    void put(std::size_t most, const FactSpec& shapes, const FactSpec& left_out, Facts& out) const {
        std::vector<const std::pair<const std::string, One>*> all;
        for (const auto& entry : by_id_) all.push_back(&entry);
        std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
            return std::pair(a->second.rank, a->second.order) < std::pair(b->second.rank, b->second.order);
        });
        std::int64_t beyond = 0;
        for (std::size_t i = most; i < all.size(); ++i) beyond += all[i]->second.count;
        all.resize(std::min(all.size(), most));
        for (const auto* entry : all) put({Kind::log, entry->first}, entry->second, out);
        out.put(kHost, shapes, static_cast<std::int64_t>(all.size()));
        out.put(kHost, left_out, beyond);
    }

private:
    static void put(const Entity& entity, const One& one, Facts& out) {
        out.put(entity, kName, one.source);
        out.put(entity, kSource, one.source);
        out.put(entity, kLine, one.line);
        out.put(entity, kCount, one.count);
        out.put(entity, kNewer, static_cast<std::int64_t>(one.order) - 1);
        std::int64_t repeats = 0;
        for (const auto& [line, count] : one.same) repeats = std::max(repeats, count);
        out.put(entity, kRepeats, repeats);
        if (one.at) {
            out.put(entity, kAt, *one.at);
        } else {
            out.gap(entity, kAt, not_offered("the line has no time, or one that cannot be placed"));
        }
    }

    std::map<std::string, One> by_id_;
};

std::optional<double> time_of(const Record& record) {
    const auto time = parse_counter(record.get("us").value_or(std::string()));
    if (!time) return std::nullopt;
    return static_cast<double>(*time) / 1e6;
}

Shapes kernel_lines(const std::vector<Record>& records) {
    Shapes shapes;
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
        const auto text = record->get("text");
        // Others may write to the kernel's log too; a copy of it may have lost who did.
        const auto facility = record->get("facility");
        if (!text || (facility && *facility != "0")) continue;
        const std::string_view line = trim(*text);
        const auto level = parse_integer(record->get("level").value_or(std::string()));
        const bool concerns = may_concern_rdma(line);
        // Copies give every line one level, or none.
        const bool trouble = (level && *level <= kWarning) || sounds_like_trouble(line);
        if (line.empty() || (!concerns && !trouble)) continue;
        shapes.add("kernel", line, time_of(*record), 1, trouble ? (concerns ? 0 : 2) : 1);
    }
    return shapes;
}

Shapes other_lines(const std::vector<Record>& records) {
    Shapes shapes;
    for (auto record = records.rbegin(); record != records.rend(); ++record) {
        const auto text = record->get("text");
        if (!text || trim(*text).empty()) continue;
        const std::string source = printable(record->get("source").value_or("application"));
        const auto count = parse_counter(record->get("count").value_or("1"));
        shapes.add(source, trim(*text), time_of(*record), std::max<std::int64_t>(count.value_or(1), 1),
                   sounds_like_trouble(*text) ? 0 : 1);
    }
    return shapes;
}

void read(Plan& plan, std::string_view subject, Shapes (*take)(const std::vector<Record>&), std::size_t most,
          const FactSpec& shapes, const FactSpec& left_out) {
    const std::vector<Cover> covers{{kHost, &shapes}, {kHost, &left_out}};
    plan.decode(std::string(subject), covers, [=, &shapes, &left_out](std::string_view text, Facts& out) {
        const auto records = parse_records(text);
        if (!records) {
            const Error error{records.error().code, fmt::format("{}: {}", subject, records.error().what), {}};
            return gap_all(covers, gap_from(error), out);
        }
        take(*records).put(most, shapes, left_out, out);
    });
}

void discover(const Host&, Plan& plan) {
    // The lane of the other collector that reads the kernel's log: one read serves both.
    plan.lane("kernel log");
    read(plan, kKernel, kernel_lines, kKernelMost, kKernelShapes, kKernelLeftOut);
    plan.lane("logs");
    read(plan, kOthers, other_lines, kOthersMost, kOthersShapes, kOthersLeftOut);
}

}  // namespace

extern const Collector logs;
constinit const Collector logs{"logs", kFacts, {}, Seconds(30), Rediscover::on_change, discover};

}  // namespace rd::collectors
