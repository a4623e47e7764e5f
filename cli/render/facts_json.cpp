// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"
#include "cli/render/facts.h"
#include "core/render/json_parts.h"

namespace rd::cli {
namespace {

Json entity_json(const FactsView& view, const Entity& entity) {
    Json out = json_entity(entity, view.snapshot.label(entity));
    out["facts"] = Json::array();
    const auto label = [&](const Entity& to) { return view.snapshot.label(to); };
    for (const SlotIndex index : slots_to_show(view, entity)) {
        const Layout::Slot& slot = view.snapshot.layout().slot(index);
        out["facts"].push_back(json_fact(*slot.spec, slot.name, *view.snapshot.at(index), label));
    }
    return out;
}

Json head() { return {{"schema_version", kSchemaVersion}, {"tool", tool_name()}}; }

}  // namespace

std::string render_facts_json(const FactsView& view) {
    Json out = head();
    out["host"] = json_host(view.host);
    out["source"] = view.host.source;
    out["boot_id"] = view.host.boot_id;
    out["privileges"] = json_privileges(view.host);
    out["at"] = json_time(view.snapshot.stamp());
    out["entities"] = Json::array();
    for (const Entity& entity : view.entities) out["entities"].push_back(entity_json(view, entity));
    out["not_enumerated"] = Json::array();
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (const Gap* gap = view.snapshot.kind_gap(kind)) {
            out["not_enumerated"].push_back({{"kind", name_of(kind)}, {"gap", json_gap(*gap)}});
        }
    }
    return json_text(out);
}

std::string render_catalog_json(const std::vector<const FactSpec*>& specs) {
    Json out = head();
    out["catalog"] = Json::array();
    for (const FactSpec* spec : specs) {
        Json row;
        row["kind"] = name_of(spec->kind);
        row["name"] = spec->name;
        row["type"] = name_of(spec->type);
        row["nature"] = name_of(spec->nature);
        row["unit"] = spec->unit;
        row["doc"] = spec->doc;
        row["target"] = spec->type == Type::reference ? Json(name_of(spec->target)) : Json(nullptr);
        row["family"] = spec->family;
        out["catalog"].push_back(std::move(row));
    }
    return json_text(out);
}

}  // namespace rd::cli
