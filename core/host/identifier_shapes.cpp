// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/identifier_shapes.h"

#include <algorithm>
#include <string>

namespace rd {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\0'; }
char before(std::string_view text, std::size_t i) { return i == 0 ? '\0' : text[i - 1]; }

// The word that a value belongs to: "mac" of "mac: …", "mac=…" and "mac …", in lower case.
std::string word_before(std::string_view text, std::size_t from) {
    constexpr std::size_t kLongest = 24;
    std::size_t to = from;
    while (to > 0 && std::string_view(" :=\t'\"(").find(text[to - 1]) != std::string_view::npos) --to;
    std::size_t word = to;
    while (word > 0 && to - word < kLongest &&
           (is_alnum(text[word - 1]) || text[word - 1] == '_' || text[word - 1] == '-')) {
        --word;
    }
    std::string name;
    for (const char c : text.substr(word, to - word)) name += c == '-' ? '_' : lower(c);
    return name;
}

}  // namespace

std::size_t quad_end(std::string_view text, std::size_t from) {
    std::size_t to = from;
    for (int octet = 0; octet < 4; ++octet) {
        if (octet != 0 && at(text, to++) != '.') return 0;
        const std::size_t first = to;
        int value = 0;
        for (; is_digit(at(text, to)) && to - first < 3; ++to) value = value * 10 + (at(text, to) - '0');
        if (to == first || value > 255 || (to - first > 1 && at(text, first) == '0')) return 0;
    }
    return is_alnum(at(text, to)) || (at(text, to) == '.' && is_alnum(at(text, to + 1))) ? 0 : to;
}

bool is_private(const IdBytes& quad) {
    return quad[0] == 10 || (quad[0] == 172 && quad[1] >= 16 && quad[1] < 32) || (quad[0] == 192 && quad[1] == 168) ||
           (quad[0] == 100 && quad[1] >= 64 && quad[1] < 128) || (quad[0] == 169 && quad[1] == 254);
}

std::size_t uuid_end(std::string_view text, std::size_t from) {
    constexpr std::size_t kGroups[] = {8, 4, 4, 4, 12};
    const std::string_view rest = text.substr(std::min(from + kGroups[0], text.size()));
    const bool escaped = rest.starts_with(kEscapedDash);
    const std::string_view separator = rest.substr(0, escaped ? kEscapedDash.size() : 1);
    if (!escaped && separator != "-" && separator != "_") return 0;
    std::size_t to = from;
    for (const std::size_t size : kGroups) {
        if (to != from) {
            if (text.substr(std::min(to, text.size()), separator.size()) != separator) return 0;
            to += separator.size();
        }
        for (const std::size_t end = to + size; to < end; ++to) {
            if (!is_hex(at(text, to))) return 0;
        }
    }
    return is_alnum(at(text, to)) ? 0 : to;
}

std::optional<Pairs> pairs_at(std::string_view text, std::size_t from) {
    const char separator = at(text, from + 2);
    if (before(text, from) == separator || (separator != '-' && separator != '_')) return std::nullopt;
    std::size_t to = from, count = 0;
    while (count < 9 && is_hex(at(text, to)) && is_hex(at(text, to + 1))) {
        to += 2;
        ++count;
        if (at(text, to) != separator) break;
        ++to;
    }
    if (count < 6 || count > 8 || is_alnum(at(text, to)) || at(text, to) == separator || before(text, to) == separator)
        return std::nullopt;
    const std::string_view type = text.substr(from, 2);
    if (count == 7 && type != "01" && type != "20") return std::nullopt;
    return Pairs{count == 8 ? Form::eui64_colons : Form::mac_dashes, count == 7 ? from + 3 : from, to, separator};
}

std::optional<Triple> triple_at(std::string_view text, std::size_t from) {
    constexpr std::size_t kSize = 14;
    if (before(text, from) == '.' || from + kSize > text.size()) return std::nullopt;
    bool letter = false;
    for (std::size_t i = 0; i < kSize; ++i) {
        const char c = text[from + i];
        if (i % 5 == 4 ? c != '.' : !is_hex(c)) return std::nullopt;
        letter = letter || (i % 5 != 4 && !is_digit(c));
    }
    const std::size_t to = from + kSize;
    if (is_alnum(at(text, to)) || (at(text, to) == '.' && is_alnum(at(text, to + 1)))) return std::nullopt;
    return Triple{to, letter};
}

bool is_behind(std::string_view text, std::size_t from, std::initializer_list<std::string_view> names) {
    const std::string word = word_before(text, from);
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return word == name || (word.ends_with(name) && word[word.size() - name.size() - 1] == '_');
    });
}

}  // namespace rd
