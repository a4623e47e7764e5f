// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/render/words.h"
#include "core/base/escape.h"
#include "core/base/time.h"

namespace rd::cli {
namespace {

using Json = nlohmann::json;

// The second, and what the daemon may take then to write the count.
constexpr std::int64_t kCounted = 2'000'000'000;

Result<Json> parse(const std::string& body, const char* list) {
    Json json = Json::parse(body, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json[list].is_array()) {
        return fail(Errc::bad_input, "the daemon's answer is not what this version expects",
                    "rdmadoctor and rdmadoctord must be of one version");
    }
    return json;
}

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise = 0) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

// The answers are newest first, but those to `after`: what people read in a terminal ends with the newest.
std::vector<Json> in_order(const Json& list) {
    std::vector<Json> rows(list.begin(), list.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Json& a, const Json& b) { return number_of(a, "id") < number_of(b, "id"); });
    return rows;
}

EventMark mark_of(const Json& event) { return {number_of(event, "id"), text_of(event, "at")}; }

// The events of the answer after `last`, which moves on to the newest of them.
std::vector<Json> events_after(const Json& answer, EventMark& last, EventHold* hold) {
    std::vector<Json> rows = in_order(answer["events"]);
    std::erase_if(rows, [&](const Json& event) {
        const EventMark mark = mark_of(event);
        if (mark.id <= last.id) return true;
        const auto at = parse_time(mark.at);
        return hold != nullptr && !hold->tells(mark.id, at ? std::optional(*at) : std::nullopt);
    });
    if (!rows.empty()) last = mark_of(rows.back());
    return rows;
}

std::string when(const std::string& rfc3339) { return rfc3339.empty() ? std::string(24, ' ') : rfc3339; }

std::string subject_text(const Json& finding) {
    const auto subject = finding.find("subject");
    if (subject == finding.end() || !subject->is_object()) return {};
    const std::string id = text_of(*subject, "id");
    return text_of(*subject, "kind") + (id.empty() ? "" : ":") + id;
}

std::optional<Entity> entity_of(const Json& row, const char* key) {
    const auto found = row.find(key);
    Entity entity;
    if (found == row.end() || !found->is_object() || !kind_from_name(text_of(*found, "kind"), entity.kind))
        return std::nullopt;
    entity.id = text_of(*found, "id");
    return entity;
}

std::string cell(const Json& point, const char* key) {
    const auto found = point.find(key);
    if (found == point.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    return found->is_number_float() ? number_text(found->get<double>()) : found->dump();
}

std::string truncated(const Json& json) {
    return json.value("truncated", false) ? "(older ones are left out: ask with a shorter --since)\n" : "";
}

}  // namespace

Error complaint_of(const std::string& body, long status) {
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object() || !json.contains("error"))
        return {Errc::io, fmt::format("the daemon answered with status {}", status), {}};
    return {status >= 500 ? Errc::io : Errc::bad_input, text_of(json, "error"), text_of(json, "remedy")};
}

bool EventHold::tells(std::int64_t id, std::optional<std::int64_t> at_ns) {
    const std::int64_t waits = now_.boot_ns - seen_.emplace(id, now_.boot_ns).first->second;
    const bool young = waits < kCounted && (!at_ns || now_.wall_ns - *at_ns < kCounted);
    if (first_ == 0 && young) first_ = id;
    if (first_ == 0) seen_.erase(seen_.begin(), seen_.upper_bound(id));
    return first_ == 0;
}

Result<std::string> render_events(const std::string& body, const Terminal&, EventMark& last, EventHold* hold) {
    const auto json = parse(body, "events");
    if (!json) return tl::unexpected(json.error());
    // What comes after an event comes oldest first, and the rest with the next answer.
    std::string out = last.id == 0 ? truncated(*json) : "";
    for (const Json& event : events_after(*json, last, hold)) {
        std::string line = fmt::format("{}  {:<12} {:<16} {}", when(text_of(event, "at")), text_of(event, "source"),
                                       text_of(event, "name"), text_of(event, "subject"));
        if (const auto count = number_of(event, "count", 1); count > 1) line += fmt::format("  ×{}", count);
        if (const std::string details = text_of(event, "details"); !details.empty()) line += "  " + details;
        out += on_one_line(line) + "\n";
    }
    return out;
}

