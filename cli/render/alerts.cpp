// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/alerts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

using Json = nlohmann::json;

tl::unexpected<Error> foreign() {
    return fail(Errc::bad_input, "the daemon's answer is not what this version expects",
                "rdmadoctor and rdmadoctord must be of one version");
}

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string signed_by(const Json& object) {
    const std::string comment = text_of(object, "comment");
    return text_of(object, "by") + (comment.empty() ? "" : ": " + comment);
}

std::string alert_line(const Json& alert) {
    std::string name;
    if (const auto subject = alert.find("subject"); subject != alert.end() && subject->is_object())
        name = text_of(*subject, "name").empty() ? text_of(*subject, "kind") : text_of(*subject, "name");
    std::vector<std::string> notes;
    if (!is(alert, "firing")) notes.emplace_back("over");
    if (!is(alert, "raised")) notes.emplace_back("not told");
    if (is(alert, "flapping")) {
        const auto times = alert.find("times");
        notes.push_back("flapping" + (times != alert.end() && times->is_number_integer()
                                          ? ", came " + times->dump() + " times"
                                          : ""));
    }
    if (is(alert, "silenced")) notes.emplace_back("silenced");
    if (const auto by = alert.find("acknowledged"); by != alert.end() && by->is_object())
        notes.push_back("acknowledged by " + signed_by(*by));
    return fmt::format("{}  {:<8} since {}  {} on {}: {}{}", text_of(alert, "fingerprint"), text_of(alert, "severity"),
                       text_of(alert, "since"), text_of(alert, "alert"), name, text_of(alert, "title"),
                       notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")));
}

std::string silence_line(const Json& silence) {
    std::string what;
    for (const char* part : {"rule", "subject", "severity"}) {
        if (const std::string value = text_of(silence, part); !value.empty())
            what += fmt::format("{}{} {}", what.empty() ? "" : ", ", part, value);
    }
    return fmt::format("{}  until {}  {}; by {}", text_of(silence, "id"), text_of(silence, "until"), what,
                       signed_by(silence));
}

// Bytes that are no text are the daemon's to complain of.
std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void put(Json& into, const char* key, const std::string& value) {
    if (!value.empty()) into[key] = value;
}

// As a shell takes it for one word.
std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_./:") == std::string::npos;
    if (plain) return word;
    std::string out = "'";
    for (const char letter : word) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
}

std::string with_option(const char* option, const std::string& value) {
    return value.empty() ? "" : fmt::format(" --{} {}", option, quoted(value));
}

std::string at_socket(const std::string& socket) {
    return socket == kControlSocket ? "" : with_option("socket", socket);
}

}  // namespace

Result<std::string> render_alerts(const std::string& body) {
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object() || !json.contains("alerts") || !json["alerts"].is_array() || !json.contains("silences") ||
        !json["silences"].is_array()) {
        return foreign();
    }
    std::string out;
    for (const Json& alert : json["alerts"]) out += on_one_line(alert_line(alert)) + "\n";
    if (json["alerts"].empty()) out += "No alert.\n";
    if (json["silences"].empty()) return out;
    out += "\nSilent of\n";
    for (const Json& silence : json["silences"]) out += on_one_line("  " + silence_line(silence)) + "\n";
    return out;
}

Order order_of(const AlertsAckOptions& options, const std::string& by) {
    Json body = {{"fingerprint", options.fingerprint}};
    put(body, "comment", options.comment);
    put(body, "by", by);
    return {"/v1/alerts/ack", written(body),
            "sudo rdmadoctor alerts ack " + quoted(options.fingerprint) + with_option("comment", options.comment) +
                at_socket(options.socket)};
}

Order order_of(const AlertsSilenceOptions& options, const std::string& by) {
    const std::string as_root = "sudo rdmadoctor alerts silence";
    if (!options.end.empty()) {
        Json body = {{"id", options.end}};
        put(body, "by", by);
        return {"/v1/alerts/unsilence", written(body),
                as_root + with_option("end", options.end) + at_socket(options.socket)};
    }
    const std::string severity = options.severity ? std::string(name_of(*options.severity)) : "";
    const std::string lasts = print_duration(options.lasts);
    Json body = {{"for", lasts}};
    put(body, "rule", options.rule);
    put(body, "subject", options.subject);
    put(body, "severity", severity);
    put(body, "comment", options.comment);
    put(body, "by", by);
    return {"/v1/alerts/silence", written(body),
            as_root + with_option("rule", options.rule) + with_option("subject", options.subject) +
                with_option("severity", severity) + with_option("for", lasts) +
                with_option("comment", options.comment) + at_socket(options.socket)};
}

Result<std::string> render_done(const std::string& body) {
    const Json json = Json::parse(body, nullptr, false);
    const std::string done = json.is_object() ? text_of(json, "done") : "",
                      id = json.is_object() ? text_of(json, "id") : "";
    if (done == "ack") return on_one_line("acknowledged: " + id) + "\n";
    if (done == "unsilence") return on_one_line("no longer silent: " + id) + "\n";
    if (done == "silence") {
        return on_one_line(fmt::format("silent until {} ({}; rdmadoctor alerts silence --end {} takes it back)",
                                       text_of(json, "until"), id, id)) +
               "\n";
    }
    return foreign();
}

}  // namespace rd::cli
