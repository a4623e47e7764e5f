// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/nearest.h"

#include <algorithm>
#include <utility>

#include "core/base/edit_distance.h"

namespace rd {
namespace {

constexpr std::size_t kLongestCompared = 64;  // typed by a person; longer text is not a slip of the finger

}  // namespace

std::vector<std::string> nearest(std::string_view typed, std::span<const std::string_view> known) {
    std::vector<std::pair<std::size_t, std::string_view>> found;
    if (typed.empty() || typed.size() > kLongestCompared) return {};
    const std::size_t allowed = std::max<std::size_t>(1, typed.size() / 3);
    for (const std::string_view candidate : known) {
        if (candidate.size() > kLongestCompared) continue;
        const std::size_t d = edit_distance(typed, candidate);
        if (d <= allowed) found.emplace_back(d, candidate);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    for (const auto& [d, candidate] : found) {
        if (out.size() == 3) break;
        out.emplace_back(candidate);
    }
    return out;
}

std::string did_you_mean(std::span<const std::string> offers) {
    if (offers.empty()) return {};
    std::string out = "did you mean " + offers[0];
    for (std::size_t i = 1; i < offers.size(); ++i) out += (i + 1 == offers.size() ? " or " : ", ") + offers[i];
    return out + "?";
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known) {
    return did_you_mean(nearest(typed, known));
}

}  // namespace rd
