// SPDX-License-Identifier: GPL-2.0-or-later
// How near a misspelt name is to a known one: the letters to insert, delete or replace (Levenshtein). Time and space grow with
// the product and the sum of the lengths: bounding what is compared is the caller's part.
#pragma once

#include <cstddef>
#include <string_view>

namespace rd {

[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace rd
