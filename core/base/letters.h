// SPDX-License-Identifier: GPL-2.0-or-later
// The case of ASCII's letters, whatever the locale; every other byte stays as it is.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace rd {

[[nodiscard]] constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
    return out;
}

}  // namespace rd
