// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the daemon of this host, over its socket, and tells it what to do, over another. docs/api.md lists what there is to be asked.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "core/base/result.h"

namespace rd::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

// As long as the daemon gives a client to take an answer.
inline constexpr std::chrono::seconds kPatience{30};

// The body of the answer, whole within that time. An Error says what was in the way and what mends it: no daemon (not_found), a socket
// that this user may not use (no_privilege), no answer in time (timed_out), what the daemon itself complained about (bad_input).
[[nodiscard]] Result<std::string> ask(const std::string& socket, const std::string& path, const Query& arguments,
                                      std::chrono::milliseconds within = kPatience);

// Tells the daemon to do something, on its socket for orders. The body of its answer; an Error as above.
[[nodiscard]] Result<std::string> order(const std::string& socket, const std::string& path, const std::string& body);

// What the daemon is to blame for is no usage error.
[[nodiscard]] Failure failure_of(const Error& error);

}  // namespace rd::cli
