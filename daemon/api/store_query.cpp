// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/store_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "daemon/api/from_frame.h"

namespace rd::daemon {

Result<store::Reader> open_store(const std::string& path) {
    auto reader = store::Reader::open(path);
    if (!reader) return tl::unexpected(unreadable(reader.error()));
    return reader;
}

Error unreadable(const Error& error) {
    std::string remedy = "see store in /v1/health, and the journal of the daemon";
    // It would be noticed when something is written there, or packed, which may be an hour.
    if (error.code == Errc::bad_input)
        remedy = "systemctl restart rdmadoctord: a damaged file is set aside, and a new one begun";
    return {Errc::not_collected, fmt::format("the store cannot be read: {}", error.what), std::move(remedy)};
}

Result<store::Span> span_argument(const Arguments& arguments) {
    const auto since = time_argument(arguments, "since");
    if (!since) return tl::unexpected(since.error());
    const auto until = time_argument(arguments, "until");
    if (!until) return tl::unexpected(until.error());
    store::Span span;
    if (*since) span.from_ns = **since;
    if (*until) span.to_ns = **until;
    if (span.from_ns > span.to_ns) return fail(Errc::bad_input, "since lies after until", "exchange them");
    return span;
}

void put_span(Json& into, store::Span span) {
    into["since"] = span.from_ns == 0 ? Json(nullptr) : Json(rfc3339(span.from_ns));
    into["until"] = span.to_ns == INT64_MAX ? Json(nullptr) : Json(rfc3339(span.to_ns));
}

Result<Entity> one_entity(std::string_view text, const Frame* frame, const store::Reader& reader) {
    if (text.empty()) return fail(Errc::bad_input, "entity is missing", "entity=KIND:ID, or a name: entity=mlx5_0");
    if (const auto exact = parse_entity(text)) {
        const auto known = reader.entities();
        if (!known) return tl::unexpected(unreadable(known.error()));
        if (std::find(known->begin(), known->end(), *exact) != known->end()) return *exact;
        std::vector<std::string> names;
        for (const Entity& one : *known) names.push_back(print_entity(one));
        std::string remedy = did_you_mean(text, std::vector<std::string_view>(names.begin(), names.end()));
        if (remedy.empty()) remedy = "/v1/facts has those of now";
        return fail(Errc::not_found, fmt::format("never seen: '{}'", printable(text)), std::move(remedy));
    }
    if (frame == nullptr)
        return fail(Errc::bad_input, fmt::format("not an entity: '{}'", printable(text)), "entity=KIND:ID");
    auto found = named(*frame, text);
    if (!found) return tl::unexpected(std::move(found.error()));
    if (found->size() == 1) return found->front();
    std::string choice;
    for (const Entity& one : *found)
        choice += fmt::format("{}entity={}", choice.empty() ? "" : " or ", print_entity(one));
    return fail(Errc::bad_input, fmt::format("'{}' is the name of several", printable(text)), std::move(choice));
}

Result<store::SeriesRow> one_series(const Entity& entity, std::string_view fact, const store::Reader& reader) {
    if (fact.empty()) return fail(Errc::bad_input, "fact is missing", "fact=NAME; /v1/facts?entity=… has the names");
    const auto found = reader.find(entity, fact);
    if (!found) return tl::unexpected(unreadable(found.error()));
    if (*found) return **found;
    const auto all = reader.series(entity);
    if (!all) return tl::unexpected(unreadable(all.error()));
    std::vector<std::string_view> names;
    for (const store::SeriesRow& one : *all) names.push_back(one.fact);
    std::string remedy = did_you_mean(fact, names);
    if (remedy.empty()) remedy = fmt::format("/v1/facts?entity={} has the names", print_entity(entity));
    return fail(Errc::not_found,
                fmt::format("nothing kept of {} on {}", printable(fact), printable(print_entity(entity))),
                std::move(remedy));
}

}  // namespace rd::daemon
