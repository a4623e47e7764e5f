// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/api/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/render/json_parts.h"

namespace rd::daemon {
Reply failure(int status, std::string_view what, std::string_view remedy) {
    Json body;
    body["error"] = what;
    body["remedy"] = remedy;
    return {status, json_text(body), std::string(kJson)};
}

Reply failure(const Error& error) {
    switch (error.code) {
        case Errc::bad_input:
        case Errc::limit:
            return failure(400, error.what, error.remedy);
        case Errc::not_found:
            return failure(404, error.what, error.remedy);
        case Errc::timed_out:
        case Errc::not_collected:
            return failure(503, error.what, error.remedy);
        default:
            return failure(500, error.what, error.remedy);
    }
}

Result<std::optional<std::int64_t>> time_argument(const Arguments& arguments, std::string_view name) {
    const auto place = arguments.find(name);
    if (place == arguments.end() || place->second.empty()) return std::optional<std::int64_t>{};
    auto time = parse_time(place->second);
    if (!time) return fail(Errc::bad_input, fmt::format("{}: {}", name, time.error().what), time.error().remedy);
    return std::optional(*time);
}

Result<std::int64_t> number_argument(const Arguments& arguments, std::string_view name, std::int64_t otherwise,
                                     std::int64_t least, std::int64_t most) {
    const auto place = arguments.find(name);
    if (place == arguments.end() || place->second.empty()) return otherwise;
    const auto number = parse_integer(place->second);
    if (number && *number >= least && *number <= most) return *number;
    return fail(Errc::bad_input,
                fmt::format("{}: not a number from {} to {}: '{}'", name, least, most, printable(place->second)),
                fmt::format("leave it out for {}", otherwise));
}

std::string_view text_argument(const Arguments& arguments, std::string_view name) {
    const auto place = arguments.find(name);
    return place == arguments.end() ? std::string_view() : std::string_view(place->second);
}

Result<> only_arguments(const Arguments& arguments, std::span<const std::string_view> known) {
    for (const auto& [name, value] : arguments) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string remedy = did_you_mean(name, known);
        if (remedy.empty())
            remedy = known.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known, ", "));
        return fail(Errc::bad_input, fmt::format("no such argument: '{}'", printable(name)), std::move(remedy));
    }
    return {};
}

std::optional<Entity> parse_entity(std::string_view text) {
    const auto colon = text.find(':');
    Entity entity;
    if (!kind_from_name(text.substr(0, colon), entity.kind)) return std::nullopt;
    if (colon != std::string_view::npos) entity.id = text.substr(colon + 1);
    // "numa" alone is rather a name with a slip than an entity without an id.
    if ((entity.kind == Kind::host) != entity.id.empty()) return std::nullopt;
    return entity;
}

std::string print_entity(const Entity& entity) { return fmt::format("{}:{}", name_of(entity.kind), entity.id); }

}  // namespace rd::daemon
