// SPDX-License-Identifier: GPL-2.0-or-later
// Command lines as people type them at a prompt: enough of the shell's grammar to know what ran with which arguments. Nothing is
// expanded but the words of a loop that are written out, and nothing is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/form.h"

namespace rd::ingest {

struct CommandLine {
    std::vector<Command> commands;  // those that `;`, `&&`, `||` and loops separate, in order; each with its pipeline
    std::string host;               // where they ran, when it is elsewhere: ssh HOST
    bool many_hosts = false;        // pdsh, clush and their like: every line of the output begins with its host
    double slept_s = 0;             // by `sleep N` among them
};

// Whether the output is a log: of the kernel, or any (journalctl, `grep … /var/log/…`, kubectl logs).
[[nodiscard]] bool prints_kernel_log(const Command& command);
[[nodiscard]] bool prints_log(const Command& command);

[[nodiscard]] CommandLine parse_command_line(std::string_view text);

}  // namespace rd::ingest
