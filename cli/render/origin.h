// SPDX-License-Identifier: GPL-2.0-or-later
// What a report says of the text it was made of: its heading, what was recognised in it and what was not, and what to paste to know
// more. Gaps of a text are many, so they are told by what would close them.
#pragma once

#include "cli/render/page.h"
#include "cli/render/report.h"

namespace rd::cli {

void print_origin_header(Page& page, const Report& report, const Origin& origin);
void print_pastes(Page& page, const Report& report);
void print_origin(Page& page, const Origin& origin);

}  // namespace rd::cli
