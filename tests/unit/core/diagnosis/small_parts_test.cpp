// SPDX-License-Identifier: GPL-2.0-or-later
// Versions, numbers, prose, places in TOML strings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/diagnosis/number.h"
#include "core/diagnosis/prose.h"
#include "core/diagnosis/toml_text.h"
#include "core/diagnosis/version.h"

namespace rd {
namespace {

using testing::ElementsAre;

TEST(Version, Parses) {
    EXPECT_THAT(*parse_version("28.39.1002 (MT_0000000838)"), ElementsAre(28, 39, 1002));
    EXPECT_THAT(*parse_version("226.0.145.0/pkg 226.1.107.1"), ElementsAre(226, 0, 145, 0));
    EXPECT_THAT(*parse_version(" v1.2 "), ElementsAre(1, 2));
    EXPECT_THAT(*parse_version("6.1.0-57-amd64"), ElementsAre(6, 1, 0, 57));
    EXPECT_THAT(*parse_version("6.12.0-rc1"), ElementsAre(6, 12, 0));
    EXPECT_THAT(*parse_version("7."), ElementsAre(7));
    for (const std::string_view text : {"", "none", "v", ".1", "-1", "99999999999999999999999"})
        EXPECT_FALSE(parse_version(text)) << text;
}

TEST(Version, Compares) {
    const auto order = [](std::string_view a, std::string_view b) {
        return compare_versions(*parse_version(a), *parse_version(b));
    };
    EXPECT_EQ(order("1.2", "1.2.0"), std::strong_ordering::equal);
    EXPECT_EQ(order("1.10", "1.9"), std::strong_ordering::greater);
    EXPECT_EQ(order("1.2", "1.2.1"), std::strong_ordering::less);
}

TEST(Number, OrderIsTrueBeyond53Bits) {
    const Value big = std::int64_t{9007199254740993};
    const Value most = std::numeric_limits<std::int64_t>::max();
    EXPECT_TRUE(compare_numbers(big, 9007199254740992.0) > 0);
    EXPECT_TRUE(compare_numbers(9007199254740992.0, big) < 0);
    EXPECT_TRUE(compare_numbers(most, 9223372036854775808.0) < 0);
    EXPECT_TRUE(compare_numbers(std::numeric_limits<std::int64_t>::min(), -9223372036854775808.0) == 0);
    EXPECT_TRUE(compare_numbers(std::int64_t{-1}, -1.5) > 0);
    EXPECT_TRUE(compare_numbers(std::int64_t{-2}, -1.5) < 0);
    EXPECT_TRUE(compare_numbers(std::int64_t{0}, HUGE_VAL) < 0);
    EXPECT_TRUE(compare_numbers(std::int64_t{0}, std::nan("")) == std::partial_ordering::unordered);
}

TEST(Number, OverflowBecomesReal) {
    const Value most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(std::get<double>(*add(most, most)), 2 * 9223372036854775807.0);
    EXPECT_EQ(std::get<double>(*multiply(most, most)), 9223372036854775807.0 * 9223372036854775807.0);
    EXPECT_EQ(std::get<double>(*subtract(std::numeric_limits<std::int64_t>::min(), most)), -2 * 9223372036854775807.0);
    EXPECT_EQ(std::get<std::int64_t>(*add(std::int64_t{2}, std::int64_t{3})), 5);
    EXPECT_FALSE(divide(1.0, 0.0));
    EXPECT_FALSE(divide(1.0, std::int64_t{0}));
    EXPECT_FALSE(multiply(1e300, 1e300));
}

TEST(Prose, FillsAndKeepsBraces) {
    const auto name = [](std::string_view text) { return "<" + std::string(text) + ">"; };
    EXPECT_EQ(fill("{subject} has {netdev.mtu}, more than {$rate}", name),
              "<subject> has <netdev.mtu>, more than <$rate>");
    EXPECT_EQ(fill("awk '{{print $1}}'", name), "awk '{print $1}'");
    EXPECT_EQ(fill("a { b } c {", name), "a { b } c {");
    std::vector<std::string> found;
    for (const Placeholder& one : placeholders("{a} {{b}} {c d} {e"))
        found.push_back(std::to_string(one.offset) + one.name);
    EXPECT_THAT(found, ElementsAre("0a", "10", "14", "16"));
}

struct InString {
    std::string_view file;
    Place quote;
    std::size_t offset;
    Place place;
};

TEST(TomlText, PlacesInEveryKindOfString) {
    const InString cases[] = {
        {"k = 'abc'", {1, 5}, 0, {1, 6}},
        {"k = 'abc'", {1, 5}, 2, {1, 8}},
        {"k = \"abc\"", {1, 5}, 2, {1, 8}},
        {"a = 1\nk = 'abc'", {2, 5}, 1, {2, 7}},
        {"k = '''\nabc\n  def'''", {1, 5}, 0, {2, 1}},
        {"k = '''\nabc\n  def'''", {1, 5}, 6, {3, 3}},
        {"k = '''\r\nabc\r\n  def'''", {1, 5}, 6, {3, 3}},
        {"k = '''abc'''", {1, 5}, 1, {1, 9}},
        {R"(k = "a\"b\\c")", {1, 5}, 1, {1, 7}},
        {R"(k = "a\"b\\c")", {1, 5}, 2, {1, 9}},
        {R"(k = "a\"b\\c")", {1, 5}, 4, {1, 12}},
        {R"(k = "\u00e9x")", {1, 5}, 2, {1, 12}},
        {R"(k = "\U0001F600x")", {1, 5}, 4, {1, 16}},
        {R"(k = "\u0041x")", {1, 5}, 1, {1, 12}},
        {R"(k = "\u20ACx")", {1, 5}, 3, {1, 12}},
        {"k = \"\"\"\nab \\\n   cd\"\"\"", {1, 5}, 3, {3, 4}},
        {"é = 'éx'", {1, 5}, 2, {1, 7}},
        {"k = 'a'", {1, 5}, 99, {1, 8}},
        {"", {3, 3}, 2, {1, 1}},
    };
    for (const InString& one : cases) {
        const Place place = place_in_string(one.file, one.quote, one.offset);
        EXPECT_EQ(place.line, one.place.line) << one.file << " +" << one.offset;
        EXPECT_EQ(place.column, one.place.column) << one.file << " +" << one.offset;
    }
    EXPECT_EQ(offset_of("ab\nçd", {2, 2}), 5u);
    EXPECT_EQ(offset_of("ab", {9, 9}), 2u);
}

TEST(TomlText, TablesThatStandLast) {
    const auto without = [](std::string_view text) { return without_last_tables(text, "example"); };
    EXPECT_EQ(without(""), "");
    EXPECT_EQ(without("a = 1\n[[fix]]\nb = 2\n"), "a = 1\n[[fix]]\nb = 2\n") << "none";
    EXPECT_EQ(without("a = 1\n[[example]]\nb = 2\n[[example.other]]\n[example.x]\n[[example]]"), "a = 1\n");
    EXPECT_EQ(without("a = 1\r\n  [[example]]\r\nb = 2\r\n"), "a = 1\r\n");
    EXPECT_EQ(without("[[example]]\nb = 2\n"), "");
    // Something else follows, or may follow.
    for (const std::string_view whole :
         {"[[example]]\n[[fix]]\n", "[[example]]\n [fix]\n", "[[example]]\n[[examples]]\n",
          "[[example]]\na = [\n[1]]\n", "[[examples]]\n", "a = '[[example]]'\n"}) {
        EXPECT_EQ(without(whole), whole);
    }
}

}  // namespace
}  // namespace rd
