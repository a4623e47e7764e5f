// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/look.h"

#include <string>

#include "collectors/all.h"
#include "core/base/text.h"
#include "core/facts/sweep.h"

namespace rd::cli {
namespace {

// A host whose devices answer is read in a fraction of it.
constexpr std::chrono::milliseconds kLeastSweep{50};

}  // namespace

OrFailure<std::chrono::nanoseconds> sweep_deadline(std::chrono::nanoseconds whole, int sweeps,
                                                   std::chrono::nanoseconds interval) {
    const std::chrono::nanoseconds each = (whole - interval * (sweeps - 1)) / sweeps;
    if (each < kLeastSweep) {
        const std::chrono::nanoseconds waited = interval * (sweeps - 1), least = waited + kLeastSweep * sweeps;
        const std::string needed = "give --deadline " + print_duration(least) + " or more";
        if (waited.count() == 0) {
            return usage_failure("--deadline " + print_duration(whole) + " is too short to look at a host (" + needed +
                                 ")");
        }
        return usage_failure("--deadline " + print_duration(whole) + " leaves no time to read: the sweeps are " +
                             print_duration(interval) + " apart (" + needed + ", or a shorter --interval)");
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
