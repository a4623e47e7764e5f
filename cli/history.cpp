// SPDX-License-Identifier: GPL-2.0-or-later
// What was: events, findings and facts over time, as the daemon of this host has kept them.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

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

Result<std::string> show(const EventsOptions& options, const std::string& body, const Console& console, EventMark& last,
                         EventHold* hold) {
    return options.json ? lines_of_events(body, last, hold) : render_events(body, console.terminal, last, hold);
}

// A daemon that is started anew, or is too busy to answer, will be there again.
bool may_pass(const Error& error) {
    return error.code == Errc::not_found || error.code == Errc::timed_out || error.code == Errc::io;
}

// Sleeps; false: whoever read what is printed is gone.
bool somebody_reads(std::chrono::milliseconds for_so_long) {
    pollfd out{STDOUT_FILENO, 0, 0};
    return ::poll(&out, 1, static_cast<int>(for_so_long.count())) <= 0;
}

// Whether the store counts its events anew. Where the last one is missing it may have been too old to be kept; in a store of its own the
// first one is no newer.
Result<bool> is_another_store(const EventsOptions& options, const EventMark& last) {
    const auto body = ask(options.socket, "/v1/events", {{"after", "0"}, {"limit", "1"}});
    if (!body) return tl::unexpected(body.error());
    const auto first = last_before(*body);
    if (!first) return tl::unexpected(first.error());
    return first->id > 0 && first->id <= last.id;
}

int note(std::string_view text) { return deliver({0, {}, fmt::format("rdmadoctor: {}\n", text)}); }

// Ends with what cannot be delivered any more (a closed pipe), with an answer that is none, or with the signal that ends the program.
Answer follow(const EventsOptions& options, const Console& console, EventMark last, EventHold hold) {
    for (bool waits = false; somebody_reads(kFollow);) {
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
            const auto other = is_another_store(options, last);
            if (!other && !may_pass(other.error())) return answer_of(other.error());
            if (!other) continue;
            if (*other) {
                note("the daemon has another store than before: its events from the first on");
                last = {};
                hold = EventHold(current_stamp());
                continue;
            }
        }
        hold.look(current_stamp());
        const auto text = show(options, *body, console, last, &hold);
        if (!text) return answer_of(text.error());
        if (text->empty()) continue;
        if (const int code = deliver({0, *text, {}}); code != 0) return {code, {}, {}};
    }
    return {kInternal, {}, {}};
}

}  // namespace

Answer run(const EventsOptions& options, const Console& console) {
    // What came before the span is not to be told, also when nothing is in it. Asked for first, or what comes in between would be lost.
    std::string before;
    if (options.follow) {
        // Some came in later than they happened: the newest is not the last.
        auto body = ask(options.socket, "/v1/events", {{"limit", "1000"}});
        if (!body) return answer_of(body.error());
        before = std::move(*body);
    }
    const auto body =
        ask(options.socket, "/v1/events", {{"since", seconds_before_now(options.since)}, {"limit", "10000"}});
    if (!body) return answer_of(body.error());
    EventMark last;
    EventHold hold(current_stamp());
    const auto text = show(options, *body, console, last, options.follow ? &hold : nullptr);
    if (!text) return answer_of(text.error());
    if (!options.follow) return {0, text->empty() && !options.json ? "No event in this time.\n" : *text, {}};
    if (last.id == 0) {
        if (hold.first() > 0) {
            auto one = ask(options.socket, "/v1/events",
                           {{"after", std::to_string(std::max<std::int64_t>(0, hold.first() - 2))}, {"limit", "1"}});
            if (!one) return answer_of(one.error());
            before = std::move(*one);
        }
        const auto known = last_before(before, hold.first() == 0 ? INT64_MAX : hold.first());
        if (!known) return answer_of(known.error());
        last = *known;
    }
    if (const int code = deliver({0, *text, {}}); code != 0) return {code, {}, {}};
    return follow(options, console, last, std::move(hold));
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
