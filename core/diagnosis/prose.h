// SPDX-License-Identifier: GPL-2.0-or-later
// Texts with placeholders: {netdev.mtu} a fact, {netdev} the name of what a reference leads to, {$rate} a parameter,
// {subject} the name of the subject. {{ and }} are braces.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rd {

struct Placeholder {
    std::size_t offset = 0;  // of its '{'
    std::string name;        // empty: a brace that opens or closes nothing
};

[[nodiscard]] std::vector<Placeholder> placeholders(std::string_view text);
// A brace that opens or closes nothing stays as it is.
[[nodiscard]] std::string fill(std::string_view text, const std::function<std::string(std::string_view name)>& value);

}  // namespace rd
