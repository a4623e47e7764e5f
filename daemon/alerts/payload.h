// SPDX-License-Identifier: GPL-2.0-or-later
// Alerts as JSON: what a hook gets, and what an Alertmanager takes. docs/alerts.md lists the fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/host/host.h"
#include "daemon/alerts/alert.h"

namespace rd::daemon {

// One object and a line end.
[[nodiscard]] std::string hook_json(const Action& action, const HostIdentity& host);

// An entry of the spool: {"at", "all", "alerts"}. Each of `alerts` is one of POST /api/v2/alerts: labels, annotations, startsAt,
// endsAt once it is over, generatorURL where there is one. Its annotation "fingerprint" is that of the alert.
[[nodiscard]] std::string spool_json(const Action& action, const HostIdentity& host, std::string_view generator_url);
// All that is raised, in one entry: whatever else an Alertmanager was told is over.
[[nodiscard]] std::string spool_json(std::span<const Alert> alerts, const Stamp& now, const HostIdentity& host,
                                     std::string_view generator_url);

}  // namespace rd::daemon
