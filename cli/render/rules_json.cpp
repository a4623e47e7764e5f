// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"
#include "cli/render/json_parts.h"
#include "cli/render/rules.h"

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

// What there is to know of a rule, apart from its examples.
Json knowledge_json(const Rule& rule) {
    Json out = summary_json(rule);
    out["symptom"] = rule.symptom;
    out["explain"] = rule.explain;
    out["when"] = rule.when.text();
    out["suspect"] = rule.suspect ? Json(rule.suspect->text()) : Json(nullptr);
    out["facts"] = rule.when.facts();
    out["params"] = params_json(rule.params);
    out["for"] = json_seconds(rule.hold);
    out["caused_by"] = rule.caused_by;
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
    row["log_patterns"] = rule.log_patterns;
    row["examples"] = Json::array();
    for (const Example& example : rule.examples) row["examples"].push_back(example_json(example));
    row["equivalent_mutants"] = rule.equivalent_mutants;
    row["file"] = rule.file;
    out["rule"] = std::move(row);
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
        row["name"] = use.spec->name;
        row["type"] = name_of(use.spec->type);
        row["nature"] = name_of(use.spec->nature);
        row["unit"] = use.spec->unit;
        row["doc"] = use.spec->doc;
        row["target"] = use.spec->type == Type::reference ? Json(name_of(use.spec->target)) : Json(nullptr);
        row["family"] = use.spec->family;
        row["read_by"] = use.rules;
        out["facts"].push_back(std::move(row));
    }
    return json_text(out);
}

}  // namespace rd::cli
