// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/render/page.h"
#include "core/diagnosis/report.h"

namespace rd::cli {

// How often the finding came, and what the kernel told of its subject. Nothing where nobody knows more than this look.
void print_recurrence(Page& page, int indent, const Finding& finding);
void print_not_now(Page& page, const Report& report);
// Among what is not known.
void print_past_gap(Page& page, const Report& report);

}  // namespace rd::cli
