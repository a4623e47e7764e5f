// SPDX-License-Identifier: GPL-2.0-or-later
// What was asked for, as plain values. Filled by arguments.cpp alone; a command sees nothing of the command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/diagnosis/rule.h"

namespace rd::cli {

enum class Style : std::uint8_t { text, json, nagios, npd, junit };

inline constexpr const char* kLive = "live";

// Where rules and site settings come from. Empty: the default place, which need not exist; a name that was given must.
struct RuleSource {
    std::string config;     // file
    std::string rules_dir;  // the site's own rules
};

struct CheckOptions {
    std::string from = kLive;
    RuleSource rules;
    std::chrono::nanoseconds interval = std::chrono::seconds(2);  // 0: one sweep
    std::chrono::nanoseconds deadline = std::chrono::seconds(5);
    Severity fail_on = Severity::low;
    bool strict = false;
    Style style = Style::text;
};

struct FactsOptions {
    std::string from = kLive;
    RuleSource rules;
    std::vector<std::string> entities;  // names as people type them
    std::optional<Kind> kind;
    bool all = false;
    bool list = false;  // the catalogue instead of a host
    bool json = false;
    std::chrono::nanoseconds deadline = std::chrono::seconds(5);
};

struct RulesListOptions {
    RuleSource rules;
    bool json = false;
};

struct RulesShowOptions {
    RuleSource rules;
    std::string id;
    bool json = false;
};

struct RulesTestOptions {
    std::string directory;  // empty: the shipped rules
};

struct RulesLintOptions {
    std::string directory;
};

struct ExplainOptions {
    RuleSource rules;
    std::vector<std::string> terms;
    bool json = false;
};

struct RecordOptions {
    std::string out;
    std::chrono::nanoseconds duration = std::chrono::seconds(10);
    int sweeps = 2;  // at the ends of the duration and evenly between
};

struct SchemaOptions {
    std::string command;  // empty: list them
};

using Command = std::variant<CheckOptions, FactsOptions, RulesListOptions, RulesShowOptions, RulesTestOptions,
                             RulesLintOptions, ExplainOptions, RecordOptions, SchemaOptions>;

}  // namespace rd::cli
