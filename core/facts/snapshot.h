// SPDX-License-Identifier: GPL-2.0-or-later
// What one sweep saw. Slots are shared between the snapshots of one Layout, so that a sweep of a thousand counters writes a
// thousand array elements and looks nothing up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/facts/catalog.h"
#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd {

using EntityIndex = std::uint32_t;
using SlotIndex = std::uint32_t;
// Which writing of a slot a reading stems from. Readings of one slot and one version are equal, so that a sweep in which little
// has changed touches few of them. 0: none.
using Version = std::uint64_t;
// A set of kinds: bit 1 << kind.
using Kinds = std::uint32_t;
[[nodiscard]] constexpr Kinds only(Kind kind) { return Kinds{1} << static_cast<unsigned>(kind); }
inline constexpr Kinds kAllKinds = (Kinds{1} << kKindCount) - 1;

// Which entities and facts have been seen so far; used by one thread (that of the sweep). Only grows, unless somebody retires entities:
// then the place of one, which is its index and its slots with their names, is later that of another one of its kind.
class Layout {
public:
    struct Slot {
        EntityIndex entity;
        const FactSpec* spec;
        std::string_view name;  // the spec's, or a member of its family; lives as long as the layout
    };

    Layout() = default;
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    EntityIndex add(const Entity& entity);
    SlotIndex add(EntityIndex entity, const FactSpec& spec, std::string_view name);
    // The entity is not known any more. No snapshot that somebody goes on reading may have it, or it will seem to have the next one.
    void retire(EntityIndex index);
    [[nodiscard]] std::optional<EntityIndex> find(const Entity& entity) const;
    [[nodiscard]] std::optional<SlotIndex> find(EntityIndex entity, std::string_view name) const;

    [[nodiscard]] const Entity& entity(EntityIndex index) const { return entities_[index]; }
    [[nodiscard]] const Slot& slot(SlotIndex index) const { return slots_[index]; }
    [[nodiscard]] std::size_t entity_count() const { return entities_.size(); }
    [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
    // Nobody's: how it was called is then of no meaning.
    [[nodiscard]] bool vacant(EntityIndex index) const { return tenures_[index] % 2 != 0; }
    // For those who remember something by index: it is another number once the place is no longer of the same entity.
    [[nodiscard]] std::uint32_t tenure(EntityIndex index) const { return tenures_[index]; }
    // How many tenures began and ended in places that had one before: when it is the same, all of them are.
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    [[nodiscard]] Version next_version() { return ++last_version_; }
    [[nodiscard]] const std::vector<SlotIndex>& slots_of(EntityIndex entity) const { return slots_of_[entity]; }
    [[nodiscard]] const std::vector<EntityIndex>& entities_of(Kind kind) const {
        return by_kind_[static_cast<std::size_t>(kind)];
    }

private:
    Version last_version_ = 0;
    std::vector<Entity> entities_;
    struct EntityHash {
        std::size_t operator()(const Entity& entity) const {
            return std::hash<std::string>{}(entity.id) * 31u + static_cast<std::size_t>(entity.kind);
        }
    };
    std::unordered_map<Entity, EntityIndex, EntityHash> entity_index_;
    std::vector<Slot> slots_;
    std::vector<std::vector<SlotIndex>> slots_of_;
    std::vector<EntityIndex> by_kind_[kKindCount];
    std::vector<std::uint32_t> tenures_;  // odd: vacant
    std::vector<EntityIndex> vacant_[kKindCount];
    std::uint64_t moves_ = 0;
    struct Key {
        EntityIndex entity;
        std::string_view name;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<std::string_view>{}(key.name) * 1099511628211u + key.entity;
        }
    };
    std::unordered_map<Key, SlotIndex, Hash> slot_index_;
    std::set<std::string, std::less<>> members_;  // names that no row has
};

// Copies share what they hold: a snapshot is written by the sweep that makes it and only read once it has been handed out.
class Snapshot {
public:
    Snapshot(std::shared_ptr<Layout> layout, Stamp stamp);
    // The same, in the memory of `old` when nobody else looks at it any more: readings that are still right are not made anew.
    static Snapshot in_place_of(Snapshot&& old, Stamp stamp);
    [[nodiscard]] bool shared() const { return body_.use_count() > 1; }

