// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon is told to do, without HTTP. The API that everybody of the group may ask stays read-only; orders come over a socket of
// their own (docs/decisions/0019). Nothing that can be ordered changes the host.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "daemon/alert_desk.h"
#include "daemon/api/query.h"

namespace rd::daemon {

// Enough for a comment of a few lines.
inline constexpr std::size_t kMostOrder = 4096;
// The loop carries out an order between two others of its doings: whoever waits longer waits for a disk that hangs.
inline constexpr std::chrono::seconds kOrderPatience{5};

// `who`: as the kernel knows the client. What the body says of itself is told beside that, never in its place. not_found: no such order.
[[nodiscard]] Result<Order> read_order(std::string_view path, std::string_view body, std::string_view who);
[[nodiscard]] Reply done_reply(const Order& order, const Done& done);

// All of it: reads, leaves it at the desk, waits for what comes of it.
[[nodiscard]] Reply take_order(const Request& request, std::string_view who, AlertDesk& desk);

// "root", or "uid 1234" where it has no name.
[[nodiscard]] std::string user_name(std::uint32_t uid);

}  // namespace rd::daemon
