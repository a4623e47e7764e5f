// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/dictionary.h"

namespace rd::store {
namespace {

// Adds a row if there is none like it, and gives its number. Both statements take the same parameters.
Result<std::int64_t> number_of(Statement& add, Statement& find) {
    if (auto done = add.run(); !done) return tl::unexpected(std::move(done.error()));
    auto row = find.step();
    if (!row) return tl::unexpected(std::move(row.error()));
    if (!*row) return fail(Errc::io, "store: a row that was just made is not there");
    const std::int64_t number = find.integer(0);
    if (auto end = find.step(); !end) return tl::unexpected(std::move(end.error()));
    return number;
}

}  // namespace

Dictionary::Dictionary(Statement add_entity, Statement find_entity, Statement add_series, Statement find_series,
                       Statement add_gap, Statement find_gap)
    : add_entity_(std::move(add_entity)),
      find_entity_(std::move(find_entity)),
      add_series_(std::move(add_series)),
      find_series_(std::move(find_series)),
      add_gap_(std::move(add_gap)),
      find_gap_(std::move(find_gap)) {}

Result<Dictionary> Dictionary::open(Database& database) {
    auto add_entity = database.prepare("INSERT OR IGNORE INTO entity (kind, key) VALUES (?1, ?2)");
    auto find_entity = database.prepare("SELECT id FROM entity WHERE kind = ?1 AND key = ?2");
    auto add_series =
        database.prepare("INSERT OR IGNORE INTO series (entity, fact, type, nature, unit) VALUES (?1, ?2, ?3, ?4, ?5)");
    auto find_series =
        database.prepare("SELECT id FROM series WHERE entity = ?1 AND fact = ?2 AND type = ?3 AND nature = ?4");
    auto add_gap = database.prepare("INSERT OR IGNORE INTO gap (class, reason, remedy) VALUES (?1, ?2, ?3)");
    auto find_gap = database.prepare("SELECT id FROM gap WHERE class = ?1 AND reason = ?2 AND remedy = ?3");
    for (auto* one : {&add_entity, &find_entity, &add_series, &find_series, &add_gap, &find_gap}) {
        if (!*one) return tl::unexpected(std::move(one->error()));
    }
    return Dictionary(std::move(*add_entity), std::move(*find_entity), std::move(*add_series), std::move(*find_series),
                      std::move(*add_gap), std::move(*find_gap));
}

Result<std::int64_t> Dictionary::entity(const Entity& entity) {
    if (const auto known = entities_.find(entity); known != entities_.end()) return known->second;
    for (Statement* one : {&add_entity_, &find_entity_}) one->bind(1, name_of(entity.kind)).bind(2, entity.id);
    auto number = number_of(add_entity_, find_entity_);
    if (number) entities_.emplace(entity, *number);
    return number;
}

Result<std::int64_t> Dictionary::series_of(std::int64_t entity, std::string_view fact, Type type, Nature nature,
                                           std::string_view unit) {
    for (Statement* one : {&add_series_, &find_series_}) {
        one->bind(1, entity).bind(2, fact).bind(3, name_of(type)).bind(4, name_of(nature));
    }
    add_series_.bind(5, unit);
    return number_of(add_series_, find_series_);
}

Result<std::int64_t> Dictionary::series(const Layout& layout, SlotIndex slot) {
    if (by_slot_.size() <= slot) by_slot_.resize(layout.slot_count());
    if (by_slot_[slot] != 0) return by_slot_[slot];
    const Layout::Slot& of = layout.slot(slot);
    const auto owner = entity(layout.entity(of.entity));
    if (!owner) return owner;
    auto number = series_of(*owner, of.name, of.spec->type, of.spec->nature, of.spec->unit);
    if (number) by_slot_[slot] = *number;
    return number;
}

Result<std::int64_t> Dictionary::presence(const Entity& of) {
    if (const auto known = presences_.find(of); known != presences_.end()) return known->second;
    const auto owner = entity(of);
    if (!owner) return owner;
    auto number = series_of(*owner, "", Type::boolean, Nature::config, "");
    if (number) presences_.emplace(of, *number);
    return number;
}

Result<std::int64_t> Dictionary::gap(const Gap& gap) {
    for (Statement* one : {&add_gap_, &find_gap_})
        one->bind(1, name_of(gap.kind)).bind(2, gap.reason).bind(3, gap.remedy);
    return number_of(add_gap_, find_gap_);
}

void Dictionary::forget() {
    entities_.clear();
    by_slot_.assign(by_slot_.size(), 0);
    presences_.clear();
}

}  // namespace rd::store
