// SPDX-License-Identifier: GPL-2.0-or-later
// What a report comes to: the most likely cause, how sure that is, and what would settle it. Says nothing that the findings,
// the suspicions and the unknown checks of the report do not say.
#pragma once

#include "core/diagnosis/report.h"

namespace rd {

[[nodiscard]] Conclusion conclude(const Report& report, const Rulebook& book, const History& history);

}  // namespace rd
