// SPDX-License-Identifier: GPL-2.0-or-later
// Text for people: wraps, indents, paints, and lets nothing reach the terminal that could steer it or forge a line
// (core/base/escape.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace rd::cli {

enum class Paint { plain, bold, dim, red, alarm, yellow, cyan, green };

// What stands before a text with a label: the label, as wide as the column of labels.
inline constexpr int kLabelWidth = 12;
[[nodiscard]] std::string label_lead(std::string_view label);

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
    // One paragraph, broken to the width; a line end in it is shown, for it may come with a name. `lead` stands before the first
    // line only.
    void prose(int indent, std::string_view text, Paint paint = Paint::plain, std::string_view lead = {});
    // The same for a text of a rule or of ours that may have several paragraphs.
    void paragraphs(int indent, std::string_view text, Paint paint = Paint::plain, std::string_view lead = {});
    // One of a list of texts with labels; nothing where the text is empty.
    void field(std::string_view label, std::string_view text) {
        if (!text.empty()) prose(2, text, Paint::plain, label_lead(label));
    }
    // Columns as wide as their widest cell. The last is wrapped into what is left of the width.
    void table(int indent, std::vector<std::vector<Piece>> rows);
    void blank();  // at most one in a row, none at the top

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::string_view bullet() const { return terminal_.utf8 ? "•" : "-"; }
    [[nodiscard]] std::string_view elbow() const { return terminal_.utf8 ? "└─ " : "`- "; }

private:
    [[nodiscard]] std::string fit(std::string text) const;
    [[nodiscard]] std::string clean(std::string_view text) const;
    [[nodiscard]] std::vector<Piece> clean(std::vector<Piece> pieces) const;
    void flow(int indent, std::string_view text, Paint paint, std::string_view lead);
    void emit(int indent, const std::vector<Piece>& pieces);

    Terminal terminal_;
    std::string text_;
};

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
