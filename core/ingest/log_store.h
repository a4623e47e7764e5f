// SPDX-License-Identifier: GPL-2.0-or-later
// The log lines of one host that are worth keeping, within bounds, and the two subjects they become: kmsg and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/ingest/log_line.h"

namespace rd::ingest {

inline constexpr std::size_t kMostKernelLines = 16'384;
inline constexpr std::size_t kMostShapes = 4'096;

class LogStore {
public:
    // `whole`: the line with its stamps, for applications; they are asked for what the line says.
    void kernel(const LogLine& line);
    void application(const LogLine& line, std::string_view whole);

    // A line of an application's log in which nothing is wrong: that there was one, and no more, is kept.
    void fine() { ++fine_; }

    [[nodiscard]] bool empty() const { return kernel_.empty() && shapes_.empty() && fine_ == 0; }
    [[nodiscard]] std::size_t kernel_lines() const { return kernel_.size(); }
    [[nodiscard]] std::size_t log_lines() const { return shapes_.size(); }
    [[nodiscard]] std::size_t dropped() const { return dropped_; }
    // The newest time of any line: since boot, as the text tells it or counted from the first line. nullopt: no line has a time.
    [[nodiscard]] std::optional<std::int64_t> newest_us() const;

    // Texts of the subjects; empty when there are no lines. `now_us`: since boot, when the text was taken; the newest lines of logs
    // that tell the time of day only are taken for that old.
    [[nodiscard]] std::string kmsg(std::int64_t now_us) const;
    [[nodiscard]] std::string logs(std::int64_t now_us) const;

private:
    struct KernelLine {
        std::string text;
        std::optional<int> level;
        std::optional<std::int64_t> boot_us, wall_ns;
    };
    struct Shape {
        std::size_t order = 0;
        std::string text, source;
        std::optional<std::int64_t> wall_ns, boot_us;
        std::size_t count = 0;
    };
    [[nodiscard]] std::optional<std::int64_t> since_boot(const std::optional<std::int64_t>& boot_us,
                                                         const std::optional<std::int64_t>& wall_ns,
                                                         std::int64_t now_us) const;
    void see(const std::optional<std::int64_t>& wall_ns);

    std::deque<KernelLine> kernel_;
    std::unordered_set<std::size_t> seen_;  // of stamped kernel lines: the same log is often pasted twice
    std::map<std::string, Shape> shapes_;
    std::optional<std::int64_t> newest_wall_, oldest_wall_;          // of lines with a year
    std::optional<std::int64_t> newest_yearless_, oldest_yearless_;  // and without
    std::size_t dropped_ = 0;
    std::size_t fine_ = 0;
};

}  // namespace rd::ingest