    [[nodiscard]] Stamp stamp() const { return stamp_; }
    [[nodiscard]] const Layout& layout() const { return *layout_; }
    [[nodiscard]] const std::shared_ptr<Layout>& shared_layout() const { return layout_; }

    // --- writing: collectors (through Facts), derivations and tests -------------------------------------------------
    void present(const Entity& entity);
    void present(EntityIndex entity);
    void put(const Entity& entity, const FactSpec& spec, Value value);  // also makes the entity present
    void gap(const Entity& entity, const FactSpec& spec, Gap gap);
    void set(const Entity& entity, const FactSpec& spec, std::string_view name, Reading reading);  // families
    Version set(SlotIndex slot, Reading reading);  // the slot's entity must be present already
    // A reading that is the same in sweep after sweep until its owner sets `version` to 0: the hot path, which copies nothing that the
    // slot holds already.
    void again(SlotIndex slot, const Reading& reading, Version& version);
    void gap(SlotIndex slot, const Gap& gap);
    // Entities of this kind could not be enumerated: rules over it are unknown, not "not applicable".
    void kind_gap(Kind kind, Gap gap);
    // A value of an earlier sweep that was not due in this one: derivations see it, history does not count it again.
    void carry(SlotIndex slot, const Snapshot& earlier);
    // The reading of an earlier sweep, known to hold in this one.
    void keep(SlotIndex slot, const Snapshot& earlier);

    // --- reading ------------------------------------------------------------------------------------------------------
    [[nodiscard]] bool has(const Entity& entity) const;
    [[nodiscard]] bool has(EntityIndex entity) const {
        return entity < body_->present.size() && body_->present[entity];
    }
    [[nodiscard]] std::vector<Entity> entities(Kind kind) const;  // present ones, sorted by id
    // "not collected" when no collector said anything about it.
    [[nodiscard]] const Reading& get(const Entity& entity, std::string_view fact) const;
    // These three are asked of every slot in every sweep.
    [[nodiscard]] const Reading* at(SlotIndex slot) const {  // nullptr: nothing was said in this sweep
        return state(slot) != State::absent ? &body_->readings[slot] : nullptr;
    }
    [[nodiscard]] bool fresh(SlotIndex slot) const { return state(slot) == State::fresh; }
    // Of what at() gives: equal versions of one slot are equal readings. 0 when nothing was said.
    [[nodiscard]] Version version(SlotIndex slot) const {
        return state(slot) != State::absent ? body_->versions[slot] : 0;
    }
    [[nodiscard]] bool same(SlotIndex slot, const Snapshot& other) const;
    [[nodiscard]] const Gap* kind_gap(Kind kind) const;
    // The same entities are there, and the same kinds could not be enumerated.
    [[nodiscard]] bool same_entities(const Snapshot& other) const;
    // The kinds of which that is not so.
    [[nodiscard]] Kinds differing_kinds(const Snapshot& other) const;

    [[nodiscard]] std::optional<std::int64_t> integer(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] std::optional<double> real(const Entity& entity, std::string_view fact) const;  // integers too
    [[nodiscard]] std::optional<bool> boolean(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] std::optional<std::string> text(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] std::optional<Entity> reference(const Entity& entity, std::string_view fact) const;

    // What people call it: the fact `name`, else the id.
    [[nodiscard]] std::string label(const Entity& entity) const;
    [[nodiscard]] std::vector<Entity> named(std::string_view name) const;  // by label or id, of any kind

private:
    enum class State : std::uint8_t { absent, carried, fresh };
    struct Body {
        std::vector<Reading> readings;
        std::vector<Version> versions;  // of `readings`; survives in reused memory with them
        std::vector<State> states;
        std::vector<bool> present;
        std::optional<Gap> kind_gaps[kKindCount];
    };

    [[nodiscard]] State state(SlotIndex slot) const {
        return slot < body_->states.size() ? body_->states[slot] : State::absent;
    }
    void make_room(SlotIndex slot);

    std::shared_ptr<Layout> layout_;
    Stamp stamp_;
    std::shared_ptr<Body> body_;
};

// One line a fact, "kind name fact = value unit" or "… gap(class): reason", sorted: golden files and `facts`.
[[nodiscard]] std::string print(const Snapshot& snapshot);

}  // namespace rd
