// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/common/table.h"
#include "core/base/letters.h"
#include "core/base/text.h"

namespace rd::collectors {
Result<std::vector<Setting>> read_settings(const Host& host, const std::string& subject) {
    const auto text = host.read(subject);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto records = parse_records(*text);
    if (!records) return fail(records.error().code, subject + ": " + records.error().what);
    std::vector<Setting> settings;
    for (const Record& record : *records) {
        auto value = record.get("value");
        if (!value) return fail(Errc::bad_input, subject + ": a place without a value");
        settings.push_back({record.get("at").value_or(std::string()), std::move(*value)});
    }
    return settings;
}

void put_declared(const Entity& entity, const Declared& declared, std::string_view subject,
                  const Result<std::optional<std::string>>& value, Plan& plan) {
    if (!value) return plan.gap(entity, declared.spec, gap_from(value.error()));
    if (!*value) {
        return plan.gap(entity, declared.spec, not_offered(fmt::format("{}: not set there", subject)));
    }
    const auto parsed = declared.parser(**value);
    if (parsed) return plan.put(entity, declared.spec, *parsed);
    plan.gap(entity, declared.spec,
             gap_from({parsed.error().code, fmt::format("{}: {}", subject, parsed.error().what), {}}));
}

std::optional<std::string> of_sections(const std::vector<Setting>& settings, std::span<const std::string> sections) {
    for (const std::string& section : sections) {
        const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                        [&](const Setting& setting) { return lower(setting.at) == lower(section); });
        if (found != settings.rend()) return found->value;
    }
    return std::nullopt;
}

std::optional<std::string> index_of(std::string_view at) {
    for (const std::string_view part : split(at, '.')) {
        if (!part.empty() && parse_counter(part)) return std::string(part);
    }
    return std::nullopt;
}

Result<Value> as_declared_size(std::string_view text) {
    std::string_view size = trim(text);
    if (size.ends_with('B')) size.remove_suffix(1);
    if (size.ends_with('i')) size.remove_suffix(1);
    const auto bytes = parse_size(size);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    return Value(*bytes);
}

Result<Value> as_declared_switch(std::string_view text) {
    const std::string word = lower(trim(text));
    if (word == "true" || word == "yes" || word == "1" || word == "on") return Value(true);
    if (word == "false" || word == "no" || word == "0" || word == "off") return Value(false);
    return fail(Errc::bad_input, "neither true nor false: '" + printable(word) + "'");
}

}  // namespace rd::collectors
