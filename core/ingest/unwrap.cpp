// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/unwrap.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace rd::ingest {
namespace {

constexpr std::size_t kCodeIndent = 4;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string without_entities(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 7> kEntities{{{"&lt;", '<'},
                                                                          {"&gt;", '>'},
                                                                          {"&amp;", '&'},
                                                                          {"&quot;", '"'},
                                                                          {"&#39;", '\''},
                                                                          {"&#x27;", '\''},
                                                                          {"&nbsp;", ' '}}};
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto* const found = text[at] != '&'
                                      ? kEntities.end()
                                      : std::find_if(kEntities.begin(), kEntities.end(), [&](const auto& entity) {
                                            return starts_with(text.substr(at), entity.first);
                                        });
        out += found == kEntities.end() ? text[at] : found->second;
        at += found == kEntities.end() ? 1 : found->first.size();
    }
    return out;
}

bool is_quoted(std::string_view line) {
    return !line.empty() && line[0] == '>' && (line.size() == 1 || line[1] == ' ' || line[1] == '>' || line[1] == '\r');
}

std::string_view unquoted(std::string_view line) {
    while (is_quoted(line)) line.remove_prefix(line.size() > 1 && line[1] == ' ' ? 2 : 1);
    return line;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool is_blank(std::string_view line) { return trim(line).empty(); }

// A prompt may look like the mark of a quotation, but hardly on two lines in a row.
void unquote(std::vector<std::string_view>& lines) {
    bool before = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool now = is_quoted(lines[i]);
        if (now && (before || (i + 1 < lines.size() && is_quoted(lines[i + 1])))) lines[i] = unquoted(lines[i]);
        before = now;
    }
}

// Lines set in by four at least, below an empty line, of which the outermost is set in by four: a block of code. What tools print below
// a heading of theirs has no empty line above it.
void unindent(std::vector<std::string_view>& lines) {
    for (std::size_t begin = 0; begin < lines.size();) {
        std::size_t end = begin, least = std::string_view::npos;
        while (end < lines.size() && (is_blank(lines[end]) || indent_of(lines[end]) >= kCodeIndent)) {
            if (!is_blank(lines[end])) least = std::min(least, indent_of(lines[end]));
            ++end;
        }
        if (end == begin) {
            ++begin;
            continue;
        }
        const bool apart = begin == 0 || is_blank(lines[begin]) || is_blank(lines[begin - 1]);
        for (std::size_t i = begin; apart && least == kCodeIndent && i < end; ++i) {
            if (!is_blank(lines[i])) lines[i].remove_prefix(kCodeIndent);
        }
        begin = end;
    }
}

}  // namespace

std::string unwrapped(std::string_view text) {
    const std::string plain = has(text, "&lt;") || has(text, "&gt;") ? without_entities(text) : std::string();
    std::vector<std::string_view> lines = split(plain.empty() ? text : std::string_view(plain), '\n');
    unquote(lines);
    unindent(lines);
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) out += '\n';
        out += lines[i];
    }
    return out;
}

}  // namespace rd::ingest
