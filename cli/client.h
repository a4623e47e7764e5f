// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the daemon of this host, over its socket. docs/api.md lists what there is to be asked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace rd::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

// The body of the answer. An Error says what was in the way and what mends it: no daemon (not_found), a socket that this user may not
// use (no_privilege), what the daemon itself complained about (bad_input).
[[nodiscard]] Result<std::string> ask(const std::string& socket, const std::string& path, const Query& arguments);

}  // namespace rd::cli
