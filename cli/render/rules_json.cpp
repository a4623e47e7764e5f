// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"
#include "cli/render/rules.h"
#include "core/render/json_parts.h"

namespace rd::cli {
namespace {

Json head() { return {{"schema_version", kSchemaVersion}, {"tool", tool_name()}}; }

Json book_json(const Rulebook& book) { return {{"version", book.version}, {"hash", book.hash}}; }

Json summary_json(const Rule& rule) {
    Json out;
    out["id"] = rule.id;
    out["title"] = rule.title;
    out["severity"] = name_of(rule.severity);
    out["maturity"] = name_of(rule.maturity);
    out["scope"] = name_of(rule.scope);
    out["enabled"] = rule.enabled;
    out["disabled_because"] = rule.disabled_because;
    return out;
}

Json params_json(const Params& params) {
    Json out = Json::object();
    for (const auto& [name, value] : params) out[name] = json_value(value);
    return out;
}

Json log_json(const LogPattern& log) {
    Json out;
    out["pattern"] = log.text;
    out["confidence"] = name_of(log.confidence);
    out["source"] = log.source;
    out["samples"] = log.samples;
    out["not_samples"] = log.not_samples;
    return out;
}

// What there is to know of a rule, apart from its examples.
Json knowledge_json(const Rule& rule) {
    Json out = summary_json(rule);
    out["symptom"] = rule.symptom;
    out["explain"] = rule.explain;
    out["when"] = rule.when.text();
    out["suspect"] = rule.suspect ? Json(rule.suspect->text()) : Json(nullptr);
    out["facts"] = rule.when.facts();
    out["logs"] = Json::array();
    for (const LogPattern& log : rule.logs) out["logs"].push_back(log_json(log));
    out["params"] = params_json(rule.params);
    out["for"] = json_seconds(rule.hold);
    out["caused_by"] = rule.caused_by;
    out["peer"] = rule.peer;
    out["fixes"] = Json::array();
    for (const Fix& fix : rule.fixes) out["fixes"].push_back(json_fix(fix));
    out["proof"] = Json::array();
    for (const Proof& proof : rule.proofs) out["proof"].push_back(json_proof(proof));
    out["references"] = rule.references;
    return out;
}

template <class Holder>  // an Example, or another entity in one
Json given_json(const Holder& holder) {
    Json out;
    out["facts"] = Json::object();
    for (const auto& [name, value] : holder.facts) out["facts"][name] = json_value(value);
    out["gaps"] = Json::object();
    for (const auto& [name, gap] : holder.gaps) out["gaps"][name] = gap;
    out["series"] = Json::object();
    for (const auto& [name, values] : holder.series) {
        Json numbers = Json::array();
        for (const auto& value : values) numbers.push_back(value ? Json(*value) : Json(nullptr));
        out["series"][name] = std::move(numbers);
    }
    return out;
}

Json example_json(const Example& example) {
    Json out;
    out["name"] = example.name;
    out["expect"] = name_of(example.expect);
    out["every"] = json_seconds(example.every);
    out["params"] = params_json(example.params);
    out.update(given_json(example));
    out["others"] = Json::array();
    for (const Example::Other& other : example.others) {
        Json row;
        row["kind"] = name_of(other.kind);
        row.update(given_json(other));
        out["others"].push_back(std::move(row));
    }
    return out;
}

Json counter_json(const CounterUse& counter) {
    Json out;
    out["driver"] = counter.driver;
    out["name"] = counter.name;
    out["width"] = counter.width;
    out["note"] = counter.note;
    return out;
}

Json term_json(const TermUse& use) {
    const Term& term = use.term;
    Json out;
    out["kind"] = name_of(term.kind);
    out["name"] = term.name;
    out["number"] = term.number;
    out["title"] = term.title;
    out["means"] = term.means;
    out["seen_by"] = term.seen_by;
    out["causes"] = Json::array();
    for (const TermCause& cause : term.causes) out["causes"].push_back({{"cause", cause.what}, {"look", cause.look}});
    out["todo"] = term.todo;
    out["codes"] = term.codes;
    out["facts"] = term.facts;
    out["rules"] = use.rules;
    return out;
}

Json line_json(const LineUse& use) {
    Json out;
    out["line"] = use.line;
    out["count"] = use.count;
    out["rules"] = Json::array();
    for (const LineMeaning& meaning : use.meanings) {
        Json row;
        row["rule"] = meaning.rule->id;
        row["title"] = meaning.rule->title;
        row["confidence"] = name_of(meaning.confidence);
        row["captures"] = Json::object();
        for (const auto& [name, value] : meaning.captures) row["captures"][name] = value;
        out["rules"].push_back(std::move(row));
    }
    out["terms"] = use.terms;
    return out;
}

}  // namespace

std::string render_rule_list_json(const Rulebook& book) {
    Json out = head();
    out["book"] = book_json(book);
    out["rules"] = Json::array();
    for (const Rule& rule : book.rules) out["rules"].push_back(summary_json(rule));
    return json_text(out);
}

std::string render_rule_json(const Rulebook& book, const Rule& rule) {
    Json out = head();
    out["book"] = book_json(book);
    Json row = knowledge_json(rule);
    row["log_patterns"] = Json::array();
    for (const LogPattern& log : rule.logs) row["log_patterns"].push_back(log.text);
    row["examples"] = Json::array();
    for (const Example& example : rule.examples) row["examples"].push_back(example_json(example));
    row["equivalent_mutants"] = rule.equivalent_mutants;
    row["file"] = rule.file;
    out["rule"] = std::move(row);
    return json_text(out);
}

std::string render_rules_diff_json(const RulesDiffView& view) {
    Json out = head();
    out["before"] = book_json(view.before);
    out["after"] = book_json(view.after);
    out["rules"] = Json::array();
    for (const RuleDiff& diff : view.diffs) {
        Json row;
        row["id"] = diff.id;
        row["title"] = diff.title;
        row["severity"] = name_of(diff.severity);
        row["became"] = name_of(diff.kind);
        row["changes"] = Json::array();
        for (const RuleChange& change : diff.changes) {
            row["changes"].push_back(
                {{"part", change.part}, {"before", change.before}, {"after", change.after}, {"judges", change.judges}});
        }
        out["rules"].push_back(std::move(row));
    }
    return json_text(out);
}

std::string render_explanation_json(const Explanation& explanation) {
    Json out = head();
    out["rules"] = Json::array();
    for (const Rule* rule : explanation.rules) out["rules"].push_back(knowledge_json(*rule));
    out["facts"] = Json::array();
    for (const FactUse& use : explanation.facts) {
        Json row;
        row["kind"] = name_of(use.spec->kind);
        row["name"] = use.name;
        row["type"] = name_of(use.spec->type);
        row["nature"] = name_of(use.spec->nature);
        row["unit"] = use.spec->unit;
        row["doc"] = use.spec->doc;
        row["target"] = use.spec->type == Type::reference ? Json(name_of(use.spec->target)) : Json(nullptr);
        row["family"] = use.spec->family;
        row["read_by"] = use.rules;
        row["drivers"] = Json::array();
        for (const CounterUse& each : use.counters) row["drivers"].push_back(counter_json(each));
        out["facts"].push_back(std::move(row));
    }
    out["terms"] = Json::array();
    for (const TermUse& use : explanation.terms) out["terms"].push_back(term_json(use));
    out["lines"] = Json::array();
    for (const LineUse& use : explanation.lines) out["lines"].push_back(line_json(use));
    out["lines_read"] = explanation.lines_read ? Json(*explanation.lines_read) : Json(nullptr);
    out["lines_left_out"] = explanation.lines_left_out;
    return json_text(out);
}

}  // namespace rd::cli
