// SPDX-License-Identifier: GPL-2.0-or-later
// What was: events, findings and facts over time, as the daemon of this host has kept them.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/render/past.h"
#include "core/host/identity.h"

namespace rd::cli {
namespace {

constexpr std::chrono::seconds kFollow{1};

// The daemon takes seconds since 1970.
std::string seconds_before_now(std::chrono::nanoseconds since) {
    return std::to_string((current_stamp().wall_ns - since.count()) / 1'000'000'000);
}

Answer answer_of(const Error& error) { return answer_from(failure_of(error)); }

Result<std::string> show(const EventsOptions& options, const std::string& body, const Console& console,
                         EventMark& last) {
    return options.json ? lines_of_events(body, last) : render_events(body, console.terminal, last);
}

// A daemon that is started anew, or is too busy to answer, will be there again.
bool may_pass(const Error& error) {
    return error.code != Errc::no_privilege && error.code != Errc::bad_input && error.code != Errc::limit;
}

int note(std::string_view text) { return deliver({0, {}, fmt::format("rdmadoctor: {}\n", text)}); }

// Ends with what cannot be delivered any more (a closed pipe), with an answer that is none, or with the signal that ends the program.
Answer follow(const EventsOptions& options, const Console& console, EventMark last) {
    for (bool waits = false;;) {
        std::this_thread::sleep_for(kFollow);
        // The last one comes once more: an answer without it is of another store.
        const std::int64_t after = std::max<std::int64_t>(0, last.id - 1);
        const auto body = ask(options.socket, "/v1/events", {{"after", std::to_string(after)}});
        if (!body) {
            if (!may_pass(body.error())) return answer_of(body.error());
            if (!waits) note(describe(body.error()) + "; waiting for it");
            waits = true;
            continue;
        }
        if (waits) note("the daemon answers again");
        waits = false;
        if (last.id > 0 && !has_event(*body, last)) {
            note("the daemon has another store than before: its events from the first on");
            last = {};
            continue;
        }
        const auto text = show(options, *body, console, last);
        if (!text) return answer_of(text.error());
        if (text->empty()) continue;
        if (const int code = deliver({0, *text, {}}); code != 0) return {code, {}, {}};
    }
}

}  // namespace

Answer run(const EventsOptions& options, const Console& console) {
    // What came before the span is not to be told, also when nothing is in it. Asked for first, or what comes in between would be lost.
    EventMark last, newest;
    if (options.follow) {
        const auto body = ask(options.socket, "/v1/events", {{"limit", "1"}});
        if (!body) return answer_of(body.error());
        const auto untold = lines_of_events(*body, newest);
        if (!untold) return answer_of(untold.error());
    }
    const auto body =
        ask(options.socket, "/v1/events", {{"since", seconds_before_now(options.since)}, {"limit", "10000"}});
    if (!body) return answer_of(body.error());
    const auto text = show(options, *body, console, last);
    if (!text) return answer_of(text.error());
    if (!options.follow) return {0, text->empty() && !options.json ? "No event in this time.\n" : *text, {}};
    if (last.id == 0) last = newest;
    if (const int code = deliver({0, *text, {}}); code != 0) return {code, {}, {}};
    return follow(options, console, last);
}

Answer run(const HistoryOptions& options, const Console& console) {
    Query query{{"since", seconds_before_now(options.since)}};
    const bool series = !options.entity.empty();
    if (series) {
        query.emplace_back("entity", options.entity);
        query.emplace_back("fact", options.fact);
        query.emplace_back("step", options.step);
    }
    const auto body = ask(options.socket, series ? "/v1/series" : "/v1/findings/history", query);
    if (!body) return answer_of(body.error());
    if (options.json) return {0, *body + "\n", {}};
    const auto text = series ? render_series(*body, console.terminal) : render_findings(*body, console.terminal);
    if (!text) return answer_of(text.error());
    return {0, *text, {}};
}

}  // namespace rd::cli
