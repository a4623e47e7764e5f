// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/dcb.h"

#include <gmock/gmock.h>
#include <linux/dcbnl.h>

#include "socket_bytes.h"

namespace rd {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using test::raw;

ByteVector ieee(const ByteVector& inside) {
    return attribute(DCB_ATTR_IFNAME, "ens1f0") + attribute(DCB_ATTR_IEEE | NLA_F_NESTED, inside);
}

Result<std::string> decode(DcbPart part, const ByteVector& bytes) { return decode_dcb(part, bytes, "dcb.x/ens1f0"); }

TEST(DecodeDcb, Pfc) {
    ieee_pfc pfc{};
    pfc.pfc_cap = 8;
    pfc.pfc_en = 0x08;
    pfc.mbc = 1;
    pfc.delay = 7;
    pfc.requests[3] = 11;
    pfc.indications[7] = 0xffffffffffffffff;
    EXPECT_EQ(
        decode(DcbPart::pfc, ieee(attribute(DCB_ATTR_IEEE_PFC, raw(pfc)))),
        "cap=8 enabled=8 mbc=1 delay=7 requests_0=0 requests_1=0 requests_2=0 requests_3=11 requests_4=0 requests_5=0 "
        "requests_6=0 requests_7=0 indications_0=0 indications_1=0 indications_2=0 indications_3=0 indications_4=0 "
        "indications_5=0 indications_6=0 indications_7=18446744073709551615\n");
}

TEST(DecodeDcb, Ets) {
    ieee_ets ets{};
    ets.willing = 1;
    ets.ets_cap = 8;
    ets.prio_tc[0] = 1;
    ets.tc_tsa[1] = IEEE_8021QAZ_TSA_CB_SHAPER;
    ets.tc_tsa[2] = IEEE_8021QAZ_TSA_ETS;
    ets.tc_tsa[3] = IEEE_8021QAZ_TSA_VENDOR;
    ets.tc_tsa[4] = 77;
    ets.tc_tx_bw[2] = 60;
    EXPECT_EQ(
        decode(DcbPart::ets, ieee(attribute(DCB_ATTR_IEEE_ETS, raw(ets)))),
        "cap=8 willing=1 cbs=0 prio_tc_0=1 prio_tc_1=0 prio_tc_2=0 prio_tc_3=0 prio_tc_4=0 prio_tc_5=0 prio_tc_6=0 "
        "prio_tc_7=0 tc_tsa_0=strict tc_tsa_1=cbs tc_tsa_2=ets tc_tsa_3=vendor tc_tsa_4=77 tc_tsa_5=strict "
        "tc_tsa_6=strict tc_tsa_7=strict tc_bw_0=0 tc_bw_1=0 tc_bw_2=60 tc_bw_3=0 tc_bw_4=0 tc_bw_5=0 tc_bw_6=0 "
        "tc_bw_7=0\n");
}

ByteVector app(unsigned type, std::uint8_t selector, std::uint16_t protocol, std::uint8_t priority) {
    dcb_app entry{};
    entry.selector = selector;
    entry.protocol = protocol;
    entry.priority = priority;
    return attribute(type, raw(entry));
}

TEST(DecodeDcb, ApplicationTable) {
    const ByteVector table = app(DCB_ATTR_IEEE_APP, 5, 26, 3) + app(DCB_ATTR_IEEE_APP, 1, 0x8915, 3) +
                             app(DCB_ATTR_IEEE_APP, 3, 4791, 3) + app(2, 255, 1, 5) + app(DCB_ATTR_IEEE_APP, 9, 1, 1) +
                             attribute(77, ByteVector(1));
    EXPECT_EQ(decode(DcbPart::app, ieee(attribute(DCB_ATTR_IEEE_APP_TABLE, table))),
              "selector=dscp protocol=26 priority=3\n"
              "selector=ethertype protocol=35093 priority=3\n"
              "selector=dgram-port protocol=4791 priority=3\n"
              "selector=pcp protocol=1 priority=5\n"
              "selector=9 protocol=1 priority=1\n");
    EXPECT_EQ(decode(DcbPart::app, ieee(attribute(DCB_ATTR_IEEE_APP_TABLE))), "") << "no entry is an empty answer";
}

TEST(DecodeDcb, BufferAndMaxrate) {
    dcbnl_buffer buffer{};
    buffer.prio2buffer[3] = 1;
    buffer.buffer_size[0] = 20'480;
    buffer.total_size = 262'144;
    EXPECT_EQ(
        decode(DcbPart::buffer, ieee(attribute(DCB_ATTR_DCB_BUFFER, raw(buffer)))),
        "prio_buffer_0=0 prio_buffer_1=0 prio_buffer_2=0 prio_buffer_3=1 prio_buffer_4=0 prio_buffer_5=0 "
        "prio_buffer_6=0 prio_buffer_7=0 size_0=20480 size_1=0 size_2=0 size_3=0 size_4=0 size_5=0 size_6=0 size_7=0 "
        "total=262144\n");
    ieee_maxrate rates{};
    rates.tc_maxrate[7] = 25'000'000;
    EXPECT_EQ(
        decode(DcbPart::maxrate, ieee(attribute(DCB_ATTR_IEEE_MAXRATE, raw(rates)))),
        "tc_maxrate_0=0 tc_maxrate_1=0 tc_maxrate_2=0 tc_maxrate_3=0 tc_maxrate_4=0 tc_maxrate_5=0 tc_maxrate_6=0 "
        "tc_maxrate_7=25000000\n");
}

TEST(DecodeDcb, Dcbx) {
    EXPECT_EQ(decode(DcbPart::dcbx, attribute(DCB_ATTR_IFNAME, "x") + attribute(DCB_ATTR_DCBX, std::uint8_t{0x09})),
              "mode=9 host=1 lld=0 cee=0 ieee=1 static=0\n");
    EXPECT_EQ(decode(DcbPart::dcbx, attribute(DCB_ATTR_DCBX, std::uint8_t{0x16})),
              "mode=22 host=0 lld=1 cee=1 ieee=0 static=1\n");
}

TEST(DecodeDcb, WhatTheDriverLacksIsNotSupported) {
    for (const DcbPart part :
         {DcbPart::pfc, DcbPart::ets, DcbPart::app, DcbPart::buffer, DcbPart::maxrate, DcbPart::dcbx}) {
        const auto text = decode(part, ieee({}));
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().code, Errc::not_supported);
        EXPECT_THAT(text.error().what, testing::StartsWith("dcb.x/ens1f0: "));
    }
}

