// SPDX-License-Identifier: GPL-2.0-or-later
// The shipped rules, for the benchmarks that judge.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "collectors/all.h"
#include "core/program/files.h"

namespace rd::bench {

// As the daemon reads them. The rows that they point to are those of `catalog`.
inline std::optional<Rulebook> rules_in(const std::string& directory, const Catalog& catalog) {
    const auto files = read_rule_files(directory);
    if (!files) {
        fmt::print(stderr, "{}\n", describe(files.error()));
        return std::nullopt;
    }
    Rules rules = build_rulebook(*files, {}, catalog, collectors::knob_names(), RuleUse::judge);
    if (rules.book.rules.size() >= 13 && rules.errors.empty()) return std::move(rules.book);
    fmt::print(stderr, "{} rules in {}, {} errors\n", rules.book.rules.size(), directory, rules.errors.size());
    return std::nullopt;
}

}  // namespace rd::bench
