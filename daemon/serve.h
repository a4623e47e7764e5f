// SPDX-License-Identifier: GPL-2.0-or-later
// From options to a running daemon: reads the configuration and the rules, wires the parts, runs, and does it again on SIGHUP.
#pragma once

#include <string>

#include "core/diagnosis/rulebook.h"

namespace rd::daemon {

struct ServeOptions {
    std::string config;    // file; empty: the default place
    std::string from;      // directory with a copy of a host; empty: this host
    std::string textfile;  // in place of what the configuration says; empty: as it says
    bool foreground = false, once = false;
};

// Signals that the loop waits for must be blocked. Gives the exit status.
[[nodiscard]] int serve(const ServeOptions& options);

}  // namespace rd::daemon
