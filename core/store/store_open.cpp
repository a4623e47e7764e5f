// SPDX-License-Identifier: GPL-2.0-or-later
// How a run begins: on a new file, on one that a run before has left in whatever state, and beside one that cannot be used.
#include <fmt/format.h>

#include <filesystem>

#include "core/store/queries.h"
#include "core/store/schema.h"
#include "core/store/store.h"

namespace rd::store {
namespace {

// Every suffix that sqlite gives to files of one database goes along: a log without its file would be replayed into the next.
Result<std::string> set_aside(const std::string& path) {
    std::error_code error;
    std::string to;
    for (int number = 1; number < 1000; ++number) {
        to = fmt::format("{}.set-aside-{}", path, number);
        if (!std::filesystem::exists(to, error)) break;
    }
    if (std::filesystem::exists(to, error))
        return fail(Errc::io, fmt::format("{}: cannot be set aside: too many were, up to {}", path, to),
                    "look why files are damaged again and again, and remove the old ones");
    for (const char* suffix : {"", "-wal", "-shm"}) {
        if (!std::filesystem::exists(path + suffix, error)) continue;
        std::filesystem::rename(path + suffix, to + suffix, error);
        if (error)
            return fail(Errc::io,
                        fmt::format("{}: cannot be set aside as {}: {}", path + suffix, to + suffix, error.message()));
    }
    return to;
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(std::string path, std::string boot_id, const Stamp& now, Limits limits,
                                           std::span<const FactSpec> sparse, std::optional<Error>* damage) {
    auto claim = Claim::take(path);
    if (!claim) return tl::unexpected(std::move(claim.error()));
    Error why;
    if (damage != nullptr && *damage) {
        why = **damage;
    } else {
        auto store = start(*claim, path, boot_id, now, limits, sparse);
        if (store || store.error().code != Errc::bad_input) return store;
        why = std::move(store.error());
    }
    const auto aside = set_aside(path);
    if (!aside) return tl::unexpected(aside.error());
    if (damage != nullptr) damage->reset();
    // Who is told of the trouble with the new one would else never hear of the old one.
    const auto both = [&](Error error) {
        error.what += fmt::format("; before that {} (kept as {})", why.what, *aside);
        return tl::unexpected(std::move(error));
    };
    auto store = start(*claim, path, boot_id, now, limits, sparse);
    if (!store) return both(std::move(store.error()));
    const std::string note = fmt::format("{} (kept as {}; a new store was begun)", why.what, *aside);
    const Millis at = (*store)->axis_.at(now);
    if (auto done = (*store)->own_event("set-aside", note, at, at); !done) return both(std::move(done.error()));
    (*store)->notes_.push_back(note);
    return store;
}

Result<std::unique_ptr<Store>> Store::start(Claim& claim, const std::string& path, const std::string& boot_id,
                                            const Stamp& now, Limits limits, std::span<const FactSpec> sparse) {
    auto database = Database::open(path, Database::Mode::write);
    if (!database) return tl::unexpected(std::move(database.error()));
    if (auto done = prepare_schema(*database); !done) return tl::unexpected(std::move(done.error()));
    // FULL: a flush that has returned is on the disk when the power goes. It is one a minute. What is dropped is no secret: to write
    // zeros over it, as some builds of sqlite do, would need as much room as it frees.
    if (auto done = database->run(
            fmt::format("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -{};"
                        "PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF",
                        Database::kCacheKib));
        !done) {
        return tl::unexpected(std::move(done.error()));
    }
    auto dictionary = Dictionary::open(*database);
    if (!dictionary) return tl::unexpected(std::move(dictionary.error()));
    std::unique_ptr<Store> store(
        new Store(std::move(claim), std::move(*database), std::move(*dictionary), limits, sparse));
    auto done = store->begin_run(boot_id, now);
    if (!done) {
        claim = std::move(store->claim_);
        return tl::unexpected(std::move(done.error()));
    }
    store->claim_.remember();
    return store;
}

Result<> Store::begin_run(const std::string& boot_id, const Stamp& now) {
    std::optional<Millis> last;
    bool clean = true;
    {
        auto run = database_.prepare("SELECT to_ms, clean FROM run ORDER BY id DESC LIMIT 1");
        if (!run) return tl::unexpected(std::move(run.error()));
        auto row = run->step();
        if (!row) return tl::unexpected(std::move(row.error()));
        if (*row) {
            last = run->integer(0);
            clean = run->integer(1) != 0;
        }
    }
    if (!clean) {
        // Killed, or the power went: is everything as it was left?
        auto check = database_.prepare("PRAGMA quick_check(1)");
        if (!check) return tl::unexpected(std::move(check.error()));
        auto row = check->step();
        if (!row) return tl::unexpected(std::move(row.error()));
        if (!*row || check->text(0) != "ok") {
            return fail(Errc::bad_input,
                        fmt::format("{}: damaged: {}", database_.path(), *row ? check->text(0) : "no answer"));
        }
    }
    auto ahead = read_clock(database_);
    if (!ahead) return tl::unexpected(std::move(ahead.error()));
    {
        // Events are written at once, so they may be younger than what the run has kept of samples.
        const auto event = database_.integer("SELECT coalesce(max(last_ms), 0) FROM event");
        if (!event) return tl::unexpected(event.error());
        if (*event > 0) last = std::max(last.value_or(*event), *event);
    }
    axis_ = Axis(last, std::move(*ahead));
    begun_ = axis_.at(now);
    step_clock();

    auto journal = database_.prepare("INSERT INTO journal (from_ms, to_ms, data) VALUES (?1, ?2, ?3)");
    auto state = database_.prepare("INSERT OR REPLACE INTO state (series, at_ms, value, gap) VALUES (?1, ?2, ?3, ?4)");
    auto last_state = database_.prepare(
        "SELECT 1 FROM state WHERE series = ?1 AND value IS ?2 AND gap IS ?3 AND at_ms = "
        "(SELECT max(at_ms) FROM state WHERE series = ?1)");
    auto run = database_.prepare("UPDATE run SET to_ms = ?2, clean = ?3 WHERE id = ?1");
    auto clock = database_.prepare("INSERT OR REPLACE INTO clock (at_ms, ahead_ms) VALUES (?1, ?2)");
    auto event = database_.prepare(
        "INSERT INTO event (at_ms, last_ms, count, source, name, subject, entity, details) VALUES (?1, ?2, ?3, ?4, ?5, "
        "?6, ?7, ?8)");
    auto recount = database_.prepare("UPDATE event SET last_ms = ?2, count = ?3 WHERE id = ?1");
    auto begin = database_.prepare(
        "INSERT OR IGNORE INTO finding (rule, entity, from_ms, severity, title, text, rulebook) VALUES (?1, ?2, ?3, "
        "?4, ?5, ?6, ?7)");
    auto end = database_.prepare(
        "UPDATE finding SET to_ms = max(?3, from_ms) WHERE rule = ?1 AND entity = ?2 AND to_ms IS NULL");
    for (auto* one : {&journal, &state, &last_state, &run, &clock, &event, &recount, &begin, &end}) {
        if (!*one) return tl::unexpected(std::move(one->error()));
    }
    queries_ = std::make_unique<Queries>(Queries{std::move(*journal), std::move(*state), std::move(*last_state),
                                                 std::move(*run), std::move(*clock), std::move(*event),
                                                 std::move(*recount), std::move(*begin), std::move(*end)});

    auto transaction = Transaction::begin(database_);
    if (!transaction) return tl::unexpected(std::move(transaction.error()));
    auto add = database_.prepare("INSERT INTO run (boot_id, from_ms, to_ms) VALUES (?1, ?2, ?2)");
    if (!add) return tl::unexpected(std::move(add.error()));
    if (auto done = add->bind(1, boot_id).bind(2, begun_).run(); !done) return done;
    run_ = database_.last_id();
    if (!clean && last) {
        std::string note = fmt::format(
            "the last run was ended without being stopped: nothing is kept of up to {} s after its last flush",
            limits_.flush / 1000);
        if (auto done = own_event("lost", note, *last, begun_); !done) return done;
        notes_.push_back(std::move(note));
    }
    if (auto done = write_own(); !done) return done;
    if (auto done = transaction->commit(); !done) return done;
    own_written();
    return {};
}

}  // namespace rd::store
