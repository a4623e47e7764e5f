// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace rd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLatest = INT64_MAX / kSecond;  // the year 2262

// Takes `digits` digits off the front.
std::optional<int> take(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

// Since 1970-01-01, in the proleptic Gregorian calendar.
std::int64_t days(int year, int month, int day) {
    const int y = month <= 2 ? year - 1 : year;
    const int era = (y >= 0 ? y : y - 399) / 400;
    const int of_era = y - era * 400;
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return std::int64_t{era} * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int days_of_month(int year, int month) {
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : kDays[month - 1];
}

// Nanoseconds of ".5", more digits than nine are read and dropped.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
    if (!take(text, ".")) return 0;
    std::int64_t value = 0, unit = kSecond / 10;
    bool any = false;
    while (const auto digit = take(text, 1)) {
        value += *digit * unit;
        unit /= 10;
        any = true;
    }
    return any ? std::optional(value) : std::nullopt;
}

// Seconds that the clock of the text is ahead of UTC.
std::optional<std::int64_t> take_offset(std::string_view& text) {
    if (take(text, "Zz")) return 0;
    if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
    const int sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
    const auto hours = take(text, 2);
    if (!hours || *hours > 23 || !take(text, ":")) return std::nullopt;
    const auto minutes = take(text, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    return sign * (*hours * 3600 + *minutes * 60);
}

std::optional<std::int64_t> rfc3339_time(std::string_view text) {
    const auto year = take(text, 4);
    if (!year || !take(text, "-")) return std::nullopt;
    const auto month = take(text, 2);
    if (!month || *month < 1 || *month > 12 || !take(text, "-")) return std::nullopt;
    const auto day = take(text, 2);
    if (!day || *day < 1 || *day > days_of_month(*year, *month) || !take(text, "Tt ")) return std::nullopt;
    const auto hour = take(text, 2);
    if (!hour || *hour > 23 || !take(text, ":")) return std::nullopt;
    const auto minute = take(text, 2);
    if (!minute || *minute > 59 || !take(text, ":")) return std::nullopt;
    const auto second = take(text, 2);
    if (!second || *second > 60) return std::nullopt;
    const auto fraction = take_fraction(text);
    const auto offset = fraction ? take_offset(text) : std::nullopt;
    if (!offset || !text.empty()) return std::nullopt;
    const std::int64_t seconds = days(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + *second - *offset;
    if (seconds < 0 || seconds >= kLatest) return std::nullopt;
    return seconds * kSecond + *fraction;
}

// "1764547200", and with a fraction, as Prometheus takes it: "1764547200.123".
std::optional<std::int64_t> epoch_time(std::string_view text) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto seconds = parse_integer(text.substr(0, point));
    text.remove_prefix(point);
    const auto fraction = take_fraction(text);
    if (!seconds || *seconds < 0 || *seconds >= kLatest || !fraction || !text.empty()) return std::nullopt;
    return *seconds * kSecond + *fraction;
}

}  // namespace

Result<std::int64_t> parse_time(std::string_view text) {
    if (const auto time = epoch_time(text)) return *time;
    if (const auto time = rfc3339_time(text)) return *time;
    return fail(Errc::bad_input, fmt::format("not a time: '{}'", printable(text)),
                "write 2026-03-01T12:00:00Z, or seconds since 1970 (a '+' of an offset is %2B in a URL)");
}

}  // namespace rd
