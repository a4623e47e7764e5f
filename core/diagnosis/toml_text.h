// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "core/diagnosis/expression.h"

namespace rd {

// Where in `file` the byte stands that became byte `offset` of a TOML string whose opening quote is at `quote`. Knows the
// four kinds of string, their escapes, and that the newline after an opening ''' is no part of the text.
[[nodiscard]] Place place_in_string(std::string_view file, Place quote, std::size_t offset);

// The byte of `text` at `place`, where the text begins at line 1, column 1.
[[nodiscard]] std::size_t offset_of(std::string_view text, Place place);

}  // namespace rd
