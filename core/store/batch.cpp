// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/store/batch.h"

#include <bit>

namespace rd::store {
namespace {

constexpr std::size_t kMostJournal = 256u << 20;
constexpr int kLevel = 1;  // it is packed anew within the hour

std::uint64_t hash_of(const Reading& reading) {
    const std::hash<std::string> text;
    if (!reading) {
        const Gap& gap = reading.error();
        return (text(gap.reason) * 31 + text(gap.remedy)) * 31 + std::uint64_t(gap.kind) + 1;
    }
    return text(print(*reading)) * 31 + reading->index();
}

Track::How how_to_keep(const FactSpec& spec, const std::unordered_set<const FactSpec*>& sparse) {
    if (!is_kept(spec.kind)) return Track::How::none;
    const bool number = spec.type == Type::integer || spec.type == Type::real;
    if (!number || spec.nature == Nature::config) return Track::How::states;
    return sparse.contains(&spec) ? Track::How::sparse : Track::How::samples;
}

std::int64_t bits_of(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return std::bit_cast<std::int64_t>(*real);
    return std::get<std::int64_t>(value);
}

}  // namespace

bool is_kept(Kind kind) { return kind != Kind::process && kind != Kind::log; }

Batch::Batch(std::span<const FactSpec> sparse) {
    for (const FactSpec& spec : sparse) sparse_.insert(&spec);
}

void Batch::append(const Snapshot& snapshot, Millis at) {
    const Layout& layout = snapshot.layout();
    tracks_.resize(layout.slot_count());
    columns_.resize(layout.slot_count());
    ticks_.push_back(at);
    look_for_entities(snapshot);
    for (SlotIndex slot = 0; slot < tracks_.size(); ++slot) {
        if (!snapshot.fresh(slot)) continue;
        Track& track = tracks_[slot];
        if (track.how == Track::How::fresh) track.how = how_to_keep(*layout.slot(slot).spec, sparse_);
        if (track.how == Track::How::none) continue;
        const Version version = snapshot.version(slot);
        const bool same = version == track.version && version != 0;
        track.version = version;
        if (track.how == Track::How::states || track.gap) {
            if (same) continue;
        }
        const Reading& reading = *snapshot.at(slot);
        if (track.how == Track::How::states) {
            state(slot, track, reading);
        } else {
            sample(slot, track, reading);
        }
    }
}

void Batch::sample(SlotIndex slot, Track& track, const Reading& reading) {
    if (!reading) {
        state(slot, track, reading);
        track.gap = true;
        return;
    }
    if (track.gap) changed(slot, track, reading, true);
    track.gap = false;
    Column& column = columns_[slot];
    if (track.how == Track::How::sparse && !column.ticks.empty()) {
        column.ticks.clear();
        column.values.clear();
        --samples_;
    }
    column.ticks.push_back(static_cast<std::uint32_t>(ticks_.size() - 1));
    column.values.push_back(bits_of(*reading));
    ++samples_;
}

void Batch::state(SlotIndex slot, Track& track, const Reading& reading) {
    const std::uint64_t hash = hash_of(reading);
    if (hash != track.hash) changed(slot, track, reading, false);
    track.hash = hash;
}

void Batch::changed(SlotIndex slot, Track& track, const Reading& reading, bool back) {
    changes_.push_back({slot, ticks_.back(), reading, back});
    if (back) track.hash = 0;
}

void Batch::look_for_entities(const Snapshot& snapshot) {
    const Layout& layout = snapshot.layout();
    there_.resize(layout.entity_count());
    for (EntityIndex entity = 0; entity < there_.size(); ++entity) {
        const bool now = snapshot.has(entity);
        if (now == there_[entity]) continue;
        there_[entity] = now;
        if (is_kept(layout.entity(entity).kind)) presences_.push_back({entity, ticks_.back(), now});
    }
}

std::vector<SlotIndex> Batch::sampled() const {
    std::vector<SlotIndex> slots;
    for (SlotIndex slot = 0; slot < columns_.size(); ++slot) {
        if (!columns_[slot].values.empty()) slots.push_back(slot);
    }
    return slots;
}

void Batch::clear() {
    for (Column& column : columns_) {
        column.ticks.clear();
        column.values.clear();
    }
    // The first batch of a run has everything that there is, the others next to nothing.
    changes_ = std::vector<Change>();
    presences_ = std::vector<Presence>();
    ticks_.clear();
    samples_ = 0;
}

void Batch::again() {
    for (Track& track : tracks_) {
        track.version = 0;
        track.hash = 0;
        track.gap = false;
    }
    there_.assign(there_.size(), false);
}

void Batch::restart() {
    clear();
    tracks_.clear();
    columns_.clear();
    there_.clear();
}

void append_times(std::string& into, const std::vector<Millis>& times, Millis from) {
    append_number(into, times.size());
    for (const Millis time : times) {
        append_number(into, static_cast<std::uint64_t>(time - from));
        from = time;
    }
}

Result<std::vector<Millis>> take_times(std::string_view& bytes, Millis from) {
    const auto count = take_number(bytes);
    if (!count) return tl::unexpected(count.error());
    if (*count > kMostSamples) return fail(Errc::bad_input, "a chunk is damaged: more sweeps than a stretch has");
    std::vector<Millis> times;
    times.reserve(*count);
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto step = take_number(bytes);
        if (!step) return tl::unexpected(step.error());
        from = static_cast<Millis>(static_cast<std::uint64_t>(from) + *step);
        times.push_back(from);
    }
    return times;
}

JournalWriter::JournalWriter(const std::vector<Millis>& ticks) { append_times(bytes_, ticks, ticks.front()); }

void JournalWriter::add(SeriesId series, const Column& column) {
    append_number(bytes_, static_cast<std::uint64_t>(series - last_));
    last_ = series;
    std::string one;
    append(one, column, Packing::none);
    append_number(bytes_, one.size());
    bytes_ += one;
}

std::string JournalWriter::finish() const { return compress(bytes_, kLevel); }

Result<JournalRow> read_journal(std::string_view data, Millis from) {
    auto bytes = decompress(data, kMostJournal);
    if (!bytes) return tl::unexpected(std::move(bytes.error()));
    JournalRow row;
    row.bytes = std::make_shared<const std::string>(std::move(*bytes));
    std::string_view rest = *row.bytes;
    auto ticks = take_times(rest, from);
    if (!ticks) return tl::unexpected(std::move(ticks.error()));
    row.ticks = std::move(*ticks);
    SeriesId series = 0;
    while (!rest.empty()) {
        const auto step = take_number(rest), size = take_number(rest);
        if (!step || !size || *size > rest.size())
            return fail(Errc::bad_input, "a chunk is damaged: a series ends early");
        series = static_cast<SeriesId>(static_cast<std::uint64_t>(series) + *step);
        row.entries.push_back({series, rest.substr(0, *size)});
        rest.remove_prefix(*size);
    }
    return row;
}

}  // namespace rd::store
