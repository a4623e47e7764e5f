// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/time.h"

namespace rd::cli {
namespace {

using Json = nlohmann::json;

// What a daemon holds back at most before it writes how far it has come ([store] flush).
constexpr std::chrono::nanoseconds kLongestFlush = std::chrono::minutes(10);

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Entity> entity_of(const Json& object) {
    Entity entity;
    if (!object.is_object() || !kind_from_name(text_of(object, "kind"), entity.kind)) return std::nullopt;
    entity.id = text_of(object, "id");
    return entity;
}

// Nothing where it is of another type than the row says.
std::optional<Value> value_of(const Json& value, Type type) {
    switch (type) {
        case Type::boolean:
            if (value.is_boolean()) return value.get<bool>();
            break;
        case Type::integer:
            if (value.is_number_integer()) return value.get<std::int64_t>();
            break;
        case Type::real:
            if (value.is_number()) return value.get<double>();
            break;
        case Type::text:
            if (value.is_string()) return value.get<std::string>();
            break;
        case Type::reference:
            if (const auto to = entity_of(value)) return *to;
            break;
    }
    return std::nullopt;
}

std::optional<Reading> reading_of(const Json& fact, Type type) {
    if (const auto value = fact.find("value"); value != fact.end()) {
        auto known = value_of(*value, type);
        return known ? std::optional<Reading>(std::move(*known)) : std::nullopt;
    }
    const auto gap = fact.find("gap");
    if (gap == fact.end() || !gap->is_object()) return std::nullopt;
    std::string name = text_of(*gap, "class");
    std::replace(name.begin(), name.end(), '_', ' ');
    Gap known;
    if (!gap_from_name(name, known.kind)) return std::nullopt;
    known.reason = text_of(*gap, "reason");
    known.remedy = text_of(*gap, "remedy");
    return Reading(tl::unexpected(std::move(known)));
}

void put(const Json& entity, const Catalog& catalog, Snapshot& into) {
    const auto of = entity_of(entity);
    const auto facts = entity.find("facts");
    if (!of || facts == entity.end() || !facts->is_array()) return;
    into.present(*of);
    for (const Json& fact : *facts) {
        const std::string name = text_of(fact, "fact");
        const FactSpec* spec = catalog.find(of->kind, name);
        if (spec == nullptr) continue;
        if (auto reading = reading_of(fact, spec->type)) into.set(*of, *spec, name, std::move(*reading));
    }
}

// The store keeps which entities there were, not why they could not be listed. Of RDMA devices their number tells.
void find_unlisted(Snapshot& snapshot) {
    const Reading& devices = snapshot.get({Kind::host, ""}, "devices");
    if (devices || devices.error().kind == GapClass::not_offered || !snapshot.entities(Kind::device).empty()) return;
    for (const Kind kind : {Kind::device, Kind::port}) snapshot.kind_gap(kind, devices.error());
}

}  // namespace

Result<PastState> past_state(const std::string& body, const Catalog& catalog) {
    const Json json = Json::parse(body, nullptr, false);
    const auto asked = parse_time(json.is_object() ? text_of(json, "at") : "");
    if (!asked || !json.contains("run") || !json.contains("entities") || !json["entities"].is_array()) {
        return fail(Errc::bad_input, "the daemon's answer is not what this version expects",
                    "rdmadoctor and rdmadoctord must be of one version");
    }
    const Json& run = json["run"];
    const auto to = parse_time(run.is_object() ? text_of(run, "to") : "");
    if (!to || json["entities"].empty()) {
        return fail(Errc::not_found, "the daemon has kept nothing of " + rfc3339(*asked), "ask for a later time");
    }
    const std::int64_t at = std::min(*asked, *to);
    PastState state{Snapshot(std::make_shared<Layout>(), {at, at}), text_of(run, "boot_id"),
                    *asked - *to <= kLongestFlush.count()};
    for (const Json& entity : json["entities"]) put(entity, catalog, state.snapshot);
    find_unlisted(state.snapshot);
    return state;
}

void say_what_is_not_kept(std::span<PastState> states) {
    const Gap gap{GapClass::not_collected, "the daemon has no value of that time",
                  "numbers are kept for [store] samples, settings for [store] events"};
    for (const PastState& with : states) {
        const Layout& layout = with.snapshot.layout();
        for (SlotIndex slot = 0; slot < layout.slot_count(); ++slot) {
            const Layout::Slot& fact = layout.slot(slot);
            const Entity& entity = layout.entity(fact.entity);
            for (PastState& without : states) {
                const auto there = without.snapshot.layout().find(entity);
                if (!there || without.snapshot.layout().find(*there, fact.name)) continue;
                without.snapshot.set(entity, *fact.spec, fact.name, tl::unexpected(gap));
            }
        }
    }
}

}  // namespace rd::cli
