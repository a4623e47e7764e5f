// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/clock.h"

#include <ctime>

namespace rd {

std::int64_t steady_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace rd
