// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/clean.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::ingest {
namespace {

// Length of the escape sequence that begins at `at`, which is ESC: CSI … final, OSC … BEL or ST, else two bytes.
std::size_t escape_length(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return 1;
    std::size_t end = at + 2;
    if (text[at + 1] == '[') {
        while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
        return std::min(end + 1, text.size()) - at;
    }
    if (text[at + 1] == ']') {
        while (end < text.size() && text[end] != '\a' && text[end] != '\x1b') ++end;
        if (end < text.size() && text[end] == '\x1b' && end + 1 < text.size()) ++end;
        return std::min(end + 1, text.size()) - at;
    }
    if (text[at + 1] == '(' || text[at + 1] == ')') return std::min<std::size_t>(3, text.size() - at);
    return 2;
}

struct Plain {
    std::string_view sequence, plain;
};
constexpr std::array<Plain, 24> kPlain{{
    {"\xc2\xa0", " "},     {"\xe2\x80\x87", " "},  {"\xe2\x80\xaf", " "},  {"\xe2\x80\x82", " "},
    {"\xe2\x80\x83", " "}, {"\xe2\x80\x89", " "},  {"\xe3\x80\x80", " "},  {"\xef\xbb\xbf", ""},
    {"\xe2\x80\x8b", ""},  {"\xe2\x80\x8c", ""},   {"\xe2\x80\x8d", ""},   {"\xe2\x80\x8e", ""},
    {"\xe2\x80\x8f", ""},  {"\xe2\x81\xa0", ""},   {"\xc2\xad", ""},       {"\xe2\x80\x98", "'"},
    {"\xe2\x80\x99", "'"}, {"\xe2\x80\x9c", "\""}, {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x90", "-"},
    {"\xe2\x80\x91", "-"}, {"\xe2\x80\x93", "-"},  {"\xe2\x88\x92", "-"},  {"\xe2\x80\xa6", "..."},
}};

std::string_view plain_of(std::string_view sequence) {
    const auto* const found =
        std::find_if(kPlain.begin(), kPlain.end(), [&](const Plain& each) { return each.sequence == sequence; });
    return found == kPlain.end() ? sequence : found->plain;
}

bool is_printable(char c) { return c >= ' ' && c != '\x7f' && static_cast<unsigned char>(c) < 0x80; }

// What is left on a terminal of a line that was written over: the text behind the last carriage return that has any behind it.
std::string_view after_return(std::string_view raw) {
    while (!raw.empty() && (raw.back() == '\r' || raw.back() == '\n')) raw.remove_suffix(1);
    const std::size_t at = raw.rfind('\r');
    return at == std::string_view::npos ? raw : raw.substr(at + 1);
}

void append_utf8(std::uint32_t point, std::string& out) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xc0 | (point >> 6));
        out += static_cast<char>(0x80 | (point & 0x3f));
    } else {
        out += static_cast<char>(0xe0 | (point >> 12));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (point & 0x3f));
    }
}

}  // namespace

std::string clean_line(std::string_view raw) {
    const std::string_view text = after_return(raw.substr(0, kLongestLine));
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (is_printable(c) || c == '\t') {
            out += c;
            ++at;
        } else if (c == '\x1b') {
            at += escape_length(text, at);
        } else if (c == '\b') {  // man pages print bold letters twice
            if (!out.empty()) out.pop_back();
            ++at;
        } else if (const std::size_t length = utf8_length(text.substr(at)); length > 1) {
            out += plain_of(text.substr(at, length));
            at += length;
        } else {
            if (c != '\0') out += '?';
            ++at;
        }
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\t')) out.pop_back();
    return out;
}

void LineReader::keep(std::string_view part) {
    rest_ += part.substr(0, kLongestLine - std::min(kLongestLine, rest_.size()));
}

void LineReader::feed(std::string_view block) {
    while (true) {
        const std::size_t end = block.find('\n');
        if (end == std::string_view::npos) return keep(block);
        if (rest_.empty()) {
            take_(clean_line(block.substr(0, end)));
        } else {
            keep(block.substr(0, end));
            take_(clean_line(rest_));
            rest_.clear();
        }
        block.remove_prefix(end + 1);
    }
}

void LineReader::end() {
    if (!rest_.empty()) take_(clean_line(rest_));
    rest_.clear();
}

bool is_utf16(std::string_view start) { return starts_with(start, "\xff\xfe") || starts_with(start, "\xfe\xff"); }

std::string from_utf16(std::string_view text) {
    if (!is_utf16(text)) return std::string(text);
    const bool little = text[0] == '\xff';
    std::string out;
    for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
        const auto low = static_cast<unsigned char>(text[at + (little ? 0 : 1)]);
        const auto high = static_cast<unsigned char>(text[at + (little ? 1 : 0)]);
        const std::uint32_t point = static_cast<std::uint32_t>(high) << 8 | low;
        // Halves of pairs: nothing that is recognised has them.
        append_utf8(point >= 0xd800 && point < 0xe000 ? '?' : point, out);
    }
    return out;
}

}  // namespace rd::ingest
