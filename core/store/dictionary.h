// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of entities, series and gaps in the file, made at their first use. Lives as long as the writer; after a transaction that was
// taken back it must forget, because numbers given in it do not exist.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/facts/snapshot.h"
#include "core/store/sqlite.h"

namespace rd::store {

class Dictionary {
public:
    static Result<Dictionary> open(Database& database);

    [[nodiscard]] Result<std::int64_t> entity(const Entity& entity);
    [[nodiscard]] Result<std::int64_t> series(const Layout& layout, SlotIndex slot);
    // Whether the entity is there: a series without a name.
    [[nodiscard]] Result<std::int64_t> presence(const Entity& entity);
    [[nodiscard]] Result<std::int64_t> gap(const Gap& gap);

    void forget();

private:
    Dictionary(Statement add_entity, Statement find_entity, Statement add_series, Statement find_series,
               Statement add_gap, Statement find_gap);
    [[nodiscard]] Result<std::int64_t> series_of(std::int64_t entity, std::string_view fact, Type type, Nature nature,
                                                 std::string_view unit);

    Statement add_entity_, find_entity_, add_series_, find_series_, add_gap_, find_gap_;
    std::map<Entity, std::int64_t> entities_;
    std::vector<std::int64_t> by_slot_;
    std::map<Entity, std::int64_t> presences_;
};

}  // namespace rd::store
