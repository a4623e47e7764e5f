// SPDX-License-Identifier: GPL-2.0-or-later
// Reading a TOML file strictly: whatever is not understood is said, with its place, and reading goes on so that all
// complaints of a file come at once.
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/expression.h"

namespace rd {

class TomlReader {
public:
    TomlReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    // nullopt after a complaint.
    std::optional<toml::table> parse();

    void complain(Place place, std::string message, std::string hint = {});
    void complain(const toml::node& at, std::string message, std::string hint = {});
    // About byte `offset` of the contents of a string.
    void complain_inside(const toml::node& string, std::size_t offset, std::string message, std::string hint = {});

    void only(const toml::table& table, std::initializer_list<std::string_view> known);
    const toml::node* required(const toml::table& table, std::string_view key);

    // nullopt when there is none or, after a complaint, when it is something else.
    std::optional<std::string> text(const toml::table& table, std::string_view key);
    std::optional<bool> boolean(const toml::table& table, std::string_view key);
    std::optional<std::chrono::nanoseconds> duration(const toml::table& table, std::string_view key);
    const toml::table* table(const toml::table& in, std::string_view key);
    std::vector<std::string> texts(const toml::table& table, std::string_view key);
    std::vector<const toml::table*> tables(const toml::table& table, std::string_view key);
    // boolean, integer, real or text
    std::optional<Value> value(const toml::node& node);

    [[nodiscard]] static Place place_of(const toml::node& node);
    [[nodiscard]] const std::vector<Diagnostic>& complaints() const { return complaints_; }

private:
    std::string_view text_;
    std::string_view file_;
    std::vector<Diagnostic> complaints_;
};

}  // namespace rd
