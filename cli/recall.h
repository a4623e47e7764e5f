// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon of this host remembers, for `check`. It is asked in passing: no daemon is no news, and one that does not answer at
// once is not waited for.
#pragma once

#include <optional>
#include <string>

#include "core/diagnosis/past.h"

namespace rd::cli {

// Lays it beside the report, or says there why it could not be had. Nothing where there is no daemon.
void recall(Report& report, const std::string& socket, const LabelOf& label);

}  // namespace rd::cli
