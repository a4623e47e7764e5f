// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/settings.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/facts/settings_reader.h"

namespace rd::daemon {
namespace {

using std::chrono::nanoseconds;

TakeSetting duration(nanoseconds& into, nanoseconds least, nanoseconds most) {
    return [&into, least, most](const Setting& setting) -> Result<> {
        const auto value = parse_duration(setting.node.value_or(std::string()));
        if (!value || *value < least || *value > most) {
            return setting.must(
                fmt::format("be a time from \"{}\" to \"{}\"", print_duration(least), print_duration(most)));
        }
        into = *value;
        return {};
    };
}

TakeSetting millis(store::Millis& into, nanoseconds least, nanoseconds most) {
    return [&into, least, most](const Setting& setting) -> Result<> {
        nanoseconds value{};
        auto done = duration(value, least, most)(setting);
        if (done) into = std::chrono::duration_cast<std::chrono::milliseconds>(value).count();
        return done;
    };
}

Result<> take_contexts(const Setting& setting, Settings& settings) {
    const std::string word = setting.node.value_or(std::string());
    for (const auto& [name, policy] :
         {std::pair("auto", ContextPolicy::automatic), std::pair("always", ContextPolicy::always),
          std::pair("never", ContextPolicy::never)}) {
        if (word != name) continue;
        settings.contexts = policy;
        return {};
    }
    return setting.must("be \"auto\", \"always\" or \"never\"");
}

Result<> take_size(const Setting& setting, std::int64_t& into) {
    const auto value = parse_size(setting.node.value_or(std::string()));
    if (!value || *value < (16 << 20)) return setting.must("be a size of \"16M\" or more");
    into = *value;
    return {};
}

Result<> take_port(const Setting& setting, std::uint16_t& into) {
    const auto port = setting.node.value_exact<std::int64_t>();
    if (!port || *port < 0 || *port > 65535) return setting.must("be 0 (none) to 65535");
    into = static_cast<std::uint16_t>(*port);
    return {};
}

Result<> read_daemon(const Setting& table, Settings& settings) {
    return table.table(
        {{"interval", duration(settings.interval, std::chrono::milliseconds(200), std::chrono::minutes(1))},
         {"contexts", [&](const Setting& word) { return take_contexts(word, settings); }}});
}

// A file that is not ours is set aside for a new store: a slip of the pen in this line must not do that to /etc/passwd.
Result<> take_store(const Setting& setting, std::string& into) {
    if (auto done = text_into(into)(setting); !done) return done;
    if (!into.empty() && !into.ends_with(".db")) return setting.must("be a path that ends with .db, or empty");
    return {};
}

Result<> read_store(const Setting& table, Settings& settings) {
    store::Limits& limits = settings.limits;
    const auto hour = std::chrono::hours(1), years = std::chrono::hours(24 * 3660);
    return table.table({{"path", [&](const Setting& path) { return take_store(path, settings.store); }},
                        {"flush", millis(limits.flush, std::chrono::seconds(1), std::chrono::minutes(10))},
                        {"samples", millis(limits.keep_samples, hour, years)},
                        {"minutes", millis(limits.keep_minutes, hour, years)},
                        {"hours", millis(limits.keep_hours, hour, years)},
                        {"events", millis(limits.keep_events, hour, years)},
                        {"size", [&](const Setting& size) { return take_size(size, limits.most_bytes); }}});
}

Result<> read_api(const Setting& table, Settings& settings) {
    return table.table({{"socket", text_into(settings.socket)},
                        {"group", text_into(settings.group)},
                        {"control", text_into(settings.control)},
                        {"metrics_port", [&](const Setting& port) { return take_port(port, settings.metrics_port); }},
                        {"textfile", text_into(settings.textfile)}});
}

struct Table {
    const char* name;
    Result<> (*read)(const Setting&, Settings&);
};
constexpr Table kTables[] = {{"daemon", read_daemon}, {"store", read_store}, {"api", read_api}};

}  // namespace

Result<Settings> parse_settings(std::string_view text, std::string_view origin) {
    const auto file = parse_settings_file(text, origin);
    if (!file) return tl::unexpected(file.error());
    Settings settings;
    for (const auto& [name, read] : kTables) {
        const toml::node* table = file->get(name);
        if (table == nullptr) continue;
        if (auto done = read(Setting(*table, name, origin), settings); !done)
            return tl::unexpected(std::move(done.error()));
    }
    return settings;
}

}  // namespace rd::daemon
