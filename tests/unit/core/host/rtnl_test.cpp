// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/rtnl.h"

#include <gmock/gmock.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "core/base/records.h"
#include "socket_bytes.h"

namespace rd {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using test::raw;

ByteVector link(int index, std::string_view name, const ByteVector& more = {}) {
    ifinfomsg head{};
    head.ifi_type = ARPHRD_ETHER;
    head.ifi_index = index;
    head.ifi_flags = 0x1003;
    return raw(head) + attribute(IFLA_IFNAME, name) + more;
}

Result<std::string> decode(const std::vector<ByteVector>& messages) {
    Replies replies;
    for (const ByteVector& each : messages) replies.add({RTM_NEWLINK, each});
    return decode_links(replies);
}

TEST(DecodeLinks, AllFields) {
    rtnl_link_stats64 statistics{};
    statistics.rx_packets = 1;
    statistics.tx_packets = 2;
    statistics.rx_bytes = 3;
    statistics.tx_bytes = 0xffffffffffffffff;
    statistics.rx_dropped = 5;
    statistics.rx_missed_errors = 6;
    const ByteVector mac{std::byte{0x02}, std::byte{0xab}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
    const auto text = decode({link(
        7, "ens1f0",
        attribute(IFLA_MTU, std::uint32_t{9000}) + attribute(IFLA_OPERSTATE, std::uint8_t{6}) +
            attribute(IFLA_CARRIER, std::uint8_t{1}) + attribute(IFLA_CARRIER_CHANGES, std::uint32_t{9}) +
            attribute(IFLA_CARRIER_UP_COUNT, std::uint32_t{5}) + attribute(IFLA_CARRIER_DOWN_COUNT, std::uint32_t{4}) +
            attribute(IFLA_ADDRESS, mac) + attribute(IFLA_STATS64, raw(statistics)))});
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_EQ(
        *text,
        "ifindex=7 type=1 flags=0x1003 ifname=ens1f0 mtu=9000 operstate=UP carrier=1 carrier_changes=9 carrier_up=5 "
        "carrier_down=4 address=02:ab:00:00:00:01 rx_packets=1 tx_packets=2 rx_bytes=3 "
        "tx_bytes=18446744073709551615 rx_dropped=5 rx_missed=6\n");
}

TEST(DecodeLinks, VlanNamesItsLowerDeviceEvenWhenThatComesLater) {
    const ByteVector info =
        attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, "vlan") +
                                     attribute(IFLA_INFO_DATA, attribute(IFLA_VLAN_ID, std::uint16_t{100})));
    const auto text = decode({link(9, "ens1f0.100", attribute(IFLA_LINK, std::uint32_t{4}) + info), link(4, "ens1f0")});
    ASSERT_TRUE(text);
    const auto records = parse_records(*text);
    ASSERT_TRUE(records);
    EXPECT_EQ((*records)[0].get("link"), "ens1f0");
    EXPECT_EQ((*records)[0].get("kind"), "vlan");
    EXPECT_EQ((*records)[0].get("vlan_id"), "100");
    EXPECT_EQ((*records)[1].get("link"), std::nullopt);
}

TEST(DecodeLinks, PrioritiesOfAVlan) {
    const auto mapping = [](std::uint32_t from, std::uint32_t to) {
        return attribute(IFLA_VLAN_QOS_MAPPING, raw(ifla_vlan_qos_mapping{from, to}));
    };
    const auto vlan = [](const ByteVector& map) {
        return decode(
            {link(9, "ens1f0.100",
                  attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, "vlan") +
                                               attribute(IFLA_INFO_DATA, attribute(IFLA_VLAN_EGRESS_QOS, map))))});
    };
    const auto text = vlan(mapping(3, 3) + mapping(4, 5));
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("vlan_egress=3:3,4:5"));
    EXPECT_THAT(*vlan({}), testing::Not(testing::HasSubstr("vlan_egress")));
    EXPECT_FALSE(vlan(attribute(IFLA_VLAN_QOS_MAPPING, ByteVector(4))));
}

ByteVector address(std::uint8_t family, int index, std::uint8_t prefix, std::uint8_t scope, const ByteVector& more) {
    ifaddrmsg head{};
    head.ifa_family = family;
    head.ifa_prefixlen = prefix;
    head.ifa_scope = scope;
    head.ifa_index = static_cast<std::uint32_t>(index);
    return raw(head) + more;
}

Result<std::string> decode_all(const std::vector<ByteVector>& messages) {
    Replies replies;
    for (const ByteVector& each : messages) replies.add({RTM_NEWADDR, each});
    return decode_addresses(replies);
}

