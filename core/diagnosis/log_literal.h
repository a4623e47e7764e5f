// SPDX-License-Identifier: GPL-2.0-or-later
// What a line must contain for a log pattern to match it, and which of many such literals a line contains. It spares most lines the
// automaton of all patterns, which costs far more to make than the few hundred lines of a host's kernel log cost to look through.
// It decides nothing: a line with the literal may still not match, and a pattern without one has to be asked about every line.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rd {

// In lower case, one for each branch of the pattern: what matches contains one of them, whatever the case of its letters. Empty: none
// is certain that has kShortestLiteral bytes. `pattern` is RE2 syntax; what is not followed here makes it empty, never wrong.
[[nodiscard]] std::vector<std::string> required_literals(std::string_view pattern);

inline constexpr std::size_t kShortestLiteral = 4;

class LiteralIndex {
public:
    static constexpr unsigned kPlaceBits = 14;

    // `literal` is in lower case, and has kShortestLiteral bytes or more.
    void add(std::string literal, int number);
    // The numbers of the literals in the line, in ascending order and once each; but when they are more than `most`, only so many
    // that this can be seen.
    [[nodiscard]] std::vector<int> in(std::string_view line, std::size_t most) const;

private:
    struct One {
        std::string literal;
        int number;
    };
    std::unordered_multimap<std::uint32_t, One> literals_;  // by their first four bytes
    std::bitset<(1U << kPlaceBits)> beginnings_;            // whether any begins so
};

}  // namespace rd
