// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/rulebook.h"

#include <endian.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/toml_reader.h"

namespace rd {
namespace {

// FNV-1a, eight bytes at a time: identifies a set of rules; it is no defence against anybody.
class Hash {
public:
    void add(std::string_view text) {
        step(text.size());
        for (; text.size() >= kWord; text.remove_prefix(kWord)) step(word(text.data()));
        char rest[kWord] = {};
        text.copy(rest, kWord);
        step(word(rest));
    }
    [[nodiscard]] std::string digits() const { return fmt::format("{:016x}", state_); }

private:
    static constexpr std::size_t kWord = sizeof(std::uint64_t);

    static std::uint64_t word(const char* bytes) {
        std::uint64_t out = 0;
        std::memcpy(&out, bytes, kWord);
        return le64toh(out);  // the same hash on every machine
    }
    // What a multiplication moves up is folded down again, or the last bytes of words would hardly count.
    void step(std::uint64_t word) {
        state_ = (state_ ^ word) * 1099511628211u;
        state_ ^= state_ >> 32;
    }
    std::uint64_t state_ = 14695981039346656037u;
};

class Builder {
public:
    Builder(const Catalog& catalog, std::span<const std::string> knobs) : catalog_(catalog), knobs_(knobs) {}

    void shipped(const RuleFile& file, RuleUse use) { add(file, use); }

    // Rules first, so that an override may stand in an earlier file than the rule it changes.
    void site(std::span<const RuleFile> files) {
        std::vector<const RuleFile*> overrides;
        for (const RuleFile& file : files) {
            TomlReader toml(file.text, file.name);
            const auto table = toml.parse();
            if (table && is_override(*table)) {
                overrides.push_back(&file);
            } else if (table && changes_condition(*table)) {
                refuse_condition(toml, *table);
            } else {
                add(file, RuleUse::prove);
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
        out.book.logs = std::make_shared<const LogMatcher>(out.book.rules);
        if (!out.book.logs->unreadable().empty()) leave_out(out.book.logs->unreadable());
        out.book.version = std::string(kProgramVersion);
        out.book.hash = hash.digits();
        for (const Rule& rule : out.book.rules) warn_of_missing_causes(rule);
        return std::move(out);
    }

private:
    // Without `when`, `log` and anything else that only a rule has: a rule that lacks its condition is told so.
    static bool is_override(const toml::table& table) {
        const auto has = [&](std::string_view key) { return table.contains(key); };
        return !has("when") && !has("log") && !has("title") && !has("scope") && !has("explain") && !has("example");
    }

    // A rule by its own right has a title and a scope; with the id of a shipped one and neither, a change of that was meant.
    bool changes_condition(const toml::table& table) const {
        const auto id = table["id"].value<std::string>();
        return id && by_id_.contains(*id) && table.contains("when") && !table.contains("title") &&
               !table.contains("scope");
    }

    void refuse_condition(TomlReader& toml, const toml::table& table) {
        const std::string id = table["id"].value_or(std::string());
        toml.complain(*table.get("when"),
                      "a site cannot change the condition of '" + id + "', a rule of " + by_id_.find(id)->second.file,
                      "without 'when' this file may set enabled, reason, severity and params; or disable that rule and "
                      "write one with an id of its own");
        rules_.errors.insert(rules_.errors.end(), toml.complaints().begin(), toml.complaints().end());
    }

    void add(const RuleFile& file, RuleUse use) {
        auto rule = parse_rule(file.text, file.name, catalog_, knobs_, use);
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

    // Rules that were taken for proven and are not.
    void leave_out(const std::vector<std::size_t>& places) {
        Rulebook& book = rules_.book;
        std::set<std::string> ids;
        for (const std::size_t place : places) ids.insert(book.rules[place].id);
        std::erase_if(book.rules, [&](const Rule& rule) {
            if (!ids.contains(rule.id)) return false;
            const auto whole = parse_rule(texts_[rule.id].front(), rule.file, catalog_, knobs_);
            if (whole) return false;
            rules_.errors.insert(rules_.errors.end(), whole.error().begin(), whole.error().end());
            return true;
        });
        book.logs = std::make_shared<const LogMatcher>(book.rules);
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
            // Which of two would count would depend on the names of their files.
            const auto [first, alone] = changed_in_.emplace(*id, file.name);
            if (!alone)
                toml.complain(*table->get("id"), "'" + *id + "' is changed already in " + first->second,
                              "put both changes into one file");
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
        std::string objection = rule.when ? check(rule.when) : std::string{};
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
    std::map<std::string, std::string> changed_in_;          // the file that changes a rule
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
                     std::span<const std::string> knobs, RuleUse use) {
    Builder builder(catalog, knobs);
    for (const RuleFile& file : shipped) builder.shipped(file, use);
    builder.site(site);
    return builder.finish();
}

}  // namespace rd
