// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/retention.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/store/pack.h"

namespace rd::store {
namespace {

// Chunks lie by entity and then by time: each entity's old ones are one range of keys.
Result<> drop_chunks(Database& database, std::string_view table, std::int64_t before) {
    return database.run(
        fmt::format("DELETE FROM {} WHERE key IN (SELECT {}.key FROM entity JOIN {} ON {}.key >= entity.id << 32 AND "
                    "{}.key < (entity.id << 32) + {})",
                    table, table, table, table, table, std::max<std::int64_t>(before, 0)));
}

Result<> drop_old(Database& database, const Limits& limits, Millis now) {
    auto transaction = Transaction::begin(database);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    const Millis events = now - limits.keep_events;
    for (const auto& done :
         {drop_chunks(database, "chunk", (now - limits.keep_samples) / kHour),
          drop_chunks(database, "minute", (now - limits.keep_minutes) / kHour),
          drop_chunks(database, "hour", (now - limits.keep_hours) / kDay),
          database.run(fmt::format("DELETE FROM tick WHERE hour < {}", (now - limits.keep_samples) / kHour)),
          database.run(fmt::format("DELETE FROM event WHERE last_ms < {}", events)),
          database.run(fmt::format("DELETE FROM finding WHERE to_ms < {}", events)),
          // The state that still held when the horizon was passed stays: it is how things stood.
          database.run(fmt::format(
              "DELETE FROM state WHERE at_ms < {0} AND EXISTS (SELECT 1 FROM state AS later WHERE later.series = "
              "state.series AND later.at_ms > state.at_ms AND later.at_ms < {0})",
              events))}) {
        if (!done) return done;
    }
    return transaction->commit();
}

Result<std::int64_t> used_bytes(Database& database) {
    return database.integer(
        "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), "
        "pragma_page_size()");
}

// The oldest of what there is most of: samples, then minutes, then hours, then events. False: there is nothing left to drop.
Result<bool> drop_oldest(Database& database) {
    struct Part {
        std::string_view table;
        std::int64_t per_step;
    };
    for (const Part part : {Part{"chunk", 1}, Part{"minute", 24}, Part{"hour", 30}}) {
        const auto oldest =
            database.integer(fmt::format("SELECT coalesce(min(key & 0xffffffff), -1) FROM {}", part.table));
        if (!oldest) return tl::unexpected(oldest.error());
        if (*oldest < 0) continue;
        if (auto done = drop_chunks(database, part.table, *oldest + part.per_step); !done)
            return tl::unexpected(std::move(done.error()));
        return true;
    }
    if (auto done = database.run("DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY at_ms LIMIT 1000)");
        !done) {
        return tl::unexpected(std::move(done.error()));
    }
    return database.changed() > 0;
}

}  // namespace

Result<> retain(Database& database, const Limits& limits, Millis now) {
    if (auto done = drop_old(database, limits, now); !done) return done;
    for (;;) {
        const auto used = used_bytes(database);
        if (!used) return tl::unexpected(used.error());
        if (*used <= limits.most_bytes) break;
        const auto dropped = drop_oldest(database);
        if (!dropped) return tl::unexpected(dropped.error());
        if (!*dropped) break;
    }
    return database.run("PRAGMA incremental_vacuum");
}

}  // namespace rd::store
