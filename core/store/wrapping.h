// SPDX-License-Identifier: GPL-2.0-or-later
// Counters may use all of 64 bits, and bit patterns do: differences wrap, and wrap back.
#pragma once

#include <cstdint>

namespace rd::store {

[[nodiscard]] constexpr std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace rd::store