Result<std::string> lines_of_events(const std::string& body, EventMark& last, EventHold* hold) {
    const auto json = parse(body, "events");
    if (!json) return tl::unexpected(json.error());
    std::string out;
    for (const Json& event : events_after(*json, last, hold)) {
        out += event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return out;
}

Result<EventMark> last_before(const std::string& body, std::int64_t id) {
    const auto json = parse(body, "events");
    if (!json) return tl::unexpected(json.error());
    EventMark last;
    for (const Json& event : (*json)["events"]) {
        const EventMark mark = mark_of(event);
        if (mark.id < id && mark.id > last.id) last = mark;
    }
    return last;
}

bool has_event(const std::string& body, const EventMark& mark) {
    const auto json = parse(body, "events");
    if (!json) return false;
    const Json& events = (*json)["events"];
    return std::any_of(events.begin(), events.end(), [&](const Json& event) {
        return number_of(event, "id") == mark.id && text_of(event, "at") == mark.at;
    });
}

Result<std::string> render_findings(const std::string& body, const Terminal&) {
    const auto json = parse(body, "findings");
    if (!json) return tl::unexpected(json.error());
    std::string out = truncated(*json);
    std::vector<Json> rows((*json)["findings"].begin(), (*json)["findings"].end());
    std::reverse(rows.begin(), rows.end());
    for (const Json& finding : rows) {
        const std::string to = text_of(finding, "to");
        out += on_one_line(fmt::format("{}  {:<24}  {:<8} {} on {}: {}", when(text_of(finding, "from")),
                                       to.empty() ? "goes on" : to, text_of(finding, "severity"),
                                       text_of(finding, "rule"), subject_text(finding), text_of(finding, "title"))) +
               "\n";
    }
    if (rows.empty()) out += "No finding in this time.\n";
    return out;
}

Result<std::string> render_series(const std::string& body, const Terminal&) {
    const auto json = parse(body, "points");
    if (!json) return tl::unexpected(json.error());
    const std::string unit = text_of(*json, "unit");
    std::string out = truncated(*json);
    for (const Json& point : (*json)["points"]) {
        out += when(text_of(point, "at"));
        if (point.contains("value")) {
            out += "  " + cell(point, "value");
        } else {
            for (const char* key : {"increase", "least", "mean", "most"}) {
                if (point.contains(key)) out += fmt::format("  {} {}", key, cell(point, key));
            }
        }
        out += (unit.empty() ? "" : " " + unit) + "\n";
    }
    const auto states = json->find("states");
    if (states != json->end() && states->is_array()) {
        for (const Json& state : *states) {
            std::string text = cell(state, "value");
            if (const auto gap = state.find("gap"); gap != state.end() && gap->is_object()) {
                text = text_of(*gap, "class") + ": " + text_of(*gap, "reason");
            } else if (state.value("sampled", false)) {
                text = "could be read again";
            }
            out += on_one_line(when(text_of(state, "at")) + "  " + text) + "\n";
        }
    }
    if (out.empty()) out = "Nothing is kept of this time.\n";
    return out;
}

Result<std::vector<PastFinding>> past_findings(const std::string& body) {
    const auto json = parse(body, "findings");
    if (!json) return tl::unexpected(json.error());
    std::vector<PastFinding> all;
    for (const Json& finding : (*json)["findings"]) {
        PastFinding past;
        past.rule = text_of(finding, "rule");
        past.title = text_of(finding, "title");
        const auto subject = entity_of(finding, "subject");
        const auto from = parse_time(text_of(finding, "from"));
        if (!subject || !from || !severity_from_name(text_of(finding, "severity"), past.severity)) continue;
        past.subject = *subject;
        past.from_ns = *from;
        if (const auto to = parse_time(text_of(finding, "to"))) past.to_ns = *to;
        all.push_back(std::move(past));
    }
    return all;
}

Result<std::vector<PastEvent>> past_events(const std::string& body) {
    const auto json = parse(body, "events");
    if (!json) return tl::unexpected(json.error());
    std::vector<PastEvent> all;
    for (const Json& event : (*json)["events"]) {
        const auto last = parse_time(text_of(event, "last"));
        const auto count = number_of(event, "count", 1);
        if (!last || count < 1) continue;
        all.push_back({text_of(event, "source"), text_of(event, "name"), entity_of(event, "entity"),
                       static_cast<std::uint64_t>(count), *last});
    }
    return all;
}

}  // namespace rd::cli
