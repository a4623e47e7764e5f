// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/version.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace rd {

std::optional<std::vector<std::uint64_t>> parse_version(std::string_view text) {
    text = trim(text);
    if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
    std::vector<std::uint64_t> parts;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::uint64_t part = 0;
        const auto [next, error] = std::from_chars(at, end, part);
        if (error != std::errc{}) break;
        parts.push_back(part);
        at = next;
        if (at == end || (*at != '.' && *at != '-')) break;
        ++at;
    }
    if (parts.empty()) return std::nullopt;
    return parts;
}

std::strong_ordering compare_versions(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::uint64_t left = i < a.size() ? a[i] : 0;
        const std::uint64_t right = i < b.size() ? b[i] : 0;
        if (left != right) return left <=> right;
    }
    return std::strong_ordering::equal;
}

}  // namespace rd
