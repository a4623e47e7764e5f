// SPDX-License-Identifier: GPL-2.0-or-later
// The one place where two values of a counter are subtracted.
#pragma once

#include <cstdint>

#include "core/facts/catalog.h"

namespace rd {

struct CounterStep {
    std::int64_t amount = 0;
    bool reset = false;  // it was cleared on the way; a cleared counter has counted its present value since
};

// From one value of a counter to the next. A 32-bit counter that went down has wrapped when the way round is the shorter one, else it
// was cleared (driver reload, perfquery -R).
[[nodiscard]] CounterStep counter_step(std::int64_t from, std::int64_t to, Nature nature);

}  // namespace rd
