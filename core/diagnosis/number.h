// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic and order of fact values: whole numbers stay exact as long as they can, and a counter of 2^53 + 1 is not 2^53.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "core/facts/value.h"

namespace rd {

// Two numbers (integer or real) in their true order; unordered for NaN.
[[nodiscard]] std::partial_ordering compare_numbers(const Value& a, const Value& b);
// Division gives a real. nullopt: by zero, or no finite number.
[[nodiscard]] std::optional<Value> add(const Value& a, const Value& b);
[[nodiscard]] std::optional<Value> subtract(const Value& a, const Value& b);
[[nodiscard]] std::optional<Value> multiply(const Value& a, const Value& b);
[[nodiscard]] std::optional<Value> divide(const Value& a, const Value& b);
[[nodiscard]] double as_real(const Value& number);

}  // namespace rd
