// SPDX-License-Identifier: GPL-2.0-or-later
// The writer of metrics.db. One thread uses it. It goes on whatever happens to the file, and says what it lost: as an event in the
// store, and in notes for the log.
//
// What a kill costs: samples and states since the last flush, at most `flush` long; events and findings are written at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/batch.h"
#include "core/store/claim.h"
#include "core/store/dictionary.h"
#include "core/store/sqlite.h"

namespace rd::store {

struct Limits {
    Millis flush = 60'000;
    Millis keep_samples = 48 * 3'600'000LL;
    Millis keep_minutes = 30 * 86'400'000LL;
    Millis keep_hours = 400 * 86'400'000LL;
    Millis keep_events = 90 * 86'400'000LL;  // and cleared findings, and states that were followed by others
    std::int64_t most_bytes = 512LL << 20;   // of the file; the oldest of what there is most of goes first
};

struct Event {
    Stamp at;
    std::string source;   // "verbs", "link", "kmsg", "store", …
    std::string name;     // "PORT_ERR", "carrier-down", "lost"
    std::string subject;  // as the kernel calls it: "mlx5_0/1"
    std::optional<Entity> entity;
    std::string details;  // "key=value key=value", or the text of a line
    std::uint64_t count = 1;
};

struct FindingRow {
    std::string rule;
    Entity subject;
    std::string severity, title, text, rulebook;
    Millis before = 0;  // so long before it was seen it began
};

class Store {
public:
    // `boot_id` of the host, `now` of it. A file that is not ours, or damaged, is set aside under another name in the same directory and
    // a new one begun: see notes(). `damage`: what was found in it while it was written, which a look at the start may not find; taken back
    // once the file is set aside. An Error: there can be no store here, or another process writes it (timed_out); the caller goes on without.
    static Result<std::unique_ptr<Store>> open(std::string path, std::string boot_id, const Stamp& now, Limits limits,
                                               std::span<const FactSpec> sparse,
                                               std::optional<Error>* damage = nullptr);
    ~Store();  // as a kill: nothing is written any more
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // Takes a sweep in, and flushes when it is time. An Error means that nothing was flushed; what was taken in is held until a later
    // flush, up to ten times its length, and then given up from the beginning on.
    Result<> append(const Snapshot& snapshot);
    // not_found: the file is not there any more under its name. This object is of no use then; open it anew.
    Result<> flush();

    // All of them or none. Gives the number of each row. not_found as for a flush.
    Result<std::vector<std::int64_t>> add(std::span<const Event> events);
    // They were not one but `count`, up to `last`. All of them or none; not_found as for a flush.
    struct Recount {
        std::int64_t row;
        std::uint64_t count;
        Stamp last;
    };
    Result<> recount(std::span<const Recount> events);

    // What one sweep found and what it no longer did: all of it or nothing. A finding that goes on already is left as it is.
    struct Ended {
        std::string rule;
        Entity subject;
    };
    struct Found {
        std::vector<FindingRow> begun;
        std::vector<Ended> ended;
        Millis before = 0;  // so long before it is written it was seen
    };
    Result<> write(const Found& found, const Stamp& at) { return write({&found, 1}, at); }
    // Of several sweeps, one after the other.
    Result<> write(std::span<const Found> sweeps, const Stamp& at);
    // Those that have not ended yet, as what may end them.
    [[nodiscard]] Result<std::vector<Ended>> open_findings();

    // Packs hours that are over and removes what is too old or too much, this also where there is no room to pack. Takes up to some
    // hundred milliseconds once an hour.
    Result<> maintain();

    // Writes everything and ends the run: what comes after it is no loss.
    Result<> close();

    // How far back samples that were taken in are not in the file; `behind`: the last flush failed.
    [[nodiscard]] Millis unwritten() const;
    [[nodiscard]] bool behind() const { return behind_; }

    // What somebody should be told since the last call.
    [[nodiscard]] std::vector<std::string> notes();
    [[nodiscard]] Result<std::int64_t> bytes() const;  // of the file

private:
    struct Queries;
    Store(Claim claim, Database database, Dictionary dictionary, Limits limits, std::span<const FactSpec> sparse);
    static Result<std::unique_ptr<Store>> start(Claim& claim, const std::string& path, const std::string& boot_id,
                                                const Stamp& now, Limits limits, std::span<const FactSpec> sparse);
    Result<> begin_run(const std::string& boot_id, const Stamp& now);
    Result<> pack_hours(Millis now);
    Result<> write();
    Result<> write_found(const Found& found, Millis at);
    Result<> begin_finding(const FindingRow& finding, Millis at);
    Result<> end_finding(const Ended& finding, Millis at);
    Result<> write_samples(std::string& data);
    Result<> write_states();
    Result<> write_state(SeriesId series, Millis at, const Reading& reading, bool back);
    void step_clock();
    Result<> write_clock();
    // What the store says of itself: steps of the clock, and what was given up. It is written until a commit has put it into the file.
    Result<> write_own();
    void own_written();
    Result<std::int64_t> add_one(const Event& event);
    Result<> own_event(std::string_view name, std::string details, Millis from, Millis to);
    void give_up(const Error& why);
    void give_up_when_much(const Error& why);

    Claim claim_;
    Database database_;
    Dictionary dictionary_;
    std::unique_ptr<Queries> queries_;
    Limits limits_;
    Axis axis_;
    Batch batch_;
    std::shared_ptr<const Layout> layout_;  // of the snapshots in the batch
    std::int64_t run_ = 0;
    Millis begun_ = 0;  // when the batch began, or the last try to flush it failed
    bool behind_ = false;
    std::optional<std::pair<Millis, Millis>> given_up_;  // samples that are gone and not yet said to be
    std::vector<Axis::Step> steps_;                      // of the clock, not yet written
    std::vector<std::string> notes_;
};

}  // namespace rd::store
