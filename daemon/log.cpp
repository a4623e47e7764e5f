// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/escape.h"

namespace rd::daemon {

void log(Priority priority, std::string_view text) {
    static const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
    const std::string line = on_one_line(std::string(text));
    // One write a line: two threads may have something to say.
    const std::string whole =
        journal ? fmt::format("<{}>{}\n", int(priority), line) : fmt::format("rdmadoctord: {}\n", line);
    std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace rd::daemon
