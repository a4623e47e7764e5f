// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/from_alerts.h"

#include "core/base/text.h"
#include "daemon/api/from_frame.h"

namespace rd::daemon {
namespace {

Json acknowledged_json(const std::optional<Acknowledgement>& one) {
    if (!one) return nullptr;
    return {{"by", one->by}, {"comment", one->comment}, {"at", json_time(one->at)}};
}

Json alert_json(const Alert& alert) {
    Json out;
    out["fingerprint"] = alert.fingerprint;
    out["alert"] = alert.name;
    out["rule"] = alert.rule;
    out["severity"] = name_of(alert.severity);
    out["subject"] = json_entity(alert.subject.entity, alert.subject.name);
    out["title"] = alert.title;
    out["text"] = alert.text;
    out["evidence"] = alert.evidence;
    out["told_by"] = alert.told_by;
    out["consequences"] = alert.consequences;
    out["since"] = json_time(alert.since);
    out["raised"] = alert.raised;
    out["firing"] = alert.firing;
    out["flapping"] = alert.flapping;
    out["times"] = alert.times;
    out["silenced"] = alert.silenced;
    out["acknowledged"] = acknowledged_json(alert.acknowledged);
    return out;
}

Json silence_json(const Silence& silence) {
    Json out;
    out["id"] = silence.id;
    out["rule"] = silence.rule;
    out["subject"] = silence.subject;
    out["severity"] = silence.severity ? Json(name_of(*silence.severity)) : Json(nullptr);
    out["by"] = silence.by;
    out["comment"] = silence.comment;
    out["from"] = json_time(silence.from);
    out["until"] = json_time(silence.until);
    return out;
}

}  // namespace

Reply alerts_reply(AlertDesk& desk) {
    const auto laid_out = desk.view(kAlertsPatience);
    if (!laid_out) return failure(laid_out.error());
    const AlertsView& view = **laid_out;
    Json out = document();
    out["at"] = json_time(view.at);
    out["alerts"] = json_list(view.alerts, alert_json);
    out["silences"] = json_list(view.silences, silence_json);
    out["refused"] = view.refused;
    return {200, json_text(out), std::string(kJson)};
}

}  // namespace rd::daemon
