// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace rd {
namespace {

constexpr std::size_t kMaxNumbers = 65'536;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_lower_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// Out of line so that the successful path of the parsers stays small and free of allocation.
tl::unexpected<Error> bad(std::string_view expected, std::string_view text) {
    return fail(Errc::bad_input, "not " + std::string(expected) + ": '" + printable(text) + "'");
}

tl::unexpected<Error> too_large(std::string_view text) {
    return fail(Errc::bad_input, "number out of range: '" + printable(text) + "'");
}

// Every character must be used: "12abc" is no number.
template <class T>
std::errc whole(std::string_view text, T& out, int base) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out, base);
    if (error == std::errc::result_out_of_range) return error;
    return error != std::errc{} || stop != end ? std::errc::invalid_argument : std::errc{};
}

// Length of `[sign] digits [. digits]` at the front, 0 when there is none. Stands before from_chars because that would
// also take "inf", "nan" and ".5".
std::size_t fraction_length(std::string_view text) {
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == first) return 0;
    if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
        ++at;
        while (at < text.size() && is_digit(text[at])) ++at;
    }
    return at;
}

Result<double> fraction(std::string_view text) {
    const std::string_view body = text.front() == '+' ? text.substr(1) : text;
    double out = 0;
    const auto [stop, error] = std::from_chars(body.data(), body.data() + body.size(), out, std::chars_format::fixed);
    if (error == std::errc::result_out_of_range) return too_large(text);
    if (error != std::errc{} || stop != body.data() + body.size()) return bad("a number", text);
    return out;
}

// A cut that lost its meaning must not look like a value: "0x10" does not begin with the number 0, nor "1.2.3"
// with 1.2.
bool number_goes_on(std::string_view number, std::string_view rest) {
    if (rest.size() < 2) return false;
    if ((rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) return true;
    return number == "0" && (rest[0] == 'x' || rest[0] == 'X');
}

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::array<Unit, 7> kDurations{{
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"m", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
}};

// "kB" is how the kernel writes 1024 bytes in /proc/meminfo. "MB" and "GB" are left out: nobody agrees on them.
constexpr std::array<Unit, 11> kSizes{{
    {"", 1},
    {"B", 1},
    {"K", 1LL << 10},
    {"k", 1LL << 10},
    {"kB", 1LL << 10},
    {"KiB", 1LL << 10},
    {"M", 1LL << 20},
    {"MiB", 1LL << 20},
    {"G", 1LL << 30},
    {"GiB", 1LL << 30},
    {"T", 1LL << 40},
}};

template <std::size_t N>
Result<std::int64_t> with_unit(std::string_view text, const std::array<Unit, N>& units, std::string_view expected) {
    const std::string_view body = trim(text);
    const auto digits = static_cast<std::size_t>(std::find_if_not(body.begin(), body.end(), is_digit) - body.begin());
    std::int64_t value = 0;
    const std::errc error = whole(body.substr(0, digits), value, 10);
    if (error == std::errc::result_out_of_range) return too_large(body);
    if (error != std::errc{}) return bad(expected, text);
    const std::string_view name = body.substr(digits);
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    if (unit == units.end()) {
        if (name.empty() && value == 0) return 0;  // "0" needs no unit
        return bad(expected, text);
    }
    if (value > std::numeric_limits<std::int64_t>::max() / unit->factor) return too_large(body);
    return value * unit->factor;
}

}  // namespace

// Written out: it is called for each line of a text by each form that might know it.
std::string_view trim(std::string_view text) {
    const auto is_edge = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0'; };
    std::size_t begin = 0, end = text.size();
    while (begin < end && is_edge(text[begin])) ++begin;
    while (end > begin && is_edge(text[end - 1])) --end;
    return text.substr(begin, end - begin);
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    parts.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), separator)) + 1);
    while (true) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t at = text.find('\n');
        std::string_view line = text.substr(0, at);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        out.push_back(line);
        text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    }
    return out;
}

