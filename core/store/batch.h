// SPDX-License-Identifier: GPL-2.0-or-later
// What has been seen since the last flush: samples by series, and changes of states. From snapshots, without sql, so that it can be
// kept while the disk is full. The bytes of a flush ("journal row") are made and read here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/facts/snapshot.h"
#include "core/store/axis.h"
#include "core/store/columns.h"

namespace rd::store {

using SeriesId = std::int64_t;

// What is remembered of one slot of the layout.
struct Track {
    enum class How : std::uint8_t {
        fresh,    // not looked at yet
        none,     // not kept: processes, lines of logs
        samples,  // numbers that move: each reading
        sparse,   // the same, but one reading a flush: what the observer says of itself
        states,   // settings, texts, references: changes
    };
    How how = How::fresh;
    bool gap = false;        // the last reading was one
    Version version = 0;     // of the last reading
    std::uint64_t hash = 0;  // of the last state or gap
};

struct Change {
    SlotIndex slot;
    Millis at;
    Reading reading;
    bool back = false;  // a sampled series has numbers again: the reading is in the samples
};

struct Presence {
    EntityIndex entity;
    Millis at;
    bool there;
};

class Batch {
public:
    // `sparse`: rows of the catalogue of which one sample a flush is enough.
    explicit Batch(std::span<const FactSpec> sparse);

    void append(const Snapshot& snapshot, Millis at);

    [[nodiscard]] bool empty() const { return ticks_.empty(); }
    [[nodiscard]] Millis first() const { return ticks_.front(); }
    [[nodiscard]] Millis last() const { return ticks_.back(); }
    [[nodiscard]] const std::vector<Millis>& ticks() const { return ticks_; }
    [[nodiscard]] std::size_t samples() const { return samples_; }
    [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
    [[nodiscard]] const std::vector<Presence>& presences() const { return presences_; }
    // Slots that have samples.
    [[nodiscard]] std::vector<SlotIndex> sampled() const;
    [[nodiscard]] const Column& column(SlotIndex slot) const { return columns_[slot]; }

    // After a flush, or when what is held has to be given up. States stay known as they were last; `again` makes the next snapshots say
    // all of them once more, because the last changes were not kept.
    void clear();
    void again();
    // The next snapshots are of another layout.
    void restart();

private:
    void sample(SlotIndex slot, Track& track, const Reading& reading);
    void state(SlotIndex slot, Track& track, const Reading& reading);
    void changed(SlotIndex slot, Track& track, const Reading& reading, bool back);
    void look_for_entities(const Snapshot& snapshot);

    std::unordered_set<const FactSpec*> sparse_;
    std::vector<Track> tracks_;
    std::vector<Column> columns_;  // by slot; keep their memory from flush to flush
    std::vector<Change> changes_;
    std::vector<Presence> presences_;
    std::vector<bool> there_;
    std::vector<Millis> ticks_;
    std::size_t samples_ = 0;
};

// Is anything kept of entities of this kind? Processes come and go without end, lines of logs are events.
[[nodiscard]] bool is_kept(Kind kind);

// A journal row: the times of its sweeps, then each series with its column. Ids must ascend.
class JournalWriter {
public:
    explicit JournalWriter(const std::vector<Millis>& ticks);
    void add(SeriesId series, const Column& column);
    [[nodiscard]] std::string finish() const;  // compressed

private:
    std::string bytes_;
    SeriesId last_ = 0;
};

struct JournalEntry {
    SeriesId series;
    std::string_view column;  // into the bytes
};
struct JournalRow {
    std::shared_ptr<const std::string> bytes;  // where `entries` look: at one address, wherever the row goes
    std::vector<Millis> ticks;
    std::vector<JournalEntry> entries;
};
[[nodiscard]] Result<JournalRow> read_journal(std::string_view data, Millis from);

// Times as bytes, from a first one on.
void append_times(std::string& into, const std::vector<Millis>& times, Millis from);
[[nodiscard]] Result<std::vector<Millis>> take_times(std::string_view& bytes, Millis from);

}  // namespace rd::store
