// SPDX-License-Identifier: GPL-2.0-or-later
// Guesses for "did you mean": a complaint that names the way out costs its reader one look instead of a search.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rd {

// Those of `known` that differ from `typed` by few letters, best first, at most three.
[[nodiscard]] std::vector<std::string> nearest(std::string_view typed, std::span<const std::string_view> known);
// "did you mean a or b?"; empty when there is nothing to offer.
[[nodiscard]] std::string did_you_mean(std::span<const std::string> offers);
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace rd
