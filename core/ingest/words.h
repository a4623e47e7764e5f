// SPDX-License-Identifier: GPL-2.0-or-later
// What the forms share: taking lines apart. All total functions over any bytes; nothing is interpreted here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/letters.h"
#include "core/ingest/answers.h"
#include "core/ingest/form.h"

namespace rd::ingest {

struct Pair {
    std::string_view key;
    std::string_view value;
};

// "key SEPARATOR value" at the first separator, both trimmed; nullopt without one, or without a key.
[[nodiscard]] std::optional<Pair> pair_of(std::string_view line, char separator = ':');
// Behind the first `mark`, trimmed; nullopt where it does not occur.
[[nodiscard]] std::optional<std::string_view> behind(std::string_view text, std::string_view mark);
// The word behind the first word `key` of a row ("… netdev ens1 …").
[[nodiscard]] std::optional<std::string_view> word_behind(const std::vector<std::string_view>& row,
                                                          std::string_view key);

[[nodiscard]] bool has(std::string_view text, std::string_view part);
[[nodiscard]] bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings);
[[nodiscard]] bool is_any(std::string_view text, std::initializer_list<std::string_view> words);
[[nodiscard]] bool indented(std::string_view line);
[[nodiscard]] std::string_view first_word(std::string_view line);
[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] bool is_digits(std::string_view text);
[[nodiscard]] bool is_hexadecimal(std::string_view text);
// Letters, digits and . _ - only, at most 63: may name a device, a netdev, a counter.
[[nodiscard]] bool is_name(std::string_view text);
// A name with a digit that is not a number: mlx5_0, ens1. Words of a sentence are names too, and mostly not of this kind.
[[nodiscard]] bool is_numbered_name(std::string_view text);

// The whole number at the front ("4096 (5)", "0x40", "64 kB"); nullopt without one.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);
// The decimal fraction at the front, as text ("25.0 Gbps" → "25.0"); empty without one.
[[nodiscard]] std::string_view number_text(std::string_view text);
// "on" "yes" "enabled" "true" and "1" → "1", their opposites → "0"; empty for anything else.
[[nodiscard]] std::string_view switch_of(std::string_view word);

// 0x9aecdde400000042 or 9aec:dde4:0000:0042 → the latter, as sysfs writes it; nullopt for anything else.
[[nodiscard]] std::optional<std::string> guid_of(std::string_view text);
// A GID in any spelling, shortened or with a dotted tail → eight groups of four digits; nullopt for anything else.
[[nodiscard]] std::optional<std::string> gid_of(std::string_view text);
// "4: ACTIVE" of "Active", "PORT_ACTIVE (4)", "ACTIVE", "4: ACTIVE", as the files state and phys_state have it; empty for other words.
[[nodiscard]] std::string port_state(std::string_view text);
[[nodiscard]] std::string physical_state(std::string_view text);

// That `name` is listed in /sys/class/net or /sys/class/infiniband: Answers::netdev, Answers::device. Of other folders nothing is known.
[[nodiscard]] std::string member_of_class(std::string_view folder, std::string_view name, Answers& answers);

// A pasted output may be cut or filtered, so what it lacks is "not collected" and never "not offered". One-object answers carry the
// field partial=1 for that (collectors/common/table.h). An empty value is none and is not put.
class Fields {
public:
    Fields(Answers& answers, std::string subject) : answers_(answers), subject_(std::move(subject)) {}
    void put(std::string_view key, std::string_view value);
    void put(std::string_view key, const std::optional<std::int64_t>& value);

private:
    Answers& answers_;
    std::string subject_;
};

// Whether the command is `program`, perhaps with an argument that decides which of its outputs it prints.
[[nodiscard]] inline bool runs(const Command& command, std::string_view program) { return command.is(program); }

}  // namespace rd::ingest
