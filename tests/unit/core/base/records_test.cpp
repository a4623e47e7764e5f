// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Records, ParsesFieldsOfEachLine) {
    const auto records = parse_records("lqpn=17 type=RC state=RTS\n\nlqpn=18 type=UD  comm=a%20b\n");
    ASSERT_TRUE(records);
    ASSERT_THAT(*records, SizeIs(2));
    EXPECT_EQ((*records)[0].get("type"), "RC");
    EXPECT_EQ((*records)[0].get("comm"), std::nullopt);
    EXPECT_EQ((*records)[1].get("comm"), "a b");
}

TEST(Records, TheFirstOfRepeatedKeysWins) {
    const auto record = parse_record("a=1 a=2\na=3\nb=4\n");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->get("a"), "1");
    EXPECT_EQ(record->get("b"), "4");
    EXPECT_THAT(record->fields(), SizeIs(4));
}

TEST(Records, EveryByteSurvivesTheRoundTrip) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    Record record;
    record.set("plain", std::uint64_t{42});
    record.set("all", all);
    record.set(all, "");
    record.set("", "empty key");
    const auto again = parse_records(record.text());
    ASSERT_TRUE(again);
    ASSERT_THAT(*again, SizeIs(1));
    EXPECT_EQ(again->front().fields(), record.fields());
    EXPECT_EQ(again->front().text(), record.text());
}

TEST(Records, EscapesOnlyWhatMustBe) {
    Record record;
    record.set("text", "100% a=b \"x\"/~");
    EXPECT_EQ(record.text(), "text=100%25%20a%3Db%20\"x\"/~\n");
}

TEST(Records, NamesLineAndFieldOfAnError) {
    EXPECT_EQ(parse_records("a=1\nb=2 state\n").error(), (Error{Errc::bad_input, "line 2, field 'state': no '='", ""}));
    for (const auto text : {"a=b=c", "a=%", "a=%4", "a=%zz", "a=%-1", "a=\t", "a=\xc3\xa4"}) {
        EXPECT_THAT(parse_record(text).error().what, HasSubstr("line 1, field 'a=")) << text;
    }
}

TEST(Records, RefusesTooManyRecords) {
    std::string text;
    for (int i = 0; i < 65'536; ++i) text += "a=1\n";
    EXPECT_TRUE(parse_records(text));
    EXPECT_EQ(parse_records(text + "a=1\n").error().code, Errc::limit);
}

TEST(Records, NothingIsNoRecord) {
    EXPECT_THAT(*parse_records(""), IsEmpty());
    EXPECT_TRUE(parse_record("\n")->empty());
    EXPECT_EQ(Record().text(), "\n");
}

}  // namespace
}  // namespace rd
