// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/payload.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::daemon {
namespace {

using Json = nlohmann::ordered_json;

// Names and lines of logs hold any byte. What is no UTF-8 is shown as U+FFFD instead of making an exception.
std::string written(const Json& document) {
    return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string lines_of(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

// Labels are the identity of an alert there: nothing that changes while it lasts may be among them, the severity aside, by which
// routes are chosen. The notify unit ends the one with the old severity.
Json alertmanager(const Alert& alert, const HostIdentity& host, std::string_view generator_url) {
    Json out;
    Json& labels = out["labels"];
    labels["alertname"] = alert.name;
    labels["severity"] = name_of(alert.severity);
    labels["instance"] = host.hostname;
    labels["kind"] = name_of(alert.subject.entity.kind);
    // An empty label is as good as none, and the host itself has no name of its own.
    labels["subject"] = on_one_line(alert.subject.name.empty() ? host.hostname : alert.subject.name);
    labels["job"] = "rdmadoctor";
    Json& annotations = out["annotations"];
    annotations["summary"] = alert.title;
    annotations["description"] = alert.text;
    annotations["rule"] = alert.rule;
    if (!alert.evidence.empty()) annotations["evidence"] = lines_of(alert.evidence);
    if (!alert.consequences.empty()) annotations["consequences"] = lines_of(alert.consequences);
    if (alert.flapping) annotations["flapping"] = fmt::format("came {} times", alert.times);
    annotations["fingerprint"] = alert.fingerprint;
    out["startsAt"] = rfc3339(alert.since.wall_ns);
    if (!generator_url.empty()) out["generatorURL"] = generator_url;
    return out;
}

std::string entry(const Stamp& at, bool all, Json alerts) {
    Json out;
    out["at"] = rfc3339(at.wall_ns);
    out["all"] = all;
    out["alerts"] = std::move(alerts);
    return written(out);
}

}  // namespace

std::string hook_json(const Action& action, const HostIdentity& host) {
    const Alert& alert = action.alert;
    Json out;
    out["schema_version"] = 1;
    out["host"] = {{"hostname", host.hostname}, {"boot_id", host.boot_id}, {"kernel", host.kernel}};
    out["action"] = name_of(action.deed);
    out["reason"] = name_of(action.reason);
    out["at"] = rfc3339(action.at.wall_ns);
    out["fingerprint"] = alert.fingerprint;
    out["alert"] = alert.name;
    out["rule"] = alert.rule;
    out["severity"] = name_of(alert.severity);
    out["subject"] = {
        {"kind", name_of(alert.subject.entity.kind)}, {"id", alert.subject.entity.id}, {"name", alert.subject.name}};
    out["title"] = alert.title;
    out["text"] = alert.text;
    out["evidence"] = alert.evidence;
    out["told_by"] = alert.told_by;
    out["consequences"] = alert.consequences;
    out["since"] = rfc3339(alert.since.wall_ns);
    out["firing"] = alert.firing;
    out["flapping"] = alert.flapping;
    out["times"] = alert.times;
    out["acknowledged"] = nullptr;
    if (alert.acknowledged) {
        out["acknowledged"] = {{"by", alert.acknowledged->by},
                               {"comment", alert.acknowledged->comment},
                               {"at", rfc3339(alert.acknowledged->at.wall_ns)}};
    }
    return written(out) + "\n";
}

std::string spool_json(const Action& action, const HostIdentity& host, std::string_view generator_url) {
    Json one = alertmanager(action.alert, host, generator_url);
    if (action.deed == Deed::clear) one["endsAt"] = rfc3339(action.at.wall_ns);
    return entry(action.at, false, Json::array({std::move(one)}));
}

std::string spool_json(std::span<const Alert> alerts, const Stamp& now, const HostIdentity& host,
                       std::string_view generator_url) {
    Json all = Json::array();
    for (const Alert& alert : alerts) {
        if (alert.raised) all.push_back(alertmanager(alert, host, generator_url));
    }
    return entry(now, true, std::move(all));
}

}  // namespace rd::daemon
