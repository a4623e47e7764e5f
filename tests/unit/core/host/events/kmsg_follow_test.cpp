// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/kmsg_follow.h"

#include <gmock/gmock.h>

#include "messages.h"

namespace rd::events {
namespace {

using test::bytes_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> take(KmsgDecoder& decoder, std::string_view record) {
    return test::taken(decoder, bytes_of(record));
}

TEST(KmsgFollow, ALineOfADriver) {
    KmsgDecoder decoder;
    EXPECT_THAT(
        take(decoder, "3,7,5678901,-;mlx5_core 0000:41:00.0: CQ error\n SUBSYSTEM=pci\n DEVICE=+pci:0000:41:00.0\n"),
        ElementsAre("err 0000:41:00.0 text=mlx5_core 0000:41:00.0: CQ error level=3 seq=7 us=5678901 "
                    "device=+pci:0000:41:00.0 subsystem=pci"));
    EXPECT_THAT(take(decoder, "3,8,1,-;words\n DEVICE=n7\n"), ElementsAre(HasSubstr("err n7 ")));
    EXPECT_THAT(take(decoder, "3,9,1,-;words\n DEVICE=+\n"), ElementsAre(HasSubstr("err  text=words")));
}

TEST(KmsgFollow, WarningsAndWorseAndLinesAboutRdma) {
    KmsgDecoder decoder;
    EXPECT_THAT(take(decoder, "4,1,1,-;anything at all"), ElementsAre(HasSubstr("warn  text=anything at all")));
    EXPECT_THAT(take(decoder, "5,2,1,-;usb 1-1: new device"), IsEmpty());
    EXPECT_THAT(take(decoder, "6,3,1,-;nvme nvme3: Reconnecting in 10 seconds..."), ElementsAre(HasSubstr("info ")));
}

TEST(KmsgFollow, WhatProgramsWriteThereIsNotTheKernels) {
    KmsgDecoder decoder;
    EXPECT_THAT(take(decoder, "11,1,1,-;mlx5_core 0000:41:00.0: CQ error"), IsEmpty());
    EXPECT_THAT(take(decoder, "12,2,1,-;systemd[1]: mlx"), IsEmpty());
}

TEST(KmsgFollow, AnOverrunIsToldWithTheNextRecordBecauseThatHasANumber) {
    KmsgDecoder decoder;
    Events out;
    decoder.overrun({}, out);
    EXPECT_THAT(out, IsEmpty());
    EXPECT_THAT(take(decoder, "6,100,1,-;usb"), ElementsAre("overrun "));
    decoder.overrun({}, out);
    EXPECT_THAT(take(decoder, "6,151,1,-;usb"), ElementsAre("overrun  lost=50"));
    EXPECT_THAT(take(decoder, "6,152,1,-;usb"), IsEmpty());
    EXPECT_THAT(take(decoder, "4,160,1,-;words"), ElementsAre("overrun  lost=7", HasSubstr("warn ")));
}

TEST(KmsgFollow, ARecordWithoutAHeadIsNotOne) {
    KmsgDecoder decoder;
    for (const char* record : {"", "words", "4;words", "x,y,z;words"}) {
        EXPECT_THAT(take(decoder, record), ElementsAre(HasSubstr("error: kmsg: a record without a head"))) << record;
    }
}

}  // namespace
}  // namespace rd::events
