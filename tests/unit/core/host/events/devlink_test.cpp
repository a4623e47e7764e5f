// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/devlink.h"

#include <gmock/gmock.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>

#include "messages.h"

namespace rd::events {
namespace {

using test::attribute;
using test::ByteVector;
using test::message;
using test::operator+;
using test::raw;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint16_t kFamily = 21;

ByteVector health(std::uint8_t state, const ByteVector& more = {}, std::uint8_t command = 54,
                  std::uint16_t family = kFamily) {
    genlmsghdr head{};
    head.cmd = command;
    head.version = 1;
    return message(family, 0, 0,
                   raw(head) + attribute(DEVLINK_ATTR_BUS_NAME, "pci") +
                       attribute(DEVLINK_ATTR_DEV_NAME, "0000:41:00.0") + more +
                       attribute(DEVLINK_ATTR_HEALTH_REPORTER,
                                 attribute(DEVLINK_ATTR_HEALTH_REPORTER_NAME, "fw_fatal") +
                                     attribute(DEVLINK_ATTR_HEALTH_REPORTER_STATE, state) +
                                     attribute(DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, std::uint64_t{2}) +
                                     attribute(DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, std::uint64_t{1})));
}

TEST(Devlink, AReporterAndItsState) {
    DevlinkDecoder decoder(kFamily);
    EXPECT_THAT(test::taken(decoder, health(1)),
                ElementsAre("health pci/0000:41:00.0 fw_fatal state=error errors=2 recoveries=1"));
    EXPECT_THAT(test::taken(decoder, health(0, attribute(DEVLINK_ATTR_PORT_INDEX, std::uint32_t{1}))),
                ElementsAre(HasSubstr("health pci/0000:41:00.0/1 fw_fatal state=healthy ")));
    EXPECT_THAT(test::taken(decoder, health(9)), ElementsAre(HasSubstr("state=9 ")));
}

TEST(Devlink, OtherMessagesArePassedOver) {
    DevlinkDecoder decoder(kFamily);
    EXPECT_THAT(test::taken(decoder, health(1, {}, DEVLINK_CMD_NEW)), IsEmpty());
    EXPECT_THAT(test::taken(decoder, health(1, {}, 54, kFamily + 1)), IsEmpty());
    EXPECT_THAT(test::taken(decoder, message(kFamily, 0, 0, ByteVector(2))), IsEmpty());
}

TEST(Devlink, DamagedMessagesComeBack) {
    test::for_each_damage(health(1), [](Bytes bytes) {
        DevlinkDecoder decoder(kFamily);
        Events out;
        (void)decoder.take(bytes, out);
    });
}

TEST(GenericGroup, ByItsName) {
    const auto group = [](const char* name, std::uint32_t id) {
        return attribute(1, attribute(CTRL_ATTR_MCAST_GRP_NAME, name) + attribute(CTRL_ATTR_MCAST_GRP_ID, id));
    };
    const ByteVector answer = attribute(CTRL_ATTR_FAMILY_ID, std::uint16_t{21}) +
                              attribute(CTRL_ATTR_MCAST_GROUPS, group("other", 4) + group("config", 5));
    const auto found = decode_generic_group(answer, "config");
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->family, 21);
    EXPECT_EQ(found->group, 5u);
    EXPECT_EQ(decode_generic_group(answer, "none").error().code, Errc::not_supported);
    test::for_each_damage(answer, [](Bytes bytes) { (void)decode_generic_group(bytes, "config"); });
}

}  // namespace
}  // namespace rd::events
