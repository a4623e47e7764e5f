// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "core/diagnosis/rulebook.h"
#include "core/facts/history.h"

namespace rd {

// The longest window that a rule in force asks of each fact, with the parameters that are set. The rows are those of the catalogue.
[[nodiscard]] Windows windows_of(const Rulebook& book);

}  // namespace rd
