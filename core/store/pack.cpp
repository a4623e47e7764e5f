// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/store/batch.h"
#include "core/store/rollup.h"

namespace rd::store {
namespace {

struct Series {
    std::int64_t id = 0;
    std::int64_t entity = 0;
    bool real = false;
    Nature nature = Nature::gauge;
};

// The journal's rows of one hour, whose ticks count through.
struct Hour {
    struct Row {
        JournalRow journal;
        std::int64_t first_tick =
            0;  // of those within the hour: number of the row's first in the hour; negative where it began before
    };
    // What a row has of a series. In one piece for the whole hour: tens of thousands of small ones would leave the memory in pieces.
    struct Part {
        SeriesId series;
        std::size_t row;  // in `rows`
        std::string_view column;
    };
    Millis begin = 0;
    std::vector<Row> rows;
    std::vector<Part> parts;  // by series, those of one by row
    std::vector<Millis> ticks;
    std::vector<std::string> lost;

    [[nodiscard]] Millis end() const { return begin + kHour; }
    [[nodiscard]] std::span<const Part> of(SeriesId series) const {
        const auto found = std::ranges::equal_range(parts, series, {}, &Part::series);
        return {found.begin(), found.end()};
    }
};

Result<Hour> read_hour(Database& database, Millis begin) {
    Hour hour;
    hour.begin = begin;
    auto rows = database.prepare("SELECT id, from_ms, to_ms, data FROM journal WHERE from_ms < ?1 ORDER BY id");
    if (!rows) return tl::unexpected(std::move(rows.error()));
    rows->bind(1, hour.end());
    auto done = each(*rows, [&](const Statement& row) -> Result<> {
        auto journal = read_journal(row.blob(3), row.integer(1));
        if (!journal) {
            hour.lost.push_back(fmt::format("journal row {}: {}", row.integer(0), journal.error().what));
            return {};
        }
        const auto first = std::lower_bound(journal->ticks.begin(), journal->ticks.end(), begin);
        const auto last = std::lower_bound(first, journal->ticks.end(), hour.end());
        const std::int64_t first_tick = std::int64_t(hour.ticks.size()) - (first - journal->ticks.begin());
        hour.ticks.insert(hour.ticks.end(), first, last);
        for (const JournalEntry& entry : journal->entries)
            hour.parts.push_back({entry.series, hour.rows.size(), entry.column});
        journal->entries = std::vector<JournalEntry>();
        hour.rows.push_back({std::move(*journal), first_tick});
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    std::ranges::sort(hour.parts, {}, [](const Hour::Part& one) { return std::pair(one.series, one.row); });
    return hour;
}

// What the hour has of one series.
Column gather(const Hour& hour, SeriesId series, std::vector<std::string>& lost) {
    Column whole;
    for (const Hour::Part& part : hour.of(series)) {
        const Hour::Row& row = hour.rows[part.row];
        std::string_view rest = part.column;
        const auto column = take_column(rest);
        if (!column) {
            lost.push_back(column.error().what);
            continue;
        }
        for (std::size_t i = 0; i < column->ticks.size(); ++i) {
            const std::uint32_t tick = column->ticks[i];
            if (tick >= row.journal.ticks.size()) continue;
            const Millis at = row.journal.ticks[tick];
            if (at < hour.begin || at >= hour.end()) continue;
            whole.ticks.push_back(static_cast<std::uint32_t>(row.first_tick + tick));
            whole.values.push_back(column->values[i]);
        }
    }
    return whole;
}

struct Writers {
    Statement chunk, minute, hour, find_hour;
};

Result<Writers> writers(Database& database) {
    auto chunk = database.prepare("INSERT OR REPLACE INTO chunk (key, data) VALUES (?1, ?2)");
    auto minute = database.prepare("INSERT OR REPLACE INTO minute (key, data) VALUES (?1, ?2)");
    auto hour = database.prepare("INSERT OR REPLACE INTO hour (key, data) VALUES (?1, ?2)");
    auto find_hour = database.prepare("SELECT data FROM hour WHERE key = ?1");
    for (auto* one : {&chunk, &minute, &hour, &find_hour}) {
        if (!*one) return tl::unexpected(std::move(one->error()));
    }
    return Writers{std::move(*chunk), std::move(*minute), std::move(*hour), std::move(*find_hour)};
}

Result<> put(Statement& statement, std::int64_t key, std::string_view data) {
    return statement.bind(1, key).bind_blob(2, data).run();
}

// The day's buckets of an entity, with those of this hour added.
Result<> add_to_day(Writers& to, const Hour& hour, std::int64_t entity,
                    const std::map<std::int64_t, std::pair<Series, Bucket>>& now) {
    const std::int64_t key = chunk_key(entity, hour.begin / kDay);
    std::map<std::int64_t, std::vector<Bucket>> days;
    to.find_hour.bind(1, key);
    auto row = to.find_hour.step();
    if (!row) return tl::unexpected(std::move(row.error()));
    std::string data;
    if (*row) {
        const auto entries = read_chunk(to.find_hour.blob(0));
        for (const ChunkEntry& entry : entries ? *entries : std::vector<ChunkEntry>{}) {
            const auto found = now.find(entry.series);
            if (found == now.end()) {
                append_entry(data, entry.series, entry.data);
                continue;
            }
            std::string_view rest = entry.data;
            if (auto buckets = take_buckets(rest, found->second.first.nature)) days[entry.series] = std::move(*buckets);
        }
        if (auto end = to.find_hour.step(); !end) return tl::unexpected(std::move(end.error()));
    }
    for (const auto& [id, one] : now) {
        std::vector<Bucket>& day = days[id];
        day.push_back(one.second);
        std::string bytes;
        append(bytes, day, one.first.nature);
        append_entry(data, id, bytes);
    }
    return put(to.hour, key, data);
}

Result<> write_entity(Writers& to, Hour& hour, std::int64_t entity, const std::vector<Series>& all) {
    std::string raw, minutes;
    std::map<std::int64_t, std::pair<Series, Bucket>> hours;
    for (const Series& series : all) {
        const Column column = gather(hour, series.id, hour.lost);
        if (column.values.empty()) continue;
        std::string bytes;
        append(bytes, column, Packing::zstd);
        append_entry(raw, series.id, bytes);
        std::vector<Millis> times;
        times.reserve(column.ticks.size());
        for (const std::uint32_t tick : column.ticks) times.push_back(hour.ticks[tick]);
        const std::vector<Bucket> buckets = fold(column, times, hour.begin, kMinute, series.real, series.nature);
        bytes.clear();
        append(bytes, buckets, series.nature);
        append_entry(minutes, series.id, bytes);
        hours.emplace(series.id,
                      std::pair(series, join(buckets, std::uint32_t(hour.begin % kDay / kHour), series.nature)));
    }
    if (raw.empty()) return {};
    const std::int64_t key = chunk_key(entity, hour.begin / kHour);
    if (auto done = put(to.chunk, key, raw); !done) return done;
    if (auto done = put(to.minute, key, minutes); !done) return done;
    return add_to_day(to, hour, entity, hours);
}

Result<std::map<std::int64_t, std::vector<Series>>> by_entity(Database& database, const Hour& hour) {
    std::map<std::int64_t, std::vector<Series>> entities;
    auto find = database.prepare("SELECT id, entity, type, nature FROM series");
    if (!find) return tl::unexpected(std::move(find.error()));
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        Series series{row.integer(0), row.integer(1), row.text(2) == name_of(Type::real)};
        static_cast<void>(nature_from_name(row.text(3), series.nature));
        if (!hour.of(series.id).empty()) entities[series.entity].push_back(series);
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return entities;
}

Result<> pack_hour(Database& database, Hour& hour) {
    const auto entities = by_entity(database, hour);
    if (!entities) return tl::unexpected(entities.error());
    auto transaction = Transaction::begin(database);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    {
        auto to = writers(database);
        if (!to) return tl::unexpected(std::move(to.error()));
        for (const auto& [entity, series] : *entities) {
            if (auto done = write_entity(*to, hour, entity, series); !done) return done;
        }
    }
    std::string times;
    append_times(times, hour.ticks, hour.begin);
    auto tick = database.prepare("INSERT OR REPLACE INTO tick (hour, data) VALUES (?1, ?2)");
    if (!tick) return tl::unexpected(std::move(tick.error()));
    if (auto done = put(*tick, hour.begin / kHour, compress(times, 3)); !done) return done;
    auto forget = database.prepare("DELETE FROM journal WHERE to_ms < ?1");
    if (!forget) return tl::unexpected(std::move(forget.error()));
    if (auto done = forget->bind(1, hour.end()).run(); !done) return done;
    return transaction->commit();
}

}  // namespace

void append_entry(std::string& into, std::int64_t series, std::string_view data) {
    append_number(into, static_cast<std::uint64_t>(series));
    append_number(into, data.size());
    into += data;
}

Result<std::vector<ChunkEntry>> read_chunk(std::string_view bytes) {
    std::vector<ChunkEntry> entries;
    while (!bytes.empty()) {
        const auto series = take_number(bytes), size = take_number(bytes);
        if (!series || !size || *size > bytes.size())
            return fail(Errc::bad_input, "a chunk is damaged: a series ends early");
        entries.push_back({static_cast<std::int64_t>(*series), bytes.substr(0, *size)});
        bytes.remove_prefix(*size);
    }
    return entries;
}

Result<std::vector<std::string>> pack(Database& database, Millis now) {
    std::vector<std::string> lost;
    for (;;) {
        const auto from = database.integer("SELECT coalesce(min(from_ms), -1) FROM journal");
        if (!from) return tl::unexpected(from.error());
        if (*from < 0) return lost;
        // A row that lies in two hours is needed for both, and is still there after the first.
        const auto packed = database.integer("SELECT coalesce(max(hour) + 1, 0) FROM tick");
        if (!packed) return tl::unexpected(packed.error());
        const Millis begin = std::max(*from / kHour, *packed) * kHour;
        if (begin + kHour > now) return lost;
        auto hour = read_hour(database, begin);
        if (!hour) return tl::unexpected(std::move(hour.error()));
        if (auto done = pack_hour(database, *hour); !done) return tl::unexpected(std::move(done.error()));
        lost.insert(lost.end(), hour->lost.begin(), hour->lost.end());
    }
}

}  // namespace rd::store
