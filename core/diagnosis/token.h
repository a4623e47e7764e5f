// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/expression.h"

namespace rd {

enum class TokenKind : std::uint8_t { end, name, number, duration, text, param, symbol };

struct Token {
    TokenKind kind = TokenKind::end;
    Place place;
    std::string text;    // as written; of a text its contents; of a parameter its name
    Value value{false};  // of a number: integer or real; of a duration: nanoseconds as integer
};

// The whole text at once, with an `end` token last. Places are true in the file that holds the text from `start` on.
[[nodiscard]] tl::expected<std::vector<Token>, Complaint> tokenize(std::string_view text, Place start);

}  // namespace rd
