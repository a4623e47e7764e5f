// SPDX-License-Identifier: GPL-2.0-or-later
// Alerts and silences, as the loop lays them out.
#pragma once

#include "daemon/alert_desk.h"
#include "daemon/api/query.h"

namespace rd::daemon {

// As long as the loop may take: it waits for nothing, and who waits here holds up whoever else asks.
inline constexpr std::chrono::seconds kAlertsPatience{1};

[[nodiscard]] Reply alerts_reply(AlertDesk& desk);  // docs/schema/alerts.schema.json

}  // namespace rd::daemon
