// SPDX-License-Identifier: GPL-2.0-or-later
// The report as docs/schema/check.schema.json says.
#pragma once

#include "core/render/json_parts.h"

namespace rd {

[[nodiscard]] Json report_json(const Report& report);

}  // namespace rd
