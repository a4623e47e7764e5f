// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/from_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/render/report_json.h"

namespace rd::daemon {
namespace {

Result<> fact_is_there(const Frame& frame, std::string_view fact) {
    std::set<std::string_view> known;
    for (const FrameFact& one : frame.facts) known.insert(one.name);
    if (fact.empty() || known.contains(fact)) return {};
    const std::vector<std::string_view> names(known.begin(), known.end());
    std::string remedy = did_you_mean(fact, names);
    if (remedy.empty()) remedy = "/v1/facts without fact= has all there are";
    return fail(Errc::not_found, fmt::format("no such fact: '{}'", printable(fact)), std::move(remedy));
}

}  // namespace

Json document() { return {{"schema_version", kSchemaVersion}}; }

Result<std::vector<Entity>> named(const Frame& frame, std::string_view text) {
    std::vector<Entity> found;
    std::vector<std::string> names;
    const auto exact = parse_entity(text);
    for (const FrameEntity& one : frame.entities) {
        if (exact ? one.entity == *exact : one.label == text || one.entity.id == text) found.push_back(one.entity);
        names.push_back(exact ? print_entity(one.entity) : one.label);
    }
    if (!found.empty()) return found;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string remedy = did_you_mean(text, std::vector<std::string_view>(names.begin(), names.end()));
    if (remedy.empty()) remedy = "/v1/facts without entity= has all there are";
    return fail(Errc::not_found, fmt::format("no such entity: '{}'", printable(text)), std::move(remedy));
}

Reply health_reply(const Request&, const Frame& frame) {
    const Health& health = frame.health;
    Json out = document();
    out["tool"] = frame.report.tool;
    out["status"] = health.store_trouble.empty() ? "ok" : "degraded";
    out["host"] = json_host(frame.host);
    out["boot_id"] = frame.host.boot_id;
    out["privileges"] = json_privileges(frame.host);
    out["started"] = rfc3339(health.started_ns);
    out["at"] = json_time(frame.at);
    out["sweeps"] = {{"done", health.sweeps},
                     {"late", health.late_sweeps},
                     {"last_seconds", json_seconds(std::chrono::nanoseconds(health.last_sweep_ns))}};
    out["events"] = health.events;
    out["store"] = {{"path", health.store_path}, {"bytes", health.store_bytes}, {"trouble", health.store_trouble}};
    return {200, json_text(out), std::string(kJson)};
}

Reply facts_reply(const Request& request, const Frame& frame) {
    const std::string_view wanted = text_argument(request.arguments, "entity");
    const std::string_view fact = text_argument(request.arguments, "fact");
    std::vector<Entity> chosen;
    if (!wanted.empty()) {
        auto found = named(frame, wanted);
        if (!found) return failure(found.error());
        chosen = std::move(*found);
    }
    if (const auto known = fact_is_there(frame, fact); !known) return failure(known.error());
    std::map<Entity, std::string> labels;
    for (const FrameEntity& one : frame.entities) labels[one.entity] = one.label;
    const auto label = [&](const Entity& of) {
        const auto place = labels.find(of);
        return place == labels.end() ? of.id : place->second;
    };
    std::map<Entity, Json> facts;
    for (const FrameFact& one : frame.facts) {
        if (one.spec == nullptr || (!fact.empty() && one.name != fact)) continue;
        Json& list = facts.try_emplace(one.entity, Json::array()).first->second;
        list.push_back(json_fact(*one.spec, one.name, one.reading, label));
    }

    Json out = document();
    out["tool"] = frame.report.tool;
    out["host"] = json_host(frame.host);
    out["source"] = frame.host.source;
    out["boot_id"] = frame.host.boot_id;
    out["privileges"] = json_privileges(frame.host);
    out["at"] = json_time(frame.at);
    out["entities"] = Json::array();
    for (const FrameEntity& one : frame.entities) {
        if (!wanted.empty() && std::find(chosen.begin(), chosen.end(), one.entity) == chosen.end()) continue;
        const auto place = facts.find(one.entity);
        if (!fact.empty() && place == facts.end()) continue;
        Json entity = json_entity(one.entity, one.label);
        entity["facts"] = place == facts.end() ? Json::array() : std::move(place->second);
        out["entities"].push_back(std::move(entity));
    }
    out["not_enumerated"] = json_list(frame.not_enumerated, [](const auto& one) {
        return Json{{"kind", name_of(one.first)}, {"gap", json_gap(one.second)}};
    });
    return {200, json_text(out), std::string(kJson)};
}

Reply findings_reply(const Request&, const Frame& frame) {
    return {200, json_text(report_json(frame.report)), std::string(kJson)};
}

}  // namespace rd::daemon
