// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/settings_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/nearest.h"
#include "core/base/text.h"

namespace rd {
namespace {

Result<> complaint(std::string_view origin, const toml::source_position& at, std::string_view what,
                   std::string remedy = {}) {
    return fail(Errc::bad_input, fmt::format("{}:{}:{}: {}", origin, at.line, at.column, what), std::move(remedy));
}

// `place`: the table they stand in, empty for the top.
Result<> read_keys(const toml::table& table, const std::string& place, std::string_view origin, SettingKeys keys) {
    for (const auto& [key, node] : table) {
        const auto* known =
            std::find_if(keys.begin(), keys.end(), [&](const SettingKey& one) { return one.name == key.str(); });
        if (known != keys.end()) {
            std::string name = place.empty() ? std::string(key.str()) : fmt::format("{}.{}", place, key.str());
            if (auto done = known->take(Setting(node, std::move(name), origin)); !done) return done;
            continue;
        }
        std::vector<std::string_view> names;
        for (const SettingKey& one : keys) names.push_back(one.name);
        std::string remedy = did_you_mean(key.str(), names);
        if (remedy.empty()) remedy = fmt::format("known here: {}", fmt::join(names, ", "));
        const std::string where = place.empty() ? "" : fmt::format(" in [{}]", place);
        return complaint(origin, key.source().begin, fmt::format("unknown key '{}'{}", printable(key.str()), where),
                         std::move(remedy));
    }
    return {};
}

}  // namespace

Result<> Setting::is_table() const {
    return node.is_table() ? Result<>{} : must(fmt::format("be a table: [{}]", name_));
}

Result<> Setting::table(SettingKeys keys) const {
    if (auto is = is_table(); !is) return is;
    return read_keys(*node.as_table(), name_, origin_, keys);
}

Result<> Setting::must(std::string_view what) const { return complain(node, fmt::format("{} must {}", name_, what)); }

Result<> Setting::complain(const toml::node& of, std::string_view sentence, std::string remedy) const {
    return complaint(origin_, of.source().begin, sentence, std::move(remedy));
}

std::string Setting::place() const { return complain(node, name_).error().what; }

Result<toml::table> parse_settings_file(std::string_view text, std::string_view origin) {
    try {
        return toml::parse(text, origin);
    } catch (const toml::parse_error& error) {
        return tl::unexpected(complaint(origin, error.source().begin, error.description()).error());
    }
}

Result<> read_settings(const toml::table& file, std::string_view origin, SettingKeys keys) {
    return read_keys(file, {}, origin, keys);
}

TakeSetting text_into(std::string& into) {
    return [&into](const Setting& setting) -> Result<> {
        const auto value = setting.node.value_exact<std::string>();
        if (!value) return setting.must("be text");
        into = *value;
        return {};
    };
}

}  // namespace rd
