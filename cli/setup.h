// SPDX-License-Identifier: GPL-2.0-or-later
// What judging needs besides the host: the catalogue, what the site says, and the rules in force.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answer.h"
#include "cli/options.h"
#include "core/diagnosis/rulebook.h"
#include "core/facts/site.h"

namespace rd::cli {

struct Setup {
    std::unique_ptr<Catalog> catalog;  // its address is kept by sweeps and rules
    std::vector<std::string> knobs;
    Site site;
    Rules rules;
};

// Without rules: what `facts` needs.
[[nodiscard]] OrFailure<Setup> load_setup(const RuleSource& source);
// With rules, each of which loaded without an error, and never none: a doctor with a part of the knowledge must not call a host
// healthy.
[[nodiscard]] OrFailure<Setup> load_setup_with_rules(const RuleSource& source);

// A rule of such a setup with its examples, which judging by it does not take.
[[nodiscard]] OrFailure<Rule> with_examples(const Rule& rule, const Setup& setup);

// `directory` as the subject of `rules test` and `rules lint`: on top of the shipped rules, as a site would have it, or in
// their place where it defines rules of the same ids (a working copy). Empty: the shipped rules themselves.
struct Subjects {
    Setup setup;
    std::vector<std::string> files;  // those to be judged

    [[nodiscard]] bool covers(std::string_view file) const;
};
[[nodiscard]] OrFailure<Subjects> load_subjects(const std::string& directory);

// The rules of one directory by themselves, each of which loaded without an error, and never none.
[[nodiscard]] OrFailure<Rulebook> load_rules_of(const std::string& directory, const Setup& setup);

// One complaint a line.
[[nodiscard]] std::string print(const std::vector<Diagnostic>& diagnostics);

}  // namespace rd::cli
