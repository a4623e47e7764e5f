// SPDX-License-Identifier: GPL-2.0-or-later
// Objects in text: rows "link mlx5_0/1 state ACTIVE …" and JSON of the iproute2 tools, as flat lists of keys and values. The JSON of
// some versions is not valid (a brace too few, values outside the object), so it is scanned for what is there and not parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rd::ingest {

struct Item {
    std::vector<std::pair<std::string, std::string>> values;  // keys with '_' for '-', in order

    // Empty where the item has no such key.
    [[nodiscard]] std::string_view get(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const;
    void set(std::string_view key, std::string_view value);
};

// The objects of a JSON text, inner ones in front of those that hold them; values that are lists or objects are left out.
[[nodiscard]] std::vector<Item> json_items(std::string_view text);
// Whether a line could stand in JSON as tools print it: it begins with a bracket, a comma or a quotation mark.
[[nodiscard]] bool is_json_line(std::string_view line);

// The rows of a table in words: alternating keys and values from `at` on.
[[nodiscard]] Item item_of(const std::vector<std::string_view>& row, std::size_t at);

}  // namespace rd::ingest
