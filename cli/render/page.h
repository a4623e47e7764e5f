// SPDX-License-Identifier: GPL-2.0-or-later
// Text for people: wraps, indents, paints, and lets nothing reach the terminal that could steer it (a file in sysfs or a
// log line may hold any byte).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace rd::cli {

enum class Paint { plain, bold, dim, red, alarm, yellow, cyan, green };

class Page {
public:
    explicit Page(const Terminal& terminal) : terminal_(terminal) {}

    struct Piece {
        std::string text;
        Paint paint = Paint::plain;
    };

    // One line, never wrapped: headings and what is to be copied.
    void line(int indent, const std::vector<Piece>& pieces);
    void line(int indent, std::string_view text, Paint paint = Paint::plain) {
        line(indent, {{std::string(text), paint}});
    }
    // Paragraphs, broken to the width. `lead` stands before the first line only.
    void prose(int indent, std::string_view text, Paint paint = Paint::plain, std::string_view lead = {});
    // Columns as wide as their widest cell. The last is wrapped into what is left of the width.
    void table(int indent, std::vector<std::vector<Piece>> rows);
    void blank();  // at most one in a row, none at the top

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::string_view bullet() const { return terminal_.utf8 ? "•" : "-"; }
    [[nodiscard]] std::string_view elbow() const { return terminal_.utf8 ? "└─ " : "`- "; }

private:
    [[nodiscard]] std::string clean(std::string_view text) const;
    [[nodiscard]] std::vector<Piece> clean(std::vector<Piece> pieces) const;
    void emit(int indent, const std::vector<Piece>& pieces);

    Terminal terminal_;
    std::string text_;
};

// Control bytes as \xNN; line ends stay. Bytes that are no UTF-8 are shown as \xNN too.
[[nodiscard]] std::string harmless(std::string_view text);
// Typographic characters in ASCII ("…" → "..."), others as "?".
[[nodiscard]] std::string to_ascii(std::string_view text);
// Characters, not bytes.
[[nodiscard]] int columns(std::string_view text);
// Lines of a paragraph joined into one: prose is broken for the reader's width, not for the writer's. Empty lines, list items and
// indented lines start anew.
[[nodiscard]] std::string reflow(std::string_view text);
// Lines no wider than `width`, broken at spaces; a word that is longer stands alone, unbroken.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace rd::cli
