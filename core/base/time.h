// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"

namespace rd {

// RFC 3339 with an offset or Z ("2026-03-01T12:00:00.5Z"), or seconds since the epoch ("1772366400", "1772366400.25"). Nanoseconds
// of the wall clock.
[[nodiscard]] Result<std::int64_t> parse_time(std::string_view text);

}  // namespace rd
