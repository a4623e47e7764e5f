// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/uevent.h"

#include <gmock/gmock.h>

#include "messages.h"

namespace rd::events {
namespace {

using test::bytes_of;
using testing::ElementsAre;
using testing::IsEmpty;

// '|' stands for the zero byte.
test::ByteVector message(std::string text) {
    for (char& c : text) c = c == '|' ? '\0' : c;
    return bytes_of(text);
}
std::vector<std::string> take(std::string text) {
    UeventDecoder decoder;
    return test::taken(decoder, message(std::move(text)));
}

TEST(DecodeUevent, HeadAndProperties) {
    const auto uevent =
        decode_uevent(message("remove@/devices/pci0000:40/0000:41:00.0/infiniband_verbs/"
                              "uverbs0|ACTION=remove|SUBSYSTEM=infiniband_verbs|X=a=b|"));
    ASSERT_TRUE(uevent);
    EXPECT_EQ(uevent->action, "remove");
    EXPECT_EQ(uevent->device, "uverbs0");
    EXPECT_EQ(uevent->property("X"), "a=b");
    EXPECT_EQ(uevent->property("Y"), "");
}

TEST(DecodeUevent, WhatUdevWritesIsNotTheKernels) {
    EXPECT_FALSE(decode_uevent(message("libudev|xyz|")));
    EXPECT_FALSE(decode_uevent({}));
    EXPECT_FALSE(decode_uevent(message("@/devices/nvme3|SUBSYSTEM=nvme|")));
}

TEST(Uevents, DevicesOfRdmaAndTheNetwork) {
    EXPECT_THAT(take("add@/devices/virtual/infiniband/rxe0|SUBSYSTEM=infiniband|NAME=rxe0|SEQNUM=4|"),
                ElementsAre("add rxe0 subsystem=infiniband"));
    EXPECT_THAT(
        take("move@/devices/virtual/net/v2|DEVPATH_OLD=/devices/virtual/net/v1|SUBSYSTEM=net|INTERFACE=v2|IFINDEX=3|"),
        ElementsAre("move v2 subsystem=net netdev=v2 ifindex=3 path_old=/devices/virtual/net/v1"));
    EXPECT_THAT(take("add@/devices/virtual/net/v2/queues/rx-0|SUBSYSTEM=queues|"), IsEmpty());
    EXPECT_THAT(take("change@/devices/a/b/block/sda|SUBSYSTEM=block|"), IsEmpty());
}

TEST(Uevents, NvmeControllersSayWhatHasChanged) {
    const std::string controller = "@/devices/virtual/nvme-fabrics/ctl/nvme3|SUBSYSTEM=nvme|";
    EXPECT_THAT(
        take("change" + controller + "NVME_EVENT=connected|NVME_TRTYPE=rdma|NVME_TRADDR=10.0.0.2|NVME_TRSVCID=4420|"),
        ElementsAre("connected nvme3 subsystem=nvme event=connected trtype=rdma traddr=10.0.0.2 trsvcid=4420"));
    EXPECT_THAT(take("change" + controller + "NVME_AEN=0x000700|"),
                ElementsAre("aen nvme3 subsystem=nvme aen=0x000700"));
    EXPECT_THAT(take("change" + controller), ElementsAre("change nvme3 subsystem=nvme"));
    EXPECT_THAT(take("remove" + controller), ElementsAre("remove nvme3 subsystem=nvme"));
    UeventDecoder decoder;
    Events out;
    ASSERT_TRUE(decoder.take(message("add" + controller), out));
    EXPECT_EQ(out.at(0).source, "nvme");
}

}  // namespace
}  // namespace rd::events
