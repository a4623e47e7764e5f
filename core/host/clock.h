// SPDX-License-Identifier: GPL-2.0-or-later
// The one place where deadlines get the time from. What a fact or a verdict needs of time comes with the Host (Host::now), so that
// a replay has the recorded one; this clock only bounds how long we wait.
#pragma once

#include <cstdint>

namespace rd {

[[nodiscard]] std::int64_t steady_ns();  // CLOCK_MONOTONIC

}  // namespace rd
