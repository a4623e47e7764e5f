// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>

#include <variant>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/look.h"
#include "cli/supervise.h"

int main(int argc, char** argv) {
    using namespace rd::cli;
    // A closed pipe and a file that may not grow are errors of write(), with a message and an exit code.
    for (const int signal : {SIGPIPE, SIGXFSZ}) (void)::signal(signal, SIG_IGN);
    const Arguments arguments = parse_arguments(argc, argv);
    if (!arguments.command) return deliver(arguments.instead);
    const Command& command = *arguments.command;
    const Console console{this_terminal(), stderr_is_terminal()};
    const auto work = [&] {
        return deliver(std::visit([&](const auto& options) { return run(options, console); }, command));
    };
    const auto live = live_duration(command);
    if (!live) return work();
    const Supervised supervised = supervise(work, give_up_after(*live));
    if (supervised.trouble.empty()) return supervised.code;
    return deliver(failed(command, {supervised.code, supervised.trouble}));
}
