// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/kmsg.h"

#include <gmock/gmock.h>

namespace rd {
namespace {

TEST(DecodeKmsg, HeadTextAndDevice) {
    EXPECT_EQ(decode_kmsg("3,1234,5678901,-;mlx5_core 0000:41:00.0: CQ error on CQN 0x8f\n SUBSYSTEM=pci\n "
                          "DEVICE=+pci:0000:41:00.0\n OTHER=x\n")
                  .text(),
              "level=3 facility=0 seq=1234 us=5678901 text=mlx5_core%200000:41:00.0:%20CQ%20error%20on%20CQN%200x8f "
              "subsystem=pci device=+pci:0000:41:00.0\n");
}

TEST(DecodeKmsg, FacilityLevelAndLaterHeadFields) {
    const Record record = decode_kmsg("12,7,8,c,caller=T1,more;user text; with a semicolon");
    EXPECT_EQ(record.get("level"), "4");
    EXPECT_EQ(record.get("facility"), "1");
    EXPECT_EQ(record.get("text"), "user text; with a semicolon");
}

TEST(DecodeKmsg, EscapesAreUndone) {
    EXPECT_EQ(decode_kmsg("6,1,2,-;tab\\x09 backslash\\x5c \\xc3\\xa4 \\xzz \\x4").get("text"),
              "tab\t backslash\\ \xc3\xa4 \\xzz \\x4");
}

TEST(DecodeKmsg, WhatDoesNotParseKeepsItsText) {
    for (const char* head : {"", "x", "6", "6,1", "6,1,x,-", "-6,1,2,-", "6,99999999999999999999,2,-"}) {
        const Record record = decode_kmsg(std::string(head) + ";words");
        EXPECT_EQ(record.text(), "text=words\n") << head;
    }
    EXPECT_EQ(decode_kmsg("no head at all").text(), "text=no%20head%20at%20all\n");
    EXPECT_EQ(decode_kmsg("6,1,2,-;").get("text"), "");
    EXPECT_TRUE(decode_kmsg("").empty());
}

std::string kept(std::string text, std::size_t bytes, std::size_t lines) {
    keep_newest_lines(text, bytes, lines);
    return text;
}

TEST(KeepNewestLines, CutsWholeLinesOffTheFront) {
    EXPECT_EQ(kept("aa\nbb\ncc\n", 100, 100), "aa\nbb\ncc\n");
    EXPECT_EQ(kept("aa\nbb\ncc\n", 9, 3), "aa\nbb\ncc\n");
    EXPECT_EQ(kept("aa\nbb\ncc\n", 8, 3), "bb\ncc\n");
    EXPECT_EQ(kept("aa\nbb\ncc\n", 6, 3), "bb\ncc\n");
    EXPECT_EQ(kept("aa\nbb\ncc\n", 100, 1), "cc\n");
    EXPECT_EQ(kept("aa\nbb\ncc\n", 2, 3), "");
    EXPECT_EQ(kept("aaaa", 2, 3), "");
    EXPECT_EQ(kept("aa\nbb\n", 100, 0), "");
    EXPECT_EQ(kept("", 0, 0), "");
}

TEST(KmsgReader, GivesTheWholeLogEachTimeOrSaysWhyNot) {
    KmsgReader reader("kmsg");
    const auto first = reader.read();
    const auto second = reader.read();
    if (!first) {
        EXPECT_FALSE(second);
        EXPECT_THAT(first.error().what, testing::StartsWith("kmsg: "));
        if (first.error().code == Errc::no_privilege) {
            EXPECT_THAT(first.error().remedy, testing::HasSubstr("CAP_SYSLOG"));
        }
        return;
    }
    ASSERT_TRUE(second);
    ASSERT_TRUE(parse_records(*first));
}

}  // namespace
}  // namespace rd
