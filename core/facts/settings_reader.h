// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of rdmadoctor.toml, read by lists of their keys. Everyone who reads a part of that file complains alike: with file, line and
// column, the key, and for one that is not known the nearest that is, else all. Nothing of what a key means is known here.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd {

class Setting;
using TakeSetting = std::function<Result<>(const Setting&)>;
struct SettingKey {
    std::string_view name;
    TakeSetting take;
};
using SettingKeys = std::initializer_list<SettingKey>;

// The value of one key.
class Setting {
public:
    // `origin`: the file. `name`: with the tables it stands in, "alerts.hook.path".
    Setting(const toml::node& value, std::string name, std::string_view origin)
        : node(value), name_(std::move(name)), origin_(origin) {}

    const toml::node& node;

    // It is a table of these keys and no others.
    [[nodiscard]] Result<> table(SettingKeys keys) const;
    [[nodiscard]] Result<> is_table() const;

    // "FILE:LINE:COLUMN: NAME must WHAT"
    [[nodiscard]] Result<> must(std::string_view what) const;
    // "FILE:LINE:COLUMN: SENTENCE", of something within the value.
    [[nodiscard]] Result<> complain(const toml::node& of, std::string_view sentence, std::string remedy = {}) const;
    // "FILE:LINE:COLUMN: NAME", for who finds out only later what is wrong with it.
    [[nodiscard]] std::string place() const;

private:
    std::string name_;
    std::string_view origin_;
};

[[nodiscard]] Result<toml::table> parse_settings_file(std::string_view text, std::string_view origin);
// The top of a file.
[[nodiscard]] Result<> read_settings(const toml::table& file, std::string_view origin, SettingKeys keys);

[[nodiscard]] TakeSetting text_into(std::string& into);

// `Into`: std::int64_t or an optional one.
template <class Into>
[[nodiscard]] TakeSetting whole_number_into(Into& into, std::int64_t least, std::int64_t most) {
    return [&into, least, most](const Setting& setting) -> Result<> {
        const auto value = setting.node.value_exact<std::int64_t>();
        if (!value || *value < least || *value > most) {
            return setting.must("be a whole number, " + std::to_string(least) + " to " + std::to_string(most));
        }
        into = *value;
        return {};
    };
}

}  // namespace rd
