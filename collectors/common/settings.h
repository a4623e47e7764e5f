// SPDX-License-Identifier: GPL-2.0-or-later
// What configuration files declare, as facts. A declared value is what a file says: whether the program read that file, and whether
// something else overrides it, is another question, so the names of such facts begin with `declared_`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/collector.h"
#include "core/host/host.h"

namespace rd::collectors {

// One place at which a setting stands: the section, or the path within the tree ("engines.0.fabric_iface").
struct Setting {
    std::string at;
    std::string value;
};

// The answer of `config.FORMAT/NAME/PATH`, in the order of the file. Empty: the file does not set it.
[[nodiscard]] Result<std::vector<Setting>> read_settings(const Host& host, const std::string& subject);

// The row of what is declared of a service, or of how it was started.
constexpr FactSpec setting(std::string_view name, Type type, std::string_view unit, std::string_view doc) {
    return {Kind::service, name, type, Nature::config, unit, doc};
}

// One setting that becomes one fact.
struct Declared {
    std::string_view name;
    const FactSpec& spec;
    Parser parser;
};

// The value, or the gap: the file cannot be read; does not set it (not offered); sets what makes no sense. `value`: nullopt is "not set".
void put_declared(const Entity& entity, const Declared& declared, std::string_view subject,
                  const Result<std::optional<std::string>>& value, Plan& plan);

// In files with sections: what the first of `sections` (in any case) that sets it says last.
[[nodiscard]] std::optional<std::string> of_sections(const std::vector<Setting>& settings,
                                                     std::span<const std::string> sections);

// The number in a path: "engines.1.fabric_iface" → "1".
[[nodiscard]] std::optional<std::string> index_of(std::string_view at);

// Sizes as such files write them: 131072, 128K, 128KB, 128Ki, 4_M is none.
[[nodiscard]] Result<Value> as_declared_size(std::string_view text);
[[nodiscard]] Result<Value> as_declared_switch(std::string_view text);  // true, false, yes, no, 1, 0, on, off

}  // namespace rd::collectors
