// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recall.h"

#include <algorithm>
#include <utility>

#include "cli/client.h"
#include "cli/render/past.h"
#include "core/host/clock.h"

namespace rd::cli {
namespace {

// For all questions together. A daemon that is well answers in some hundredths of it.
constexpr std::chrono::milliseconds kWithin{1000};
// What is asked for must be read, sent and parsed within that time. The newest come first, so that what is said of any time since
// the oldest of them is whole.
constexpr const char* kMostFindings = "2000";
constexpr const char* kMostEvents = "2000";

Result<Recollection> ask_for_past(const std::string& socket, std::int64_t now_ns) {
    const std::int64_t until = steady_ns() + std::chrono::nanoseconds(kWithin).count();
    const auto left = [&] {
        return std::max(std::chrono::milliseconds((until - steady_ns()) / 1'000'000), std::chrono::milliseconds(1));
    };
    const auto findings = ask(socket, "/v1/findings/history", {{"limit", kMostFindings}}, left());
    if (!findings) return tl::unexpected(findings.error());
    const std::string since = std::to_string((now_ns - std::chrono::nanoseconds(kRecent).count()) / 1'000'000'000);
    const auto events = ask(socket, "/v1/events", {{"since", since}, {"limit", kMostEvents}}, left());
    if (!events) return tl::unexpected(events.error());
    auto past = past_findings(*findings);
    if (!past) return tl::unexpected(std::move(past.error()));
    auto told = past_events(*events);
    if (!told) return tl::unexpected(std::move(told.error()));
    return Recollection{std::move(*past), std::move(*told)};
}

}  // namespace

void recall(Report& report, const std::string& socket, const LabelOf& label) {
    const auto known = ask_for_past(socket, report.to.wall_ns);
    if (known) return add_past(report, *known, label);
    if (known.error().code == Errc::not_found) return;
    report.past = Past{gap_from(known.error()), {}};
}

}  // namespace rd::cli
