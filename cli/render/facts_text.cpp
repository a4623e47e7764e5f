// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <map>

#include "cli/render/facts.h"
#include "cli/render/page.h"
#include "cli/render/words.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

std::string target_text(const Snapshot& snapshot, const Entity& entity) {
    return std::string(name_of(entity.kind)) + " " + snapshot.label(entity);
}

// What this host or source simply does not have is no trouble.
bool is_absence(GapClass gap) { return gap == GapClass::not_offered || gap == GapClass::not_collected; }

Page::Piece reading_piece(const Snapshot& snapshot, const FactSpec& spec, const Reading& reading) {
    if (!reading)
        return {"— " + gap_text(reading.error()), is_absence(reading.error().kind) ? Paint::dim : Paint::yellow};
    if (const auto* entity = std::get_if<Entity>(&*reading)) return {target_text(snapshot, *entity), Paint::plain};
    return {value_text(*reading, spec.unit), Paint::plain};
}

// Whether something is absent whose reason is not told.
bool print_entity(Page& page, const FactsView& view, const Entity& entity) {
    const std::string label = view.snapshot.label(entity);
    std::vector<Page::Piece> heading{{std::string(name_of(entity.kind)), Paint::bold}};
    if (entity.kind != Kind::host) heading.push_back({" " + label, Paint::bold});
    if (label != entity.id && !entity.id.empty()) heading.push_back({"  " + entity.id, Paint::dim});
    page.line(0, heading);
    std::vector<std::vector<Page::Piece>> rows;
    std::map<GapClass, std::vector<std::string>> absent;  // most facts are those of other drivers
    for (const SlotIndex slot : slots_to_show(view, entity)) {
        const Layout::Slot& info = view.snapshot.layout().slot(slot);
        const Reading& reading = *view.snapshot.at(slot);
        if (!view.reasons && !reading && is_absence(reading.error().kind)) {
            absent[reading.error().kind].emplace_back(info.name);
        } else {
            rows.push_back({{std::string(info.name)}, reading_piece(view.snapshot, *info.spec, reading)});
        }
    }
    page.table(2, std::move(rows));
    for (const auto& [kind, names] : absent) {
        page.prose(2, std::string(name_of(kind)) + ": " + joined(names, ", "), Paint::dim);
    }
    page.blank();
    return !absent.empty();
}

std::string type_text(const FactSpec& spec) {
    if (spec.type == Type::reference) return "reference to " + std::string(name_of(spec.target));
    std::string text = std::string(name_of(spec.type)) + ", " + std::string(name_of(spec.nature));
    if (!spec.unit.empty()) text += ", " + std::string(spec.unit);
    return text;
}

}  // namespace

std::vector<SlotIndex> slots_to_show(const FactsView& view, const Entity& entity) {
    const Layout& layout = view.snapshot.layout();
    const auto index = layout.find(entity);
    if (!index) return {};
    std::vector<SlotIndex> slots;
    for (const SlotIndex slot : layout.slots_of(*index)) {
        if (view.snapshot.at(slot) != nullptr && (view.families || !layout.slot(slot).spec->family))
            slots.push_back(slot);
    }
    std::sort(slots.begin(), slots.end(),
              [&](SlotIndex a, SlotIndex b) { return layout.slot(a).name < layout.slot(b).name; });
    return slots;
}

std::string render_facts_text(const FactsView& view, const Terminal& terminal) {
    Page page(terminal);
    bool absences = false;
    for (const Entity& entity : view.entities) absences = print_entity(page, view, entity) || absences;
    for (int i = 0; i < kKindCount; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (const Gap* gap = view.snapshot.kind_gap(kind)) {
            page.prose(0, std::string(name_of(kind)) + ": could not be enumerated, " + gap_text(*gap), Paint::yellow);
        }
    }
    if (absences) page.line(0, "why something is not offered or not collected: --all", Paint::dim);
    std::vector<std::string> hidden;
    for (const auto& [kind, count] : view.left_out)
        hidden.push_back(std::to_string(count) + " " + std::string(name_of(kind)));
    if (!hidden.empty()) page.line(0, "not shown without --all: " + joined(hidden, ", "), Paint::dim);
    return page.text();
}

std::string render_catalog_text(const std::vector<const FactSpec*>& specs, const Terminal& terminal) {
    Page page(terminal);
    for (const FactSpec* spec : specs) {
        std::string name = std::string(name_of(spec->kind)) + "." + std::string(spec->name);
        if (spec->family) name += "*";
        page.line(0, {{name, Paint::bold}, {"  (" + type_text(*spec) + ")", Paint::dim}});
        page.prose(4, spec->doc);
    }
    return page.text();
}

}  // namespace rd::cli
