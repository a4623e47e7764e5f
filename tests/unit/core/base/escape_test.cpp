// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/escape.h"

#include <gtest/gtest.h>

namespace rd {
namespace {

TEST(Harmless, LetsTextThrough) {
    EXPECT_EQ(harmless("ÿé → 12 µs\nnext"), "ÿé → 12 µs\nnext");
    EXPECT_EQ(harmless("\xf0\x9f\x90\xa2 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbd"),
              "\xf0\x9f\x90\xa2 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbd");
    EXPECT_EQ(harmless(""), "");
    EXPECT_EQ(harmless("a\tb"), "a b");
}

TEST(Harmless, ShowsWhatWouldSteerATerminal) {
    EXPECT_EQ(harmless("a\x1b[31mred"), "a\\x1b[31mred");
    EXPECT_EQ(harmless("cut\r"), "cut\\x0d");
    EXPECT_EQ(harmless("\x7f"), "\\x7f");
    EXPECT_EQ(harmless("\xc2\x9b"
                       "31m"),
              "\\xc2\\x9b31m");  // the same control in its 8-bit form
    EXPECT_EQ(harmless(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(harmless("mlx5\xe2\x80\xae"
                       "0_"),
              "mlx5\\xe2\\x80\\xae0_");  // from here on right to left
    EXPECT_EQ(harmless("\xe2\x80\xa8\xe2\x81\xa6"), "\\xe2\\x80\\xa8\\xe2\\x81\\xa6");
}

TEST(Harmless, ShowsWhatIsNoText) {
    EXPECT_EQ(harmless("\xff"), "\\xff");
    EXPECT_EQ(harmless("\xe2\x82"), "\\xe2\\x82");                    // cut off
    EXPECT_EQ(harmless("\xe2(\xa1"), "\\xe2(\\xa1");                  // broken in the middle
    EXPECT_EQ(harmless("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
    EXPECT_EQ(harmless("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");           // overlong
    EXPECT_EQ(harmless("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf");  // overlong
    EXPECT_EQ(harmless("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
    EXPECT_EQ(harmless("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
}

TEST(Harmless, ShowsWhatXmlForbids) {
    EXPECT_EQ(harmless("a\xef\xbf\xbe"
                       "b"),
              "a\\xef\\xbf\\xbe"
              "b");
    EXPECT_EQ(harmless("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
    EXPECT_EQ(harmless("\xf0\x9f\xbf\xbf"), "\\xf0\\x9f\\xbf\\xbf");
}

TEST(OnOneLine, ShowsLineEnds) {
    EXPECT_EQ(on_one_line("mlx5_0\n\nHIGH forged\r\n"), "mlx5_0\\x0a\\x0aHIGH forged\\x0d\\x0a");
    EXPECT_EQ(on_one_line("ens1f0 → ü"), "ens1f0 → ü");
}

TEST(Utf8Length, IsThatOfTheFirstCharacter) {
    EXPECT_EQ(utf8_length("a…"), 1u);
    EXPECT_EQ(utf8_length("…a"), 3u);
    EXPECT_EQ(utf8_length("\xf0\x9f\x90\xa2"), 4u);
    EXPECT_EQ(utf8_length("\x80"), 0u);
}

}  // namespace
}  // namespace rd
