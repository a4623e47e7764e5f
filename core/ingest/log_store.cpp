// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/log_store.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/base/log_line.h"
#include "core/base/records.h"
#include "core/base/text.h"
#include "core/host/host.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kLongestText = 1024;
constexpr std::int64_t kYearNs = 366LL * 86'400 * 1'000'000'000;
constexpr std::size_t kMostBytes = kMaxAnswer - (64u << 10);

bool is_yearless(std::int64_t wall_ns) { return wall_ns < kYearNs; }

void widen(std::optional<std::int64_t>& oldest, std::optional<std::int64_t>& newest, std::int64_t value) {
    oldest = std::min(oldest.value_or(value), value);
    newest = std::max(newest.value_or(value), value);
}

}  // namespace

void LogStore::see(const std::optional<std::int64_t>& wall_ns) {
    if (!wall_ns) return;
    if (is_yearless(*wall_ns)) {
        widen(oldest_yearless_, newest_yearless_, *wall_ns);
    } else {
        widen(oldest_wall_, newest_wall_, *wall_ns);
    }
}

void LogStore::kernel(const LogLine& line) {
    if (line.text.empty()) return;
    const std::string_view text = line.text.substr(0, kLongestText);
    if (line.boot_us || line.wall_ns) {
        const std::size_t hash = std::hash<std::string_view>{}(text) ^
                                 std::hash<std::int64_t>{}(line.boot_us.value_or(0) * 31 + line.wall_ns.value_or(0));
        if (!seen_.insert(hash).second) return;
        if (seen_.size() > 8 * kMostKernelLines) seen_.clear();
    }
    see(line.wall_ns);
    kernel_.push_back({std::string(text), line.level, line.boot_us, line.wall_ns});
    if (kernel_.size() > kMostKernelLines) {
        kernel_.pop_front();
        ++dropped_;
    }
}

void LogStore::application(const LogLine& line, std::string_view whole) {
    see(line.wall_ns);
    whole = trim(whole).substr(0, kLongestText);
    const std::string key = line.source + '\n' + log_shape(line.text.empty() ? whole : line.text);
    auto found = shapes_.find(key);
    if (found == shapes_.end()) {
        if (shapes_.size() >= kMostShapes) {
            ++dropped_;
            return;
        }
        found = shapes_.emplace(key, Shape{shapes_.size(), std::string(whole), line.source, {}, {}, 0}).first;
    }
    Shape& shape = found->second;
    ++shape.count;
    shape.wall_ns = line.wall_ns;
    shape.boot_us = line.boot_us;
    shape.text = std::string(whole);  // the newest of them
}

std::optional<std::int64_t> LogStore::newest_us() const {
    std::optional<std::int64_t> newest;
    for (const KernelLine& line : kernel_) {
        if (line.boot_us) newest = std::max(newest.value_or(0), *line.boot_us);
    }
    if (newest) return newest;
    if (newest_wall_) return (*newest_wall_ - *oldest_wall_) / 1000;
    if (newest_yearless_) return (*newest_yearless_ - *oldest_yearless_) / 1000;
    return std::nullopt;
}

std::optional<std::int64_t> LogStore::since_boot(const std::optional<std::int64_t>& boot_us,
                                                 const std::optional<std::int64_t>& wall_ns,
                                                 std::int64_t now_us) const {
    if (boot_us) return boot_us;
    if (!wall_ns) return std::nullopt;
    const std::int64_t newest = is_yearless(*wall_ns) ? *newest_yearless_ : *newest_wall_;
    return std::max<std::int64_t>(now_us - (newest - *wall_ns) / 1000, 0);
}

std::string LogStore::kmsg(std::int64_t now_us) const {
    std::string text;
    std::uint64_t sequence = 0;
    std::int64_t last = kernel_.empty() ? 0 : now_us;
    // A line without a time was written about when the one before it was.
    for (const KernelLine& line : kernel_) {
        if (const auto us = since_boot(line.boot_us, line.wall_ns, now_us)) {
            last = *us;
            break;
        }
    }
    for (const KernelLine& line : kernel_) {
        last = since_boot(line.boot_us, line.wall_ns, now_us).value_or(last);
        Record record;
        if (line.level) record.set("level", static_cast<std::uint64_t>(*line.level));
        record.set("facility", std::uint64_t{0});
        record.set("seq", sequence++);
        record.set("us", static_cast<std::uint64_t>(std::max<std::int64_t>(last, 0)));
        record.set("text", line.text);
        text += record.text();
    }
    // The newest lines matter most.
    if (text.size() > kMostBytes) text.erase(0, text.find('\n', text.size() - kMostBytes) + 1);
    return text;
}

std::string LogStore::logs(std::int64_t now_us) const {
    std::vector<const Shape*> ordered;
    for (const auto& [key, shape] : shapes_) ordered.push_back(&shape);
    std::sort(ordered.begin(), ordered.end(), [](const Shape* a, const Shape* b) { return a->order < b->order; });
    std::string text;
    for (const Shape* shape : ordered) {
        Record record;
        record.set("source", shape->source.empty() ? "text" : shape->source);
        if (const auto us = since_boot(shape->boot_us, shape->wall_ns, now_us)) {
            record.set("us", static_cast<std::uint64_t>(std::max<std::int64_t>(*us, 0)));
        }
        record.set("count", static_cast<std::uint64_t>(shape->count));
        record.set("text", shape->text);
        if (text.size() > kMostBytes) break;
        text += record.text();
    }
    return text;
}

}  // namespace rd::ingest