TEST(DecodeDcb, AStatusByteInsteadOfTheNestIsANegativeErrno) {
    const auto text = decode(DcbPart::pfc, attribute(DCB_ATTR_IEEE, std::int8_t{-EOPNOTSUPP}));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::not_supported);
    EXPECT_EQ(decode(DcbPart::pfc, attribute(DCB_ATTR_IEEE, std::int8_t{-EPERM})).error().code, Errc::no_privilege);
}

TEST(DecodeDcb, LongerStructuresAreTakenShorterAreErrors) {
    EXPECT_TRUE(decode(DcbPart::pfc, ieee(attribute(DCB_ATTR_IEEE_PFC, ByteVector(sizeof(ieee_pfc) + 16)))));
    const auto text = decode(DcbPart::pfc, ieee(attribute(DCB_ATTR_IEEE_PFC, ByteVector(sizeof(ieee_pfc) - 1))));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::bad_input);
    EXPECT_EQ(
        decode(DcbPart::app, ieee(attribute(DCB_ATTR_IEEE_APP_TABLE, attribute(DCB_ATTR_IEEE_APP, ByteVector(3)))))
            .error()
            .code,
        Errc::bad_input);
}

TEST(DecodeDcb, SurvivesAnyDamage) {
    const ByteVector answer = ieee(attribute(DCB_ATTR_IEEE_PFC, ByteVector(sizeof(ieee_pfc))) +
                                   attribute(DCB_ATTR_IEEE_APP_TABLE, app(DCB_ATTR_IEEE_APP, 5, 26, 3)) +
                                   attribute(DCB_ATTR_DCB_BUFFER, ByteVector(sizeof(dcbnl_buffer)))) +
                              attribute(DCB_ATTR_DCBX, std::uint8_t{9});
    for (const DcbPart part : {DcbPart::pfc, DcbPart::app, DcbPart::buffer, DcbPart::dcbx}) {
        test::for_each_damage(answer, [part](Bytes bytes) { (void)decode_dcb(part, bytes, "x"); });
    }
}

TEST(DcbReader, LoopbackHasNoDcbAndAMissingDeviceIsMissing) {
    const auto lo = DcbReader(DcbPart::pfc, "lo", "dcb.pfc/lo").read();
    ASSERT_FALSE(lo);
    EXPECT_EQ(lo.error().code, Errc::not_supported);
    const auto missing = DcbReader(DcbPart::dcbx, "rdtest-none", "dcb.dcbx/rdtest-none").read();
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().code, testing::AnyOf(Errc::not_found, Errc::not_supported));
    EXPECT_THAT(missing.error().what, testing::StartsWith("dcb.dcbx/rdtest-none: "));
}

}  // namespace
}  // namespace rd
