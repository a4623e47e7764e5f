// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

namespace rd {
namespace {

const Reading& not_collected() {
    static const Reading reading =
        tl::unexpected<Gap>(Gap{GapClass::not_collected, "no collector gave this fact in this sweep", {}});
    return reading;
}

}  // namespace

EntityIndex Layout::add(const Entity& entity) {
    const auto [it, added] = entity_index_.try_emplace(entity, static_cast<EntityIndex>(entities_.size()));
    if (!added) return it->second;
    std::vector<EntityIndex>& vacant = vacant_[static_cast<std::size_t>(entity.kind)];
    if (!vacant.empty()) {
        it->second = vacant.back();
        vacant.pop_back();
        entities_[it->second] = entity;
        ++tenures_[it->second];
        ++moves_;
        return it->second;
    }
    entities_.push_back(entity);
    slots_of_.emplace_back();
    tenures_.push_back(0);
    by_kind_[static_cast<std::size_t>(entity.kind)].push_back(it->second);
    return it->second;
}

void Layout::retire(EntityIndex index) {
    if (vacant(index)) return;
    entity_index_.erase(entities_[index]);
    vacant_[static_cast<std::size_t>(entities_[index].kind)].push_back(index);
    ++tenures_[index];
    ++moves_;
}

SlotIndex Layout::add(EntityIndex entity, const FactSpec& spec, std::string_view name) {
    if (const auto found = find(entity, name)) return *found;
    const auto index = static_cast<SlotIndex>(slots_.size());
    const std::string_view kept = name == spec.name ? spec.name : *members_.emplace(name).first;
    slots_.push_back(Slot{entity, &spec, kept});
    slots_of_[entity].push_back(index);
    slot_index_.emplace(Key{entity, kept}, index);
    return index;
}

std::optional<EntityIndex> Layout::find(const Entity& entity) const {
    const auto it = entity_index_.find(entity);
    if (it == entity_index_.end()) return std::nullopt;
    return it->second;
}

std::optional<SlotIndex> Layout::find(EntityIndex entity, std::string_view name) const {
    const auto it = slot_index_.find(Key{entity, name});
    if (it == slot_index_.end()) return std::nullopt;
    return it->second;
}

Snapshot::Snapshot(std::shared_ptr<Layout> layout, Stamp stamp)
    : layout_(std::move(layout)), stamp_(stamp), body_(std::make_shared<Body>()) {
    body_->readings.resize(layout_->slot_count());
    body_->versions.resize(layout_->slot_count(), 0);
    body_->states.resize(layout_->slot_count(), State::absent);
    body_->present.resize(layout_->entity_count(), false);
}

Snapshot Snapshot::in_place_of(Snapshot&& old, Stamp stamp) {
    if (old.shared()) return {old.layout_, stamp};
    Snapshot snapshot = std::move(old);
    snapshot.stamp_ = stamp;
    Body& body = *snapshot.body_;
    body.readings.resize(snapshot.layout_->slot_count());
    body.versions.resize(snapshot.layout_->slot_count(), 0);
    body.states.assign(snapshot.layout_->slot_count(), State::absent);
    body.present.assign(snapshot.layout_->entity_count(), false);
    for (auto& gap : body.kind_gaps) gap.reset();
    return snapshot;
}

void Snapshot::present(const Entity& entity) { present(layout_->add(entity)); }

void Snapshot::present(EntityIndex index) {
    if (index >= body_->present.size()) body_->present.resize(layout_->entity_count(), false);
    body_->present[index] = true;
}

void Snapshot::put(const Entity& entity, const FactSpec& spec, Value value) {
    set(entity, spec, spec.name, Reading(std::move(value)));
}

void Snapshot::gap(const Entity& entity, const FactSpec& spec, Gap gap) {
    set(entity, spec, spec.name, tl::unexpected<Gap>(std::move(gap)));
}

void Snapshot::set(const Entity& entity, const FactSpec& spec, std::string_view name, Reading reading) {
    present(entity);
    set(layout_->add(*layout_->find(entity), spec, name), std::move(reading));
}

void Snapshot::make_room(SlotIndex slot) {
    if (slot < body_->states.size()) return;
    body_->readings.resize(layout_->slot_count());
    body_->versions.resize(layout_->slot_count(), 0);
    body_->states.resize(layout_->slot_count(), State::absent);
}

Version Snapshot::set(SlotIndex slot, Reading reading) {
    make_room(slot);
    body_->readings[slot] = std::move(reading);
    body_->states[slot] = State::fresh;
    return body_->versions[slot] = layout_->next_version();
}

void Snapshot::again(SlotIndex slot, const Reading& reading, Version& version) {
    make_room(slot);
    if (version == 0) version = layout_->next_version();
    body_->states[slot] = State::fresh;
    if (body_->versions[slot] == version) return;
    assign(body_->readings[slot], reading);
    body_->versions[slot] = version;
}

void Snapshot::gap(SlotIndex slot, const Gap& gap) {
    if (slot < body_->states.size() && !body_->readings[slot] && body_->readings[slot].error() == gap) {
        body_->states[slot] = State::fresh;
        return;
    }
    set(slot, tl::unexpected<Gap>(gap));
}

void Snapshot::carry(SlotIndex slot, const Snapshot& earlier) {
    keep(slot, earlier);
    body_->states[slot] = State::carried;
}

void Snapshot::keep(SlotIndex slot, const Snapshot& earlier) {
    Version version = earlier.body_->versions[slot];
    again(slot, earlier.body_->readings[slot], version);
}

void Snapshot::kind_gap(Kind kind, Gap gap) { body_->kind_gaps[static_cast<std::size_t>(kind)] = std::move(gap); }

bool Snapshot::has(const Entity& entity) const {
    const auto index = layout_->find(entity);
    return index && *index < body_->present.size() && body_->present[*index];
}

std::vector<Entity> Snapshot::entities(Kind kind) const {
    std::vector<Entity> found;
    for (const EntityIndex index : layout_->entities_of(kind)) {
        if (index < body_->present.size() && body_->present[index]) found.push_back(layout_->entity(index));
    }
    // Numbers in ids are ordered as numbers where they stand alone: numa 2 before numa 10, port 2 before port 10.
    std::sort(found.begin(), found.end(), [](const Entity& a, const Entity& b) {
        const auto slash = [](const std::string& id) {
            return id.rfind('/') == std::string::npos ? 0 : id.rfind('/') + 1;
        };
        const auto head_a = std::string_view(a.id).substr(0, slash(a.id));
        const auto head_b = std::string_view(b.id).substr(0, slash(b.id));
        const auto tail_a = std::string_view(a.id).substr(head_a.size());
        const auto tail_b = std::string_view(b.id).substr(head_b.size());
        const auto digits = [](std::string_view text) {
            return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
        };
        if (head_a != head_b || !digits(tail_a) || !digits(tail_b)) return a.id < b.id;
        return tail_a.size() != tail_b.size() ? tail_a.size() < tail_b.size() : tail_a < tail_b;
    });
    return found;
}

bool Snapshot::same(SlotIndex slot, const Snapshot& other) const {
    const Version here = version(slot), there = other.version(slot);
    if (here == there) return true;
    return here != 0 && there != 0 && rd::same(body_->readings[slot], other.body_->readings[slot]);
}

const Reading& Snapshot::get(const Entity& entity, std::string_view fact) const {
    if (const auto index = layout_->find(entity)) {
        if (const auto slot = layout_->find(*index, fact)) {
            if (const Reading* reading = at(*slot)) return *reading;
        }
    }
    return not_collected();
}

const Gap* Snapshot::kind_gap(Kind kind) const {
    const auto& gap = body_->kind_gaps[static_cast<std::size_t>(kind)];
    return gap ? &*gap : nullptr;
}

bool Snapshot::same_entities(const Snapshot& other) const {
    return body_->present == other.body_->present &&
           std::equal(std::begin(body_->kind_gaps), std::end(body_->kind_gaps), std::begin(other.body_->kind_gaps));
}

Kinds Snapshot::differing_kinds(const Snapshot& other) const {
    if (same_entities(other)) return 0;
    Kinds kinds = 0;
    const std::vector<bool>&here = body_->present, &there = other.body_->present;
    for (EntityIndex index = 0; index < std::max(here.size(), there.size()); ++index) {
        const bool is = index < here.size() && here[index], was = index < there.size() && there[index];
        if (is != was) kinds |= only(layout_->entity(index).kind);
    }
    for (int kind = 0; kind < kKindCount; ++kind) {
        if (body_->kind_gaps[kind] != other.body_->kind_gaps[kind]) kinds |= only(static_cast<Kind>(kind));
    }
    return kinds;
}

std::optional<std::int64_t> Snapshot::integer(const Entity& entity, std::string_view fact) const {
    const Reading& reading = get(entity, fact);
    if (!reading) return std::nullopt;
    const auto* value = std::get_if<std::int64_t>(&*reading);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> Snapshot::real(const Entity& entity, std::string_view fact) const {
    const Reading& reading = get(entity, fact);
    if (!reading) return std::nullopt;
    if (const auto* value = std::get_if<double>(&*reading)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&*reading)) return static_cast<double>(*value);
    return std::nullopt;
}

std::optional<bool> Snapshot::boolean(const Entity& entity, std::string_view fact) const {
    const Reading& reading = get(entity, fact);
    if (!reading) return std::nullopt;
    const auto* value = std::get_if<bool>(&*reading);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::string> Snapshot::text(const Entity& entity, std::string_view fact) const {
    const Reading& reading = get(entity, fact);
    if (!reading) return std::nullopt;
    const auto* value = std::get_if<std::string>(&*reading);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<Entity> Snapshot::reference(const Entity& entity, std::string_view fact) const {
    const Reading& reading = get(entity, fact);
    if (!reading) return std::nullopt;
    const auto* value = std::get_if<Entity>(&*reading);
    return value ? std::optional(*value) : std::nullopt;
}

std::string Snapshot::label(const Entity& entity) const {
    if (auto name = text(entity, "name")) return *name;
    return entity.kind == Kind::host && entity.id.empty() ? "host" : entity.id;
}

std::vector<Entity> Snapshot::named(std::string_view name) const {
    std::vector<Entity> found;
    for (int kind = 0; kind < kKindCount; ++kind) {
        for (const Entity& entity : entities(static_cast<Kind>(kind))) {
            if (entity.id == name || label(entity) == name) found.push_back(entity);
        }
    }
    return found;
}

std::string print(const Snapshot& snapshot) {
    std::vector<std::string> out;
    const Layout& layout = snapshot.layout();
    for (SlotIndex index = 0; index < layout.slot_count(); ++index) {
        const Reading* reading = snapshot.at(index);
        if (reading == nullptr) continue;
        const Layout::Slot& slot = layout.slot(index);
        const Entity& entity = layout.entity(slot.entity);
        std::string line = fmt::format("{} {} {} ", name_of(entity.kind), snapshot.label(entity), slot.name);
        if (*reading) {
            const auto* target = std::get_if<Entity>(&**reading);
            line += fmt::format("= {}", target ? snapshot.label(*target) : print(**reading));
            if (!slot.spec->unit.empty()) line += fmt::format(" {}", slot.spec->unit);
        } else {
            line += fmt::format("gap({}): {}", name_of(reading->error().kind), reading->error().reason);
        }
        out.push_back(std::move(line));
    }
    std::sort(out.begin(), out.end());
    std::string text;
    for (const std::string& line : out) text += line + "\n";
    return text;
}

}  // namespace rd
