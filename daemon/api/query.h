// SPDX-License-Identifier: GPL-2.0-or-later
// What a request asks for, and what is answered: without HTTP, so that it is tested and fuzzed without it. Total functions: any text
// gives a value or an Error that says what would be right.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/facts/value.h"

namespace rd::daemon {

using Arguments = std::map<std::string, std::string, std::less<>>;

struct Request {
    std::string path;  // "/v1/facts"
    Arguments arguments;
    std::string twice;                // the name of one that is there more than once; empty: none is
    bool wants_open_metrics = false;  // what the Accept header says
    std::string body{};               // of an order; what only asks has none
};

inline constexpr std::string_view kJson = "application/json";

struct Reply {
    int status = 200;
    std::string body;
    std::string type{kJson};
};

// {"error", "remedy"}
[[nodiscard]] Reply failure(int status, std::string_view what, std::string_view remedy);
// bad_input → 400, not_found → 404, timed_out and not_collected → 503, the rest → 500.
[[nodiscard]] Reply failure(const Error& error);

// Nothing where the argument is missing.
[[nodiscard]] Result<std::optional<std::int64_t>> time_argument(const Arguments& arguments, std::string_view name);
[[nodiscard]] Result<std::int64_t> number_argument(const Arguments& arguments, std::string_view name,
                                                   std::int64_t otherwise, std::int64_t least, std::int64_t most);
[[nodiscard]] std::string_view text_argument(const Arguments& arguments, std::string_view name);
// Arguments that the endpoint does not know: a filter with a slip in its name must not give everything.
[[nodiscard]] Result<> only_arguments(const Arguments& arguments, std::span<const std::string_view> known);

// "port:pci-0000:41:00.0/1"; "host" and "host:" are the host. Nothing when it does not begin with a kind.
[[nodiscard]] std::optional<Entity> parse_entity(std::string_view text);
[[nodiscard]] std::string print_entity(const Entity& entity);

}  // namespace rd::daemon
