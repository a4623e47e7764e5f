// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/escape.h"

#include <algorithm>
#include <cstdint>

namespace rd {
namespace {

constexpr std::size_t kLongestSequence = 4;

// What a lead byte asks for: the length, the bits of the code point it holds, and the least code point that needs the length.
struct Lead {
    std::size_t length;
    std::uint32_t bits, least;
};

Lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {1, byte, 0};
    if (byte >= 0xC0 && byte < 0xE0) return {2, byte & 0x1Fu, 0x80};
    if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0Fu, 0x800};
    if (byte >= 0xF0 && byte < 0xF8) return {4, byte & 0x07u, 0x10000};
    return {0, 0, 0};
}

struct Decoded {
    std::size_t length = 0;  // 0: not well-formed
    std::uint32_t code = 0;
};

Decoded decode(std::string_view text) {
    const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
    if (lead.length == 0 || lead.length > text.size()) return {};
    std::uint32_t code = lead.bits;
    for (std::size_t i = 1; i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0u) != 0x80u) return {};
        code = code << 6 | (byte & 0x3Fu);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < lead.least || surrogate || code > 0x10FFFF) return {};
    return {lead.length, code};
}

bool is_between(std::uint32_t code, std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; }

// C1 controls steer some terminals as ESC does; U+2028 and U+2029 end lines; the marks of writing direction show a text in another
// order than it has; U+xxFFFE and U+xxFFFF are no characters, and the first two of them are not allowed in XML.
bool is_hidden(std::uint32_t code) {
    return code < 0x20 || is_between(code, 0x7F, 0x9F) || is_between(code, 0x2028, 0x202E) ||
           is_between(code, 0x2066, 0x2069) || (code & 0xFFFE) == 0xFFFE;
}

void append_hex(std::string& out, std::string_view bytes) {
    constexpr std::string_view kHex = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15u]);
    }
}

std::string shown(std::string_view text, bool keep_line_ends) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Decoded one = decode(text.substr(0, kLongestSequence));
        const std::string_view bytes = text.substr(0, std::max<std::size_t>(one.length, 1));
        if (bytes == "\t") {
            out += ' ';
        } else if (one.length != 0 && (!is_hidden(one.code) || (keep_line_ends && bytes == "\n"))) {
            out += bytes;
        } else {
            append_hex(out, bytes);
        }
        text.remove_prefix(bytes.size());
    }
    return out;
}

}  // namespace

std::size_t utf8_length(std::string_view text) { return decode(text).length; }

std::string harmless(std::string_view text) { return shown(text, true); }

std::string on_one_line(std::string_view text) { return shown(text, false); }

}  // namespace rd
