// SPDX-License-Identifier: GPL-2.0-or-later
// A [[log]] of a rule: a pattern over single lines of the kernel's and of applications' logs, and how sure a line makes us.
// The engine is RE2: whatever the line, matching takes time linear in its length.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace rd {

enum class Confidence : std::uint8_t { low, medium, high };
[[nodiscard]] std::string_view name_of(Confidence confidence);
[[nodiscard]] bool confidence_from_name(std::string_view name, Confidence& out);

// What a pattern may capture by name, (?P<device>…): what the line is about, and the numbers it gives.
[[nodiscard]] std::span<const std::string_view> log_groups();

// By name, in the order of the pattern; groups that took no part in the match are left out.
using Captures = std::vector<std::pair<std::string, std::string>>;

struct PatternError {
    std::size_t offset = 0;  // in the pattern
    std::string message;
    std::string hint;
};

struct LogPattern {
    std::string text;
    Confidence confidence = Confidence::medium;  // low: never more than suspected
    std::string source;                          // whose line it is: kernel, ceph, …; may be empty
    std::int64_t least = 1;                      // lines, the same word for word, that it takes
    std::vector<std::string> samples;            // whole lines that match
    std::vector<std::string> not_samples;        // whole lines that come near and must not
    std::shared_ptr<const LogPattern> ended_by;  // a later line that says it is over; may be none
    std::shared_ptr<const LogPattern>
        unless;  // another line of the log, before or after, with which it means nothing; may be none
    class Engine;
    std::shared_ptr<const Engine> engine;  // null: matches nothing

    [[nodiscard]] bool matches(std::string_view line) const;
    [[nodiscard]] bool captures(std::string_view group) const;
    // nullopt: no match.
    [[nodiscard]] std::optional<Captures> match(std::string_view line) const;
};

// Bytes are matched, not characters: a log may hold anything.
[[nodiscard]] tl::expected<LogPattern, PatternError> compile_log_pattern(std::string_view text);
// The same of a text that compiled before: it is compiled once more when a line comes, which most commands never see.
[[nodiscard]] LogPattern proven_log_pattern(std::string_view text);

}  // namespace rd
