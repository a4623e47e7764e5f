// SPDX-License-Identifier: GPL-2.0-or-later
// Dotted versions as firmware and kernels write them: "28.39.1002 (MT_0000000838)", "226.0.145.0/pkg …", "6.1.0-57-amd64".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rd {

// The numbers at the front, separated by '.' or '-'; a leading 'v' is skipped. nullopt when there is none.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> parse_version(std::string_view text);
// Missing parts count as 0: 1.2 equals 1.2.0.
[[nodiscard]] std::strong_ordering compare_versions(const std::vector<std::uint64_t>& a,
                                                    const std::vector<std::uint64_t>& b);

}  // namespace rd
