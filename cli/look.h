// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps of a source, from which everything else follows.
#pragma once

#include <chrono>
#include <memory>

#include "cli/setup.h"
#include "cli/terminal.h"
#include "core/facts/history.h"
#include "core/host/host.h"

namespace rd::cli {

struct LookOptions {
    int sweeps = 0;                        // 0: as many as the source has moments; a live host never ends
    std::chrono::nanoseconds interval{0};  // between them
    std::chrono::nanoseconds deadline{0};  // of one sweep
};

// Time enough for the sweeps within `whole`, shared evenly; an Error when the intervals alone are longer.
[[nodiscard]] OrFailure<std::chrono::nanoseconds> sweep_deadline(std::chrono::nanoseconds whole, int sweeps,
                                                                 std::chrono::nanoseconds interval);

[[nodiscard]] History look(const std::shared_ptr<Host>& host, const Setup& setup, const LookOptions& options,
                           Progress& progress);

// How long a supervised command may take before it is given up: its own time, and a wide margin for a busy machine, since
// only a failure of the deadlines inside should ever run into this.
[[nodiscard]] std::chrono::nanoseconds give_up_after(std::chrono::nanoseconds own);

}  // namespace rd::cli
