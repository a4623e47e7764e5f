// SPDX-License-Identifier: GPL-2.0-or-later
// Everything as it stood at one moment: each stretch of samples is unpacked once, for all series together.
#include <set>

#include "core/store/batch.h"
#include "core/store/pack.h"
#include "core/store/reader.h"
#include "core/store/reader_rows.h"

namespace rd::store {
namespace {

constexpr Millis kFarthest = 2 * kHour;

// The last of the column's samples at or before `at`.
void take_last(const Column& column, const std::vector<Millis>& ticks, const Axis& axis, Millis at, Standing& into) {
    for (std::size_t i = column.ticks.size(); i-- > 0;) {
        if (column.ticks[i] >= ticks.size() || ticks[column.ticks[i]] > at) continue;
        const double value = number(column.values[i], into.of.type);
        into.state.at_ns = axis.wall_ns(ticks[column.ticks[i]]);
        into.state.reading = into.of.type == Type::real ? Value(value) : Value(column.values[i]);
        return;
    }
}

}  // namespace

Result<> Reader::last_states(std::vector<Standing>& all, const Axis& axis, Millis at) const {
    auto find = database_.prepare(
        "SELECT at_ms, value, class, reason, remedy FROM state LEFT JOIN gap ON gap.id = state.gap WHERE series = ?1 "
        "AND "
        "at_ms <= ?2 ORDER BY at_ms DESC LIMIT 1");
    if (!find) return tl::unexpected(std::move(find.error()));
    for (Standing& one : all) {
        find->bind(1, one.of.id).bind(2, at);
        auto done = each(*find, [&](const Statement& row) -> Result<> {
            if (one.of.sampled() && row.is_null(2)) return {};  // its numbers stand in the samples
            auto value = reading(row, one.of.type);
            if (!value) return tl::unexpected(std::move(value.error()));
            one.state = {axis.wall_ns(row.integer(0)), std::move(*value)};
            return {};
        });
        if (!done) return done;
    }
    return {};
}

Result<> Reader::last_in_journal(Wanted& wanted, const Axis& axis, Millis from, Millis at) const {
    auto find = database_.prepare(
        "SELECT from_ms, data FROM journal WHERE from_ms <= ?1 AND to_ms >= ?2 ORDER BY from_ms DESC, id DESC");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, at).bind(2, from);
    return each(*find, [&](const Statement& row) -> Result<> {
        if (wanted.empty()) return {};
        const auto journal = read_journal(row.blob(1), row.integer(0));
        if (!journal) return tl::unexpected(journal.error());
        for (const JournalEntry& entry : journal->entries) {
            const auto place = wanted.find(entry.series);
            if (place == wanted.end()) continue;
            std::string_view bytes = entry.column;
            const auto column = take_column(bytes);
            if (!column) return tl::unexpected(column.error());
            take_last(*column, journal->ticks, axis, at, *place->second);
            if (place->second->state.at_ns != 0) wanted.erase(place);
        }
        return {};
    });
}

Result<> Reader::last_in_chunks(Wanted& wanted, const Axis& axis, Millis hour, Millis at) const {
    auto find = database_.prepare(
        "SELECT tick.data, chunk.data FROM tick JOIN chunk ON (chunk.key & 0xffffffff) = tick.hour WHERE tick.hour = "
        "?1");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, hour);
    std::vector<Millis> ticks;
    return each(*find, [&](const Statement& row) -> Result<> {
        if (wanted.empty()) return {};
        if (ticks.empty()) {
            auto times = decompress(row.blob(0), kMostSamples * 10);
            if (!times) return tl::unexpected(std::move(times.error()));
            std::string_view rest = *times;
            auto taken = take_times(rest, hour * kHour);
            if (!taken) return tl::unexpected(std::move(taken.error()));
            ticks = std::move(*taken);
        }
        const auto entries = read_chunk(row.blob(1));
        if (!entries) return tl::unexpected(entries.error());
        for (const ChunkEntry& entry : *entries) {
            const auto place = wanted.find(entry.series);
            if (place == wanted.end()) continue;
            std::string_view bytes = entry.data;
            const auto column = take_column(bytes);
            if (!column) return tl::unexpected(column.error());
            take_last(*column, ticks, axis, at, *place->second);
            if (place->second->state.at_ns != 0) wanted.erase(place);
        }
        return {};
    });
}

Result<std::vector<Standing>> Reader::standing(std::int64_t wall_ns) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    const Millis at = axis->from_wall_ns(wall_ns);
    std::vector<Standing> all;
    auto find = database_.prepare(
        "SELECT series.id, kind, key, fact, type, nature, unit FROM series JOIN entity ON entity.id = entity ORDER BY "
        "kind, "
        "key, fact, series.id");
    if (!find) return tl::unexpected(std::move(find.error()));
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        all.push_back({series_row(row), {0, Value(false)}});
        return {};
    });
    if (done) done = last_states(all, *axis, at);
    if (!done) return tl::unexpected(std::move(done.error()));

    std::set<Entity> there;
    for (const Standing& one : all) {
        const bool* is = one.of.fact.empty() && one.state.reading ? std::get_if<bool>(&*one.state.reading) : nullptr;
        if (is != nullptr && *is) there.insert(one.of.entity);
    }
    std::erase_if(all, [&](const Standing& one) { return one.of.fact.empty() || !there.contains(one.of.entity); });
    Wanted wanted;
    for (Standing& one : all) {
        if (one.of.sampled() && one.state.at_ns == 0) wanted[one.of.id] = &one;
    }
    const Millis from = at - kFarthest;
    done = last_in_journal(wanted, *axis, from, at);
    for (Millis hour = at / kHour; done && !wanted.empty() && hour >= from / kHour; --hour) {
        done = last_in_chunks(wanted, *axis, hour, at);
    }
    if (!done) return tl::unexpected(std::move(done.error()));
    std::erase_if(all, [](const Standing& one) { return one.state.at_ns == 0; });
    // Where a fact has changed its type, what was written last counts.
    std::vector<Standing> out;
    for (Standing& one : all) {
        const bool same = !out.empty() && out.back().of.entity == one.of.entity && out.back().of.fact == one.of.fact;
        if (!same) {
            out.push_back(std::move(one));
        } else if (one.state.at_ns >= out.back().state.at_ns) {
            out.back() = std::move(one);
        }
    }
    return out;
}

}  // namespace rd::store
