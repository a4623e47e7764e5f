// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/socket_attributes.h"

#include <gmock/gmock.h>

#include "socket_bytes.h"

namespace rd {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using testing::HasSubstr;

TEST(Attributes, WalksInOrderAndStripsTheFlags) {
    const ByteVector bytes = attribute(1, std::uint8_t{7}) + attribute(2 | NLA_F_NESTED, attribute(9, "x"));
    Attributes in(bytes);
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.type(), 1);
    EXPECT_EQ(in.number<std::uint8_t>(), 7);
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.type(), 2);
    Attributes nested = in.nested();
    ASSERT_TRUE(nested.next());
    EXPECT_EQ(nested.text(), "x");
    EXPECT_FALSE(nested.next());
    EXPECT_FALSE(in.next());
    EXPECT_TRUE(in.sound("it"));
}

TEST(Attributes, EmptyAndTrailingPaddingAreSound) {
    Attributes none({});
    EXPECT_FALSE(none.next());
    EXPECT_TRUE(none.sound("it"));

    const ByteVector bytes = attribute(1) + ByteVector(3);
    Attributes in(bytes);
    EXPECT_TRUE(in.next());
    EXPECT_TRUE(in.payload().empty());
    EXPECT_FALSE(in.next());
    EXPECT_TRUE(in.sound("it"));
}

TEST(Attributes, LastAttributeNeedsNoPadding) {
    ByteVector bytes = attribute(1, std::uint8_t{5});
    bytes.resize(5);
    Attributes in(bytes);
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.number<std::uint8_t>(), 5);
    EXPECT_FALSE(in.next());
    EXPECT_TRUE(in.sound("it"));
}

TEST(Attributes, LengthOutOfRangeEndsTheWalk) {
    for (const std::uint16_t length : {std::uint16_t{0}, std::uint16_t{3}, std::uint16_t{9}, std::uint16_t{0xffff}}) {
        const ByteVector bytes = test::raw(nlattr{length, 4}) + ByteVector(4);
        Attributes in(bytes);
        EXPECT_FALSE(in.next());
        const auto sound = in.sound("link modes");
        ASSERT_FALSE(sound) << length;
        EXPECT_EQ(sound.error().code, Errc::bad_input);
        EXPECT_THAT(sound.error().what, HasSubstr("link modes: attribute 4 at byte 0"));
    }
}

TEST(Attributes, ShortNumberIsAProblemLongOneIsNot) {
    const ByteVector bytes = attribute(3, std::uint16_t{1}) + attribute(5, std::uint8_t{1});
    Attributes in(bytes);
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.number<std::uint8_t>(), 1);
    EXPECT_EQ(in.number<std::uint32_t>(), 0u);
    EXPECT_FALSE(in.next()) << "a problem ends the walk";
    EXPECT_EQ(in.sound("x").error().what, "x: attribute 3 has 2 bytes, 4 are needed");
}

TEST(Attributes, NumberOfAnyWidth) {
    const ByteVector bytes = attribute(1, std::uint8_t{0xfe}) + attribute(2, std::uint16_t{0xfedc}) +
                             attribute(3, std::uint32_t{0xfedcba98}) + attribute(4, std::uint64_t{0xfedcba9876543210}) +
                             attribute(5, ByteVector(3));
    Attributes in(bytes);
    for (const std::uint64_t wanted : {0xfeull, 0xfedcull, 0xfedcba98ull, 0xfedcba9876543210ull}) {
        ASSERT_TRUE(in.next());
        EXPECT_EQ(in.number_of_any_width(), wanted);
    }
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.number_of_any_width(), 0u);
    EXPECT_FALSE(in.sound("x"));
}

TEST(Attributes, TextEndsAtTheFirstNulOrAtTheEnd) {
    const ByteVector terminated = attribute(1, "abc");
    Attributes in(terminated);
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.text(), "abc");

    const ByteVector open = attribute(1, ByteVector(4, std::byte{'z'}));
    Attributes bare(open);
    ASSERT_TRUE(bare.next());
    EXPECT_EQ(bare.text(), "zzzz");
}

TEST(Attributes, AbsorbsNestedProblemsOnce) {
    const ByteVector bytes = attribute(7, attribute(8, std::uint8_t{1})) + attribute(9);
    Attributes in(bytes);
    ASSERT_TRUE(in.next());
    Attributes nested = in.nested();
    ASSERT_TRUE(nested.next());
    (void)nested.number<std::uint64_t>();
    in.absorb(nested);
    EXPECT_FALSE(in.next());
    EXPECT_EQ(in.sound("x").error().what, "x: in attribute 7: attribute 8 has 1 bytes, 8 are needed");
}

TEST(ValueAt, NeverReachesPastTheEnd) {
    const ByteVector bytes(6);
    EXPECT_TRUE(value_at<std::uint32_t>(bytes, 2));
    EXPECT_FALSE(value_at<std::uint32_t>(bytes, 3));
    EXPECT_FALSE(value_at<std::uint8_t>(bytes, 6));
    EXPECT_FALSE(value_at<std::uint8_t>(bytes, static_cast<std::size_t>(-1)));
}

}  // namespace
}  // namespace rd
