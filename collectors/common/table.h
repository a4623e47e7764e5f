// SPDX-License-Identifier: GPL-2.0-or-later
// What the files of this room share to fill tables: finding a row at compile time, parsers, and answers of subjects by key.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/records.h"
#include "core/facts/collector.h"

namespace rd::collectors {

// The row of a table by kind and name: a name that no row has does not compile. A collector may put only rows of its own table,
// so keep the reference at namespace scope: a lambda that captures a local one copies the row.
consteval const FactSpec& row(std::span<const FactSpec> table, Kind kind, std::string_view name) {
    for (const FactSpec& spec : table) {
        if (spec.kind == kind && spec.name == name) return spec;
    }
    throw "no such row";
}

// One file below a directory, or one key of an answer, that gives one fact.
struct Source {
    std::string_view name;
    const FactSpec& spec;
    Parser parser;
};

// A counter that drivers give by different names; the first that an answer has counts.
struct Alternatives {
    const FactSpec& spec;
    std::array<std::string_view, 4> names;
};

// --- parsers ----------------------------------------------------------------------------------------------------------
[[nodiscard]] Result<Value> as_label(std::string_view text);  // printable ASCII, not empty: versions, names of parts
[[nodiscard]] Result<Value> as_state_name(std::string_view text);  // "4: ACTIVE" → "ACTIVE"
[[nodiscard]] Result<Value> as_guid(std::string_view text);        // "506b:4b03:00f4:9f1c"
[[nodiscard]] Result<Value> as_hex(std::string_view text);         // "0x3a4" → 932
[[nodiscard]] Result<Value> as_upper(std::string_view text);       // "up" → "UP"
[[nodiscard]] Result<Value> as_count(std::string_view text);       // a whole number that is not negative

[[nodiscard]] Gap not_offered(std::string reason, std::string remedy = {});
[[nodiscard]] Gap not_collected(std::string reason, std::string remedy = {});

// Of answers taken from text, see Answer.
inline constexpr std::string_view kPartial = "partial";

// The fields of one answer by name. Statistics of a netdev have thousands, so they are looked up and not searched.
//
// An answer that was taken from pasted text has a field partial=1: what it lacks may have been cut off or filtered out, so it is not
// collected, where an answer of the host itself would mean that the driver or kernel does not have it.
class Answer {
public:
    // An Error names `subject`.
    [[nodiscard]] static Result<Answer> parse(std::string_view subject, std::string_view text);
    Answer(std::string_view subject, Record record);

    [[nodiscard]] const std::string* get(std::string_view key) const;
    [[nodiscard]] const std::string& subject() const { return subject_; }
    [[nodiscard]] bool partial() const { return get(kPartial) != nullptr; }
    // Why the field `name` is not there; `why` holds for whole answers.
    [[nodiscard]] Gap absent(std::string_view name, std::string_view why) const;
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const { return record_.fields(); }

    // The value of `source`, or the gap: `absent` says why the field may be missing.
    void put(const Entity& entity, const Source& source, Facts& out, std::string_view absent = {}) const;
    void put(const Entity& entity, std::span<const Source> sources, Facts& out, std::string_view absent = {}) const;
    void put(const Entity& entity, std::span<const Alternatives> counters, Facts& out, std::string_view absent) const;

private:
    std::string subject_;
    Record record_;
    std::unordered_map<std::string, std::size_t> index_;
};

// All that an answer was to give when it could not be taken apart.
void gap_all(const std::vector<Cover>& covers, const Gap& gap, Facts& out);

[[nodiscard]] std::vector<Cover> covers_of(const Entity& entity, std::span<const Source> sources);
[[nodiscard]] std::vector<Cover> covers_of(const Entity& entity, std::span<const Alternatives> counters);

// A read of one answer with known fields: everything of `sources` becomes a value or a gap.
void decode_fields(Plan& plan, std::string subject, const Entity& entity, std::span<const Source> sources,
                   std::string_view absent = {});

}  // namespace rd::collectors