TEST(DecodeAddresses, BothFamiliesAndOurEndOfALink) {
    const ByteVector ours{std::byte{10}, std::byte{9}, std::byte{0}, std::byte{1}};
    const ByteVector peer{std::byte{10}, std::byte{9}, std::byte{0}, std::byte{2}};
    ByteVector six(16);
    six[0] = std::byte{0xfe};
    six[1] = std::byte{0x80};
    six[15] = std::byte{1};
    const auto text = decode_all(
        {address(AF_INET, 2, 24, RT_SCOPE_UNIVERSE, attribute(IFA_LOCAL, ours) + attribute(IFA_ADDRESS, peer)),
         address(AF_INET, 3, 32, RT_SCOPE_HOST, attribute(IFA_ADDRESS, peer)),
         address(AF_INET6, 2, 64, RT_SCOPE_LINK, attribute(IFA_ADDRESS, six)),
         address(AF_INET, 4, 24, 77, attribute(IFA_ADDRESS, ByteVector(2))),
         address(AF_UNIX, 4, 24, 0, attribute(IFA_ADDRESS, ours))});
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_EQ(*text,
              "ifindex=2 address=10.9.0.1 prefix=24 scope=global\nifindex=3 address=10.9.0.2 prefix=32 scope=host\n"
              "ifindex=2 address=fe80::1 prefix=64 scope=link\n");
}

TEST(DecodeAddresses, ShortMessagesAreErrors) {
    EXPECT_FALSE(decode_all({ByteVector(3)}));
    EXPECT_FALSE(decode_all({address(AF_INET, 2, 24, 0, ByteVector(4, std::byte{0xff}))}));
}

TEST(DecodeLinks, AnIndexOfAnotherNamespaceNamesNothing) {
    const auto text = decode(
        {link(4, "ens1f0"),
         link(5, "eth0", attribute(IFLA_LINK, std::uint32_t{4}) + attribute(IFLA_LINK_NETNSID, std::int32_t{0}))});
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::Not(testing::HasSubstr("link=")));
}

TEST(DecodeLinks, MasterByNameAndLinkToItselfIsNone) {
    const auto text =
        decode({link(2, "bond0"),
                link(3, "ens1f0", attribute(IFLA_MASTER, std::uint32_t{2}) + attribute(IFLA_LINK, std::uint32_t{3}))});
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("master=bond0"));
    EXPECT_THAT(*text, testing::Not(testing::HasSubstr("link=")));
}

TEST(DecodeLinks, StatisticsOfAnOlderKernelStopWhereTheyStop) {
    const auto text = decode({link(1, "lo", attribute(IFLA_STATS64, ByteVector(8 * 4)))});
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("tx_bytes=0"));
    EXPECT_THAT(*text, testing::Not(testing::HasSubstr("rx_dropped")));
}

TEST(DecodeLinks, UnknownStatesAndAttributesDoNotHurt) {
    const auto text =
        decode({link(1, "lo", attribute(IFLA_OPERSTATE, std::uint8_t{200}) + attribute(999, std::uint32_t{1}))});
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("operstate=200"));
}

TEST(DecodeLinks, ShortMessagesAndNumbersAreErrors) {
    EXPECT_EQ(decode({ByteVector(15)}).error().code, Errc::bad_input);
    const auto text = decode({link(1, "lo", attribute(IFLA_MTU, std::uint16_t{1}))});
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::bad_input);
    EXPECT_THAT(text.error().what, testing::HasSubstr("attribute 4 has 2 bytes"));
}

TEST(DecodeLinks, OtherMessagesArePassedOver) {
    Replies replies;
    const ByteVector nothing(2);
    replies.add({RTM_NEWADDR, nothing});
    EXPECT_EQ(decode_links(replies), "");
}

TEST(DecodeLinks, SurvivesAnyDamage) {
    const ByteVector message =
        link(9, "ens1f0.100",
             attribute(IFLA_LINK, std::uint32_t{4}) + attribute(IFLA_ADDRESS, ByteVector(6)) +
                 attribute(IFLA_STATS64, ByteVector(24)) +
                 attribute(IFLA_LINKINFO, attribute(IFLA_INFO_KIND, "vlan") +
                                              attribute(IFLA_INFO_DATA, attribute(IFLA_VLAN_ID, std::uint16_t{100}))));
    test::for_each_damage(message, [](Bytes bytes) {
        Replies replies;
        replies.add({RTM_NEWLINK, bytes});
        (void)decode_links(replies);
    });
}

TEST(LinkReader, ListsTheLoopbackDevice) {
    LinkReader reader;
    for (int i = 0; i < 2; ++i) {
        const auto text = reader.read();
        ASSERT_TRUE(text) << text.error().what;
        const auto records = parse_records(*text);
        ASSERT_TRUE(records);
        EXPECT_TRUE(std::any_of(records->begin(), records->end(), [](const Record& record) {
            return record.get("ifname") == "lo" && record.get("type") == std::to_string(ARPHRD_LOOPBACK) &&
                   record.get("mtu").has_value();
        }));
    }
}

}  // namespace
}  // namespace rd
