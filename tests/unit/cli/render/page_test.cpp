// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/page.h"

#include <gtest/gtest.h>

namespace rd::cli {
namespace {

constexpr Terminal kNarrow{.width = 40, .colour = false, .utf8 = true};
constexpr Terminal kPainted{.width = 40, .colour = true, .utf8 = true};
constexpr Terminal kAscii{.width = 40, .colour = false, .utf8 = false};

TEST(ToAscii, KeepsMeaning) { EXPECT_EQ(to_ascii("a → b ≥ 5 µs … “x” · ü"), "a -> b >= 5 us ... \"x\" - ?"); }

TEST(Columns, CountsCharacters) {
    EXPECT_EQ(columns("abc"), 3);
    EXPECT_EQ(columns("µ→…"), 3);
}

TEST(Reflow, JoinsParagraphsOnly) {
    EXPECT_EQ(reflow("one\ntwo\n\nthree\n- item\n  more\nlast"), "one two\n\nthree\n- item\n  more last");
    EXPECT_EQ(reflow(""), "");
}

TEST(Wrap, BreaksAtSpaces) {
    const std::vector<std::string> expected{"aaa bbb", "ccc"};
    EXPECT_EQ(wrap("aaa bbb ccc", 7), expected);
}

TEST(Wrap, KeepsLongWordsWhole) {
    const std::vector<std::string> expected{"a", "/sys/class/infiniband/mlx5_0", "b"};
    EXPECT_EQ(wrap("a /sys/class/infiniband/mlx5_0 b", 10), expected);
}

TEST(Page, ProseIndentsBelowItsLead) {
    Page page(kNarrow);
    page.prose(2, "one two three four five six seven eight", Paint::plain, "fix: ");
    EXPECT_EQ(page.text(), "  fix: one two three four five six seven\n       eight\n");
}

TEST(Page, TableAlignsAndWrapsTheLastColumn) {
    Page page(kNarrow);
    page.table(2, {{{"a"}, {"short"}}, {{"longer name"}, {"a cell that does not fit into what is left"}}});
    EXPECT_EQ(page.text(),
              "  a            short\n"
              "  longer name  a cell that does not fit\n"
              "               into what is left\n");
}

TEST(Page, NothingTrails) {
    Page page(kNarrow);
    page.line(2, {{"word"}, {"   "}});
    page.table(0, {{{"name"}, {""}}});
    EXPECT_EQ(page.text(), "  word\nname\n");
}

TEST(Page, BlankLinesDoNotPileUp) {
    Page page(kNarrow);
    page.blank();
    page.line(0, "a");
    page.blank();
    page.blank();
    page.line(0, "b");
    EXPECT_EQ(page.text(), "a\n\nb\n");
}

TEST(Page, PaintsOnTerminalsOnly) {
    Page painted(kPainted);
    painted.line(0, "word", Paint::bold);
    EXPECT_EQ(painted.text(), "\x1b[1mword\x1b[0m\n");
    Page plain(kNarrow);
    plain.line(0, "word", Paint::bold);
    EXPECT_EQ(plain.text(), "word\n");
}

TEST(Page, ValuesCannotPaint) {
    Page page(kPainted);
    page.line(0, "\x1b[2J");
    page.prose(0, "\x1b[2J");
    page.table(0, {{{"\x1b[2J"}, {"\x1b[2J"}}});
    EXPECT_EQ(page.text(), "\\x1b[2J\n\\x1b[2J\n\\x1b[2J  \\x1b[2J\n");
}

TEST(Page, NamesCannotForgeLines) {
    Page page(kNarrow);
    page.line(0, "a\nb");
    page.prose(0, "a\n\nb");
    page.table(0, {{{"a\nb"}, {"c\nd"}}});
    EXPECT_EQ(page.text(), "a\\x0ab\na\\x0a\\x0ab\na\\x0ab  c\\x0ad\n");
}

TEST(Page, TextsOfRulesHaveParagraphs) {
    Page page(kNarrow);
    page.paragraphs(2, "one\ntwo\n\nthree\x1b", Paint::plain, "fix: ");
    EXPECT_EQ(page.text(), "  fix: one two\n\n       three\\x1b\n");
}

TEST(Page, AsciiIsAligned) {
    Page page(kAscii);
    page.table(0, {{{"a…"}, {"x"}}, {{"abcdef"}, {"y"}}});
    EXPECT_EQ(page.text(), "a...    x\nabcdef  y\n");
}

}  // namespace
}  // namespace rd::cli