std::vector<std::string_view> words(std::string_view text) {
    const auto is_white = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size();) {
        if (is_white(text[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && !is_white(text[at])) ++at;
        out.push_back(text.substr(begin, at - begin));
    }
    return out;
}

Result<std::int64_t> parse_integer(std::string_view text) {
    std::string_view body = trim(text);
    if (body.size() > 1 && body[0] == '+' && is_digit(body[1])) body.remove_prefix(1);
    std::int64_t out = 0;
    const std::errc error = whole(body, out, 10);
    if (error == std::errc::result_out_of_range) return too_large(text);
    if (error != std::errc{}) return bad("a whole number", text);
    return out;
}

Result<std::int64_t> parse_counter(std::string_view text) {
    std::uint64_t out = 0;
    const std::errc error = whole(trim(text), out, 10);
    if (error == std::errc::invalid_argument) return bad("a counter", text);
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (error == std::errc::result_out_of_range || out > kMax) return too_large(text);
    return static_cast<std::int64_t>(out);
}

Result<std::uint64_t> parse_hex(std::string_view text) {
    std::string_view body = trim(text);
    if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')) body.remove_prefix(2);
    std::uint64_t out = 0;
    const std::errc error = whole(body, out, 16);
    if (error == std::errc::result_out_of_range) return too_large(text);
    if (error != std::errc{}) return bad("a hexadecimal number", text);
    return out;
}

Result<double> parse_number(std::string_view text) {
    const std::string_view body = trim(text);
    if (body.empty() || fraction_length(body) != body.size()) return bad("a number", text);
    return fraction(body);
}

Result<double> leading_number(std::string_view text) {
    const std::string_view body = trim(text);
    const std::size_t length = fraction_length(body);
    const std::string_view number = body.substr(0, length);
    if (length == 0 || number_goes_on(number, body.substr(length))) return bad("a number at the front", text);
    return fraction(number);
}

Result<std::vector<int>> parse_cpulist(std::string_view text) {
    std::vector<int> out;
    const std::string_view body = trim(text);
    if (body.empty()) return out;
    for (std::string_view rest = body;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const std::size_t dash = part.find('-');
        int first = 0;
        int last = 0;
        if (part.empty() || !is_digit(part[0]) || whole(part.substr(0, dash), first, 10) != std::errc{}) {
            return bad("a list of numbers such as 0-3,8", text);
        }
        last = first;
        if (dash != std::string_view::npos) {
            const std::string_view end = part.substr(dash + 1);
            if (end.empty() || !is_digit(end[0]) || whole(end, last, 10) != std::errc{} || last < first) {
                return bad("a list of numbers such as 0-3,8", text);
            }
        }
        const auto count = static_cast<std::size_t>(last - first);
        if (count >= kMaxNumbers || out.size() + count >= kMaxNumbers) {
            return fail(Errc::limit, "list holds more than 65,536 numbers: '" + printable(text) + "'");
        }
        for (std::size_t i = 0; i <= count; ++i) out.push_back(first + static_cast<int>(i));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Result<std::vector<int>> parse_cpumask(std::string_view text) {
    std::vector<int> out;
    std::string_view rest = trim(text);
    for (int base = 0;; base += 32) {  // groups of 32 bits, the lowest one last
        if (static_cast<std::size_t>(base) >= kMaxNumbers) {
            return fail(Errc::limit, "mask holds more than 65,536 bits: '" + printable(text) + "'");
        }
        const std::size_t comma = rest.rfind(',');
        const std::string_view group = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
        std::uint32_t bits = 0;
        if (group.size() > 8 || whole(group, bits, 16) != std::errc{}) return bad("a mask such as 00000000,0f", text);
        for (int bit = 0; bit < 32; ++bit) {
            if ((bits >> bit & 1U) != 0) out.push_back(base + bit);
        }
        if (comma == std::string_view::npos) return out;
        rest = rest.substr(0, comma);
    }
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    const auto value = with_unit(text, kDurations, "a duration such as 500ms, 10s, 5m, 2h or 1d");
    if (!value) return tl::unexpected<Error>(value.error());
    return std::chrono::nanoseconds(*value);
}

std::string print_duration(std::chrono::nanoseconds value) {
    if (value.count() == 0) return "0s";
    const auto unit = std::find_if(kDurations.begin(), kDurations.end(),
                                   [&](const Unit& u) { return value.count() % u.factor == 0; });
    return std::to_string(value.count() / unit->factor).append(unit->name);
}

Result<std::int64_t> parse_size(std::string_view text) {
    const std::string_view body = trim(text);
    const std::size_t space = body.find(' ');  // "2048 kB", as meminfo writes it
    if (space == std::string_view::npos) return with_unit(body, kSizes, "a size such as 4096, 4K, 2M or 1G");
    return with_unit(std::string(body.substr(0, space)).append(trim(body.substr(space))), kSizes,
                     "a size such as 4096, 4K, 2M or 1G");
}

bool is_pci_address(std::string_view text) {
    const std::size_t colon = text.find(':');  // a domain of more than four digits belongs to Intel VMD
    if (colon == std::string_view::npos || colon < 4 || colon > 8 || text.size() != colon + 8) return false;
    const std::string_view domain = text.substr(0, colon);
    const std::string_view rest = text.substr(colon);
    return std::all_of(domain.begin(), domain.end(), is_lower_hex) && is_lower_hex(rest[1]) && is_lower_hex(rest[2]) &&
           rest[3] == ':' && (rest[4] == '0' || rest[4] == '1') && is_lower_hex(rest[5]) && rest[6] == '.' &&
           rest[7] >= '0' && rest[7] <= '7';
}

std::string printable(std::string_view text, std::size_t limit) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte >= 0x20 && byte < 0x7f;
        if (out.size() + (plain ? 1 : 4) > limit) return out + "...";
        if (plain) {
            out += c;
        } else {
            out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15U]);
        }
    }
    return out;
}

std::string rfc3339(std::int64_t wall_ns) {
    using namespace std::chrono;
    const sys_time<nanoseconds> when{nanoseconds(wall_ns)};
    const auto day = floor<days>(when);
    const year_month_day date{day};
    const hh_mm_ss<milliseconds> clock{floor<milliseconds>(when) - day};
    std::string out = std::to_string(static_cast<int>(date.year()));  // always four digits: 1677 to 2262
    const auto padded = [&out](char before, std::int64_t value, std::size_t width) {
        const std::string digits = std::to_string(value);
        out.append(1, before).append(width - std::min(width, digits.size()), '0').append(digits);
    };
    padded('-', static_cast<unsigned>(date.month()), 2);
    padded('-', static_cast<unsigned>(date.day()), 2);
    padded('T', clock.hours().count(), 2);
    padded(':', clock.minutes().count(), 2);
    padded(':', clock.seconds().count(), 2);
    padded('.', clock.subseconds().count(), 3);
    return out + "Z";
}

}  // namespace rd
