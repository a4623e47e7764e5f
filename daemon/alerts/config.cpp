// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/config.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "core/facts/settings_reader.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

constexpr nanoseconds kDay = 24h;

TakeSetting duration(nanoseconds& into, nanoseconds least, nanoseconds most) {
    return [&into, least, most](const Setting& setting) -> Result<> {
        const auto text = setting.node.value_exact<std::string>();
        const auto parsed = text ? parse_duration(*text) : Result<nanoseconds>(fail(Errc::bad_input, ""));
        if (!parsed || *parsed < least || *parsed > most) {
            return setting.must(
                fmt::format("be a time between \"{}\" and \"{}\"", print_duration(least), print_duration(most)));
        }
        into = *parsed;
        return {};
    };
}

TakeSetting size(std::int64_t& into, std::int64_t least) {
    return [&into, least](const Setting& setting) -> Result<> {
        const auto text = setting.node.value_exact<std::string>();
        const auto parsed = text ? parse_size(*text) : Result<std::int64_t>(fail(Errc::bad_input, ""));
        if (!parsed || *parsed < least) {
            return setting.must(fmt::format("be a size such as \"64M\", at least {} bytes", least));
        }
        into = *parsed;
        return {};
    };
}

bool one_line(std::string_view text) {
    for (const char byte : text) {
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) return false;
    }
    return true;
}

TakeSetting path(std::string& into) {
    return [&into](const Setting& setting) -> Result<> {
        const auto text = setting.node.value_exact<std::string>();
        if (!text || (!text->empty() && !text->starts_with('/')) || !one_line(*text)) {
            return setting.must("be an absolute path");
        }
        into = *text;
        return {};
    };
}

bool is_url(std::string_view text) {
    return (text.starts_with("http://") || text.starts_with("https://")) && one_line(text) && !text.ends_with("://") &&
           text.find(' ') == std::string_view::npos;
}

Result<> take_urls(const Setting& setting, std::vector<std::string>& into) {
    constexpr std::string_view kList = "be a list of texts such as \"https://alerts.example.net:9093\"";
    if (!setting.node.is_array()) return setting.must(kList);
    into.clear();
    for (const toml::node& item : *setting.node.as_array()) {
        const auto text = item.value_exact<std::string>();
        if (!text || !is_url(*text)) return setting.must(kList);
        std::string url = *text;
        while (url.ends_with('/')) url.pop_back();
        into.push_back(std::move(url));
    }
    return {};
}

Result<> take_severity(const Setting& setting, Severity& into) {
    const auto text = setting.node.value_exact<std::string>();
    if (!text || !severity_from_name(*text, into)) {
        return setting.must("be \"info\", \"low\", \"medium\", \"high\" or \"critical\"");
    }
    return {};
}

Result<> take_url(const Setting& setting, std::string& into) {
    const auto text = setting.node.value_exact<std::string>();
    if (!text || (!text->empty() && !is_url(*text))) return setting.must("be an http or https URL");
    into = *text;
    return {};
}

Result<> read_hook(const Setting& table, HookConfig& hook) {
    return table.table({{"path", path(hook.path)},
                        {"timeout", duration(hook.timeout, 100ms, 10min)},
                        {"at_once", whole_number_into(hook.at_once, 1, 64)},
                        {"queue", whole_number_into(hook.queue, 1, 100'000)}});
}

Result<> read_alertmanager(const Setting& table, AlertmanagerConfig& manager) {
    return table.table({{"urls", [&](const Setting& list) { return take_urls(list, manager.urls); }},
                        {"spool", path(manager.spool)},
                        {"most_entries", whole_number_into(manager.most_entries, 16, 1'000'000)},
                        {"most_bytes", size(manager.most_bytes, 64 << 10)},
                        {"timeout", duration(manager.timeout, 100ms, 10min)},
                        {"resend", duration(manager.resend, 100ms, 1h)},
                        {"retry", duration(manager.retry, 10ms, 1h)},
                        {"retry_most", duration(manager.retry_most, 10ms, kDay)},
                        {"ca_file", path(manager.ca_file)},
                        {"cert_file", path(manager.cert_file)},
                        {"key_file", path(manager.key_file)},
                        {"bearer_token_file", path(manager.bearer_token_file)},
                        {"generator_url", [&](const Setting& url) { return take_url(url, manager.generator_url); }}});
}

}  // namespace

Result<AlertsConfig> parse_alerts_file(std::string_view text, std::string_view origin) {
    const auto file = parse_settings_file(text, origin);
    if (!file) return tl::unexpected(file.error());
    AlertsConfig config;
    const toml::node* alerts = file->get("alerts");
    if (alerts == nullptr) return config;
    BookConfig& book = config.book;
    auto done = Setting(*alerts, "alerts", origin)
                    .table({{"least", [&](const Setting& least) { return take_severity(least, book.least); }},
                            {"hold", duration(book.hold, 0s, kDay)},
                            {"clear_after", duration(book.clear_after, 0s, kDay)},
                            {"flap_count", whole_number_into(book.flap_count, 2, 1000)},
                            {"flap_window", duration(book.flap_window, 1s, kDay)},
                            {"repeat", duration(book.repeat, 0s, 30 * kDay)},
                            {"hook", [&](const Setting& table) { return read_hook(table, config.hook); }},
                            {"alertmanager",
                             [&](const Setting& table) { return read_alertmanager(table, config.alertmanager); }}});
    if (!done) return tl::unexpected(std::move(done.error()));
    return config;
}

}  // namespace rd::daemon
