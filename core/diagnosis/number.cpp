// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/number.h"

#include <cmath>

namespace rd {
namespace {

const std::int64_t* whole(const Value& value) { return std::get_if<std::int64_t>(&value); }

std::partial_ordering compare_mixed(std::int64_t a, double b) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (std::isnan(b)) return std::partial_ordering::unordered;
    if (b >= kTwoTo63) return std::partial_ordering::less;
    if (b < -kTwoTo63) return std::partial_ordering::greater;
    const double floor = std::floor(b);
    const auto below = static_cast<std::int64_t>(floor);
    if (a != below) return a <=> below;
    return b > floor ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::optional<Value> finite(double value) {
    if (!std::isfinite(value)) return std::nullopt;
    return Value(value);
}

}  // namespace

double as_real(const Value& number) {
    const std::int64_t* integer = whole(number);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number);
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
    const std::int64_t* left = whole(a);
    const std::int64_t* right = whole(b);
    if (left != nullptr && right != nullptr) return *left <=> *right;
    if (left != nullptr) return compare_mixed(*left, std::get<double>(b));
    if (right != nullptr) return 0 <=> compare_mixed(*right, std::get<double>(a));
    return std::get<double>(a) <=> std::get<double>(b);
}

std::optional<Value> add(const Value& a, const Value& b) {
    std::int64_t exact = 0;
    if (whole(a) != nullptr && whole(b) != nullptr && !__builtin_add_overflow(*whole(a), *whole(b), &exact))
        return Value(exact);
    return finite(as_real(a) + as_real(b));
}

std::optional<Value> subtract(const Value& a, const Value& b) {
    std::int64_t exact = 0;
    if (whole(a) != nullptr && whole(b) != nullptr && !__builtin_sub_overflow(*whole(a), *whole(b), &exact))
        return Value(exact);
    return finite(as_real(a) - as_real(b));
}

std::optional<Value> multiply(const Value& a, const Value& b) {
    std::int64_t exact = 0;
    if (whole(a) != nullptr && whole(b) != nullptr && !__builtin_mul_overflow(*whole(a), *whole(b), &exact))
        return Value(exact);
    return finite(as_real(a) * as_real(b));
}

std::optional<Value> divide(const Value& a, const Value& b) {
    const double divisor = as_real(b);
    if (divisor == 0) return std::nullopt;
    return finite(as_real(a) / divisor);
}

}  // namespace rd
