// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/rulebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/diagnosis/nearest.h"
#include "core/diagnosis/toml_reader.h"

namespace rd {
namespace {

// FNV-1a: identifies a set of rules; it is no defence against anybody.
class Hash {
public:
    void add(std::string_view text) {
        for (const char c : text) step(static_cast<unsigned char>(c));
        step(0);
    }
    [[nodiscard]] std::string digits() const { return fmt::format("{:016x}", state_); }

private:
    void step(std::uint64_t byte) { state_ = (state_ ^ byte) * 1099511628211u; }
    std::uint64_t state_ = 14695981039346656037u;
};

class Builder {
public:
    Builder(const Catalog& catalog, std::span<const std::string> knobs) : catalog_(catalog), knobs_(knobs) {}

    void shipped(const RuleFile& file) { add(file); }

    // Rules first, so that an override may stand in an earlier file than the rule it changes.
    void site(std::span<const RuleFile> files) {
        std::vector<const RuleFile*> overrides;
        for (const RuleFile& file : files) {
            TomlReader toml(file.text, file.name);
            const auto table = toml.parse();
            if (table && is_override(*table)) {
                overrides.push_back(&file);
            } else {
                add(file);
            }
        }
        for (const RuleFile* file : overrides) change(*file);
    }

    Rules finish() {
        Rules& out = rules_;
        Hash hash;
        for (auto& [id, rule] : by_id_) {
            if (rule.enabled) {
                for (const std::string& text : texts_[id]) hash.add(text);
            }
            out.book.rules.push_back(std::move(rule));
        }
        out.book.version = std::string(kProgramVersion);
        out.book.hash = hash.digits();
        for (const Rule& rule : out.book.rules) warn_of_missing_causes(rule);
        return std::move(out);
    }

private:
    // Without `when` and without anything else that only a rule has: a rule that lacks its condition is told so.
    static bool is_override(const toml::table& table) {
        const auto has = [&](std::string_view key) { return table.contains(key); };
        return !has("when") && !has("title") && !has("scope") && !has("explain") && !has("example");
    }

    void add(const RuleFile& file) {
        auto rule = parse_rule(file.text, file.name, catalog_, knobs_);
        if (!rule) {
            rules_.errors.insert(rules_.errors.end(), rule.error().begin(), rule.error().end());
            return;
        }
        const auto taken = by_id_.find(rule->id);
        if (taken != by_id_.end()) {
            const Place place = rule->places["id"];
            rules_.errors.push_back(Diagnostic{file.name, place.line, place.column,
                                               "the rule '" + rule->id + "' exists already in " + taken->second.file,
                                               "choose another id; a file without 'when' changes that rule"});
            return;
        }
        const std::string id = rule->id;
        texts_[id].push_back(file.text);
        by_id_.emplace(id, std::move(*rule));
    }

    // Only what a site may set. Nothing is changed when anything is wrong.
    void change(const RuleFile& file) {
        TomlReader toml(file.text, file.name);
        const auto table = toml.parse();
        toml.only(*table, {"id", "enabled", "reason", "severity", "params"});
        toml.required(*table, "id");
        const auto id = toml.text(*table, "id");
        const auto found = id ? by_id_.find(*id) : by_id_.end();
        if (id && found == by_id_.end()) {
            std::vector<std::string_view> ids;
            for (const auto& [known, rule] : by_id_) ids.push_back(known);
            toml.complain(*table->get("id"), "no rule '" + printable(*id) + "' to change", did_you_mean(*id, ids));
        }
        if (found != by_id_.end()) {
            Rule changed = found->second;
            enable(toml, *table, changed);
            severity(toml, *table, changed);
            params(toml, *table, changed);
            if (toml.complaints().empty()) {
                found->second = std::move(changed);
                texts_[*id].push_back(file.text);
            }
        }
        rules_.errors.insert(rules_.errors.end(), toml.complaints().begin(), toml.complaints().end());
    }

