// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of the daemon itself on stderr, with the priority that the journal understands when it is the journal that reads them.
#pragma once

#include <string_view>

namespace rd::daemon {

enum class Priority { error = 3, warning = 4, notice = 5, info = 6 };

void log(Priority priority, std::string_view text);

}  // namespace rd::daemon
