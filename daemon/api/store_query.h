// SPDX-License-Identifier: GPL-2.0-or-later
// What the endpoints of the past have in common. Private to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/render/json_parts.h"
#include "core/store/reader.h"
#include "daemon/api/query.h"
#include "daemon/frame.h"

namespace rd::daemon {

// A file that is not there yet, or cannot be read, is trouble of ours and not of the request.
[[nodiscard]] Result<store::Reader> open_store(const std::string& path);
// Of reading: what the store says of itself is no answer to who asked.
[[nodiscard]] Error unreadable(const Error& error);
// since= and until=; all there is without them.
[[nodiscard]] Result<store::Span> span_argument(const Arguments& arguments);
// The span as it was asked for, null where it is open.
void put_span(Json& into, store::Span span);
// Exactly one; an Error names the choice.
[[nodiscard]] Result<Entity> one_entity(std::string_view text, const Frame* frame, const store::Reader& reader);
[[nodiscard]] Result<store::SeriesRow> one_series(const Entity& entity, std::string_view fact,
                                                  const store::Reader& reader);

}  // namespace rd::daemon
