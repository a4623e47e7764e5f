// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/events/link.h"

#include <gmock/gmock.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

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

struct Link {
    int index = 7;
    std::string name = "ens1f0";
    bool up = true;
    std::uint32_t mtu = 1500;
    std::uint8_t operstate = 6, carrier = 1;
    std::uint32_t ups = 3, downs = 2, master = 0;
    bool counts = true;
    std::uint8_t mac = 1;

    [[nodiscard]] ByteVector bytes() const {
        ifinfomsg head{};
        head.ifi_index = index;
        head.ifi_flags = up ? IFF_UP : 0;
        ByteVector all = raw(head) + attribute(IFLA_IFNAME, name) + attribute(IFLA_MTU, mtu) +
                         attribute(IFLA_OPERSTATE, operstate) + attribute(IFLA_CARRIER, carrier);
        if (counts) all = all + attribute(IFLA_CARRIER_UP_COUNT, ups) + attribute(IFLA_CARRIER_DOWN_COUNT, downs);
        if (master != 0) all = all + attribute(IFLA_MASTER, master);
        return all + attribute(IFLA_ADDRESS, ByteVector{std::byte{2}, std::byte{mac}});
    }
};

struct Scene {
    LinkTable table;

    std::vector<std::string> take(const ByteVector& payload, std::uint16_t type = RTM_NEWLINK) {
        Events out;
        const auto result = table.take({type, payload}, out);
        return result ? test::lines_of(out) : std::vector<std::string>{"error: " + result.error().what};
    }
    std::vector<std::string> take(const Link& link) { return take(link.bytes()); }
    std::vector<std::string> compare(const std::vector<Link>& links) {
        Replies list;
        for (const Link& link : links) list.add({RTM_NEWLINK, link.bytes()});
        Events out;
        EXPECT_TRUE(table.compare(list, out));
        return test::lines_of(out);
    }
};

TEST(LinkTable, AppearsOnceAndIsSilentWhenNothingChanges) {
    Scene scene;
    EXPECT_THAT(scene.take(Link{}),
                ElementsAre("appeared ens1f0 ifindex=7 mtu=1500 operstate=UP carrier=1 carrier_up=3 "
                            "carrier_down=2"));
    EXPECT_THAT(scene.take(Link{}), IsEmpty());
    EXPECT_EQ(scene.table.name_of(7), "ens1f0");
    EXPECT_EQ(scene.table.name_of(8), "ifindex 8");
}

TEST(LinkTable, CarrierGoesAndComes) {
    Scene scene;
    Link link;
    (void)scene.take(link);
    link.carrier = 0;
    link.operstate = 2;
    link.downs = 3;
    EXPECT_THAT(scene.take(link),
                ElementsAre("carrier-down ens1f0 ifindex=7 operstate=DOWN carrier=0 carrier_up=3 carrier_down=3",
                            "operstate ens1f0 ifindex=7 from=UP to=DOWN carrier=0"));
    link.carrier = 1;
    link.ups = 4;
    EXPECT_THAT(scene.take(link),
                ElementsAre("carrier-up ens1f0 ifindex=7 operstate=DOWN carrier=1 carrier_up=4 carrier_down=3"));
}

TEST(LinkTable, FlapsBetweenTwoMessagesAreCountedAsTheKernelDid) {
    Scene scene;
    Link link;
    (void)scene.take(link);
    link.ups += 10;
    link.downs += 10;
    EXPECT_THAT(scene.take(link),
                ElementsAre(HasSubstr("carrier-down ens1f0 x10 "), HasSubstr("carrier-up ens1f0 x10 ")));
    link.carrier = 0;
    link.ups += 1;
    link.downs += 2;
    EXPECT_THAT(scene.take(link),
                ElementsAre(HasSubstr("carrier-up ens1f0 ifindex"), HasSubstr("carrier-down ens1f0 x2 ")));
}

TEST(LinkTable, AMessageThatIsOlderThanTheListChangesNoCount) {
    Scene scene;
    Link now, older;
    older.downs = 1;
    older.ups = 2;
    (void)scene.take(now);
    EXPECT_THAT(scene.take(older), IsEmpty());
    EXPECT_THAT(scene.take(now), IsEmpty());
}

TEST(LinkTable, WithoutCountsTheStateTells) {
    Scene scene;
    Link link;
    link.counts = false;
    (void)scene.take(link);
    link.carrier = 0;
    EXPECT_THAT(scene.take(link), ElementsAre("carrier-down ens1f0 ifindex=7 operstate=UP carrier=0"));
    link.carrier = 1;
    EXPECT_THAT(scene.take(link), ElementsAre("carrier-up ens1f0 ifindex=7 operstate=UP carrier=1"));
}

