// SPDX-License-Identifier: GPL-2.0-or-later
// What was asked for, as plain values. Filled by arguments.cpp alone; a command sees nothing of the command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/diagnosis/rule.h"
#include "core/facts/match.h"
#include "core/program/files.h"

namespace rd::cli {

enum class Style : std::uint8_t { text, json, nagios, npd, junit };

inline constexpr const char* kLive = "live";

// Where rules and site settings come from. Empty: the default place, which need not exist; a name that was given must.
struct RuleSource {
    std::string config;     // file
    std::string rules_dir;  // the site's own rules
    // What is said of this machine in the default places holds for what `--from` names too. Not for somebody else's text.
    bool own_site = true;
};

struct CheckOptions {
    std::string from = kLive;
    std::string host;  // of those that a text tells of; empty: all
    std::string root;  // below which the files of this host are mounted; empty: "/"
    RuleSource rules;
    std::chrono::nanoseconds interval = std::chrono::seconds(2);  // 0: one sweep
    std::chrono::nanoseconds deadline = std::chrono::seconds(5);
    Severity fail_on = Severity::low;
    bool strict = false;
    Style style = Style::text;
    std::string socket = kApiSocket;  // of the daemon, which knows of the past of this host
};

struct FactsOptions {
    std::string from = kLive;
    std::string host;  // of those that a text tells of
    std::string root;  // below which the files of this host are mounted; empty: "/"
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

struct RulesDiffOptions {
    std::string before, after;  // directories
    bool json = false;
};

struct ExplainOptions {
    RuleSource rules;
    std::vector<std::string> terms;
    bool json = false;
};

struct RecordOptions {
    std::string out;
    std::string from = kLive;  // else what was recorded already
    std::string host;          // of those that a text tells of
    std::string root;
    bool scrub = false;  // replace what names this host only
    std::chrono::nanoseconds duration = std::chrono::seconds(10);
    int sweeps = 2;  // at the ends of the duration and evenly between
};

// A time that somebody names.
struct Moment {
    std::optional<std::chrono::nanoseconds> before_now;  // else:
    std::int64_t wall_ns = 0;                            // since 1970
};

struct DiffOptions {
    std::vector<std::string> sources;  // two at least, as --from takes them; or none and:
    std::vector<Moment> at;            // two times of this host, as the daemon has kept it
    std::string socket = kApiSocket;   // of the daemon
    RuleSource rules;
    std::optional<Likeness> likeness;  // none: by what the sources say of themselves
    bool counters = false;             // of recordings: how far counters went
    bool json = false;
    std::chrono::nanoseconds deadline = std::chrono::seconds(5);
};

struct EventsOptions {
    std::string socket = kApiSocket;
    std::chrono::nanoseconds since = std::chrono::hours(24);
    bool follow = false;
    bool json = false;  // an object a line
};

struct HistoryOptions {
    std::string socket = kApiSocket;
    std::chrono::nanoseconds since = std::chrono::hours(24);
    std::string entity, fact;  // empty: findings
    std::string step = "minute";
    bool json = false;
};

struct AlertsListOptions {
    std::string socket = kApiSocket;
    bool json = false;
};

struct AlertsAckOptions {
    std::string socket = kControlSocket;
    std::string fingerprint, comment;
};

struct AlertsSilenceOptions {
    std::string socket = kControlSocket;
    std::string rule, subject;  // one of these, or:
    std::optional<Severity> severity;
    std::chrono::nanoseconds lasts = std::chrono::hours(2);
    std::string comment;
    std::string end;  // instead of all that: the id of a silence that is to be over
};

struct SchemaOptions {
    std::string command;  // empty: list them
};

using Command =
    std::variant<CheckOptions, FactsOptions, RulesListOptions, RulesShowOptions, RulesTestOptions, RulesLintOptions,
                 RulesDiffOptions, ExplainOptions, RecordOptions, DiffOptions, EventsOptions, HistoryOptions,
                 AlertsListOptions, AlertsAckOptions, AlertsSilenceOptions, SchemaOptions>;

}  // namespace rd::cli
