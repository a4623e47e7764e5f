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

// Also where it stands, for who looks whether there is such a thing: that depends on who they are.
TakeSetting placed_path(std::string& into, std::string& place) {
    return [take = path(into), &place](const Setting& setting) {
        place = setting.place();
        return take(setting);
    };
}

bool is_url(std::string_view text) {
    return (text.starts_with("http://") || text.starts_with("https://")) && one_line(text) && !text.ends_with("://") &&
           text.find(' ') == std::string_view::npos;
}

// Of a URL to which the path of the API is appended. What it says can be read in the log: no password stands in it.
Result<> check_server(std::string_view url) {
    const std::string_view rest = url.substr(url.find("://") + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::string_view path = rest.substr(authority.size());
    if (authority.find('@') != std::string_view::npos) {
        return fail(Errc::bad_input, "a user and password do not belong into a URL",
                    "name a file with a token in bearer_token_file, or a certificate in cert_file and key_file");
    }
    // "[::1]:9093"
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (authority.substr(0, colon).empty()) return fail(Errc::bad_input, "a URL without a host", "http://HOST:9093");
    if (colon != std::string_view::npos) {
        const auto port = parse_integer(authority.substr(colon + 1));
        if (!port || *port < 1 || *port > 65535) {
            return fail(Errc::bad_input, fmt::format("no port: '{}'", printable(authority.substr(colon + 1))),
                        "1 to 65535, mostly 9093");
        }
    }
    if (path.find_first_of("?#") != std::string_view::npos)
        return fail(Errc::bad_input, "a URL with an argument or a part of a page", "leave out what is behind the path");
    if (path.find("/api/v") != std::string_view::npos) {
        return fail(Errc::bad_input, fmt::format("the path of the API is appended: '{}'", printable(path)),
                    fmt::format("leave out {}", printable(path.substr(path.find("/api/v")))));
    }
    return {};
}

Result<> take_urls(const Setting& setting, std::vector<std::string>& into) {
    constexpr std::string_view kList = "be a list of texts such as \"https://alerts.example.net:9093\"";
    if (!setting.node.is_array()) return setting.must(kList);
    into.clear();
    for (const toml::node& item : *setting.node.as_array()) {
        const auto text = item.value_exact<std::string>();
        if (!text || !is_url(*text)) return setting.must(kList);
        if (auto fit = check_server(*text); !fit)
            return setting.complain(item, "alerts.alertmanager.urls: " + fit.error().what, fit.error().remedy);
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
    return table.table({{"path", placed_path(hook.path, hook.place)},
                        {"timeout", duration(hook.timeout, 100ms, 10min)},
                        {"at_once", whole_number_into(hook.at_once, 1, 64)},
                        {"queue", whole_number_into(hook.queue, 1, 100'000)}});
}

Result<> read_alertmanager(const Setting& table, AlertmanagerConfig& manager) {
    return table.table({{"urls", [&](const Setting& list) { return take_urls(list, manager.urls); }},
                        {"spool", placed_path(manager.spool, manager.spool_place)},
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
