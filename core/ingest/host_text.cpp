// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/host_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/ingest/paths.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kMostContradictions = 5;
constexpr std::size_t kMostRecognised = 2000;
constexpr std::size_t kMostExisting = 100'000;

// What moves by itself: that two pastes differ in it says nothing.
bool is_unsteady(std::string_view name) {
    return starts_with(name, "/proc/") || starts_with(name, "ethtool.module/") ||
           starts_with(name, "rdma.resources/") || starts_with(name, "/sys/devices/system/");
}

// Fields of the later one win; returns whether one of them differed.
bool merge_record(Record& into, const Record& from) {
    Record merged;
    bool differs = false;
    for (const auto& [field, value] : into.fields()) {
        const auto other = from.get(field);
        differs = differs || (other && *other != value);
        merged.set(field, other.value_or(value));
    }
    for (const auto& [field, value] : from.fields()) {
        if (!into.get(field)) merged.set(field, value);
    }
    into = std::move(merged);
    return differs;
}

bool merge_records(Piece& into, const Piece& from) {
    if (from.dump) {
        into = from;
        return false;
    }
    bool differs = false;
    for (const Record& record : from.records) {
        const auto same = std::find_if(into.records.begin(), into.records.end(), [&](const Record& each) {
            return into.key.empty() || each.get(into.key) == record.get(into.key);
        });
        if (same == into.records.end()) {
            into.records.push_back(record);
        } else {
            differs = merge_record(*same, record) || differs;
        }
    }
    return differs;
}

std::size_t size_of(const Piece& piece) {
    std::size_t size = piece.text ? piece.text->size() : 0;
    for (const Record& record : piece.records) {
        for (const auto& [key, value] : record.fields()) size += key.size() + value.size() + 64;
    }
    return size + 200;
}

}  // namespace

// The fields that count go to the readings, the others stay.
Record HostText::without_counters(const std::string& name, const std::string& key, const Record& from) {
    Record rest;
    const std::string id = key.empty() ? std::string() : from.get(key).value_or(std::string());
    for (const auto& [field, value] : from.fields()) {
        if (field != key && is_counter(name, field)) {
            count({name, id, field}, value);
        } else {
            rest.set(field, value);
        }
    }
    return rest;
}

void HostText::count(Readings::Key key, std::string value) {
    if (one_moment_ && readings_.all().contains(key)) return;
    readings_.add(std::move(key), {now_, std::move(value)});
}

bool HostText::empty() const {
    return state_.empty() && readings_.empty() && links_.empty() && lists_.empty() && existing_.empty() &&
           logs_.empty() && identity_.kernel.empty();
}

void HostText::note(std::string text) {
    if (notes_.size() < 20 && std::find(notes_.begin(), notes_.end(), text) == notes_.end())
        notes_.push_back(std::move(text));
}

void HostText::printed_at(const TimeText& time) {
    if (time.has_date) {
        now_.wall_ns = time.ns;
    } else {
        now_.day_ns = time.ns;
    }
}

void HostText::take(const Section& section, const Form& form, const Answers& answers) {
    ++now_.section;
    if (answers.identity().wall_ns) now_.wall_ns = answers.identity().wall_ns;
    for (const auto& [name, piece] : answers.pieces()) take_piece(name, piece, section, form);
    for (const auto& [path, piece] : answers.links()) {
        if (piece.text) links_[path] = *piece.text;
    }
    for (const auto& [path, names] : answers.lists()) lists_[path] = names;
    for (const std::string& path : answers.existing()) {
        if (existing_.size() < kMostExisting) existing_.push_back(path);
    }
    take_identity(answers.identity());
    take_logs(answers);
    for (const std::string& text : answers.notes()) note(text);
    if (recognised_.size() < kMostRecognised) {
        recognised_.push_back({std::string(form.name), section.file, section.first_line, section.lines.size()});
    }
}

void HostText::file(std::string_view path, std::string text) {
    Piece piece;
    piece.text = std::move(text);
    piece.trust = Trust::verbatim;
    take_piece(std::string(path), piece, Section{}, Form{});
}

void HostText::link(std::string_view path, std::string_view target) {
    links_[std::string(path)] = std::string(target);
    existing_.emplace_back(path);
}

void HostText::take_identity(const Answers::Identity& identity) {
    if (!identity.hostname.empty()) identity_.hostname = identity.hostname;
    if (!identity.kernel.empty()) identity_.kernel = identity.kernel;
    if (!identity.machine.empty()) identity_.machine = identity.machine;
    if (identity.uid) identity_.uid = identity.uid;
    if (identity.uptime_ns) identity_.uptime_ns = identity.uptime_ns;
}

void HostText::take_logs(const Answers& answers) {
    for (const Answers::LogText& line : answers.logs()) {
        LogLine parsed = log_line_of(line.text).value_or(LogLine{});
        if (parsed.text.empty()) parsed.text = line.text;
        if (line.source.empty()) {
            logs_.kernel(parsed);
        } else {
            parsed.source = line.source;
            logs_.application(parsed, line.text);
        }
    }
}

void HostText::take_piece(const std::string& given, const Piece& piece, const Section& section, const Form& form) {
    Canonical canonical = canonical_path(given);
    for (auto& [path, target] : canonical.links) links_.emplace(std::move(path), std::move(target));
    const std::string& name = canonical.path;
    bytes_ += size_of(piece);
    if (bytes_ > kMostTextBytes) return note("there is more in it than is kept: the sections at its end are left out");
    if (piece.error) return take_state(name, piece, section, form);
    if (piece.text) {
        if (!is_counter(name, {})) return take_state(name, piece, section, form);
        return count({name, {}, {}}, *piece.text);
    }
    Piece rest = piece;
    rest.records.clear();
    for (const Record& record : piece.records) {
        Record kept = piece.dump ? record : without_counters(name, piece.key, record);
        if (!kept.empty()) rest.records.push_back(std::move(kept));
    }
    if (rest.dump || !rest.records.empty()) take_state(name, std::move(rest), section, form);
}

void HostText::take_state(const std::string& name, Piece piece, const Section& section, const Form& form) {
    const auto found = state_.find(name);
    State fresh{std::move(piece), section.first_line, std::string(form.name)};
    if (found == state_.end()) {
        state_.emplace(name, std::move(fresh));
        return;
    }
    State& old = found->second;
    if (fresh.piece.error) return;  // what was read once was there
    if (old.piece.error) {
        old = std::move(fresh);
    } else if (fresh.piece.text) {
        if (old.piece.text && old.piece.trust > fresh.piece.trust) return;
        const bool equal_trust = old.piece.trust == fresh.piece.trust;
        if (old.piece.text && *old.piece.text != *fresh.piece.text && equal_trust) contradiction(name, old, section);
        old = std::move(fresh);
    } else if (!old.piece.text) {
        if (merge_records(old.piece, fresh.piece)) contradiction(name, old, section);
        old.line = fresh.line;
    }
}

void HostText::contradiction(const std::string& name, const State& before, const Section& section) {
    if (is_unsteady(name) || ++contradictions_ > kMostContradictions) return;
    const auto place = [&](std::size_t line) {
        return section.file.empty() ? "line " + std::to_string(line) : section.file + " line " + std::to_string(line);
    };
    note(printable(name, 80) + ": not the same from " + place(section.first_line) + " on as at line " +
         std::to_string(before.line) + "; the later one counts");
}

}  // namespace rd::ingest
