// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "core/diagnosis/expression.h"

namespace rd {

// Where in `file` the byte stands that became byte `offset` of a TOML string whose opening quote is at `quote`. Knows the
// four kinds of string, their escapes, and that the newline after an opening ''' is no part of the text.
[[nodiscard]] Place place_in_string(std::string_view file, Place quote, std::size_t offset);

// The text before the first [[NAME]] when nothing but tables of that name (and below it) follows, else the whole. Told by how lines
// begin: in a string that holds such lines it may cut too early, and what is left is no TOML then.
[[nodiscard]] std::string_view without_last_tables(std::string_view text, std::string_view name);

// The byte of `text` at `place`, where the text begins at line 1, column 1.
[[nodiscard]] std::size_t offset_of(std::string_view text, Place place);

}  // namespace rd
