// SPDX-License-Identifier: GPL-2.0-or-later
// What became of the rules from one rulebook to another. Layout and comments of a condition are no change.
#pragma once

#include <string>
#include <vector>

#include "core/diagnosis/rulebook.h"

namespace rd {

struct RuleChange {
    std::string part;  // "when", "severity", "params.rate", "explain", "fix", …
    std::string before, after;
    bool judges = false;  // other findings may come of it, not only other words
};

struct RuleDiff {
    enum class Kind : std::uint8_t { added, removed, changed };
    Kind kind = Kind::changed;
    std::string id, title;  // the new one's, of a removed rule its own
    Severity severity = Severity::info;
    std::vector<RuleChange> changes;  // what judges first
};
[[nodiscard]] std::string_view name_of(RuleDiff::Kind kind);  // "added" "removed" "changed"

// In order of id. A rule that was renamed is one removed and one added.
[[nodiscard]] std::vector<RuleDiff> diff_rules(const Rulebook& before, const Rulebook& after);

}  // namespace rd
