// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "core/host/events/link.h"
#include "messages.h"

namespace rd::events {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using test::raw;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ByteVector address(std::uint8_t last, std::uint32_t flags = 0, std::uint8_t family = AF_INET) {
    ifaddrmsg head{};
    head.ifa_family = family;
    head.ifa_prefixlen = 24;
    head.ifa_index = 7;
    ByteVector bytes(family == AF_INET6 ? 16 : 4);
    bytes.front() = std::byte{10};
    bytes.back() = std::byte{last};
    return raw(head) + attribute(IFA_ADDRESS, bytes) + attribute(IFA_FLAGS, flags);
}

struct Scene {
    bool interface_there = true;
    AddressTable table{[this](std::uint32_t index) {
        return interface_there ? std::string("ens1f0") : "ifindex " + std::to_string(index);
    }};

    std::vector<std::string> take(const ByteVector& payload, std::uint16_t type = RTM_NEWADDR) {
        Events out;
        const auto result = table.take({type, payload}, out);
        return result ? test::lines_of(out) : std::vector<std::string>{"error: " + result.error().what};
    }
};

TEST(AddressTable, AddedOnceAndRemovedOnce) {
    Scene scene;
    EXPECT_THAT(scene.take(address(1)), ElementsAre("added ens1f0 ifindex=7 address=10.0.0.1/24"));
    EXPECT_THAT(scene.take(address(1)), IsEmpty());
    scene.interface_there = false;
    EXPECT_THAT(scene.take(address(1), RTM_DELADDR), ElementsAre("removed ens1f0 ifindex=7 address=10.0.0.1/24"));
    EXPECT_THAT(scene.take(address(1), RTM_DELADDR), IsEmpty());
    EXPECT_THAT(scene.take(address(2)), ElementsAre("added ifindex 7 ifindex=7 address=10.0.0.2/24"));
}

TEST(AddressTable, AnAddressThatAnotherHostHas) {
    Scene scene;
    EXPECT_THAT(scene.take(address(1, IFA_F_TENTATIVE, AF_INET6)),
                ElementsAre("added ens1f0 ifindex=7 address=a00::1/24"));
    EXPECT_THAT(scene.take(address(1, IFA_F_TENTATIVE | IFA_F_DADFAILED, AF_INET6)),
                ElementsAre("dad-failed ens1f0 ifindex=7 address=a00::1/24"));
    EXPECT_THAT(scene.take(address(1, IFA_F_DADFAILED, AF_INET6)), IsEmpty());
}

TEST(AddressTable, OfAPointToPointLinkOurEnd) {
    Scene scene;
    const ByteVector ours{std::byte{10}, std::byte{9}, std::byte{0}, std::byte{1}};
    EXPECT_THAT(scene.take(address(2) + attribute(IFA_LOCAL, ours)),
                ElementsAre("added ens1f0 ifindex=7 address=10.9.0.1/24"));
}

TEST(AddressTable, AListShowsWhatWasMissed) {
    Scene scene;
    (void)scene.take(address(1));
    (void)scene.take(address(2));
    Replies list;
    list.add({RTM_NEWADDR, address(2)});
    list.add({RTM_NEWADDR, address(3)});
    Events out;
    ASSERT_TRUE(scene.table.compare(list, out));
    EXPECT_THAT(test::lines_of(out), ElementsAre(HasSubstr("added ens1f0 ifindex=7 address=10.0.0.3"),
                                                 HasSubstr("removed ens1f0 ifindex=7 address=10.0.0.1")));
}

TEST(AddressTable, OtherMessagesArePassedOverAndBrokenOnesRefused) {
    Scene scene;
    EXPECT_THAT(scene.take(address(1), RTM_NEWLINK), IsEmpty());
    EXPECT_THAT(scene.take(address(1, 0, AF_UNIX)), IsEmpty());
    EXPECT_THAT(scene.take(ByteVector(3)), ElementsAre(HasSubstr("error: rtnetlink: address message of 3 bytes")));
    test::for_each_damage(address(1), [&](Bytes bytes) {
        Events out;
        (void)scene.table.take({RTM_NEWADDR, bytes}, out);
    });
}

}  // namespace
}  // namespace rd::events
