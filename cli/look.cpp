// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/look.h"

#include <string>

#include "collectors/all.h"
#include "core/base/text.h"
#include "core/facts/sweep.h"

namespace rd::cli {

OrFailure<std::chrono::nanoseconds> sweep_deadline(std::chrono::nanoseconds whole, int sweeps,
                                                   std::chrono::nanoseconds interval) {
    const std::chrono::nanoseconds each = (whole - interval * (sweeps - 1)) / sweeps;
    if (each < std::chrono::milliseconds(50)) {
        return usage_failure("--deadline " + print_duration(whole) + " leaves no time to read besides waiting for " +
                             print_duration(interval * (sweeps - 1)) + " (--interval)");
    }
    return each;
}

History look(const std::shared_ptr<Host>& host, const Setup& setup, const LookOptions& options, Progress& progress) {
    SweepOptions sweep_options;
    sweep_options.deadline = options.deadline;
    sweep_options.site = setup.site;
    Sweep sweep(host, collectors::all(), collectors::derivations(), sweep_options);
    History history(sweep.layout(), std::chrono::hours(24));
    const bool counted = options.sweeps > 0;
    for (int number = 1;; ++number) {
        if (counted)
            progress.show("sweep " + std::to_string(number) + " of " + std::to_string(options.sweeps) + " ...");
        history.append(sweep.run(Due::all));
        if (counted && number >= options.sweeps) break;
        if (counted) progress.show("waiting " + print_duration(options.interval) + " ...");
        if (!host->advance(options.interval)) break;
    }
    progress.clear();
    return history;
}

std::chrono::nanoseconds give_up_after(std::chrono::nanoseconds own) { return own + std::chrono::seconds(30); }

}  // namespace rd::cli
