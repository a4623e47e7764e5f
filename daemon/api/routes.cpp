// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "daemon/api/from_alerts.h"
#include "daemon/api/from_frame.h"
#include "daemon/api/from_store.h"
#include "daemon/metrics.h"

namespace rd::daemon {
namespace {

constexpr std::string_view kFactArguments[] = {"entity", "fact"};
constexpr std::string_view kHistoryArguments[] = {"since", "until", "limit"};
constexpr std::string_view kEventArguments[] = {"since", "until", "after", "limit"};
constexpr std::string_view kSeriesArguments[] = {"entity", "fact", "since", "until", "step"};
constexpr std::string_view kStateArguments[] = {"at", "entity", "fact"};

struct Route {
    std::string_view path;
    std::span<const std::string_view> arguments;
    Reply (*now)(const Request&, const Frame&);                                 // from the frame, or …
    Reply (*past)(const Request&, const Frame*, const std::string&) = nullptr;  // … from the store
};

constexpr Route kRoutes[] = {
    {"/v1/health", {}, health_reply},
    {"/v1/facts", kFactArguments, facts_reply},
    {"/v1/findings", {}, findings_reply},
    {"/v1/findings/history", kHistoryArguments, nullptr, history_reply},
    {"/v1/events", kEventArguments, nullptr, events_reply},
    {"/v1/series", kSeriesArguments, nullptr, series_reply},
    {"/v1/state", kStateArguments, nullptr, state_reply},
};
constexpr std::string_view kMetrics = "/metrics", kAlerts = "/v1/alerts";

const Route* find(std::string_view path) {
    const auto* place =
        std::find_if(std::begin(kRoutes), std::end(kRoutes), [&](const Route& route) { return route.path == path; });
    return place == std::end(kRoutes) ? nullptr : place;
}

Result<> fits(const Request& request) {
    if (request.path == kMetrics) return {};  // scrapers may add arguments of their own
    const Route* route = find(request.path);
    if (route != nullptr || request.path == kAlerts) {
        if (!request.twice.empty()) {
            return fail(Errc::bad_input, fmt::format("the argument '{}' is there twice", printable(request.twice)),
                        "give it once");
        }
        return only_arguments(request.arguments,
                              route != nullptr ? route->arguments : std::span<const std::string_view>());
    }
    std::vector<std::string_view> known{kMetrics, kAlerts};
    for (const Route& one : kRoutes) known.push_back(one.path);
    std::string remedy = did_you_mean(request.path, known);
    if (remedy.empty()) {
        remedy = "there are";
        for (const std::string_view one : known) remedy += fmt::format(" {}", one);
    }
    return fail(Errc::not_found, fmt::format("no such endpoint: {}", printable(request.path)), std::move(remedy));
}

}  // namespace

std::shared_ptr<const std::string> MetricsText::of(const std::shared_ptr<const Frame>& frame, Form form) {
    const std::lock_guard lock(mutex_);
    Made& made = made_[form == Form::open_metrics ? 0 : 1];
    if (!made.text || made.frame->at != frame->at) {
        made = {frame, std::make_shared<const std::string>(expose(*frame).text(form))};
    }
    return made.text;
}

bool needs_frame(const Request& request) {
    if (!fits(request)) return false;
    if (request.path == kMetrics) return true;
    if (request.path == kAlerts) return false;
    const std::string_view entity = text_argument(request.arguments, "entity");
    // A name is looked up among those of now; "KIND:ID" needs no such thing, and may be gone.
    return find(request.path)->now != nullptr || (!entity.empty() && !parse_entity(entity));
}

Reply answer(const Request& request, const Known& known, MetricsText& metrics) {
    if (const auto fit = fits(request); !fit) return failure(fit.error());
    if (request.path == kMetrics) {
        const Form form = request.wants_open_metrics ? Form::open_metrics : Form::prometheus;
        return {200, *metrics.of(known.frame, form),
                form == Form::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8"};
    }
    if (request.path == kAlerts) return alerts_reply(known.alerts);
    const Route& route = *find(request.path);
    if (route.now != nullptr) return route.now(request, *known.frame);
    if (known.store.empty()) {
        return failure(503, "nothing is kept: the daemon runs without a store",
                       "set [store] path in its configuration");
    }
    return route.past(request, known.frame.get(), known.store);
}

}  // namespace rd::daemon
