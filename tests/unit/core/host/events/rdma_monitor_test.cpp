// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/rdma_monitor.h"

#include <gmock/gmock.h>

#include "core/host/rdma_decode.h"
#include "messages.h"

namespace rd::events {
namespace {

using test::attribute;
using test::ByteVector;
using test::message;
using test::operator+;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ByteVector notice(std::uint8_t type, const ByteVector& more = {}, std::uint16_t operation = 28) {
    return message(nldev::message_type(operation), 0, 0,
                   attribute(nldev::kDevIndex, std::uint32_t{3}) + attribute(nldev::kDevName, "mlx5_0") + more +
                       attribute(nldev::kEventType, type));
}

TEST(RdmaMonitor, DevicesAndTheirNetdevs) {
    RdmaMonitorDecoder decoder;
    const ByteVector port = attribute(nldev::kPortIndex, std::uint32_t{1}) +
                            attribute(nldev::kNdevIndex, std::uint32_t{7}) + attribute(nldev::kNdevName, "ens1f0");
    EXPECT_THAT(test::taken(decoder, notice(0) + notice(2, port)),
                ElementsAre("REGISTER mlx5_0 index=3", "NETDEV_ATTACH mlx5_0/1 index=3 ifindex=7 netdev=ens1f0"));
    EXPECT_THAT(test::taken(decoder, notice(1)), ElementsAre("UNREGISTER mlx5_0 index=3"));
    EXPECT_THAT(test::taken(decoder, notice(77)), ElementsAre("unclassified 77 mlx5_0 index=3"));
}

TEST(RdmaMonitor, OtherMessagesArePassedOverAndBrokenOnesRefused) {
    RdmaMonitorDecoder decoder;
    EXPECT_THAT(test::taken(decoder, notice(0, {}, nldev::kGet)), IsEmpty());
    EXPECT_THAT(test::taken(decoder, message(nldev::message_type(28), 0, 0, {})),
                ElementsAre(HasSubstr("error: RDMA netlink: monitor: a message without the type")));
    test::for_each_damage(notice(0), [](Bytes bytes) {
        RdmaMonitorDecoder damaged;
        Events out;
        (void)damaged.take(bytes, out);
    });
}

}  // namespace
}  // namespace rd::events
