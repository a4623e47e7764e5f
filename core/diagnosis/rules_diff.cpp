// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/rules_diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/diagnosis/node.h"

namespace rd {
namespace {

std::string told(const Expression& expression) { return expression ? print(expression.root()) : std::string{}; }

std::string told(const std::optional<Expression>& expression) { return expression ? told(*expression) : std::string{}; }

std::string told(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += (out.empty() ? "" : "\n") + line;
    return out;
}

std::string told(const std::vector<LogPattern>& logs) {
    std::vector<std::string> lines;
    for (const LogPattern& log : logs) {
        lines.push_back(
            log.text + " (" + std::string(name_of(log.confidence)) + (log.source.empty() ? "" : ", " + log.source) +
            (log.least > 1 ? ", " + std::to_string(log.least) + " lines" : "") + ")" +
            (log.ended_by ? " until " + log.ended_by->text : "") + (log.unless ? " unless " + log.unless->text : ""));
    }
    return told(lines);
}

std::string told(const std::vector<Fix>& fixes) {
    std::vector<std::string> lines;
    for (const Fix& fix : fixes) {
        const std::string cost = fix.cost ? " (" + std::string(name_of(*fix.cost)) + ")" : "";
        lines.push_back((fix.set.empty() ? fix.advice : "set " + fix.set + " to " + fix.to) + cost);
        lines.insert(lines.end(), fix.commands.begin(), fix.commands.end());
    }
    return told(lines);
}

std::string told(const std::vector<Proof>& proofs) {
    std::vector<std::string> lines;
    for (const Proof& proof : proofs) {
        std::string line = proof.quiet_for ? "quiet for " + print_duration(*proof.quiet_for) : "";
        if (!proof.workload.empty()) line += (line.empty() ? "" : ", ") + ("workload " + proof.workload);
        lines.push_back(std::move(line));
    }
    return told(lines);
}

class Changes {
public:
    Changes(const Rule& before, const Rule& after) : before_(before), after_(after) {}

    std::vector<RuleChange> all() {
        both("severity", true, [](const Rule& rule) { return std::string(name_of(rule.severity)); });
        both("enabled", true,
             [](const Rule& rule) { return rule.enabled ? "true" : "false: " + rule.disabled_because; });
        both("scope", true, [](const Rule& rule) { return std::string(name_of(rule.scope)); });
        both("when", true, [](const Rule& rule) { return told(rule.when); });
        both("suspect", true, [](const Rule& rule) { return told(rule.suspect); });
        both("cleared_by", true, [](const Rule& rule) { return told(rule.cleared_by); });
        both("log", true, [](const Rule& rule) { return told(rule.logs); });
        params();
        both("for", true, [](const Rule& rule) { return print_duration(rule.hold); });
        both("caused_by", true, [](const Rule& rule) { return told(rule.caused_by); });
        both("maturity", true, [](const Rule& rule) { return std::string(name_of(rule.maturity)); });
        both("title", false, [](const Rule& rule) { return rule.title; });
        both("symptom", false, [](const Rule& rule) { return rule.symptom; });
        both("explain", false, [](const Rule& rule) { return std::string(trim(rule.explain)); });
        both("peer", false, [](const Rule& rule) { return told(rule.peer); });
        both("fix", false, [](const Rule& rule) { return told(rule.fixes); });
        both("proof", false, [](const Rule& rule) { return told(rule.proofs); });
        both("references", false, [](const Rule& rule) { return told(rule.references); });
        return std::move(found_);
    }

private:
    template <class Tell>
    void both(std::string part, bool judges, Tell tell) {
        std::string before = tell(before_), after = tell(after_);
        if (before != after) found_.push_back({std::move(part), std::move(before), std::move(after), judges});
    }

    void params() {
        std::set<std::string> names;
        for (const Rule* rule : {&before_, &after_}) {
            for (const auto& [name, value] : rule->params) names.insert(name);
        }
        for (const std::string& name : names) {
            both("params." + name, true, [&](const Rule& rule) {
                const auto found = rule.params.find(name);
                return found == rule.params.end() ? std::string{} : print(found->second);
            });
        }
    }

    const Rule& before_;
    const Rule& after_;
    std::vector<RuleChange> found_;
};

}  // namespace

std::string_view name_of(RuleDiff::Kind kind) {
    static constexpr std::string_view kNames[] = {"added", "removed", "changed"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::vector<RuleDiff> diff_rules(const Rulebook& before, const Rulebook& after) {
    std::map<std::string_view, std::pair<const Rule*, const Rule*>> by_id;
    for (const Rule& rule : before.rules) by_id[rule.id].first = &rule;
    for (const Rule& rule : after.rules) by_id[rule.id].second = &rule;
    std::vector<RuleDiff> out;
    for (const auto& [id, rules] : by_id) {
        const Rule& shown = rules.second != nullptr ? *rules.second : *rules.first;
        RuleDiff diff{RuleDiff::Kind::changed, shown.id, shown.title, shown.severity, {}};
        if (rules.first == nullptr) {
            diff.kind = RuleDiff::Kind::added;
        } else if (rules.second == nullptr) {
            diff.kind = RuleDiff::Kind::removed;
        } else {
            diff.changes = Changes(*rules.first, *rules.second).all();
            if (diff.changes.empty()) continue;
        }
        out.push_back(std::move(diff));
    }
    return out;
}

}  // namespace rd
