// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/diagnosis/toml_text.h"

#include <algorithm>

namespace rd {
namespace {

struct Cursor {
    std::string_view text;
    std::size_t at = 0;
    Place place{1, 1};

    [[nodiscard]] bool done() const { return at >= text.size(); }
    [[nodiscard]] std::string_view rest() const { return text.substr(std::min(at, text.size())); }

    void step(std::size_t bytes = 1) {
        for (; bytes > 0 && !done(); --bytes) {
            const char c = text[at++];
            if (c == '\n') {
                place = {place.line + 1, 1};
            } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
                ++place.column;
            }
        }
        // The continuation bytes of a character belong to it.
        while (!done() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
    }
};

std::size_t bytes_of_code_point(unsigned long code) {
    if (code < 0x80) return 1;
    if (code < 0x800) return 2;
    return code < 0x10000 ? 3 : 4;
}

unsigned long hex(std::string_view digits) {
    unsigned long value = 0;
    for (const char c : digits) {
        const bool decimal = c >= '0' && c <= '9';
        value = value * 16 + static_cast<unsigned long>(decimal ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

// Steps over one escape, returns how many bytes of text it stands for.
std::size_t step_escape(Cursor& cursor) {
    const char c = cursor.rest().size() > 1 ? cursor.rest()[1] : '\0';
    if (c == 'u' || c == 'U') {
        const std::size_t digits = c == 'u' ? 4 : 8;
        const std::size_t bytes = bytes_of_code_point(hex(cursor.rest().substr(2, digits)));
        cursor.step(2 + digits);
        return bytes;
    }
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') {  // a folded line
        cursor.step();
        while (!cursor.done() && std::string_view(" \t\r\n").find(cursor.rest()[0]) != std::string_view::npos)
            cursor.step();
        return 0;
    }
    cursor.step(2);
    return 1;
}

// Does the line begin [[NAME]], [[NAME.… or [NAME.…?
bool heads_table(std::string_view line, std::string_view name) {
    line.remove_prefix(line.starts_with("[[") ? 2 : 1);
    if (!line.starts_with(name)) return false;
    line.remove_prefix(name.size());
    return line.starts_with(']') || line.starts_with('.');
}

}  // namespace

std::string_view without_last_tables(std::string_view text, std::string_view name) {
    std::size_t cut = std::string_view::npos;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::size_t begin = at;
        while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
        const std::string_view line = text.substr(begin, end - begin);
        if (line.starts_with('[')) {
            const bool ours = heads_table(line, name);
            if (cut == std::string_view::npos && ours) cut = at;
            if (cut != std::string_view::npos && !ours) return text;
        }
        at = end + 1;
    }
    return text.substr(0, cut);
}

Place place_in_string(std::string_view file, Place quote, std::size_t offset) {
    Cursor cursor{file};
    while (!cursor.done() && (cursor.place.line < quote.line ||
                              (cursor.place.line == quote.line && cursor.place.column < quote.column))) {
        cursor.step();
    }
    const std::string_view rest = cursor.rest();
    const bool escapes = rest.starts_with('"');
    const bool block = rest.starts_with("'''") || rest.starts_with("\"\"\"");
    cursor.step(block ? 3 : 1);
    if (block && cursor.rest().starts_with("\r\n")) {
        cursor.step(2);
    } else if (block && cursor.rest().starts_with('\n')) {
        cursor.step();
    }
    std::size_t passed = 0;
    while (!cursor.done()) {
        if (escapes && cursor.rest()[0] == '\\') {
            Cursor next = cursor;
            const std::size_t bytes = step_escape(next);
            if (bytes > 0 && passed + bytes > offset) return cursor.place;
            passed += bytes;
            cursor = next;
            continue;
        }
        if (passed >= offset) return cursor.place;
        if (cursor.rest().starts_with("\r\n")) cursor.step();  // becomes one byte
        const std::size_t before = cursor.at;
        cursor.step();
        passed += cursor.at - before;
    }
    return cursor.place;
}

std::size_t offset_of(std::string_view text, Place place) {
    Cursor cursor{text};
    while (!cursor.done() && (cursor.place.line < place.line ||
                              (cursor.place.line == place.line && cursor.place.column < place.column))) {
        cursor.step();
    }
    return cursor.at;
}

}  // namespace rd
