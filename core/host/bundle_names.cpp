// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/text.h"
#include "core/host/bundle_format.h"

namespace rd {
namespace {

constexpr std::array<std::string_view, 6> kReserved{"@", "values", "links", "lists", "errors", "gone"};

bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '%'; }

void append_escaped(char c, std::string& out) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15U]);
}

// False when a '%' is not followed by two hexadecimal digits.
bool unescape(std::string_view text, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        if (text.size() - at < 3) return false;
        const char* const digits = text.data() + at + 1;
        unsigned char byte = 0;
        const auto [stop, error] = std::from_chars(digits, digits + 2, byte, 16);
        if (error != std::errc{} || stop != digits + 2) return false;
        out += static_cast<char>(byte);
        at += 2;
    }
    return true;
}

bool cannot_be_a_file_name(std::string_view component, bool is_first_of_path) {
    return component == "." || component == ".." ||
           (is_first_of_path && std::find(kReserved.begin(), kReserved.end(), component) != kReserved.end());
}

}  // namespace

std::string piece_of(std::string_view name) {
    const bool is_path = starts_with(name, "/");
    std::string out = is_path ? "" : "@/";
    const std::string_view rest = is_path ? name.substr(1) : name;
    bool component_starts = true;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (rest[at] == '/' && !component_starts && at + 1 < rest.size()) {
            out += '/';
            component_starts = true;
            continue;
        }
        const bool hidden =
            component_starts && cannot_be_a_file_name(rest.substr(at, rest.find('/', at) - at), is_path && at == 0);
        if (is_plain(rest[at]) && rest[at] != '/' && !hidden) {
            out += rest[at];
        } else {
            append_escaped(rest[at], out);
        }
        component_starts = false;
    }
    return out;
}

Result<std::string> name_of_piece(std::string_view piece) {
    std::string rest;
    if (!std::all_of(piece.begin(), piece.end(), [](char c) { return is_plain(c) || c == '%'; }) ||
        !unescape(piece, rest)) {
        return fail(Errc::bad_input, "other bytes than printable ASCII must be written %XX");
    }
    std::string name = starts_with(piece, "@/") ? rest.substr(2) : "/" + rest;
    if (piece.empty() || piece.back() == '/' || piece_of(name) != piece)
        return fail(Errc::bad_input, "not how this name is written in a bundle");
    return name;
}

std::string escape_field(std::string_view field) {
    std::string out;
    for (const char c : field) {
        if (is_plain(c) || static_cast<unsigned char>(c) >= 0x80) {
            out += c;
        } else {
            append_escaped(c, out);
        }
    }
    return out;
}

Result<> each_line(std::string_view text, const std::function<Result<>(std::vector<std::string>)>& take) {
    std::size_t number = 0;
    for (const std::string_view line : lines(text)) {
        ++number;
        const auto place = [&](const Error& error) {
            return fail(error.code, "line " + std::to_string(number) + ": " + error.what, error.remedy);
        };
        if (line.empty()) continue;
        if (line.size() > kMaxLine) return place({Errc::limit, "longer than 1 MiB", {}});
        std::vector<std::string> fields;
        for (const std::string_view part : split(line, '\t')) {
            if (!unescape(part, fields.emplace_back())) {
                return place({Errc::bad_input, "'" + printable(part) + "': a '%' must be written %25", {}});
            }
        }
        if (auto taken = take(std::move(fields)); !taken) return place(taken.error());
    }
    return {};
}

}  // namespace rd
