// SPDX-License-Identifier: GPL-2.0-or-later
// The sources themselves, as far as any kernel goes: they come into being or say why not, and never wait. What they tell is shown in the lab.
#include <gmock/gmock.h>
#include <poll.h>

#include "core/host/events/source.h"

namespace rd {
namespace {

void comes_into_being(const EventSourceResult& source) {
    if (!source) {
        EXPECT_THAT(source.error().code,
                    testing::AnyOf(Errc::not_supported, Errc::not_found, Errc::no_privilege, Errc::io));
        EXPECT_FALSE(source.error().what.empty());
        return;
    }
    EXPECT_GE((*source)->fd(), 0);
    pollfd fd{(*source)->fd(), POLLIN, 0};
    EXPECT_GE(::poll(&fd, 1, 0), 0);
    std::size_t given = 0;
    EXPECT_TRUE((*source)->drain([&](HostEvent&&) { ++given; }, 3));
    EXPECT_LE(given, 3u);
}

TEST(EventSources, ComeIntoBeingOrSayWhyNot) {
    comes_into_being(link_events());
    comes_into_being(address_events());
    comes_into_being(uevents());
    comes_into_being(devlink_events());
    comes_into_being(rdma_monitor_events());
    comes_into_being(kmsg_events());
}

TEST(EventSources, VerbsStartsAndEndsWhateverThePolicy) {
    for (const ContextPolicy policy : {ContextPolicy::automatic, ContextPolicy::never}) {
        comes_into_being(verbs_events(policy));
    }
}

}  // namespace
}  // namespace rd
