// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace rd {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Text, TrimsBothEnds) {
    EXPECT_EQ(trim(" \t12\r\n\0"sv), "12");
    EXPECT_EQ(trim("a b"), "a b");
    EXPECT_EQ(trim(" \n "), "");
    EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitsAndKeepsEmptyParts) {
    EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
    EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Text, GivesLinesWithoutTheirEnds) {
    EXPECT_THAT(lines("a\n\nb\r\nc"), ElementsAre("a", "", "b", "c"));
    EXPECT_THAT(lines("a\n"), ElementsAre("a"));
    EXPECT_THAT(lines(""), IsEmpty());
    EXPECT_THAT(lines("\n"), ElementsAre(""));
}

TEST(Text, GivesWords) {
    EXPECT_THAT(words("  a\tb\n c "), ElementsAre("a", "b", "c"));
    EXPECT_THAT(words(" \n"), IsEmpty());
}

TEST(Text, ParsesIntegers) {
    EXPECT_EQ(parse_integer("-1\n"), -1);
    EXPECT_EQ(parse_integer("+7"), 7);
    EXPECT_EQ(parse_integer("9223372036854775807"), kMax);
    EXPECT_EQ(parse_integer("-9223372036854775808"), kMin);
    for (const auto text : {"", " ", "x", "1x", "0x10", "1.5", "+-5", "--5", "+", "9223372036854775808", "1 2"}) {
        EXPECT_FALSE(parse_integer(text)) << text;
    }
    EXPECT_EQ(parse_integer("x\x01").error(), (Error{Errc::bad_input, "not a whole number: 'x\\x01'", ""}));
}

TEST(Text, ParsesCountersWithoutWrapping) {
    EXPECT_EQ(parse_counter("0"), 0);
    EXPECT_EQ(parse_counter("9223372036854775807\n"), kMax);
    EXPECT_THAT(parse_counter("9223372036854775808").error().what, HasSubstr("out of range"));
    EXPECT_THAT(parse_counter("18446744073709551616").error().what, HasSubstr("out of range"));
    for (const auto text : {"", "-1", "+1", "1e3", "N/A"}) EXPECT_FALSE(parse_counter(text)) << text;
}

TEST(Text, ParsesHexadecimal) {
    EXPECT_EQ(parse_hex("0x15b3\n"), 0x15b3U);
    EXPECT_EQ(parse_hex("FFFFFFFFFFFFFFFF"), ~std::uint64_t{0});
    for (const auto text : {"", "0x", "0x0x1", "-1", "g", "0x10000000000000000"}) EXPECT_FALSE(parse_hex(text)) << text;
}

TEST(Text, ParsesDecimalFractions) {
    EXPECT_EQ(parse_number("16.5"), 16.5);
    EXPECT_EQ(parse_number("-3"), -3.0);
    EXPECT_EQ(parse_number("+0.25 "), 0.25);
    for (const auto text : {"", "inf", "nan", "1e5", ".5", "5.", "1,5", "0x10", "1.2.3", "-"}) {
        EXPECT_FALSE(parse_number(text)) << text;
    }
    EXPECT_THAT(parse_number(std::string(400, '9')).error().what, HasSubstr("out of range"));
}

TEST(Text, TakesTheNumberAtTheFront) {
    EXPECT_EQ(leading_number("16.0 GT/s PCIe"), 16.0);
    EXPECT_EQ(leading_number("4: ACTIVE"), 4.0);
    EXPECT_EQ(leading_number("100 Gb/sec (4X EDR)"), 100.0);
    EXPECT_EQ(leading_number("2.5GT/s"), 2.5);
    EXPECT_EQ(leading_number("8."), 8.0);
    EXPECT_EQ(leading_number("0"), 0.0);
    for (const auto text : {"Unknown", "", "x16", "0x10", "22.39.1002", "1,000"}) {
        EXPECT_FALSE(leading_number(text)) << text;
    }
}

