// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/reader.h"

#include <algorithm>

#include "core/store/batch.h"
#include "core/store/pack.h"
#include "core/store/reader_rows.h"
#include "core/store/schema.h"

namespace rd::store {
namespace {

constexpr std::string_view kSeries =
    "SELECT series.id, kind, key, fact, type, nature, unit FROM series JOIN entity ON entity.id = entity ";
constexpr std::string_view kEvents =
    "SELECT event.id, at_ms, last_ms, count, source, name, subject, details, kind, key FROM event LEFT JOIN entity ON "
    "entity.id = entity ";

struct Within {
    const Axis& axis;
    Type type;
    Millis from, to;
};

constexpr const char* kNoSweep = "a chunk is damaged: a sample of no sweep";

// What of the column lies within. Its ticks are numbers of `ticks`.
Result<> add_samples(const Column& column, const std::vector<Millis>& ticks, const Within& within,
                     std::vector<SamplePoint>& into) {
    for (std::size_t i = 0; i < column.ticks.size(); ++i) {
        if (column.ticks[i] >= ticks.size()) return fail(Errc::bad_input, kNoSweep);
        const Millis at = ticks[column.ticks[i]];
        if (at < within.from || at > within.to) continue;
        into.push_back({within.axis.wall_ns(at), number(column.values[i], within.type)});
    }
    return {};
}

}  // namespace

Result<Reader> Reader::open(const std::string& path) {
    auto database = Database::open(path, Database::Mode::read);
    if (!database) return tl::unexpected(std::move(database.error()));
    return Reader(std::move(*database));
}

Result<Axis> Reader::axis() const {
    return read_clock(database_).map([](std::map<Millis, Millis> ahead) { return Axis({}, std::move(ahead)); });
}

Result<std::vector<SeriesRow>> Reader::series(const Entity& entity) const {
    std::vector<SeriesRow> all;
    auto find = database_.prepare(std::string(kSeries) + "WHERE kind = ?1 AND key = ?2 ORDER BY fact");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, name_of(entity.kind)).bind(2, entity.id);
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        all.push_back(series_row(row));
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return all;
}

Result<std::optional<SeriesRow>> Reader::find(const Entity& entity, std::string_view fact) const {
    std::optional<SeriesRow> found;
    // Where a fact has changed its type the newest counts.
    auto find = database_.prepare(std::string(kSeries) +
                                  "WHERE kind = ?1 AND key = ?2 AND fact = ?3 ORDER BY series.id DESC LIMIT 1");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, name_of(entity.kind)).bind(2, entity.id).bind(3, fact);
    auto row = find->step();
    if (!row) return tl::unexpected(std::move(row.error()));
    if (*row) found = series_row(*find);
    return found;
}

Result<std::vector<Entity>> Reader::entities() const {
    std::vector<Entity> all;
    auto find = database_.prepare("SELECT kind, key FROM entity ORDER BY kind, key");
    if (!find) return tl::unexpected(std::move(find.error()));
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        Entity entity;
        if (kind_from_name(row.text(0), entity.kind)) {
            entity.id = row.text(1);
            all.push_back(std::move(entity));
        }
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return all;
}

Result<> Reader::packed_samples(const SeriesRow& of, const Axis& axis, Millis from, Millis to,
                                std::vector<SamplePoint>& into) const {
    auto find = database_.prepare(
        "SELECT tick.hour, tick.data, chunk.data FROM tick JOIN chunk ON chunk.key = ((SELECT entity FROM series WHERE "
        "id = ?1) << 32) + "
        "tick.hour WHERE tick.hour BETWEEN ?2 AND ?3 ORDER BY tick.hour");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, of.id).bind(2, from / kHour).bind(3, to / kHour);
    return each(*find, [&](const Statement& row) -> Result<> {
        auto entries = read_chunk(row.blob(2));
        if (!entries) return tl::unexpected(std::move(entries.error()));
        for (const ChunkEntry& entry : *entries) {
            if (entry.series != of.id) continue;
            auto times = decompress(row.blob(1), kMostSamples * 10);
            if (!times) return tl::unexpected(std::move(times.error()));
            std::string_view rest = *times, bytes = entry.data;
            const auto ticks = take_times(rest, row.integer(0) * kHour);
            if (!ticks) return tl::unexpected(ticks.error());
            const auto column = take_column(bytes);
            if (!column) return tl::unexpected(column.error());
            if (auto done = add_samples(*column, *ticks, {axis, of.type, from, to}, into); !done) return done;
        }
        return {};
    });
}

