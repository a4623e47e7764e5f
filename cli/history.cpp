// SPDX-License-Identifier: GPL-2.0-or-later
// What was: events, findings and facts over time, as the daemon of this host has kept them.
#include <fmt/format.h>

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
                         std::int64_t& last) {
    return options.json ? lines_of_events(body, last) : render_events(body, console.terminal, last);
}

// Ends with what cannot be delivered any more (a closed pipe), with the daemon, or with the signal that ends the program.
Answer follow(const EventsOptions& options, const Console& console, std::int64_t last) {
    for (;;) {
        std::this_thread::sleep_for(kFollow);
        const auto body = ask(options.socket, "/v1/events", {{"after", std::to_string(last)}});
        if (!body) return answer_of(body.error());
        const auto text = show(options, *body, console, last);
        if (!text) return answer_of(text.error());
        if (text->empty()) continue;
        if (const int code = deliver({0, *text, {}}); code != 0) return {code, {}, {}};
    }
}

}  // namespace

Answer run(const EventsOptions& options, const Console& console) {
    const auto body =
        ask(options.socket, "/v1/events", {{"since", seconds_before_now(options.since)}, {"limit", "10000"}});
    if (!body) return answer_of(body.error());
    std::int64_t last = 0;
    const auto text = show(options, *body, console, last);
    if (!text) return answer_of(text.error());
    if (!options.follow) return {0, text->empty() && !options.json ? "No event in this time.\n" : *text, {}};
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
