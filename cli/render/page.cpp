// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/escape.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

std::string_view code_of(Paint paint) {
    switch (paint) {
        case Paint::plain:
            return "";
        case Paint::bold:
            return "\x1b[1m";
        case Paint::dim:
            return "\x1b[2m";
        case Paint::red:
            return "\x1b[1;31m";
        case Paint::alarm:
            return "\x1b[1;97;41m";
        case Paint::yellow:
            return "\x1b[1;33m";
        case Paint::cyan:
            return "\x1b[36m";
        case Paint::green:
            return "\x1b[32m";
    }
    return "";
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kAscii = {{
    {"…", "..."},
    {"—", "-"},
    {"–", "-"},
    {"→", "->"},
    {"←", "<-"},
    {"≥", ">="},
    {"≤", "<="},
    {"×", "x"},
    {"·", "-"},
    {"µ", "u"},
    {"μ", "u"},
    {"“", "\""},
    {"”", "\""},
    {"‘", "'"},
    {"’", "'"},
    {"±", "+-"},
    {"≠", "!="},
    {"•", "-"},
}};

}  // namespace

std::string to_ascii(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
        const std::string_view sequence = text.substr(0, length);
        if (length == 1) {
            out += sequence;
        } else {
            const auto known =
                std::find_if(kAscii.begin(), kAscii.end(), [&](const auto& pair) { return pair.first == sequence; });
            out += known == kAscii.end() ? std::string_view("?") : known->second;
        }
        text.remove_prefix(length);
    }
    return out;
}

int columns(std::string_view text) {
    return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

std::string reflow(std::string_view text) {
    std::string out;
    bool joinable = false;  // what follows may go on in the same line
    for (const std::string_view line : lines(text)) {
        const bool starts_anew =
            line.empty() || line.starts_with("- ") || line.starts_with("* ") || line.starts_with(' ');
        if (!out.empty()) out += joinable && !starts_anew ? ' ' : '\n';
        out += line;
        joinable = !trim(line).empty();
    }
    return out;
}

std::vector<std::string> wrap(std::string_view text, int width) {
    std::vector<std::string> out;
    for (const std::string_view paragraph : lines(text)) {
        std::string line;
        for (const std::string_view word : words(paragraph)) {
            if (!line.empty() && columns(line) + 1 + columns(word) > width) {
                out.push_back(std::move(line));
                line.clear();
            }
            if (!line.empty()) line += ' ';
            line += word;
        }
        out.push_back(std::move(line));
    }
    return out;
}

void Page::emit(int indent, const std::vector<Piece>& pieces) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    std::size_t visible = 0;  // bytes up to the last one that is not a space: nothing trails
    for (const Piece& piece : pieces) {
        const bool painted = terminal_.colour && piece.paint != Paint::plain && !piece.text.empty();
        if (painted) line += code_of(piece.paint);
        line += piece.text;
        if (painted) line += "\x1b[0m";
        if (painted || piece.text.find_first_not_of(' ') != std::string::npos) visible = line.size();
    }
    line.resize(visible);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text_ += line;
    text_ += '\n';
}

std::string Page::fit(std::string text) const { return terminal_.utf8 ? std::move(text) : to_ascii(text); }

std::string Page::clean(std::string_view text) const { return fit(on_one_line(text)); }

std::vector<Page::Piece> Page::clean(std::vector<Piece> pieces) const {
    for (Piece& piece : pieces) piece.text = clean(piece.text);
    return pieces;
}

std::string label_lead(std::string_view label) {
    std::string lead(label);
    lead.resize(kLabelWidth, ' ');
    return lead;
}

void Page::line(int indent, const std::vector<Piece>& pieces) { emit(indent, clean(pieces)); }

void Page::blank() {
    if (text_.empty() || (text_.size() >= 2 && text_.ends_with("\n\n"))) return;
    text_ += '\n';
}

void Page::prose(int indent, std::string_view text, Paint paint, std::string_view lead) {
    flow(indent, clean(text), paint, lead);
}

void Page::paragraphs(int indent, std::string_view text, Paint paint, std::string_view lead) {
    flow(indent, reflow(fit(harmless(text))), paint, lead);
}

void Page::flow(int indent, std::string_view text, Paint paint, std::string_view lead) {
    const int hang = indent + columns(lead);
    bool first = true;
    for (const std::string& part : wrap(text, std::max(20, terminal_.width - hang))) {
        if (part.empty()) {
            blank();
        } else if (first && !lead.empty()) {
            emit(indent, {{std::string(lead), Paint::plain}, {part, paint}});
        } else {
            emit(hang, {{part, paint}});
        }
        first = false;
    }
}

void Page::table(int indent, std::vector<std::vector<Piece>> rows) {
    std::vector<int> widths;
    for (auto& row : rows) row = clean(std::move(row));
    for (const auto& row : rows) {
        if (row.size() > widths.size()) widths.resize(row.size(), 0);
        for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
    }
    for (const auto& row : rows) {
        std::vector<Piece> pieces;
        int used = indent;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            const auto padding = static_cast<std::size_t>(widths[i] - columns(row[i].text) + 2);
            pieces.push_back(row[i]);
            pieces.push_back({std::string(padding, ' '), Paint::plain});
            used += widths[i] + 2;
        }
        if (row.empty()) continue;
        std::vector<std::string> last = wrap(row.back().text, std::max(20, terminal_.width - used));
        if (last.empty()) last.emplace_back();
        pieces.push_back({last.front(), row.back().paint});
        emit(indent, pieces);
        for (std::size_t i = 1; i < last.size(); ++i) emit(used, {{last[i], row.back().paint}});
    }
}

}  // namespace rd::cli