Result<> Reader::journal_columns(const SeriesRow& of, Millis from, Millis to, const TakeColumn& take) const {
    auto find = database_.prepare("SELECT from_ms, data FROM journal WHERE to_ms >= ?1 AND from_ms <= ?2 ORDER BY id");
    if (!find) return tl::unexpected(std::move(find.error()));
    // A row that lies in two hours stays until the second is packed: what the first has of it is in the chunk already.
    const auto packed = database_.integer("SELECT coalesce(max(hour) + 1, 0) FROM tick");
    if (!packed) return tl::unexpected(packed.error());
    from = std::max(from, *packed * kHour);
    find->bind(1, from).bind(2, to);
    return each(*find, [&](const Statement& row) -> Result<> {
        const auto journal = read_journal(row.blob(1), row.integer(0));
        if (!journal) return tl::unexpected(journal.error());
        for (const JournalEntry& entry : journal->entries) {
            if (entry.series != of.id) continue;
            std::string_view bytes = entry.column;
            const auto column = take_column(bytes);
            if (!column) return tl::unexpected(column.error());
            if (auto done = take(*column, journal->ticks, from); !done) return done;
        }
        return {};
    });
}

Result<> Reader::journal_samples(const SeriesRow& of, const Axis& axis, Millis from, Millis to,
                                 std::vector<SamplePoint>& into) const {
    return journal_columns(of, from, to, [&](const Column& column, const std::vector<Millis>& ticks, Millis unpacked) {
        return add_samples(column, ticks, {axis, of.type, unpacked, to}, into);
    });
}

Result<std::vector<SamplePoint>> Reader::samples(const SeriesRow& of, Span span) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    std::vector<SamplePoint> all;
    const Millis from = axis->from_wall_ns(span.from_ns), to = axis->from_wall_ns(span.to_ns);
    if (auto done = packed_samples(of, *axis, from, to, all); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = journal_samples(of, *axis, from, to, all); !done) return tl::unexpected(std::move(done.error()));
    return all;
}

Result<std::vector<BucketPoint>> Reader::buckets(const SeriesRow& of, Span span, std::string_view table, Millis stretch,
                                                 Millis length) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    const Millis from = axis->from_wall_ns(span.from_ns), to = axis->from_wall_ns(span.to_ns);
    std::vector<BucketPoint> all;
    auto find = database_.prepare("SELECT key & 0xffffffff, data FROM " + std::string(table) +
                                  " WHERE key BETWEEN ((SELECT entity FROM series WHERE id = ?1) << 32) + ?2 AND "
                                  "((SELECT entity FROM series WHERE id = ?1) << 32) + ?3 ORDER BY key");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, of.id).bind(2, from / stretch).bind(3, to / stretch);
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        auto entries = read_chunk(row.blob(1));
        if (!entries) return tl::unexpected(std::move(entries.error()));
        for (const ChunkEntry& entry : *entries) {
            if (entry.series != of.id) continue;
            std::string_view bytes = entry.data;
            auto buckets = take_buckets(bytes, of.nature);
            if (!buckets) return tl::unexpected(std::move(buckets.error()));
            for (const Bucket& bucket : *buckets) {
                const Millis at = row.integer(0) * stretch + Millis(bucket.number) * length;
                if (at + length > from && at <= to) all.push_back({axis->wall_ns(at), length, bucket});
            }
        }
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    // What is not packed yet, folded as packing it would. From the beginning of a bucket on, or its first value would be a later one.
    Column fresh;
    std::vector<Millis> times;
    const Millis begin = std::max<Millis>(from, 0) / length * length;
    done = journal_columns(of, begin, to,
                           [&](const Column& column, const std::vector<Millis>& ticks, Millis unpacked) -> Result<> {
                               for (std::size_t i = 0; i < column.ticks.size(); ++i) {
                                   if (column.ticks[i] >= ticks.size()) return fail(Errc::bad_input, kNoSweep);
                                   const Millis at = ticks[column.ticks[i]];
                                   if (at < unpacked) continue;
                                   times.push_back(at);
                                   fresh.values.push_back(column.values[i]);
                               }
                               return {};
                           });
    if (!done) return tl::unexpected(std::move(done.error()));
    for (const Bucket& bucket : fold(fresh, times, 0, length, of.type == Type::real, of.nature)) {
        const Millis at = Millis(bucket.number) * length;
        if (at <= to) all.push_back({axis->wall_ns(at), length, bucket});
    }
    return all;
}

Result<std::vector<BucketPoint>> Reader::minutes(const SeriesRow& of, Span span) const {
    return buckets(of, span, "minute", kHour, kMinute);
}

Result<std::vector<BucketPoint>> Reader::hours(const SeriesRow& of, Span span) const {
    return buckets(of, span, "hour", kDay, kHour);
}