    static void enable(TomlReader& toml, const toml::table& table, Rule& rule) {
        const auto enabled = toml.boolean(table, "enabled");
        const std::string reason = toml.text(table, "reason").value_or("");
        if (!enabled) return;
        if (!*enabled && trim(reason).empty()) {
            toml.complain(*table.get("enabled"), "a disabled rule needs a reason", "reason = \"…\"");
        }
        rule.enabled = *enabled;
        rule.disabled_because = *enabled ? "" : reason;
    }

    static void severity(TomlReader& toml, const toml::table& table, Rule& rule) {
        const auto name = toml.text(table, "severity");
        if (name && !severity_from_name(*name, rule.severity)) {
            toml.complain(*table.get("severity"), "no severity '" + printable(*name) + "'",
                          "one of info low medium high critical");
        }
    }

    void params(TomlReader& toml, const toml::table& table, Rule& rule) const {
        const toml::table* params = toml.table(table, "params");
        if (params == nullptr) return;
        for (const auto& [key, node] : *params) {
            const std::string name(key.str());
            const auto declared = rule.params.find(name);
            auto value = toml.value(node);
            if (declared == rule.params.end()) {
                std::vector<std::string_view> names;
                for (const auto& [known, unused] : rule.params) names.push_back(known);
                toml.complain(node, "the rule has no parameter '" + printable(name) + "'", did_you_mean(name, names));
            } else if (value && !same_sort(*value, declared->second)) {
                toml.complain(node,
                              "the parameter '" + name + "' is " + std::string(name_of(type_of(declared->second))));
            } else if (value) {
                const Value before = declared->second;
                declared->second = std::move(*value);
                // What a parameter is used for may allow less than its type: a window must be a duration.
                const std::string objection = refused(rule);
                if (objection.empty()) continue;
                toml.complain(node, objection);
                declared->second = before;
            }
        }
    }

    static bool same_sort(const Value& a, const Value& b) {
        const auto numeric = [](const Value& value) {
            return type_of(value) == Type::integer || type_of(value) == Type::real;
        };
        return type_of(a) == type_of(b) || (numeric(a) && numeric(b));
    }

    [[nodiscard]] std::string refused(const Rule& rule) const {
        const auto check = [&](const Expression& expression) {
            const auto again =
                Expression::compile(expression.text(), rule.scope, catalog_, rule.params, rule.file, 1, 1);
            return again ? std::string{} : again.error().message;
        };
        std::string objection = check(rule.when);
        if (objection.empty() && rule.suspect) objection = check(*rule.suspect);
        return objection;
    }

    void warn_of_missing_causes(const Rule& rule) {
        for (std::size_t i = 0; i < rule.caused_by.size(); ++i) {
            if (rules_.book.find(rule.caused_by[i]) != nullptr) continue;
            const auto place = rule.places.find("caused_by." + std::to_string(i));
            const Place at = place != rule.places.end() ? place->second : Place{};
            rules_.warnings.push_back(Diagnostic{rule.file, at.line, at.column,
                                                 "caused_by: no rule '" + printable(rule.caused_by[i]) + "'",
                                                 did_you_mean(rules_.book.similar(rule.caused_by[i]))});
        }
    }

    const Catalog& catalog_;
    std::span<const std::string> knobs_;
    Rules rules_;
    std::map<std::string, Rule, std::less<>> by_id_;
    std::map<std::string, std::vector<std::string>> texts_;  // the rule's file and what changed it
};

}  // namespace

const Rule* Rulebook::find(std::string_view id) const {
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
    return found != rules.end() ? &*found : nullptr;
}

std::vector<std::string> Rulebook::similar(std::string_view id) const {
    std::vector<std::string_view> ids;
    for (const Rule& rule : rules) ids.push_back(rule.id);
    return nearest(id, ids);
}

Rules build_rulebook(std::span<const RuleFile> shipped, std::span<const RuleFile> site, const Catalog& catalog,
                     std::span<const std::string> knobs) {
    Builder builder(catalog, knobs);
    for (const RuleFile& file : shipped) builder.shipped(file);
    builder.site(site);
    return builder.finish();
}

}  // namespace rd
