// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/facts/counter.h"

#include <limits>

namespace rd {

CounterStep counter_step(std::int64_t from, std::int64_t to, Nature nature) {
    if (to >= from) {
        // Further apart than a number can say: only what is no counter does that.
        std::int64_t amount = 0;
        return {__builtin_sub_overflow(to, from, &amount) ? std::numeric_limits<std::int64_t>::max() : amount, false};
    }
    if (nature == Nature::counter32) {
        const std::int64_t around = to + (counter_max(nature) + 1 - from);
        if (around >= 0 && around < (std::int64_t{1} << 31)) return {around, false};
    }
    return {to, true};
}

}  // namespace rd
