// SPDX-License-Identifier: GPL-2.0-or-later
// Room core/render: what is said about a host as JSON, the same from the command line and from the daemon. Pure; it words nothing and
// leaves nothing out.
//
// Pieces that several documents share. nlohmann-json is slow to compile: only rooms that render include this.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnosis/report.h"

namespace rd {

using Json = nlohmann::ordered_json;  // keys in the order of the contract

inline constexpr int kSchemaVersion = 1;

[[nodiscard]] Json json_entity(const Entity& entity, std::string_view name);           // {kind, id, name}
[[nodiscard]] Json json_value(const Value& value);                                     // a reference: {kind, id}
[[nodiscard]] Json json_gap(const Gap& gap);                                           // {class, reason, remedy}
[[nodiscard]] Json json_time(Stamp stamp);                                             // RFC 3339 UTC
[[nodiscard]] Json json_seconds(const std::optional<std::chrono::nanoseconds>& time);  // a number or null
[[nodiscard]] std::string json_class(GapClass gap);  // "not_offered": the machine form of the class
[[nodiscard]] Json json_privileges(const HostIdentity& host);
[[nodiscard]] Json json_fix(const Fix& fix);
[[nodiscard]] Json json_proof(const Proof& proof);
// Puts "value" or "gap".
void put_reading(Json& into, const Reading& reading);
// {fact, value | gap, unit, nature}; `label`: what people call the entity that a reference leads to.
[[nodiscard]] Json json_fact(const FactSpec& spec, std::string_view name, const Reading& reading,
                             const std::function<std::string(const Entity&)>& label);
[[nodiscard]] Json json_host(const HostIdentity& host);  // {name, kernel, machine, hypervisor}
template <class Items, class Render>
[[nodiscard]] Json json_list(const Items& items, Render render) {
    Json out = Json::array();
    for (const auto& item : items) out.push_back(render(item));
    return out;
}
// Pretty-printed with a line end. Bytes that are no UTF-8 become U+FFFD instead of an exception.
[[nodiscard]] std::string json_text(const Json& document);

}  // namespace rd
