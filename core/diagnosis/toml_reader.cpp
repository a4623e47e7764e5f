// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/toml_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/diagnosis/toml_text.h"

namespace rd {
namespace {

Place to_place(const toml::source_position& position) {
    return {static_cast<int>(position.line), static_cast<int>(position.column)};
}

}  // namespace

std::optional<toml::table> TomlReader::parse() {
    try {
        return toml::parse(text_);
    } catch (const toml::parse_error& error) {
        complain(to_place(error.source().begin), std::string(error.description()));
        return std::nullopt;
    }
}

Place TomlReader::place_of(const toml::node& node) { return to_place(node.source().begin); }

void TomlReader::complain(Place place, std::string message, std::string hint) {
    complaints_.push_back(
        Diagnostic{std::string(file_), place.line, place.column, std::move(message), std::move(hint)});
}

void TomlReader::complain(const toml::node& at, std::string message, std::string hint) {
    complain(place_of(at), std::move(message), std::move(hint));
}

void TomlReader::complain_inside(const toml::node& string, std::size_t offset, std::string message, std::string hint) {
    complain(place_in_string(text_, place_of(string), offset), std::move(message), std::move(hint));
}

void TomlReader::only(const toml::table& table, std::initializer_list<std::string_view> known) {
    for (const auto& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
        complain(to_place(key.source().begin), "unknown key '" + printable(key.str()) + "'",
                 did_you_mean(key.str(), std::span(known.begin(), known.size())));
    }
}

const toml::node* TomlReader::required(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) complain(table, "'" + std::string(key) + "' is missing");
    return node;
}

std::optional<std::string> TomlReader::text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto* string = node->as_string()) return string->get();
    complain(*node, "'" + std::string(key) + "' must be a text");
    return std::nullopt;
}

std::optional<bool> TomlReader::boolean(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto* boolean = node->as_boolean()) return boolean->get();
    complain(*node, "'" + std::string(key) + "' must be true or false");
    return std::nullopt;
}

std::optional<std::chrono::nanoseconds> TomlReader::duration(const toml::table& table, std::string_view key) {
    const auto string = text(table, key);
    if (!string) return std::nullopt;
    const auto parsed = parse_duration(*string);
    if (parsed && parsed->count() >= 0) return *parsed;
    complain(*table.get(key), "'" + std::string(key) + "' is not a duration: '" + printable(*string) + "'",
             "write it like \"500ms\", \"10s\", \"5m\", \"2h\" or \"1d\"");
    return std::nullopt;
}

const toml::table* TomlReader::table(const toml::table& in, std::string_view key) {
    const toml::node* node = in.get(key);
    if (node == nullptr) return nullptr;
    if (node->is_table()) return node->as_table();
    complain(*node, "'" + std::string(key) + "' must be a table");
    return nullptr;
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key) {
    std::vector<std::string> out;
    const toml::node* node = table.get(key);
    if (node == nullptr) return out;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        complain(*node, "'" + std::string(key) + "' must be an array of texts");
        return out;
    }
    for (const toml::node& element : *array) {
        if (const auto* string = element.as_string()) {
            out.push_back(string->get());
        } else {
            complain(element, "'" + std::string(key) + "' must be an array of texts");
        }
    }
    return out;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table, std::string_view key) {
    std::vector<const toml::table*> out;
    const toml::node* node = table.get(key);
    if (node == nullptr) return out;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        complain(*node, "'" + std::string(key) + "' must be an array of tables", "write [[" + std::string(key) + "]]");
        return out;
    }
    for (const toml::node& element : *array) {
        if (element.is_table()) {
            out.push_back(element.as_table());
        } else {
            complain(element, "'" + std::string(key) + "' must be an array of tables");
        }
    }
    return out;
}

std::optional<Value> TomlReader::value(const toml::node& node) {
    if (const auto* boolean = node.as_boolean()) return Value(boolean->get());
    if (const auto* integer = node.as_integer()) return Value(integer->get());
    if (const auto* string = node.as_string()) return Value(string->get());
    if (const auto* real = node.as_floating_point(); real != nullptr && std::isfinite(real->get()))
        return Value(real->get());
    complain(node, "must be true, false, a number or a text");
    return std::nullopt;
}

}  // namespace rd
