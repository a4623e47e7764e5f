// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/embedded.h"
#include "cli/render/facts.h"
#include "cli/render/json_parts.h"

namespace rd::cli {
namespace {

Json value_with_name(const Snapshot& snapshot, const Reading& reading) {
    const auto* entity = std::get_if<Entity>(&*reading);
    return entity == nullptr ? json_value(*reading) : json_entity(*entity, snapshot.label(*entity));
}

Json fact_json(const Snapshot& snapshot, const Layout::Slot& slot, const Reading& reading) {
    Json out;
    out["fact"] = slot.name;
    if (reading) {
        out["value"] = value_with_name(snapshot, reading);
    } else {
        out["gap"] = json_gap(reading.error());
    }
    out["unit"] = slot.spec->unit;
    out["nature"] = name_of(slot.spec->nature);
    return out;
}

Json entity_json(const FactsView& view, const Entity& entity) {
    Json out = json_entity(entity, view.snapshot.label(entity));
    out["facts"] = Json::array();
    for (const SlotIndex slot : slots_to_show(view, entity)) {
        out["facts"].push_back(fact_json(view.snapshot, view.snapshot.layout().slot(slot), *view.snapshot.at(slot)));
    }
    return out;
}

Json head() { return {{"schema_version", kSchemaVersion}, {"tool", tool_name()}}; }

}  // namespace

std::string render_facts_json(const FactsView& view) {
    Json out = head();
    out["host"] = {{"name", view.host.hostname},
                   {"kernel", view.host.kernel},
                   {"machine", view.host.machine},
                   {"hypervisor", view.host.hypervisor}};
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
