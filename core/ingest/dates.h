// SPDX-License-Identifier: GPL-2.0-or-later
// Times as commands and logs print them. A zone that is not known counts as UTC: what matters is how far two times are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rd::ingest {

struct TimeText {
    std::int64_t ns = 0;  // since the epoch; without a date since midnight
    bool has_date = true;
    bool has_year = true;    // else 1970 stands for it
    std::size_t length = 0;  // bytes of the text that it took
};

// A time at the front of the text:
//   2026-12-01T10:00:05.123456+01:00   2026-12-01 10:00:05,123   2026/12/01 10:00:05
//   Tue Dec  1 10:00:05 UTC 2026   Tue Dec 1 10:00:05 2026   Tue 01 Dec 2026 10:00:05 AM CET   Dec  1 10:00:05   10:00:05.123
[[nodiscard]] std::optional<TimeText> time_at_front(std::string_view text);

// A line that is nothing but a time, as `date` prints it, with dashes or a label around it.
[[nodiscard]] std::optional<TimeText> time_line_of(std::string_view line);

// "Every 2.0s: ethtool -S eth0        host1: Tue Dec  1 10:00:05 2026"
struct WatchHead {
    std::string command;
    std::string host;
    TimeText time;
};
[[nodiscard]] std::optional<WatchHead> watch_head_of(std::string_view line);

// " 10:00:05 up 12 days,  3:04,  2 users,  load average: …": the time since boot.
[[nodiscard]] std::optional<std::int64_t> uptime_of(std::string_view line);

// "after 10 s:", "10 seconds later", "30s later": how long, in a line that says little else.
[[nodiscard]] std::optional<std::int64_t> pause_of(std::string_view line);

}  // namespace rd::ingest