TEST(Text, ParsesCpuLists) {
    EXPECT_THAT(*parse_cpulist("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
    EXPECT_THAT(*parse_cpulist("5,1-2,2"), ElementsAre(1, 2, 5));
    EXPECT_THAT(*parse_cpulist("\n"), IsEmpty());
    EXPECT_EQ(parse_cpulist("0-65535")->size(), 65536U);
    for (const auto text : {",", "1,", "a", "1-", "-1", "3-1", "1--2", "1-+2", "99999999999", "1 2"}) {
        EXPECT_FALSE(parse_cpulist(text)) << text;
    }
    EXPECT_EQ(parse_cpulist("0-65536").error().code, Errc::limit);
    EXPECT_EQ(parse_cpulist("0-2147483647").error().code, Errc::limit);
    EXPECT_EQ(parse_cpulist("0-40000,0-40000").error().code, Errc::limit);
}

TEST(Text, ParsesCpuMasks) {
    EXPECT_THAT(*parse_cpumask("00000000,0000000f"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(*parse_cpumask("1,80000001\n"), ElementsAre(0, 31, 32));
    EXPECT_THAT(*parse_cpumask("0"), IsEmpty());
    for (const auto text : {"", "g", "000000001", "1,,1", ",1", "0x1", "-1"}) EXPECT_FALSE(parse_cpumask(text)) << text;
    std::string long_mask = "1";
    for (int i = 0; i < 2048; ++i) long_mask += ",0";
    EXPECT_EQ(parse_cpumask(long_mask).error().code, Errc::limit);
}

TEST(Text, ParsesDurations) {
    EXPECT_EQ(parse_duration("500ms"), nanoseconds(500ms));
    EXPECT_EQ(parse_duration("10s"), nanoseconds(10s));
    EXPECT_EQ(parse_duration(" 5m "), nanoseconds(5min));
    EXPECT_EQ(parse_duration("2h"), nanoseconds(2h));
    EXPECT_EQ(parse_duration("1d"), nanoseconds(24h));
    EXPECT_EQ(parse_duration("0"), nanoseconds(0));
    for (const auto text : {"", "10", "s", "-1s", "1 s", "1.5s", "1w", "10S", "106752d"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Text, PrintsDurationsSoThatTheyParse) {
    EXPECT_EQ(print_duration(0s), "0s");
    EXPECT_EQ(print_duration(24h), "1d");
    EXPECT_EQ(print_duration(90s), "90s");
    EXPECT_EQ(print_duration(1500ms), "1500ms");
    EXPECT_EQ(print_duration(-2s), "-2s");
    for (const auto value : {nanoseconds(1), nanoseconds(1001), nanoseconds(3h), nanoseconds(kMax)}) {
        EXPECT_EQ(parse_duration(print_duration(value)), value);
    }
}

TEST(Text, ParsesSizes) {
    EXPECT_EQ(parse_size("4096"), 4096);
    EXPECT_EQ(parse_size("4K"), 4096);
    EXPECT_EQ(parse_size("2MiB"), 2 << 20);
    EXPECT_EQ(parse_size("2048 kB\n"), 2 << 20);
    EXPECT_EQ(parse_size("1G"), 1 << 30);
    for (const auto text : {"", "K", "-1", "1MB", "1.5G", "4 K K", "9999999999999G"}) {
        EXPECT_FALSE(parse_size(text)) << text;
    }
}

TEST(Text, KnowsPciAddresses) {
    EXPECT_TRUE(is_pci_address("0000:41:00.0"));
    EXPECT_TRUE(is_pci_address("10000:e1:1f.7"));  // VMD
    for (const auto text : {"", "41:00.0", "0000:41:00.8", "0000:41:20.0", "0000:4g:00.0", "0000:41:00.0 ",
                            "0000:AB:00.0", "0000:41:00", "0000-41:00.0", "000000000:41:00.0"}) {
        EXPECT_FALSE(is_pci_address(text)) << text;
    }
}

TEST(Text, ShowsWhatATerminalMustNotGet) {
    EXPECT_EQ(printable("a\x1b[31m\n\xff"), "a\\x1b[31m\\x0a\\xff");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("ab\n", 5), "ab...");
    EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Text, PrintsTimes) {
    EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(rfc3339(1'709'210'096'007'999'999), "2024-02-29T12:34:56.007Z");
    EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(rfc3339(kMax), "2262-04-11T23:47:16.854Z");
    EXPECT_EQ(rfc3339(kMin).size(), 24U);
}

}  // namespace
}  // namespace rd
