// SPDX-License-Identifier: GPL-2.0-or-later
// What is asked of the past: read-only, from the file of the store, a connection a request. What has not been flushed yet (a minute at
// most) is not in it.
#pragma once

#include <string>

#include "daemon/api/query.h"
#include "daemon/frame.h"

namespace rd::daemon {

// `frame` is there when the request names an entity as people do.
[[nodiscard]] Reply history_reply(const Request& request, const Frame* frame, const std::string& store);
[[nodiscard]] Reply events_reply(const Request& request, const Frame* frame, const std::string& store);
[[nodiscard]] Reply series_reply(const Request& request, const Frame* frame, const std::string& store);
[[nodiscard]] Reply state_reply(const Request& request, const Frame* frame, const std::string& store);

}  // namespace rd::daemon
