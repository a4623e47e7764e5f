// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/rule.h"

#include <algorithm>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/prose.h"
#include "core/diagnosis/rule_reader.h"
#include "core/diagnosis/toml_text.h"

namespace rd {
namespace {

constexpr std::string_view kLogPrefix = "log.";
constexpr std::size_t kMaxRuleFile = 256u << 10;

bool is_id(std::string_view id) {
    if (id.empty() || id.size() > 64 || id.front() == '-' || id.back() == '-')
        return false;  // some systems begin with a digit: 3fs
    return std::all_of(id.begin(), id.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// The name of a closed set, or a complaint that lists the set.
template <class Enum>
void choose(TomlReader& toml, const toml::table& table, std::string_view key,
            bool (*from_name)(std::string_view, Enum&), std::string_view choices, Enum& into) {
    const auto name = toml.text(table, key);
    if (!name || from_name(*name, into)) return;
    toml.complain(*table.get(key), "no " + std::string(key) + " '" + printable(*name) + "'",
                  "one of " + std::string(choices));
}

bool maturity_from_name(std::string_view name, Maturity& out) {
    out = name == name_of(Maturity::stable) ? Maturity::stable : Maturity::incubating;
    return name == name_of(out);
}

// Can {log.NAME} be filled in?
bool captures(const Rule& rule, std::string_view name) {
    if (name == "line") return !rule.logs.empty();
    return std::any_of(rule.logs.begin(), rule.logs.end(), [&](const LogPattern& log) { return log.captures(name); });
}

std::string kinds() {
    std::string out;
    for (int i = 0; i < kKindCount; ++i) out += (i == 0 ? "" : " ") + std::string(name_of(static_cast<Kind>(i)));
    return out;
}

}  // namespace

Rule RuleReader::read(const toml::table& top) {
    rule_.file = std::string(file_);
    toml_.only(top,
               {"id",         "title",   "severity",           "maturity", "scope",   "params",     "when", "suspect",
                "cleared_by", "for",     "caused_by",          "symptom",  "explain", "references", "log",  "fix",
                "proof",      "example", "equivalent_mutants", "enabled",  "reason",  "peer"});
    head(top);
    params(top);
    logs(top);
    if (!top.contains("log")) toml_.required(top, "when");
    if (auto compiled = expression(top, "when", rule_.scope)) rule_.when = std::move(*compiled);
    rule_.suspect = expression(top, "suspect", rule_.scope);
    rule_.cleared_by = expression(top, "cleared_by", Kind::host);
    if (top.contains("suspect") && !top.contains("when"))
        toml_.complain(*top.get("suspect"), "'suspect' is asked where 'when' is not known, and there is no 'when'");
    const auto doubtful = [](const LogPattern& log) { return log.confidence == Confidence::low; };
    if (top.contains("cleared_by") && std::none_of(rule_.logs.begin(), rule_.logs.end(), doubtful))
        toml_.complain(*top.get("cleared_by"), "'cleared_by' is for lines of low confidence, and there is none");
    rule_.hold = toml_.duration(top, "for").value_or(std::chrono::nanoseconds(0));
    list(top, "caused_by", rule_.caused_by);
    list(top, "references", rule_.references);
    peer(top);
    list(top, "equivalent_mutants", rule_.equivalent_mutants);
    rule_.symptom = toml_.text(top, "symptom").value_or("");
    rule_.explain = toml_.text(top, "explain").value_or("");
    prose(top, "explain", rule_.explain);
    fixes(top);
    proofs(top);
    if (use_ == RuleUse::prove) examples(top);
    return std::move(rule_);
}

void RuleReader::head(const toml::table& top) {
    for (const std::string_view key : {"id", "title", "severity", "scope"}) toml_.required(top, key);
    for (const auto& [key, node] : top) rule_.places[std::string(key.str())] = TomlReader::place_of(node);
    rule_.id = toml_.text(top, "id").value_or("");
    if (const toml::node* id = top.get("id"); id != nullptr && id->is_string() && !is_id(rule_.id)) {
        toml_.complain(*id, "not an id: '" + printable(rule_.id) + "'", "small letters, digits and '-' between them");
    }
    rule_.title = toml_.text(top, "title").value_or("");
    if (const toml::node* title = top.get("title");
        title != nullptr && title->is_string() && trim(rule_.title).empty()) {
        toml_.complain(*title, "the title is empty");
    }
    choose(toml_, top, "severity", severity_from_name, "info low medium high critical", rule_.severity);
    choose(toml_, top, "maturity", maturity_from_name, "incubating stable", rule_.maturity);
    choose(toml_, top, "scope", kind_from_name, kinds(), rule_.scope);
    scope_known_ = top["scope"].is_string() && kind_from_name(*top["scope"].value<std::string>(), rule_.scope);
    rule_.enabled = toml_.boolean(top, "enabled").value_or(true);
    rule_.disabled_because = toml_.text(top, "reason").value_or("");
    if (!rule_.enabled && trim(rule_.disabled_because).empty()) {
        toml_.complain(*top.get("enabled"), "a disabled rule needs a reason", "reason = \"…\"");
    }
}

void RuleReader::params(const toml::table& top) {
    const toml::table* table = toml_.table(top, "params");
    if (table == nullptr) return;
    for (const auto& [key, node] : *table) {
        rule_.places["params." + std::string(key.str())] = TomlReader::place_of(node);
        if (auto value = toml_.value(node)) rule_.params.emplace(std::string(key.str()), std::move(*value));
    }
}

std::optional<Expression> RuleReader::expression(const toml::table& top, std::string_view key, Kind scope) {
    const auto text = toml_.text(top, key);
    if (!text || !scope_known_) return std::nullopt;
    // Compiled as if it were a file of its own; then the place is sought in the string as it stands in the rule's file.
    auto compiled = Expression::compile(*text, scope, catalog_, rule_.params, file_, 1, 1);
    if (compiled) return std::move(*compiled);
    Diagnostic& wrong = compiled.error();
    toml_.complain_inside(*top.get(key), offset_of(*text, Place{wrong.line, wrong.column}), std::move(wrong.message),
                          std::move(wrong.hint));
    return std::nullopt;
}

void RuleReader::list(const toml::table& top, std::string_view key, std::vector<std::string>& into) {
    into = toml_.texts(top, key);
    const toml::array* array = top[key].as_array();
    if (array == nullptr) return;
    std::size_t number = 0;
    for (const toml::node& element : *array) {
        rule_.places[std::string(key) + "." + std::to_string(number++)] = TomlReader::place_of(element);
    }
}

void RuleReader::prose(const toml::table& table, std::string_view key, const std::string& text) {
    const toml::node* node = table.get(key);
    if (node != nullptr && node->is_string()) prose_at(*node, text);
}

void RuleReader::prose_at(const toml::node& string, const std::string& text) {
    for (const Placeholder& placeholder : placeholders(text)) {
        const std::string& name = placeholder.name;
        if (name.empty()) {
            toml_.complain_inside(string, placeholder.offset, "a brace that opens or closes no name",
                                  "a brace itself is written twice: {{ }}");
        } else if (name.front() == '$') {
            if (rule_.params.contains(name.substr(1))) continue;
            toml_.complain_inside(string, placeholder.offset, "no parameter '" + name + "'",
                                  "params = { … } declares them");
        } else if (name.starts_with(kLogPrefix)) {
            if (use_ == RuleUse::judge || captures(rule_, std::string_view(name).substr(kLogPrefix.size()))) continue;
            toml_.complain_inside(string, placeholder.offset, "no [[log]] of this rule gives '" + name + "'",
                                  "log.line, or what a pattern captures by name");
        } else if (name != "subject" && scope_known_) {
            const auto path = resolve_path(name, rule_.scope, catalog_);
            if (path) continue;
            toml_.complain_inside(string, placeholder.offset + 1 + path.error().offset, path.error().message,
                                  path.error().hint);
        }
    }
}

void RuleReader::peer(const toml::table& top) {
    list(top, "peer", rule_.peer);
    const toml::array* commands = top["peer"].as_array();
    if (commands == nullptr) return;
    if (commands->empty()) toml_.complain(*commands, "'peer' names no command", "what to run on the peer");
    for (const toml::node& command : *commands) {
        const auto* text = command.as_string();
        if (text == nullptr) continue;
        if (trim(text->get()).empty()) toml_.complain(command, "an empty command");
        prose_at(command, text->get());
    }
}

tl::expected<LogPattern, PatternError> RuleReader::log_pattern(const std::string& text) const {
    return use_ == RuleUse::prove ? compile_log_pattern(text) : proven_log_pattern(text);
}

void RuleReader::logs(const toml::table& top) {
    for (const toml::table* table : toml_.tables(top, "log")) {
        toml_.only(*table,
                   {"pattern", "confidence", "source", "least", "samples", "not_samples", "ended_by", "unless"});
        toml_.required(*table, "pattern");
        const auto text = toml_.text(*table, "pattern");
        auto pattern = text ? log_pattern(*text) : LogPattern{};
        const auto complain = [&](std::string_view key, PatternError& wrong) {
            toml_.complain_inside(*table->get(key), wrong.offset, std::move(wrong.message), std::move(wrong.hint));
        };
        if (!pattern) {
            complain("pattern", pattern.error());
            continue;
        }
        for (const auto& [key, into] :
             {std::pair("ended_by", &pattern->ended_by), std::pair("unless", &pattern->unless)}) {
            const auto other = toml_.text(*table, key);
            if (!other) continue;
            auto compiled = log_pattern(*other);
            if (!compiled) complain(key, compiled.error());
            if (compiled) *into = std::make_shared<const LogPattern>(std::move(*compiled));
        }
        choose(toml_, *table, "confidence", confidence_from_name, "low medium high", pattern->confidence);
        pattern->source = toml_.text(*table, "source").value_or("");
        if (const toml::node* least = table->get("least")) {
            const auto number = least->value_exact<std::int64_t>();
            if (number && *number >= 1) {
                pattern->least = *number;
            } else {
                toml_.complain(*least, "'least' must be a whole number, 1 or more");
            }
        }
        pattern->samples = toml_.texts(*table, "samples");
        pattern->not_samples = toml_.texts(*table, "not_samples");
        rule_.places["log." + std::to_string(rule_.logs.size())] = TomlReader::place_of(*table);
        rule_.logs.push_back(std::move(*pattern));
    }
}

void RuleReader::fixes(const toml::table& top) {
    for (const toml::table* table : toml_.tables(top, "fix")) {
        const std::string place = "fix." + std::to_string(rule_.fixes.size());
        rule_.places[place] = TomlReader::place_of(*table);
        rule_.fixes.push_back(fix(*table, place));
    }
}

Fix RuleReader::fix(const toml::table& table, const std::string& place) {
    toml_.only(table, {"set", "to", "advice", "cost", "commands"});
    Fix fix;
    fix.set = toml_.text(table, "set").value_or("");
    fix.advice = toml_.text(table, "advice").value_or("");
    if (const toml::node* to = table.get("to"); to != nullptr) {
        if (const auto value = toml_.value(*to)) fix.to = print(*value);
        if (to->is_string()) prose_at(*to, fix.to);
    }
    const bool sets = table.contains("set");
    if (sets == table.contains("advice"))
        toml_.complain(table, "a fix either sets a knob or gives advice", "set = … to = …, or advice = …");
    if (sets != table.contains("to")) toml_.complain(table, "'set' and 'to' belong together");
    if (sets && table.contains("cost"))
        toml_.complain(*table.get("cost"), "the cost of a knob is known", "leave 'cost' to advice");
    if (!fix.set.empty() && std::find(knobs_.begin(), knobs_.end(), fix.set) == knobs_.end()) {
        const std::vector<std::string_view> names(knobs_.begin(), knobs_.end());
        toml_.complain(*table.get("set"), "no knob '" + printable(fix.set) + "'", did_you_mean(fix.set, names));
    }
    if (table.contains("cost")) {
        Cost cost{};
        choose(toml_, table, "cost", cost_from_name, "online link-down reload reboot firmware", cost);
        fix.cost = cost;
    }
    prose(table, "advice", fix.advice);
    fix.commands = toml_.texts(table, "commands");
    if (const toml::array* commands = table["commands"].as_array(); commands != nullptr) {
        for (const toml::node& command : *commands) {
            if (const auto* text = command.as_string()) prose_at(command, text->get());
        }
    }
    rule_.places[place + ".advice"] =
        table.contains("advice") ? TomlReader::place_of(*table.get("advice")) : TomlReader::place_of(table);
    return fix;
}

void RuleReader::proofs(const toml::table& top) {
    for (const toml::table* table : toml_.tables(top, "proof")) {
        toml_.only(*table, {"quiet_for", "workload"});
        Proof proof;
        proof.quiet_for = toml_.duration(*table, "quiet_for");
        proof.workload = toml_.text(*table, "workload").value_or("");
        if (!table->contains("quiet_for") && !table->contains("workload")) {
            toml_.complain(*table, "a proof names a quiet time, a workload, or both", "quiet_for = \"30s\"");
        }
        rule_.proofs.push_back(std::move(proof));
    }
}

namespace {

tl::expected<Rule, std::vector<Diagnostic>> read_rule(std::string_view toml, std::string_view file,
                                                      const Catalog& catalog, std::span<const std::string> knobs,
                                                      RuleUse use) {
    TomlReader reader(toml, file);
    if (toml.size() > kMaxRuleFile) {
        reader.complain(Place{}, "a rule file larger than " + std::to_string(kMaxRuleFile) + " bytes");
        return tl::unexpected(reader.complaints());
    }
    const auto table = reader.parse();
    if (!table) return tl::unexpected(reader.complaints());
    Rule rule = RuleReader(reader, file, catalog, knobs, use).read(*table);
    if (reader.complaints().empty()) return rule;
    std::vector<Diagnostic> complaints = reader.complaints();
    std::stable_sort(complaints.begin(), complaints.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return tl::unexpected(std::move(complaints));
}

}  // namespace

tl::expected<Rule, std::vector<Diagnostic>> parse_rule(std::string_view toml, std::string_view file,
                                                       const Catalog& catalog, std::span<const std::string> knobs,
                                                       RuleUse use) {
    if (use == RuleUse::judge && toml.size() <= kMaxRuleFile) {
        // What is wrong may be wrong only where it was cut, and all complaints come at once.
        auto rule = read_rule(without_last_tables(toml, "example"), file, catalog, knobs, use);
        if (rule) return rule;
    }
    return read_rule(toml, file, catalog, knobs, RuleUse::prove);
}

}  // namespace rd
