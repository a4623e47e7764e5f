// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "core/diagnosis/rule.h"

namespace rd {

// Does a condition of the rule ask for this fact? By the resolved rows, not by names: within `any(port, ...)` the same words mean
// another fact.
[[nodiscard]] bool reads(const Rule& rule, const FactSpec& spec);

}  // namespace rd
