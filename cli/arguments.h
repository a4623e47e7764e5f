// SPDX-License-Identifier: GPL-2.0-or-later
// The command line as plain options. The only user of CLI11, which costs ten seconds a translation unit.
#pragma once

#include <optional>

#include "cli/answer.h"
#include "cli/options.h"

namespace rd::cli {

struct Arguments {
    std::optional<Command> command;
    Answer instead;  // without a command: help, version, or what is wrong
};

[[nodiscard]] Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace rd::cli
