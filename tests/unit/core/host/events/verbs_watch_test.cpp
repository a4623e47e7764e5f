// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/verbs_watch.h"

#include <gmock/gmock.h>
#include <infiniband/verbs.h>

namespace rd::events {
namespace {

TEST(AsyncEvents, NamesAreThoseOfTheLibraryWithoutItsPrefix) {
    EXPECT_EQ(async_event_name(IBV_EVENT_CQ_ERR), "CQ_ERR");
    EXPECT_EQ(async_event_name(IBV_EVENT_PATH_MIG_ERR), "PATH_MIG_ERR");
    EXPECT_EQ(async_event_name(IBV_EVENT_DEVICE_FATAL), "DEVICE_FATAL");
    EXPECT_EQ(async_event_name(IBV_EVENT_PORT_ACTIVE), "PORT_ACTIVE");
    EXPECT_EQ(async_event_name(IBV_EVENT_PORT_ERR), "PORT_ERR");
    EXPECT_EQ(async_event_name(IBV_EVENT_LID_CHANGE), "LID_CHANGE");
    EXPECT_EQ(async_event_name(IBV_EVENT_SM_CHANGE), "SM_CHANGE");
    EXPECT_EQ(async_event_name(IBV_EVENT_SRQ_LIMIT_REACHED), "SRQ_LIMIT_REACHED");
    EXPECT_EQ(async_event_name(IBV_EVENT_QP_LAST_WQE_REACHED), "QP_LAST_WQE_REACHED");
    EXPECT_EQ(async_event_name(IBV_EVENT_CLIENT_REREGISTER), "CLIENT_REREGISTER");
    EXPECT_EQ(async_event_name(IBV_EVENT_GID_CHANGE), "GID_CHANGE");
    EXPECT_EQ(async_event_name(IBV_EVENT_WQ_FATAL), "WQ_FATAL");
    EXPECT_EQ(async_event_name(20), "unclassified 20");
    EXPECT_EQ(async_event_name(-1), "unclassified -1");
}

TEST(AsyncEvents, ThoseOfAPort) {
    for (const int type : {IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR, IBV_EVENT_LID_CHANGE, IBV_EVENT_PKEY_CHANGE,
                           IBV_EVENT_SM_CHANGE, IBV_EVENT_CLIENT_REREGISTER, IBV_EVENT_GID_CHANGE}) {
        EXPECT_TRUE(is_port_event(type)) << type;
    }
    for (const int type : {IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL, IBV_EVENT_DEVICE_FATAL, IBV_EVENT_WQ_FATAL}) {
        EXPECT_FALSE(is_port_event(type)) << type;
    }
    EXPECT_FALSE(is_port_event(20));
}

TEST(PortStates, AsSysfsWritesThem) {
    EXPECT_EQ(port_state_name(1), "DOWN");
    EXPECT_EQ(port_state_name(4), "ACTIVE");
    EXPECT_EQ(port_state_name(9), "9");
    EXPECT_EQ(port_phys_state_name(5), "LinkUp");
    EXPECT_EQ(port_phys_state_name(0), "0");
}

}  // namespace
}  // namespace rd::events
