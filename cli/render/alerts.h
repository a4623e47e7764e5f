// SPDX-License-Identifier: GPL-2.0-or-later
// Alerts and silences as the daemon lists them, for people; and what it is told, as JSON (docs/api.md).
#pragma once

#include <string>

#include "cli/options.h"
#include "core/base/result.h"

namespace rd::cli {

[[nodiscard]] Result<std::string> render_alerts(const std::string& body);

struct Order {
    std::string path, body;
    std::string as_root;  // the line that gives it with the rights it needs
};
// `by`: who asks for it, where that is not the user of this process; may be empty.
[[nodiscard]] Order order_of(const AlertsAckOptions& options, const std::string& by);
[[nodiscard]] Order order_of(const AlertsSilenceOptions& options, const std::string& by);
// What came of it.
[[nodiscard]] Result<std::string> render_done(const std::string& body);

}  // namespace rd::cli
