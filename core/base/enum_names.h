// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rd {

// Back from a name to the enumerator in its place; false, and `out` as it was, for a name that is none.
template <class Enum, std::size_t N>
[[nodiscard]] bool from_name(const std::array<std::string_view, N>& names, std::string_view name, Enum& out) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return false;
    out = static_cast<Enum>(found - names.begin());
    return true;
}

}  // namespace rd
