// SPDX-License-Identifier: GPL-2.0-or-later
// All [[log]] patterns of the rules in force at once: what a line means, or only whether it means anything. What is certain to
// be in a line that matches is looked for first; one pass over the line answers for all patterns together that have no such literal,
// or for all there are when too many come into question. So the cost does not grow with the number of rules.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "core/diagnosis/log_pattern.h"

namespace rd {

struct Rule;

class LogMatcher {
public:
    // Rules that are disabled are left out. Copies what it needs.
    explicit LogMatcher(const std::vector<Rule>& rules);
    ~LogMatcher();
    LogMatcher(LogMatcher&&) noexcept;
    LogMatcher& operator=(LogMatcher&&) noexcept;

    struct Hit {
        std::size_t rule = 0;  // place in `rules`
        std::size_t log = 0;   // place in its `logs`
        bool ends = false;     // the line is one that ends what the pattern means
        bool anywhen = false;  // of those: also what came before it did
        Captures captures;
    };

    // Linear in the line, and in bounded memory whatever was asked before: for those who read logs of any size. Any number of
    // threads may ask at once.
    [[nodiscard]] bool matches(std::string_view line) const;
    // In the order of the rules, then of their patterns; what ends a pattern's meaning stands after it.
    [[nodiscard]] std::vector<Hit> match(std::string_view line) const;
    [[nodiscard]] bool empty() const;
    // Places in `rules` of those with a pattern that is none. Only where patterns were taken for proven.
    [[nodiscard]] const std::vector<std::size_t>& unreadable() const;

private:
    struct Patterns;
    std::unique_ptr<Patterns> patterns_;
};

}  // namespace rd
