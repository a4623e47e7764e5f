// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/from_store.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/text.h"
#include "daemon/api/from_frame.h"
#include "daemon/api/store_query.h"

namespace rd::daemon {
namespace {

constexpr std::int64_t kRows = 1000, kMostRows = 10'000;
// Points of one answer; a megabyte or two. Whoever wants more asks for the next stretch.
constexpr std::size_t kMostPoints = 20'000;  // and states

Reply reply(const Json& body) { return {200, json_text(body), std::string(kJson)}; }

// One more than wanted was asked for, to know whether there are more.
template <class Row>
bool cut(std::vector<Row>& rows, std::int64_t limit) {
    const auto most = static_cast<std::size_t>(limit);
    if (rows.size() <= most) return false;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
    return true;
}

Json entity_json(const Entity& entity) { return {{"kind", name_of(entity.kind)}, {"id", entity.id}}; }

Json finding_json(const store::FindingSpan& finding) {
    Json out;
    out["rule"] = finding.rule;
    out["title"] = finding.title;
    out["severity"] = finding.severity;
    out["subject"] = entity_json(finding.subject);
    out["text"] = finding.text;
    out["rulebook"] = finding.rulebook;
    out["from"] = rfc3339(finding.from_ns);
    out["to"] = finding.to_ns ? Json(rfc3339(*finding.to_ns)) : Json(nullptr);
    return out;
}

Json event_json(const store::EventRow& event) {
    Json out;
    out["id"] = event.id;
    out["at"] = rfc3339(event.at_ns);
    out["last"] = rfc3339(event.last_ns);
    out["count"] = event.count;
    out["source"] = event.source;
    out["name"] = event.name;
    out["subject"] = event.subject;
    out["entity"] = event.entity ? entity_json(*event.entity) : Json(nullptr);
    out["details"] = event.details;
    return out;
}

Json sample_json(const store::SamplePoint& point, Type type) {
    Json out;
    out["at"] = rfc3339(point.at_ns);
    out["value"] = type == Type::real ? Json(point.value) : Json(static_cast<std::int64_t>(point.value));
    return out;
}

Json bucket_json(const store::BucketPoint& point, const store::SeriesRow& of) {
    Json out;
    out["at"] = rfc3339(point.at_ns);
    out["seconds"] = static_cast<double>(point.length) / 1000;
    out["samples"] = point.bucket.samples;
    if (is_counter(of.nature)) {
        out["first"] = point.bucket.first;
        out["last"] = point.bucket.last;
        out["increase"] = point.bucket.increase();
    } else {
        out["least"] = point.bucket.least;
        out["most"] = point.bucket.most;
        out["mean"] = point.bucket.sum / static_cast<double>(std::max<std::int64_t>(1, point.bucket.samples));
    }
    return out;
}

// The newest of them: a reader who asks without a span wants to know how it is.
template <class Row, class Render>
Json newest(Json& into, const std::vector<Row>& rows, Render render) {
    const std::size_t skipped = rows.size() > kMostPoints ? rows.size() - kMostPoints : 0;
    if (skipped > 0) into["truncated"] = true;  // older ones were left out: ask with until=
    Json list = Json::array();
    for (std::size_t i = skipped; i < rows.size(); ++i) list.push_back(render(rows[i]));
    return list;
}

// Changes; of what is sampled, when it could not be read and when it could again.
Json state_json(const store::StateRow& row, bool sampled) {
    Json out;
    out["at"] = rfc3339(row.at_ns);
    if (sampled && row.reading) {
        out["sampled"] = true;
    } else {
        put_reading(out, row.reading);
    }
    return out;
}

Result<> put_series(Json& into, const store::Reader& reader, const store::SeriesRow& of, store::Span span,
                    std::string_view step) {
    into["truncated"] = false;
    if (!of.sampled()) {
        into["points"] = Json::array();
    } else if (step == "raw") {
        const auto samples = reader.samples(of, span);
        if (!samples) return tl::unexpected(samples.error());
        into["points"] =
            newest(into, *samples, [&](const store::SamplePoint& point) { return sample_json(point, of.type); });
    } else {
        const auto buckets = step == "minute" ? reader.minutes(of, span) : reader.hours(of, span);
        if (!buckets) return tl::unexpected(buckets.error());
        into["points"] =
            newest(into, *buckets, [&](const store::BucketPoint& point) { return bucket_json(point, of); });
    }
    const auto states = reader.states(of, span, kMostPoints + 1);
    if (!states) return tl::unexpected(states.error());
    into["states"] = newest(into, *states, [&](const store::StateRow& row) { return state_json(row, of.sampled()); });
    return {};
}

Json standing_json(const store::Standing& one) {
    Json out;
    out["fact"] = one.of.fact;
    put_reading(out, one.state.reading);
    out["unit"] = one.of.unit;
    out["nature"] = name_of(one.of.nature);
    out["since"] = rfc3339(one.state.at_ns);
    return out;
}

// The last run that had begun by then. Where it ended before, nobody watched, and things stand as it saw them last.
Json run_json(const std::vector<store::RunRow>& runs, std::int64_t at) {
    const store::RunRow* last = nullptr;
    for (const store::RunRow& run : runs) {
        if (run.from_ns <= at) last = &run;
    }
    if (last == nullptr) return nullptr;
    return {{"boot_id", last->boot_id}, {"from", rfc3339(last->from_ns)}, {"to", rfc3339(last->to_ns)}};
}

}  // namespace

Reply history_reply(const Request& request, const Frame*, const std::string& store) {
    const auto span = span_argument(request.arguments);
    if (!span) return failure(span.error());
    const auto limit = number_argument(request.arguments, "limit", kRows, 1, kMostRows);
    if (!limit) return failure(limit.error());
    const auto reader = open_store(store);
    if (!reader) return failure(reader.error());
    auto findings = reader->findings(*span, *limit + 1);
    if (!findings) return failure(unreadable(findings.error()));
    Json out = document();
    put_span(out, *span);
    out["truncated"] = cut(*findings, *limit);
    out["findings"] = json_list(*findings, finding_json);
    return reply(out);
}

Reply events_reply(const Request& request, const Frame*, const std::string& store) {
    const auto span = span_argument(request.arguments);
    if (!span) return failure(span.error());
    const bool follows = request.arguments.contains("after");
    if (follows && (request.arguments.contains("since") || request.arguments.contains("until"))) {
        return failure(400, "after goes without since and until",
                       "after=ID gives what came in after that event, oldest first");
    }
    const auto after = number_argument(request.arguments, "after", 0, 0, INT64_MAX);
    if (!after) return failure(after.error());
    const auto limit = number_argument(request.arguments, "limit", kRows, 1, kMostRows);
    if (!limit) return failure(limit.error());
    const auto reader = open_store(store);
    if (!reader) return failure(reader.error());
    auto events = follows ? reader->events_after(*after, *limit + 1) : reader->events(*span, *limit + 1);
    if (!events) return failure(unreadable(events.error()));
    Json out = document();
    put_span(out, *span);
    out["truncated"] = cut(*events, *limit);
    out["events"] = json_list(*events, event_json);
    return reply(out);
}

Reply series_reply(const Request& request, const Frame* frame, const std::string& store) {
    const auto span = span_argument(request.arguments);
    if (!span) return failure(span.error());
    std::string_view step = text_argument(request.arguments, "step");
    if (step.empty()) step = "raw";
    if (step != "raw" && step != "minute" && step != "hour") {
        return failure(400, "step: no such resolution", "step=raw, step=minute or step=hour");
    }
    const auto reader = open_store(store);
    if (!reader) return failure(reader.error());
    const auto entity = one_entity(text_argument(request.arguments, "entity"), frame, *reader);
    if (!entity) return failure(entity.error());
    const auto of = one_series(*entity, text_argument(request.arguments, "fact"), *reader);
    if (!of) return failure(of.error());
    Json out = document();
    out["entity"] = entity_json(*entity);
    out["fact"] = of->fact;
    out["type"] = name_of(of->type);
    out["nature"] = name_of(of->nature);
    out["unit"] = of->unit;
    out["step"] = step;
    put_span(out, *span);
    if (const auto done = put_series(out, *reader, *of, *span, step); !done) return failure(unreadable(done.error()));
    return reply(out);
}

Reply state_reply(const Request& request, const Frame* frame, const std::string& store) {
    const auto at = time_argument(request.arguments, "at");
    if (!at) return failure(at.error());
    if (!*at) return failure(400, "at is missing", "at=2026-03-01T12:00:00Z; /v1/facts tells of now");
    const auto reader = open_store(store);
    if (!reader) return failure(reader.error());
    const std::string_view wanted = text_argument(request.arguments, "entity");
    const std::string_view fact = text_argument(request.arguments, "fact");
    std::optional<Entity> entity;
    if (!wanted.empty()) {
        const auto found = one_entity(wanted, frame, *reader);
        if (!found) return failure(found.error());
        entity = *found;
    }
    const auto standing = reader->standing(**at);
    if (!standing) return failure(unreadable(standing.error()));
    const auto runs = reader->runs();
    if (!runs) return failure(unreadable(runs.error()));
    std::map<Entity, std::string> names;
    std::map<Entity, Json> facts;
    for (const store::Standing& one : *standing) {
        if (entity && one.of.entity != *entity) continue;
        const auto* name = one.state.reading ? std::get_if<std::string>(&*one.state.reading) : nullptr;
        if (one.of.fact == "name" && name != nullptr) names[one.of.entity] = *name;
        if (!fact.empty() && one.of.fact != fact) continue;
        facts.try_emplace(one.of.entity, Json::array()).first->second.push_back(standing_json(one));
    }
    Json out = document();
    out["at"] = rfc3339(**at);
    out["run"] = run_json(*runs, **at);
    out["entities"] = Json::array();
    for (auto& [of, list] : facts) {
        const auto name = names.find(of);
        Json one = json_entity(of, name == names.end() ? of.id : name->second);
        one["facts"] = std::move(list);
        out["entities"].push_back(std::move(one));
    }
    return reply(out);
}

}  // namespace rd::daemon