TEST(LinkTable, WhatAnAdministratorChanges) {
    Scene scene;
    Link bridge;
    bridge.index = 9;
    bridge.name = "br0";
    (void)scene.take(bridge);
    Link link;
    (void)scene.take(link);
    link.mtu = 9000;
    link.master = 9;
    link.name = "roce0";
    link.mac = 5;
    EXPECT_THAT(scene.take(link),
                ElementsAre("renamed roce0 ifindex=7 from=ens1f0 to=roce0", "mtu roce0 ifindex=7 from=1500 to=9000",
                            "master roce0 ifindex=7 from=none to=br0", "mac roce0 ifindex=7 from=02:01 to=02:05"));
    link.master = 0;
    link.up = false;
    EXPECT_THAT(scene.take(link),
                ElementsAre(HasSubstr("admin-down roce0 "), "master roce0 ifindex=7 from=br0 to=none"));
    link.up = true;
    EXPECT_THAT(scene.take(link), ElementsAre(HasSubstr("admin-up roce0 ")));
}

TEST(LinkTable, Goes) {
    Scene scene;
    (void)scene.take(Link{});
    EXPECT_THAT(scene.take(Link{}.bytes(), RTM_DELLINK), ElementsAre(HasSubstr("removed ens1f0 ifindex=7 ")));
    EXPECT_THAT(scene.take(Link{}.bytes(), RTM_DELLINK), IsEmpty());
    EXPECT_THAT(scene.take(Link{}), ElementsAre(HasSubstr("appeared ")));
}

TEST(LinkTable, MessagesOfABridgeAboutItsPortsAreNotAboutTheInterface) {
    Scene scene;
    (void)scene.take(Link{});
    ByteVector port = Link{}.bytes();
    port[offsetof(ifinfomsg, ifi_family)] = std::byte{AF_BRIDGE};
    EXPECT_THAT(scene.take(port, RTM_DELLINK), IsEmpty());
    EXPECT_THAT(scene.take(Link{}), IsEmpty());
}

TEST(LinkTable, AMessageAboutOneThingChangesNothingElse) {
    Scene scene;
    Link link;
    link.master = 9;
    (void)scene.take(link);
    ifinfomsg head{};
    head.ifi_index = 7;
    head.ifi_flags = IFF_UP;
    const ByteVector partial = raw(head) + attribute(IFLA_IFNAME, "ens1f0");
    EXPECT_THAT(scene.take(partial), IsEmpty());
    EXPECT_THAT(scene.take(link), IsEmpty());
    head.ifi_index = 8;
    EXPECT_THAT(scene.take(raw(head) + attribute(IFLA_IFNAME, "ens1f1")), IsEmpty());
}

TEST(LinkTable, AListShowsWhatWasMissed) {
    Scene scene;
    Link gone, changed, fresh;
    gone.index = 3;
    gone.name = "gone";
    (void)scene.take(gone);
    (void)scene.take(changed);
    changed.downs += 2;
    changed.ups += 2;
    fresh.index = 12;
    fresh.name = "fresh";
    EXPECT_THAT(scene.compare({changed, fresh}),
                ElementsAre(HasSubstr("carrier-down ens1f0 x2 "), HasSubstr("carrier-up ens1f0 x2 "),
                            HasSubstr("appeared fresh "), HasSubstr("removed gone ")));
    EXPECT_THAT(scene.compare({changed, fresh}), IsEmpty());
}

TEST(LinkTable, OtherMessagesArePassedOverAndBrokenOnesRefused) {
    Scene scene;
    EXPECT_THAT(scene.take(Link{}.bytes(), RTM_NEWADDR), IsEmpty());
    EXPECT_THAT(scene.take(ByteVector(3)), ElementsAre(HasSubstr("error: rtnetlink: link message of 3 bytes")));
    test::for_each_damage(Link{}.bytes(), [&](Bytes bytes) {
        Events out;
        (void)scene.table.take({RTM_NEWLINK, bytes}, out);
    });
}

TEST(ForEachMessage, InOrderWithoutThoseOfNetlinkItself) {
    std::vector<int> types;
    const auto note = [&](const Message& message) -> Result<> {
        types.push_back(message.type);
        return message.type == 99 ? fail(Errc::bad_input, "99") : Result<>();
    };
    using test::message;
    EXPECT_TRUE(for_each_message(
        message(16, 0, 0, ByteVector(5)) + message(NLMSG_DONE, 0, 0, {}) + message(17, 0, 0, {}), note));
    EXPECT_THAT(types, ElementsAre(16, 17));
    EXPECT_FALSE(for_each_message(message(99, 0, 0, {}) + message(18, 0, 0, {}), note));
    EXPECT_THAT(types, ElementsAre(16, 17, 99));
    EXPECT_FALSE(for_each_message(ByteVector(7), note));
    test::for_each_damage(message(16, 0, 0, ByteVector(5)) + message(17, 0, 0, {}),
                          [&](Bytes bytes) { (void)for_each_message(bytes, note); });
}

}  // namespace
}  // namespace rd::events
