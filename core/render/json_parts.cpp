// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/render/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace rd {

Json json_entity(const Entity& entity, std::string_view name) {
    return {{"kind", name_of(entity.kind)}, {"id", entity.id}, {"name", name}};
}

Json json_value(const Value& value) {
    return std::visit(
        [](const auto& held) -> Json {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, Entity>) {
                return {{"kind", name_of(held.kind)}, {"id", held.id}};
            } else {
                return held;
            }
        },
        value);
}

std::string json_class(GapClass gap) {
    std::string name(name_of(gap));
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

Json json_gap(const Gap& gap) {
    return {{"class", json_class(gap.kind)}, {"reason", gap.reason}, {"remedy", gap.remedy}};
}

Json json_time(Stamp stamp) { return rfc3339(stamp.wall_ns); }

Json json_seconds(const std::optional<std::chrono::nanoseconds>& time) {
    if (!time) return nullptr;
    // Whole milliseconds: the rest is noise, and makes numbers that no two readers print alike.
    return std::round(std::chrono::duration<double, std::milli>(*time).count()) / 1000.0;
}

Json json_privileges(const HostIdentity& host) {
    return {{"uid", host.uid}, {"capabilities", fmt::format("{:016x}", host.capabilities)}};
}

Json json_fix(const Fix& fix) {
    Json out = Json::object();
    if (!fix.set.empty()) {
        out["set"] = fix.set;
        out["to"] = fix.to;
    }
    if (!fix.advice.empty()) out["advice"] = fix.advice;
    out["cost"] = fix.cost ? Json(name_of(*fix.cost)) : Json(nullptr);
    out["commands"] = fix.commands;
    return out;
}

Json json_proof(const Proof& proof) {
    Json out = {{"quiet_for", json_seconds(proof.quiet_for)}, {"workload", nullptr}};
    if (!proof.workload.empty()) out["workload"] = proof.workload;
    return out;
}

void put_reading(Json& into, const Reading& reading) {
    if (reading) {
        into["value"] = json_value(*reading);
    } else {
        into["gap"] = json_gap(reading.error());
    }
}

Json json_fact(const FactSpec& spec, std::string_view name, const Reading& reading,
               const std::function<std::string(const Entity&)>& label) {
    Json out;
    out["fact"] = name;
    put_reading(out, reading);
    if (const Entity* to = reading ? std::get_if<Entity>(&*reading) : nullptr)
        out["value"] = json_entity(*to, label(*to));
    out["unit"] = spec.unit;
    out["nature"] = name_of(spec.nature);
    return out;
}

Json json_host(const HostIdentity& host) {
    return {
        {"name", host.hostname}, {"kernel", host.kernel}, {"machine", host.machine}, {"hypervisor", host.hypervisor}};
}

std::string json_text(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rd
