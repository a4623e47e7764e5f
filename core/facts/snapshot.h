// SPDX-License-Identifier: GPL-2.0-or-later
// What one sweep saw. Slots are shared between the snapshots of one Layout, so that a sweep of a thousand counters writes a
// thousand array elements and looks nothing up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Which entities and facts have been seen so far. Only grows; used by one thread (that of the sweep).
class Layout {
public:
    struct Slot {
        EntityIndex entity;
        const FactSpec* spec;
        std::string name;  // the spec's, or a member of its family
    };

    EntityIndex add(const Entity& entity);
    SlotIndex add(EntityIndex entity, const FactSpec& spec, std::string_view name);
    [[nodiscard]] std::optional<EntityIndex> find(const Entity& entity) const;
    [[nodiscard]] std::optional<SlotIndex> find(EntityIndex entity, std::string_view name) const;

    [[nodiscard]] const Entity& entity(EntityIndex index) const { return entities_[index]; }
    [[nodiscard]] const Slot& slot(SlotIndex index) const { return slots_[index]; }
    [[nodiscard]] std::size_t entity_count() const { return entities_.size(); }
    [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
    [[nodiscard]] const std::vector<SlotIndex>& slots_of(EntityIndex entity) const { return slots_of_[entity]; }
    [[nodiscard]] const std::vector<EntityIndex>& entities_of(Kind kind) const {
        return by_kind_[static_cast<std::size_t>(kind)];
    }

private:
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
    struct Key {
        EntityIndex entity;
        std::string name;
        bool operator==(const Key&) const = default;
    };
    struct KeyView {
        EntityIndex entity;
        std::string_view name;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const Key& key) const { return (*this)(KeyView{key.entity, key.name}); }
        std::size_t operator()(const KeyView& key) const {
            return std::hash<std::string_view>{}(key.name) * 1099511628211u + key.entity;
        }
    };
    struct Equal {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            return a.entity == b.entity && std::string_view(a.name) == std::string_view(b.name);
        }
    };
    std::unordered_map<Key, SlotIndex, Hash, Equal> slot_index_;
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
    void set(SlotIndex slot, Reading reading);  // the hot path: the slot's entity must be present already
    void gap(SlotIndex slot, const Gap& gap);
    // Entities of this kind could not be enumerated: rules over it are unknown, not "not applicable".
    void kind_gap(Kind kind, Gap gap);
    // A value of an earlier sweep that was not due in this one: derivations see it, history does not count it again.
    void carry(SlotIndex slot, const Reading& reading);

    // --- reading ------------------------------------------------------------------------------------------------------
    [[nodiscard]] bool has(const Entity& entity) const;
    [[nodiscard]] std::vector<Entity> entities(Kind kind) const;  // present ones, sorted by id
    // "not collected" when no collector said anything about it.
    [[nodiscard]] const Reading& get(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] const Reading* at(SlotIndex slot) const;  // nullptr: nothing was said in this sweep
    [[nodiscard]] bool fresh(SlotIndex slot) const;
    [[nodiscard]] const Gap* kind_gap(Kind kind) const;
    // The same entities are there, and the same kinds could not be enumerated.
    [[nodiscard]] bool same_entities(const Snapshot& other) const;

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
        std::vector<State> states;
        std::vector<bool> present;
        std::optional<Gap> kind_gaps[kKindCount];
    };

    std::shared_ptr<Layout> layout_;
    Stamp stamp_;
    std::shared_ptr<Body> body_;
};

// One line a fact, "kind name fact = value unit" or "… gap(class): reason", sorted: golden files and `facts`.
[[nodiscard]] std::string print(const Snapshot& snapshot);

}  // namespace rd
