// SPDX-License-Identifier: GPL-2.0-or-later
// What the build puts into the program (cmake/embed.cmake): its version and docs/schema.
#pragma once

#include <span>
#include <string_view>

namespace rd::cli {

struct Schema {
    std::string_view command;  // "check"
    std::string_view text;     // JSON Schema, draft 2020-12
};

[[nodiscard]] std::span<const Schema> schemas();
[[nodiscard]] std::string_view version();    // "0.1.0"
[[nodiscard]] std::string_view tool_name();  // "rdmadoctor 0.1.0"

}  // namespace rd::cli
