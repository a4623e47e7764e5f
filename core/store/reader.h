// SPDX-License-Identifier: GPL-2.0-or-later
// metrics.db as it is read: by the daemon's API, and by tests. Times are the wall clock's, in nanoseconds since 1970, as it showed them
// when it happened. A connection of its own, which sees what has been flushed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/facts/catalog.h"
#include "core/store/axis.h"
#include "core/store/rollup.h"
#include "core/store/sqlite.h"

namespace rd::store {

struct Span {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = INT64_MAX;  // inclusive
};

struct SeriesRow {
    std::int64_t id = 0;
    Entity entity;
    std::string fact;  // "": whether the entity is there
    Type type = Type::integer;
    Nature nature = Nature::gauge;
    std::string unit;
    [[nodiscard]] bool sampled() const {
        return nature != Nature::config && (type == Type::integer || type == Type::real);
    }
};

// How it stood from then on.
struct StateRow {
    std::int64_t at_ns = 0;
    Reading reading;
};

// One series as it stood at a moment.
struct Standing {
    SeriesRow of;
    StateRow state;
};

struct SamplePoint {
    std::int64_t at_ns = 0;
    double value = 0;  // integers exactly up to 2^53
};

struct BucketPoint {
    std::int64_t at_ns = 0;  // its beginning
    Millis length = 0;
    Bucket bucket;
};

struct EventRow {
    std::int64_t id = 0, at_ns = 0, last_ns = 0, count = 1;
    std::string source, name, subject, details;
    std::optional<Entity> entity;
};

struct FindingSpan {
    std::string rule, severity, title, text, rulebook;
    Entity subject;
    std::int64_t from_ns = 0;
    std::optional<std::int64_t> to_ns;
};

struct RunRow {
    std::string boot_id;
    std::int64_t from_ns = 0, to_ns = 0;
    bool clean = false;  // stopped; else it goes on, or was killed
};

class Reader {
public:
    static Result<Reader> open(const std::string& path);

    [[nodiscard]] Result<std::vector<SeriesRow>> series(const Entity& entity) const;
    [[nodiscard]] Result<std::optional<SeriesRow>> find(const Entity& entity, std::string_view fact) const;
    [[nodiscard]] Result<std::vector<Entity>> entities() const;

    [[nodiscard]] Result<std::vector<SamplePoint>> samples(const SeriesRow& of, Span span) const;
    [[nodiscard]] Result<std::vector<BucketPoint>> minutes(const SeriesRow& of, Span span) const;
    [[nodiscard]] Result<std::vector<BucketPoint>> hours(const SeriesRow& of, Span span) const;
    // Changes in the span, after the one that held when it began. Of a sampled series: when it had gaps; a reading without gap says that
    // the samples go on. Where there are more, the newest.
    [[nodiscard]] Result<std::vector<StateRow>> states(const SeriesRow& of, Span span, std::int64_t most) const;

    // The same for every series of every entity that was there then, in order of entity and fact. Series without a sample in the two hours
    // before are left out.
    [[nodiscard]] Result<std::vector<Standing>> standing(std::int64_t wall_ns) const;

    // Newest first.
    [[nodiscard]] Result<std::vector<EventRow>> events(Span span, std::int64_t most) const;
    [[nodiscard]] Result<std::vector<EventRow>> events_after(std::int64_t id, std::int64_t most) const;  // oldest first
    [[nodiscard]] Result<std::vector<FindingSpan>> findings(Span span, std::int64_t most) const;
    [[nodiscard]] Result<std::vector<RunRow>> runs() const;

private:
    explicit Reader(Database database) : database_(std::move(database)) {}
    // The clock may have been set since the last call.
    Result<Axis> axis() const;
    Result<std::vector<BucketPoint>> buckets(const SeriesRow& of, Span span, std::string_view table, Millis stretch,
                                             Millis length) const;
    Result<> packed_samples(const SeriesRow& of, const Axis& axis, Millis from, Millis to,
                            std::vector<SamplePoint>& into) const;
    // Of the series, what is not packed yet: a column, the times of its ticks, and from when on they count.
    using TakeColumn = std::function<Result<>(const Column&, const std::vector<Millis>&, Millis)>;
    Result<> journal_columns(const SeriesRow& of, Millis from, Millis to, const TakeColumn& take) const;
    Result<> journal_samples(const SeriesRow& of, const Axis& axis, Millis from, Millis to,
                             std::vector<SamplePoint>& into) const;
    using Wanted = std::map<std::int64_t, Standing*>;  // sampled series whose last sample is looked for
    Result<> last_states(std::vector<Standing>& all, const Axis& axis, Millis at) const;
    Result<> last_in_journal(Wanted& wanted, const Axis& axis, Millis from, Millis at) const;
    Result<> last_in_chunks(Wanted& wanted, const Axis& axis, Millis hour, Millis at) const;
    Result<std::vector<EventRow>> read_events(Statement& statement) const;
    Result<Reading> reading(const Statement& row, Type type) const;

    Database database_;
};

}  // namespace rd::store
