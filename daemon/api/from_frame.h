// SPDX-License-Identifier: GPL-2.0-or-later
// What is asked of the present.
#pragma once

#include <vector>

#include "core/render/json_parts.h"
#include "daemon/api/query.h"
#include "daemon/frame.h"

namespace rd::daemon {

[[nodiscard]] Reply health_reply(const Request& request, const Frame& frame);
[[nodiscard]] Reply facts_reply(const Request& request, const Frame& frame);     // docs/schema/facts.schema.json
[[nodiscard]] Reply findings_reply(const Request& request, const Frame& frame);  // docs/schema/check.schema.json

// What a text names: "KIND:ID", an id, or what people call it, which may be several things. An Error has names that are like it.
[[nodiscard]] Result<std::vector<Entity>> named(const Frame& frame, std::string_view text);
[[nodiscard]] Json document();  // {"schema_version"}

}  // namespace rd::daemon