Result<Reading> Reader::reading(const Statement& row, Type type) const {
    if (!row.is_null(2)) {
        Gap gap;
        static_cast<void>(gap_from_name(row.text(2), gap.kind));
        gap.reason = row.text(3);
        gap.remedy = row.text(4);
        return Reading(tl::unexpected<Gap>(std::move(gap)));
    }
    switch (type) {
        case Type::boolean:
            return Reading(Value(row.integer(1) != 0));
        case Type::integer:
            return Reading(Value(row.integer(1)));
        case Type::real:
            return Reading(Value(row.real(1)));
        case Type::reference: {
            Entity to;
            const std::string_view text = row.text(1);
            const auto colon = text.find(':');
            if (colon == std::string_view::npos || !kind_from_name(text.substr(0, colon), to.kind)) {
                return fail(Errc::bad_input, "a reference that is none: " + std::string(text));
            }
            to.id = text.substr(colon + 1);
            return Reading(Value(std::move(to)));
        }
        case Type::text:
            break;
    }
    return Reading(Value(std::string(row.text(1))));
}

Result<std::vector<StateRow>> Reader::states(const SeriesRow& of, Span span, std::int64_t most) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    std::vector<StateRow> all;
    auto find = database_.prepare(
        "SELECT at_ms, value, class, reason, remedy FROM state LEFT JOIN gap ON gap.id = state.gap WHERE series = ?1 "
        "AND at_ms >= "
        "coalesce((SELECT max(at_ms) FROM state WHERE series = ?1 AND at_ms <= ?2), 0) AND at_ms <= ?3 ORDER BY at_ms "
        "DESC LIMIT ?4");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, of.id).bind(2, axis->from_wall_ns(span.from_ns)).bind(3, axis->from_wall_ns(span.to_ns));
    find->bind(4, most);
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        auto value = reading(row, of.type);
        if (!value) return tl::unexpected(std::move(value.error()));
        all.push_back({axis->wall_ns(row.integer(0)), std::move(*value)});
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    std::ranges::reverse(all);
    return all;
}

Result<std::vector<EventRow>> Reader::read_events(Statement& statement) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    std::vector<EventRow> all;
    auto done = each(statement, [&](const Statement& row) -> Result<> {
        EventRow event;
        event.id = row.integer(0);
        event.at_ns = axis->wall_ns(row.integer(1));
        event.last_ns = axis->wall_ns(row.integer(2));
        event.count = row.integer(3);
        event.source = row.text(4);
        event.name = row.text(5);
        event.subject = row.text(6);
        event.details = row.text(7);
        if (Entity entity; !row.is_null(8) && kind_from_name(row.text(8), entity.kind)) {
            entity.id = row.text(9);
            event.entity = std::move(entity);
        }
        all.push_back(std::move(event));
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return all;
}

Result<std::vector<EventRow>> Reader::events(Span span, std::int64_t most) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    auto find = database_.prepare(std::string(kEvents) +
                                  "WHERE last_ms >= ?1 AND at_ms <= ?2 ORDER BY at_ms DESC, event.id DESC LIMIT ?3");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, axis->from_wall_ns(span.from_ns)).bind(2, axis->from_wall_ns(span.to_ns)).bind(3, most);
    return read_events(*find);
}

Result<std::vector<EventRow>> Reader::events_after(std::int64_t id, std::int64_t most) const {
    auto find = database_.prepare(std::string(kEvents) + "WHERE event.id > ?1 ORDER BY event.id LIMIT ?2");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, id).bind(2, most);
    return read_events(*find);
}

Result<std::vector<FindingSpan>> Reader::findings(Span span, std::int64_t most) const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    std::vector<FindingSpan> all;
    auto find = database_.prepare(
        "SELECT rule, severity, title, text, rulebook, kind, key, from_ms, to_ms FROM finding JOIN entity ON entity.id "
        "= entity "
        "WHERE (to_ms IS NULL OR to_ms >= ?1) AND from_ms <= ?2 ORDER BY from_ms DESC, finding.id DESC LIMIT ?3");
    if (!find) return tl::unexpected(std::move(find.error()));
    find->bind(1, axis->from_wall_ns(span.from_ns)).bind(2, axis->from_wall_ns(span.to_ns)).bind(3, most);
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        FindingSpan finding;
        finding.rule = row.text(0);
        finding.severity = row.text(1);
        finding.title = row.text(2);
        finding.text = row.text(3);
        finding.rulebook = row.text(4);
        static_cast<void>(kind_from_name(row.text(5), finding.subject.kind));
        finding.subject.id = row.text(6);
        finding.from_ns = axis->wall_ns(row.integer(7));
        if (!row.is_null(8)) finding.to_ns = axis->wall_ns(row.integer(8));
        all.push_back(std::move(finding));
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return all;
}

Result<std::vector<RunRow>> Reader::runs() const {
    const auto axis = this->axis();
    if (!axis) return tl::unexpected(axis.error());
    std::vector<RunRow> all;
    auto find = database_.prepare("SELECT boot_id, from_ms, to_ms, clean FROM run ORDER BY id");
    if (!find) return tl::unexpected(std::move(find.error()));
    auto done = each(*find, [&](const Statement& row) -> Result<> {
        all.push_back({std::string(row.text(0)), axis->wall_ns(row.integer(1)), axis->wall_ns(row.integer(2)),
                       row.integer(3) != 0});
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return all;
}

}  // namespace rd::store
