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

// What was followed by another before then. The state that still held stays: it is how things stood. By series, each one range of keys.
Result<std::int64_t> drop_states(Database& database, Millis before) {
    auto done = database.run(
        fmt::format("DELETE FROM state WHERE (series, at_ms) IN (SELECT state.series, state.at_ms FROM series CROSS "
                    "JOIN state ON state.series = series.id AND state.at_ms < (SELECT max(at_ms) FROM state AS last "
                    "WHERE last.series = series.id AND last.at_ms < {}))",
                    before));
    if (!done) return tl::unexpected(std::move(done.error()));
    return database.changed();
}

// Reasons that no state gives any more.
Result<> drop_gaps(Database& database) {
    return database.run("DELETE FROM gap WHERE id NOT IN (SELECT gap FROM state WHERE gap IS NOT NULL)");
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
          database.run(fmt::format("DELETE FROM finding WHERE to_ms < {}", events))}) {
        if (!done) return done;
    }
    const auto states = drop_states(database, events);
    if (!states) return tl::unexpected(states.error());
    // To find them, all states are looked at.
    if (*states > 0) {
        if (auto done = drop_gaps(database); !done) return done;
    }
    return transaction->commit();
}

Result<std::int64_t> used_bytes(Database& database) {
    return database.integer(
        "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), "
        "pragma_page_size()");
}

// Samples, then minutes, then hours. False: there is nothing left to drop.
Result<bool> drop_oldest_samples(Database& database, Millis) {
    struct Part {
        std::string_view table;
        std::int64_t per_step;
    };
    for (const Part part : {Part{"chunk", 1}, Part{"minute", 24}, Part{"hour", 30}}) {
        const auto oldest =
            database.integer(fmt::format("SELECT coalesce(min(key & 0xffffffff), -1) FROM {}", part.table));
        if (!oldest) return tl::unexpected(oldest.error());
        if (*oldest < 0) continue;
        // By their times alone, as they were found: in a damaged file some are of no entity.
        if (auto done = database.run(
                fmt::format("DELETE FROM {} WHERE key & 0xffffffff < {}", part.table, *oldest + part.per_step));
            !done) {
            return tl::unexpected(std::move(done.error()));
        }
        return true;
    }
    return false;
}

// Of the time that they reach back a part: so it takes few steps however many there are, and what is dropped is near what is too much.
Result<bool> drop_oldest_states(Database& database, Millis now) {
    const auto oldest = database.integer(
        "SELECT coalesce(min(first), -1) FROM (SELECT (SELECT min(at_ms) FROM state WHERE series = series.id) AS "
        "first, "
        "(SELECT max(at_ms) FROM state WHERE series = series.id) AS last FROM series) WHERE first < last");
    if (!oldest) return tl::unexpected(oldest.error());
    if (*oldest < 0) return false;
    constexpr Millis kParts = 16;
    for (Millis step = std::max(kMinute, (now - *oldest) / kParts);; step *= 2) {
        const auto dropped = drop_states(database, *oldest + step);
        if (!dropped) return tl::unexpected(dropped.error());
        if (*dropped > 0) return true;
        // It may have held for longer than a step.
        if (*oldest + step > now) return false;
    }
}

Result<bool> drop_oldest_events(Database& database, Millis) {
    if (auto done = database.run("DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY at_ms LIMIT max(1000, "
                                 "(SELECT count(*) FROM event) / 64))");
        !done) {
        return tl::unexpected(std::move(done.error()));
    }
    return database.changed() > 0;
}

// What the file is full of, roughly, and how its oldest is dropped.
struct Content {
    std::string_view size;
    Result<bool> (*drop_oldest)(Database&, Millis);
};
constexpr Content kContents[] = {
    {"(SELECT coalesce(sum(length(data)), 0) FROM chunk) + (SELECT coalesce(sum(length(data)), 0) FROM minute) + "
     "(SELECT coalesce(sum(length(data)), 0) FROM hour)",
     drop_oldest_samples},
    {"(SELECT coalesce(sum(20 + coalesce(length(value), 0)), 0) FROM state)", drop_oldest_states},
    {"(SELECT coalesce(sum(50 + length(subject) + length(details)), 0) FROM event)", drop_oldest_events},
};

Result<std::int64_t> size_of(Database& database, const Content& content) {
    return database.integer(fmt::format("SELECT {}", content.size));
}

// The oldest of what there is most of, again and again: what has grown goes, and not what was small all the time. To count how much
// there is reads all of it: meanwhile what becomes free is taken off, until that makes it less than another.
Result<> drop_what_is_too_much(Database& database, std::int64_t most, Millis now) {
    auto used = used_bytes(database);
    if (!used) return tl::unexpected(used.error());
    if (*used <= most) return {};
    std::int64_t sizes[std::size(kContents)] = {};
    for (std::size_t i = 0; i < std::size(kContents); ++i) {
        const auto size = size_of(database, kContents[i]);
        if (!size) return tl::unexpected(size.error());
        sizes[i] = *size;
    }
    while (*used > most) {
        const auto largest = std::size_t(std::ranges::max_element(sizes) - sizes);
        if (sizes[largest] == 0) break;
        const auto dropped = kContents[largest].drop_oldest(database, now);
        if (!dropped) return tl::unexpected(dropped.error());
        const auto left = used_bytes(database);
        if (!left) return tl::unexpected(left.error());
        sizes[largest] = *dropped ? sizes[largest] - (*used - *left) : 0;
        used = left;
        const bool stays_largest = sizes[largest] > 0 && sizes[largest] >= *std::ranges::max_element(sizes);
        if (!*dropped || stays_largest) continue;
        const auto size = size_of(database, kContents[largest]);
        if (!size) return tl::unexpected(size.error());
        sizes[largest] = *size;
    }
    return drop_gaps(database);
}

}  // namespace

Result<> retain(Database& database, const Limits& limits, Millis now) {
    if (auto done = drop_old(database, limits, now); !done) return done;
    if (auto done = drop_what_is_too_much(database, limits.most_bytes, now); !done) return done;
    return database.run("PRAGMA incremental_vacuum");
}

}  // namespace rd::store
