// SPDX-License-Identifier: GPL-2.0-or-later
// One rule: one TOML file, its prose, its condition, its fixes and the examples that prove it can fire, stay quiet and not know.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/expression.h"
#include "core/diagnosis/log_pattern.h"
#include "core/facts/collector.h"

namespace rd {

enum class Severity : std::uint8_t { info, low, medium, high, critical };
enum class Maturity : std::uint8_t { incubating, stable };
// pending is given by the tracker only; one-shot check does not apply `for`.
enum class State : std::uint8_t { firing, pending, suspected, quiet, unknown, not_applicable };

[[nodiscard]] std::string_view name_of(Severity severity);
[[nodiscard]] bool severity_from_name(std::string_view name, Severity& out);
[[nodiscard]] std::string_view name_of(Maturity maturity);
[[nodiscard]] std::string_view name_of(State state);  // "firing" … "not_applicable"
[[nodiscard]] bool state_from_name(std::string_view name, State& out);

// Either a knob to set, or advice with what it costs.
struct Fix {
    std::string set, to;  // "netdev.mtu", "4200"
    std::string advice;
    std::optional<Cost> cost;
    std::vector<std::string> commands;  // as an administrator would type them; {name} placeholders as in `explain`
};

struct Proof {
    std::optional<std::chrono::nanoseconds> quiet_for;
    std::string workload;
};

// A small host in TOML: facts by the names the condition uses, series in place of values for what moves.
struct Example {
    std::string name;
    State expect = State::quiet;
    int line = 0;
    std::vector<std::pair<std::string, Value>> facts;  // "netdev.mtu" = 1500
    // "netdev.mtu" = gap class name; the name of a kind ("process") instead of a fact: it could not be enumerated.
    std::vector<std::pair<std::string, std::string>> gaps;
    std::vector<std::pair<std::string, std::vector<std::optional<double>>>>
        series;  // "0 5 _ 10": '_' is a missed sweep
    std::chrono::nanoseconds every{std::chrono::seconds(1)};
    Params params;
    struct Other {  // further entities that refer to the subject, for any/all/count
        Kind kind = Kind::host;
        std::vector<std::pair<std::string, Value>> facts;
        std::vector<std::pair<std::string, std::string>> gaps;
        std::vector<std::pair<std::string, std::vector<std::optional<double>>>> series;
    };
    std::vector<Other> others;
};

struct Rule {
    std::string id, title;
    Severity severity = Severity::medium;
    Maturity maturity = Maturity::incubating;
    Kind scope = Kind::host;
    Params params;    // declared, with defaults; a site may set them
    Expression when;  // none where log lines alone mean this
    std::optional<Expression> suspect;
    std::optional<Expression> cleared_by;  // of the host: where it holds, lines of low confidence raise no suspicion
    std::chrono::nanoseconds hold{0};      // `for`
    std::vector<std::string> caused_by;
    std::string symptom, explain;
    std::vector<std::string> peer;  // the evidence is about the peer: what to run there, as commands of a fix
    std::vector<std::string> references;
    std::vector<LogPattern> logs;  // [[log]]
    std::vector<Fix> fixes;
    std::vector<Proof> proofs;
    std::vector<Example> examples;
    std::vector<std::string> equivalent_mutants;  // listed by hand, each with its reason after " — "
    std::string file;
    bool enabled = true;
    std::string disabled_because;
    // Where its parts stand in `file`, for complaints found later: "when", "explain", "fix.0", "example.2", "log.0", "caused_by.1".
    std::map<std::string, Place, std::less<>> places;
};

// What a rule is read for. To judge by a rule that has been proven, its examples are not needed, and they are the larger part of many
// files; nor are its patterns, before there is a line.
enum class RuleUse : std::uint8_t { prove, judge };

// All complaints of a file at once. `knobs`: names a fix may set. With `judge` there are no examples, and what is wrong with
// them is no complaint.
[[nodiscard]] tl::expected<Rule, std::vector<Diagnostic>> parse_rule(std::string_view toml, std::string_view file,
                                                                     const Catalog& catalog,
                                                                     std::span<const std::string> knobs,
                                                                     RuleUse use = RuleUse::prove);

}  // namespace rd
