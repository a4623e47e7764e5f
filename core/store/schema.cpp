// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/schema.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace rd::store {
namespace {

// Times are milliseconds on the store's own axis (axis.h), which never goes back.
constexpr std::string_view kFirst = R"sql(
-- One life of the daemon. to_ms: up to where everything is kept; clean: it was stopped, not killed.
CREATE TABLE run (id INTEGER PRIMARY KEY, boot_id TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
                  clean INTEGER NOT NULL DEFAULT 0);
-- From at_ms on, the wall clock shows the axis plus ahead_ms.
CREATE TABLE clock (at_ms INTEGER PRIMARY KEY, ahead_ms INTEGER NOT NULL);

CREATE TABLE entity (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (kind, key));
CREATE TABLE series (id INTEGER PRIMARY KEY, entity INTEGER NOT NULL REFERENCES entity, fact TEXT NOT NULL,
                     type TEXT NOT NULL, nature TEXT NOT NULL, unit TEXT NOT NULL, UNIQUE (entity, fact, type, nature));

-- Samples of the last minutes: a row a flush, all series together. Packed into `chunk` when the hour is over.
CREATE TABLE journal (id INTEGER PRIMARY KEY, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, data BLOB NOT NULL);
-- When the sweeps of an hour were: proof that we looked. key: hours of the axis.
CREATE TABLE tick (hour INTEGER PRIMARY KEY, data BLOB NOT NULL);
-- All samples of an entity in an hour, in a day by minutes, in thirty days by hours. key: entity << 32 | number of the stretch.
CREATE TABLE chunk (key INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE minute (key INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE hour (key INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- Settings, texts and references by their changes, and for every series when its gaps begin and end. value NULL and gap NULL: from
-- then on it is a number that stands in the samples; gap: nothing could be read.
CREATE TABLE gap (id INTEGER PRIMARY KEY, class TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL,
                  UNIQUE (class, reason, remedy));
CREATE TABLE state (series INTEGER NOT NULL, at_ms INTEGER NOT NULL, value, gap INTEGER REFERENCES gap,
                    PRIMARY KEY (series, at_ms)) WITHOUT ROWID;

-- count: how often it happened, from at_ms to last_ms.
CREATE TABLE event (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, count INTEGER NOT NULL,
                    source TEXT NOT NULL, name TEXT NOT NULL, subject TEXT NOT NULL, entity INTEGER REFERENCES entity,
                    details TEXT NOT NULL);
CREATE INDEX event_at ON event (at_ms);

-- A finding from when it began to fire until it cleared; to_ms NULL: it goes on.
CREATE TABLE finding (id INTEGER PRIMARY KEY, rule TEXT NOT NULL, entity INTEGER NOT NULL REFERENCES entity, from_ms INTEGER NOT NULL,
                      to_ms INTEGER, severity TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, rulebook TEXT NOT NULL);
CREATE INDEX finding_from ON finding (from_ms);
CREATE UNIQUE INDEX finding_open ON finding (rule, entity) WHERE to_ms IS NULL;
)sql";

constexpr std::array kMigrations{kFirst};

Result<> step(Database& database, std::string_view migration, std::size_t to) {
    auto transaction = Transaction::begin(database);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    if (auto done = database.run(migration); !done) return done;
    if (auto done = database.run(fmt::format("PRAGMA user_version = {}", to)); !done) return done;
    return transaction->commit();
}

}  // namespace

std::span<const std::string_view> migrations() { return kMigrations; }

Result<> prepare_schema(Database& database, std::span<const std::string_view> steps) {
    const auto tables = database.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tl::unexpected(tables.error());
    if (*tables == 0) {
        // Pages that retention empties can be given back to the file system bit by bit. Only a file without tables can be set so.
        if (auto done = database.run("PRAGMA auto_vacuum = INCREMENTAL"); !done) return done;
        if (auto done = database.run(fmt::format("PRAGMA application_id = {}", kApplication)); !done) return done;
    }
    const auto application = database.integer("PRAGMA application_id");
    if (!application) return tl::unexpected(application.error());
    if (*application != kApplication) {
        return fail(Errc::bad_input, database.path() + ": a database, but not one of rdmadoctor");
    }
    const auto version = database.integer("PRAGMA user_version");
    if (!version) return tl::unexpected(version.error());
    if (*version > std::int64_t(steps.size()) || *version < 0) {
        return fail(Errc::bad_input, fmt::format("{}: written by a newer rdmadoctor (form {}, this one knows {})",
                                                 database.path(), *version, steps.size()));
    }
    for (std::size_t from = std::size_t(*version); from < steps.size(); ++from) {
        if (auto done = step(database, steps[from], from + 1); !done) return done;
    }
    return {};
}

Result<std::map<Millis, Millis>> read_clock(const Database& database) {
    std::map<Millis, Millis> ahead;
    auto clock = database.prepare("SELECT at_ms, ahead_ms FROM clock");
    if (!clock) return tl::unexpected(std::move(clock.error()));
    auto done = each(*clock, [&](const Statement& row) -> Result<> {
        ahead[row.integer(0)] = row.integer(1);
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    return ahead;
}

}  // namespace rd::store
