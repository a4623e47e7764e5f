// SPDX-License-Identifier: GPL-2.0-or-later
// What stands at one place of a text, by its letters alone. Private to the scanner (core/host/identifiers.cpp).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/host/identifiers.h"

namespace rd {

// The end of four numbers up to 255 with dots between them, and no fifth; else 0.
[[nodiscard]] std::size_t quad_end(std::string_view text, std::size_t from);
// Of a network that is nobody's own.
[[nodiscard]] bool is_private(const IdBytes& quad);

// The end of a UUID with dashes, underscores or escaped dashes; else 0.
[[nodiscard]] std::size_t uuid_end(std::string_view text, std::size_t from);

// Six pairs of digits are a MAC, eight a GUID; seven are a MAC behind the type of its hardware, as boot loaders write it.
struct Pairs {
    Form form;
    std::size_t from, to;
    char separator;  // '-' or '_'
};
[[nodiscard]] std::optional<Pairs> pairs_at(std::string_view text, std::size_t from);

// Three groups of four digits, as in 0011.2233.4455.
struct Triple {
    std::size_t to;
    bool letter;  // not all of them are decimal
};
[[nodiscard]] std::optional<Triple> triple_at(std::string_view text, std::size_t from);

// Whether the word before a value is one of these, or ends in '_' and one of these: "mac" for "base_mac: …", "mac=…" and "MAC …".
[[nodiscard]] bool is_behind(std::string_view text, std::size_t from, std::initializer_list<std::string_view> names);

}  // namespace rd
