// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/dates.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads from the front of a text; every function leaves it as it is when it finds nothing.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    void back_to(std::size_t at) { at_ = at; }
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void spaces() {
        while (take(' ')) {
        }
    }
    std::optional<int> number(std::size_t least, std::size_t most) {
        std::size_t end = at_;
        while (end < text_.size() && is_digit(text_[end]) && end - at_ < most) ++end;
        if (end - at_ < least || (end < text_.size() && is_digit(text_[end]))) return std::nullopt;
        int value = 0;
        for (; at_ < end; ++at_) value = value * 10 + (text_[at_] - '0');
        return value;
    }
    // One of the words; its number from 0.
    template <std::size_t n>
    std::optional<int> word_of(const std::array<std::string_view, n>& table) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!starts_with(rest(), table[i])) continue;
            at_ += table[i].size();
            return static_cast<int>(i);
        }
        return std::nullopt;
    }
    // Letters only, at most `most`.
    std::string_view word(std::size_t most) {
        std::size_t end = at_;
        while (end < text_.size() &&
               ((text_[end] >= 'A' && text_[end] <= 'Z') || (text_[end] >= 'a' && text_[end] <= 'z')))
            ++end;
        if (end - at_ > most) return {};
        const std::string_view found = text_.substr(at_, end - at_);
        at_ = end;
        return found;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct Zone {
    std::string_view name;
    int hours;
};
constexpr std::array<Zone, 12> kZones{{{"UTC", 0},
                                       {"GMT", 0},
                                       {"Z", 0},
                                       {"CET", 1},
                                       {"CEST", 2},
                                       {"EST", -5},
                                       {"EDT", -4},
                                       {"PST", -8},
                                       {"PDT", -7},
                                       {"JST", 9},
                                       {"MSK", 3},
                                       {"BST", 1}}};

// Days since the epoch of a date of the Gregorian calendar.
std::int64_t days_of(int year, int month, int day) {
    const std::int64_t y = month <= 2 ? year - 1 : year;
    const std::int64_t era = y / 400, of_era = y - era * 400;
    const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

// "10:00:05.123", with AM or PM behind it; nanoseconds since midnight.
std::optional<std::int64_t> clock(Scanner& in) {
    const std::size_t begin = in.at();
    const auto hour = in.number(1, 2);
    if (!hour || *hour > 23 || !in.take(':')) return in.back_to(begin), std::nullopt;
    const auto minute = in.number(2, 2);
    if (!minute || *minute > 59 || !in.take(':')) return in.back_to(begin), std::nullopt;
    const auto second = in.number(2, 2);
    if (!second || *second > 60) return in.back_to(begin), std::nullopt;
    std::int64_t fraction = 0;
    const std::string_view rest = in.rest();
    if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) {
        std::size_t digits = 1;
        std::int64_t unit = kSecond;
        for (; digits < rest.size() && is_digit(rest[digits]); ++digits) {
            if (unit >= 10) fraction += (unit /= 10) * (rest[digits] - '0');
        }
        in.back_to(in.at() + digits);
    }
    int hours = *hour;
    const std::size_t behind = in.at();
    in.spaces();
    const std::string_view half = in.word(2);
    if ((half == "PM" || half == "pm") && hours < 12) {
        hours += 12;
    } else if ((half == "AM" || half == "am") && hours == 12) {
        hours = 0;
    } else if (half != "AM" && half != "am" && half != "PM" && half != "pm") {
        in.back_to(behind);
    }
    return ((hours * 60 + *minute) * 60 + *second) * kSecond + fraction;
}

// "+01:00", "-0700", "Z", "CET": seconds to subtract.
std::int64_t zone(Scanner& in) {
    const std::size_t begin = in.at();
    in.spaces();
    const bool minus = in.take('-');
    if (minus || in.take('+')) {
        const auto hours = in.number(2, 2);
        if (hours) {
            in.take(':');
            const auto minutes = in.number(2, 2);
            return (*hours * 3600 + minutes.value_or(0) * 60) * (minus ? -1 : 1);
        }
        const std::size_t here = in.at();
        if (const auto both = in.number(4, 4)) return (*both / 100 * 3600 + *both % 100 * 60) * (minus ? -1 : 1);
        in.back_to(here);
    }
    in.back_to(begin);
    in.spaces();
    const std::string_view name = in.word(5);
    for (const Zone& each : kZones) {
        if (each.name == name) return each.hours * 3600;
    }
    if (name.size() < 3 || !std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
        in.back_to(begin);
    return 0;
}

std::int64_t together(int year, int month, int day, std::int64_t clock_ns, std::int64_t zone_s) {
    return (days_of(year, month, day) * kDay - zone_s) * kSecond + clock_ns;
}

bool is_date(int year, int month, int day) {
    return year >= 1970 && year < 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

std::optional<TimeText> iso(Scanner in) {
    const auto year = in.number(4, 4);
    if (!year || !(in.take('-') || in.take('/'))) return std::nullopt;
    const auto month = in.number(2, 2);
    if (!month || !(in.take('-') || in.take('/'))) return std::nullopt;
    const auto day = in.number(2, 2);
    if (!day || !is_date(*year, *month, *day) || !(in.take('T') || in.take(' ') || in.take('-'))) return std::nullopt;
    in.spaces();
    const auto time = clock(in);
    if (!time) return std::nullopt;
    const std::int64_t offset = zone(in);
    return TimeText{together(*year, *month, *day, *time, offset), true, true, in.at()};
}

// "[Tue ]Dec  1 10:00:05 [UTC ][2026]"
std::optional<TimeText> month_first(Scanner in) {
    if (in.word_of(kDays)) {
        in.take(',');
        if (!in.take(' ')) return std::nullopt;
        in.spaces();
    }
    const auto month = in.word_of(kMonths);
    if (!month || !in.take(' ')) return std::nullopt;
    in.spaces();
    const auto day = in.number(1, 2);
    if (!day || !in.take(' ')) return std::nullopt;
    in.spaces();
    std::optional<int> year;
    std::size_t here = in.at();
    if ((year = in.number(4, 4))) {
        in.spaces();
    } else {
        in.back_to(here);
    }
    const auto time = clock(in);
    if (!time) return std::nullopt;
    std::int64_t offset = 0;
    here = in.at();
    if (!year) {
        offset = zone(in);
        in.spaces();
        year = in.number(4, 4);
        if (!year) {
            in.back_to(here);
            offset = 0;
        }
    }
    if (!is_date(year.value_or(1970), *month + 1, *day)) return std::nullopt;
    return TimeText{together(year.value_or(1970), *month + 1, *day, *time, offset), true, year.has_value(), in.at()};
}

// "Tue 01 Dec 2026 10:00:05 AM CET"
std::optional<TimeText> day_first(Scanner in) {
    if (!in.word_of(kDays)) return std::nullopt;
    in.take(',');
    in.spaces();
    const auto day = in.number(1, 2);
    if (!day || !in.take(' ')) return std::nullopt;
    const auto month = in.word_of(kMonths);
    if (!month || !in.take(' ')) return std::nullopt;
    const auto year = in.number(4, 4);
    if (!year || !in.take(' ')) return std::nullopt;
    in.spaces();
    const auto time = clock(in);
    if (!time || !is_date(*year, *month + 1, *day)) return std::nullopt;
    const std::int64_t offset = zone(in);
    return TimeText{together(*year, *month + 1, *day, *time, offset), true, true, in.at()};
}

std::optional<TimeText> clock_only(Scanner in) {
    const auto time = clock(in);
    if (!time) return std::nullopt;
    return TimeText{*time, false, false, in.at()};
}

bool is_frame(char c) { return c == '-' || c == '=' || c == '#' || c == '*' || c == ' ' || c == '[' || c == ']'; }

constexpr std::array<std::string_view, 6> kLabels{"date:", "time:", "timestamp:", "at ", "Date:", "Time:"};

std::int64_t unit_of(std::string_view word) {
    while (!word.empty() && (word.back() == ':' || word.back() == ',' || word.back() == '.')) word.remove_suffix(1);
    for (const std::string_view each : {"s", "sec", "secs", "second", "seconds"}) {
        if (word == each) return kSecond;
    }
    for (const std::string_view each : {"m", "min", "mins", "minute", "minutes"}) {
        if (word == each) return 60 * kSecond;
    }
    for (const std::string_view each : {"h", "hour", "hours"}) {
        if (word == each) return 3600 * kSecond;
    }
    return 0;
}

}  // namespace

std::optional<TimeText> time_at_front(std::string_view text) {
    if (text.size() < 8) return std::nullopt;
    const Scanner in(text);
    if (is_digit(text[0])) {
        if (auto found = iso(in)) return found;
        return clock_only(in);
    }
    if (auto found = month_first(in)) return found;
    return day_first(in);
}

std::optional<TimeText> time_line_of(std::string_view line) {
    line = trim(line);
    if (line.size() < 8 || line.size() > 80) return std::nullopt;
    while (!line.empty() && is_frame(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_frame(line.back())) line.remove_suffix(1);
    for (const std::string_view label : kLabels) {
        if (starts_with(line, label)) line = trim(line.substr(label.size()));
    }
    auto found = time_at_front(line);
    if (!found || found->length != line.size()) return std::nullopt;
    return found;
}

std::optional<WatchHead> watch_head_of(std::string_view line) {
    if (!starts_with(line, "Every ")) return std::nullopt;
    const std::size_t colon = line.find("s: ");
    if (colon == std::string_view::npos || colon > 16) return std::nullopt;
    const std::string_view rest = line.substr(colon + 3);
    const std::size_t gap =
        rest.rfind("  ", rest.find(": ", 0) == std::string_view::npos ? std::string_view::npos : rest.rfind(": "));
    WatchHead head;
    head.command = std::string(trim(rest.substr(0, gap)));
    if (gap == std::string_view::npos) return head;
    std::string_view stamp = trim(rest.substr(gap));
    if (const std::size_t behind = stamp.find(": "); behind != std::string_view::npos) {
        head.host = std::string(stamp.substr(0, std::min(stamp.find('.'), behind)));
        stamp = trim(stamp.substr(behind + 2));
    }
    if (const auto time = time_at_front(stamp)) head.time = *time;
    return head;
}

std::optional<std::int64_t> uptime_of(std::string_view line) {
    line = trim(line);
    Scanner in(line);
    if (!clock(in) || !starts_with(in.rest(), " up ") || line.find("load average") == std::string_view::npos) {
        return std::nullopt;
    }
    std::int64_t seconds = 0;
    in.back_to(in.at() + 4);
    for (int part = 0; part < 3; ++part) {
        in.spaces();
        const auto number = in.number(1, 5);
        if (!number) break;
        if (in.take(':')) {
            seconds += *number * 3600 + in.number(2, 2).value_or(0) * 60;
            break;
        }
        in.spaces();
        const std::string_view unit = in.word(5);
        if (starts_with(unit, "day")) {
            seconds += *number * kDay;
        } else if (starts_with(unit, "min")) {
            seconds += *number * 60;
        } else {
            break;  // "2 users"
        }
        in.take(',');
    }
    return seconds * kSecond;
}

std::optional<std::int64_t> pause_of(std::string_view line) {
    line = trim(line);
    while (!line.empty() && is_frame(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_frame(line.back())) line.remove_suffix(1);
    if (line.size() < 5 || line.size() > 48) return std::nullopt;
    const auto parts = words(line);
    if (parts.size() < 2 || parts.size() > 6) return std::nullopt;
    const bool says_pause = std::any_of(parts.begin(), parts.end(), [](std::string_view word) {
        while (!word.empty() && word.back() == ':') word.remove_suffix(1);
        return word == "after" || word == "After" || word == "later" || word == "wait" || word == "waited" ||
               word == "+";
    });
    if (!says_pause) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::string_view word = parts[i];
        const std::size_t digits = word.find_first_not_of("0123456789.");
        if (digits == 0) continue;
        const auto number = parse_number(word.substr(0, digits));
        if (!number) continue;
        const std::string_view unit = digits != std::string_view::npos ? word.substr(digits)
                                      : i + 1 < parts.size()           ? parts[i + 1]
                                                                       : std::string_view();
        const std::int64_t factor = unit_of(unit);
        if (factor != 0 && *number > 0 && *number < 100'000) {
            return static_cast<std::int64_t>(*number * static_cast<double>(factor));
        }
    }
    return std::nullopt;
}

}  // namespace rd::ingest
