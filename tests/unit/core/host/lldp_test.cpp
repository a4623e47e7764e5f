// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/lldp.h"

#include <gmock/gmock.h>

namespace rd {
namespace {

using Bytes = std::vector<std::uint8_t>;

// One TLV: seven bits of type, nine of length (IEEE 802.1AB 8.4.1).
Bytes unit(unsigned type, const Bytes& value) {
    Bytes out;
    out.push_back(static_cast<std::uint8_t>(type << 1 | value.size() >> 8));
    out.push_back(static_cast<std::uint8_t>(value.size()));
    for (const std::uint8_t byte : value) out.push_back(byte);
    return out;
}
Bytes text(std::uint8_t subtype, std::string_view words) {
    Bytes out;
    out.push_back(subtype);
    for (const char c : words) out.push_back(static_cast<std::uint8_t>(c));
    return out;
}
Bytes frame(std::initializer_list<Bytes> units) {
    Bytes out;
    for (const Bytes& each : units) out.insert(out.end(), each.begin(), each.end());
    return out;
}
const Bytes kChassis = unit(1, {4, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55});
const Bytes kPort = unit(2, text(5, "Ethernet12"));
const Bytes kTtl = unit(3, {0, 120});
const Bytes kEnd = unit(0, {});

std::string decoded(const Bytes& data) {
    const auto record = decode_lldp(data);
    return record ? record->text() : record.error().what;
}

TEST(DecodeLldp, WhoTheNeighbourIs) {
    const Bytes name = unit(5, {'l', 'e', 'a', 'f', '7'});
    EXPECT_EQ(decoded(frame({kChassis, kPort, kTtl, name, kEnd})),
              "chassis=00:11:22:33:44:55 port=Ethernet12 ttl=120 hostname=leaf7\n");
}

TEST(DecodeLldp, ItsHalfOfDcbx) {
    const Bytes pfc = unit(127, {0x00, 0x80, 0xc2, 11, 0x88, 0x08});
    const Bytes apps = unit(127, {0x00, 0x80, 0xc2, 12, 0, 0x63, 0x12, 0xb7, 0x65, 0x00, 26});
    const Bytes size = unit(127, {0x00, 0x12, 0x0f, 4, 0x24, 0x14});
    const auto record = decode_lldp(frame({kChassis, kPort, kTtl, pfc, apps, size, kEnd}));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->get("pfc_willing"), "1");
    EXPECT_EQ(record->get("pfc_cap"), "8");
    EXPECT_EQ(record->get("pfc_enabled"), "8");
    EXPECT_EQ(record->get("applications"), "3:4791:3,5:26:3");
    EXPECT_EQ(record->get("max_frame"), "9236");
}

TEST(DecodeLldp, TrafficClasses) {
    const Bytes ets = unit(
        127, {0x00, 0x80, 0xc2, 9, 0x80, 0x01, 0x23, 0x45, 0x67, 50, 50, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0});
    const auto record = decode_lldp(frame({kChassis, kPort, kTtl, ets, kEnd}));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->get("ets_willing"), "1");
    EXPECT_EQ(record->get("prio_tc_1"), "1");
    EXPECT_EQ(record->get("prio_tc_6"), "6");
    EXPECT_EQ(record->get("tc_bw_1"), "50");
}

TEST(DecodeLldp, OthersOrganisationsAndShortValuesArePassedOver) {
    const Bytes cee = unit(127, {0x00, 0x1b, 0x21, 11, 0x88, 0x08});
    const Bytes brief = unit(127, {0x00, 0x80, 0xc2, 11, 0x88});
    const Bytes empty = unit(127, {});
    EXPECT_EQ(decoded(frame({kChassis, kPort, kTtl, cee, brief, empty, kEnd})),
              "chassis=00:11:22:33:44:55 port=Ethernet12 ttl=120\n");
}

TEST(DecodeLldp, EveryCutIsAnError) {
    const Bytes whole = frame({kChassis, kPort, kTtl, unit(127, {0x00, 0x80, 0xc2, 11, 0x88, 0x08}), kEnd});
    ASSERT_TRUE(decode_lldp(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_FALSE(decode_lldp(std::span(whole).first(size))) << size;
    }
}

TEST(DecodeLldp, WithoutTheThreePartsThatMustBeThere) {
    EXPECT_EQ(decoded(frame({kChassis, kPort, kEnd})), "an LLDP frame without chassis, port or time to live");
    EXPECT_EQ(decoded(frame({unit(1, {4}), kPort, kTtl, kEnd})), "an LLDP frame without chassis, port or time to live");
}

TEST(LldpReader, SaysWhyThereIsNothing) {
    LldpReader reader("lo", "lldp/lo");
    const auto answer = reader.read();
    if (answer) {
        EXPECT_EQ(*answer, "");
    } else {
        EXPECT_EQ(answer.error().code, Errc::no_privilege);
        EXPECT_FALSE(answer.error().remedy.empty());
    }
    LldpReader absent("no-such-netdev0", "lldp/no-such-netdev0");
    EXPECT_EQ(absent.read().error().code, Errc::not_found);
}

}  // namespace
}  // namespace rd
