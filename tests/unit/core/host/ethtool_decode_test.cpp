// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "core/host/ethtool.h"
#include "socket_bytes.h"

namespace rd {
namespace {

using test::attribute;
using test::ByteVector;
using test::operator+;
using test::raw;

std::string line(const Result<Record>& record) { return record ? record->text() : "error: " + record.error().what; }

ByteVector bit(std::uint32_t index, std::string_view name, bool value) {
    return attribute(ETHTOOL_A_BITSET_BITS_BIT, attribute(ETHTOOL_A_BITSET_BIT_INDEX, index) +
                                                    attribute(ETHTOOL_A_BITSET_BIT_NAME, name) +
                                                    (value ? attribute(ETHTOOL_A_BITSET_BIT_VALUE) : ByteVector{}));
}
ByteVector listed(const ByteVector& bits, bool mask) {
    return (mask ? ByteVector{} : attribute(ETHTOOL_A_BITSET_NOMASK)) +
           attribute(ETHTOOL_A_BITSET_SIZE, std::uint32_t{64}) + attribute(ETHTOOL_A_BITSET_BITS, bits);
}
ByteVector compact(std::uint32_t size, const std::vector<std::uint32_t>& words) {
    ByteVector value;
    for (const std::uint32_t word : words) value = value + raw(word);
    return attribute(ETHTOOL_A_BITSET_SIZE, size) + attribute(ETHTOOL_A_BITSET_VALUE, value);
}

TEST(DecodeFamilyId, IsTakenFromTheAnswer) {
    EXPECT_EQ(decode_family_id(attribute(CTRL_ATTR_FAMILY_NAME, "ethtool") +
                               attribute(CTRL_ATTR_FAMILY_ID, std::uint16_t{21})),
              21);
    EXPECT_EQ(decode_family_id({}).error().code, Errc::bad_input);
    EXPECT_EQ(decode_family_id(attribute(CTRL_ATTR_FAMILY_ID, std::uint8_t{1})).error().code, Errc::bad_input);
}

TEST(DecodeLinkModes, KnownAndUnknownSpeed) {
    EXPECT_EQ(line(decode_link_modes(attribute(ETHTOOL_A_LINKMODES_HEADER, attribute(1, std::uint32_t{2})) +
                                     attribute(ETHTOOL_A_LINKMODES_AUTONEG, std::uint8_t{1}) +
                                     attribute(ETHTOOL_A_LINKMODES_SPEED, std::uint32_t{100'000}) +
                                     attribute(ETHTOOL_A_LINKMODES_DUPLEX, std::uint8_t{DUPLEX_FULL}) +
                                     attribute(ETHTOOL_A_LINKMODES_LANES, std::uint32_t{4}) + attribute(200))),
              "autoneg=1 speed=100000 duplex=full lanes=4\n");
    EXPECT_EQ(line(decode_link_modes(attribute(ETHTOOL_A_LINKMODES_SPEED, std::uint32_t{0xffffffff}) +
                                     attribute(ETHTOOL_A_LINKMODES_DUPLEX, std::uint8_t{DUPLEX_UNKNOWN}))),
              "\n");
}

TEST(DecodeLinkState, ReasonOfALinkThatIsDown) {
    EXPECT_EQ(line(decode_link_state(attribute(ETHTOOL_A_LINKSTATE_LINK, std::uint8_t{0}) +
                                     attribute(ETHTOOL_A_LINKSTATE_EXT_STATE, std::uint8_t{4}) +
                                     attribute(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, std::uint8_t{2}) +
                                     attribute(7, std::uint32_t{12}))),
              "link=0 ext_state=no_cable ext_substate=2 ext_down_count=12\n");
    EXPECT_EQ(line(decode_link_state(attribute(ETHTOOL_A_LINKSTATE_EXT_STATE, std::uint8_t{99}))), "ext_state=99\n");
}

TEST(DecodeNumbers, NamesFollowTheAttributes) {
    EXPECT_EQ(line(decode_numbers(EthtoolPart::pause, attribute(ETHTOOL_A_PAUSE_HEADER, ByteVector(4)) +
                                                          attribute(ETHTOOL_A_PAUSE_AUTONEG, std::uint8_t{1}) +
                                                          attribute(ETHTOOL_A_PAUSE_RX, std::uint8_t{0}) +
                                                          attribute(ETHTOOL_A_PAUSE_TX, std::uint8_t{1}) +
                                                          attribute(ETHTOOL_A_PAUSE_STATS, ByteVector(4)))),
              "autoneg=1 rx=0 tx=1\n");
    EXPECT_EQ(line(decode_numbers(EthtoolPart::coalesce,
                                  attribute(ETHTOOL_A_COALESCE_RX_USECS, std::uint32_t{8}) +
                                      attribute(ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, std::uint8_t{1}) +
                                      attribute(ETHTOOL_A_COALESCE_RATE_SAMPLE_INTERVAL, std::uint32_t{3}) +
                                      attribute(ETHTOOL_A_COALESCE_USE_CQE_MODE_RX, std::uint8_t{1}))),
              "rx_usecs=8 use_adaptive_rx=1 rate_sample_interval=3 use_cqe_mode_rx=1\n");
    EXPECT_EQ(line(decode_numbers(EthtoolPart::rings, attribute(ETHTOOL_A_RINGS_RX_MAX, std::uint32_t{8192}) +
                                                          attribute(ETHTOOL_A_RINGS_RX, std::uint32_t{1024}) +
                                                          attribute(ETHTOOL_A_RINGS_TX, std::uint32_t{512}) +
                                                          attribute(ETHTOOL_A_RINGS_TX_PUSH, std::uint8_t{0}))),
              "rx_max=8192 rx=1024 tx=512 tx_push=0\n");
    EXPECT_EQ(line(decode_numbers(EthtoolPart::channels,
                                  attribute(ETHTOOL_A_CHANNELS_COMBINED_MAX, std::uint32_t{63}) +
                                      attribute(ETHTOOL_A_CHANNELS_COMBINED_COUNT, std::uint32_t{32}))),
              "combined_max=63 combined_count=32\n");
}

TEST(DecodeNumbers, OddWidthsAreErrors) {
    EXPECT_EQ(decode_numbers(EthtoolPart::pause, attribute(ETHTOOL_A_PAUSE_RX, ByteVector(3))).error().code,
              Errc::bad_input);
}

TEST(DecodeFeatures, JoinsTheFourSets) {
    const auto text = decode_features(
        attribute(ETHTOOL_A_FEATURES_HW, listed(bit(0, "tx-scatter-gather", true) + bit(1, "rx-lro", false), true)) +
        attribute(ETHTOOL_A_FEATURES_WANTED, listed(bit(0, "tx-scatter-gather", true), false)) +
        attribute(ETHTOOL_A_FEATURES_ACTIVE, listed(bit(0, "tx-scatter-gather", false), false)) +
        attribute(ETHTOOL_A_FEATURES_NOCHANGE, listed(bit(1, "rx-lro", false), false)));
    EXPECT_EQ(text,
              "name=tx-scatter-gather active=1 wanted=1 hw=1 nochange=0\n"
              "name=rx-lro active=0 wanted=0 hw=0 nochange=1\n");
}

TEST(DecodeFec, CompactAndListedModes) {
    const ByteVector corrected = raw(std::uint64_t{1234}) + raw(std::uint64_t{1});
    EXPECT_EQ(
        line(decode_fec(attribute(ETHTOOL_A_FEC_MODES, compact(92, {0, (1u << 17) | (1u << 18)})) +
                        attribute(ETHTOOL_A_FEC_AUTO, std::uint8_t{1}) +
                        attribute(ETHTOOL_A_FEC_ACTIVE, std::uint32_t{ETHTOOL_LINK_MODE_FEC_RS_BIT}) +
                        attribute(ETHTOOL_A_FEC_STATS, attribute(ETHTOOL_A_FEC_STAT_CORRECTED, corrected) +
                                                           attribute(ETHTOOL_A_FEC_STAT_UNCORR, raw(std::uint64_t{0})) +
                                                           attribute(ETHTOOL_A_FEC_STAT_CORR_BITS)))),
        "auto=1 active=rs corrected_blocks=1234 uncorrectable_blocks=0 modes=none,rs\n");
    EXPECT_EQ(
        line(decode_fec(attribute(ETHTOOL_A_FEC_MODES, listed(bit(51, "BASER", true) + bit(74, "LLRS", true), false)) +
                        attribute(ETHTOOL_A_FEC_ACTIVE, std::uint32_t{9999}))),
        "active=9999 modes=baser,llrs\n");
}

std::vector<std::uint32_t> set_bits(const ByteVector& bitset) {
    std::vector<std::uint32_t> bits;
    const ByteVector bytes = attribute(1, bitset);
    Attributes in(bytes);
    EXPECT_TRUE(in.next());
    decode_bitset(in, [&bits](const NamedBit& each) {
        if (each.value) bits.push_back(each.index);
    });
    return bits;
}

TEST(DecodeBitset, SizeAndWordsNeedNotAgree) {
    EXPECT_THAT(set_bits(compact(33, {1, 1, 1})), testing::ElementsAre(0, 32));
    EXPECT_THAT(set_bits(compact(0xffffffff, {0x80000000})), testing::ElementsAre(31));
    EXPECT_THAT(set_bits(compact(64, {})), testing::IsEmpty());
    EXPECT_THAT(set_bits({}), testing::IsEmpty());
}

TEST(DecodeEthtool, SurvivesAnyDamage) {
    const ByteVector answer = attribute(ETHTOOL_A_FEATURES_HW, listed(bit(0, "tx-scatter-gather", true), true)) +
                              attribute(ETHTOOL_A_FEATURES_WANTED, compact(92, {0, 1u << 17})) +
                              attribute(4, std::uint32_t{50}) +
                              attribute(5, attribute(ETHTOOL_A_FEC_STAT_CORRECTED, raw(std::uint64_t{1})));
    test::for_each_damage(answer, [](Bytes bytes) {
        (void)decode_family_id(bytes);
        (void)decode_link_modes(bytes);
        (void)decode_link_state(bytes);
        (void)decode_numbers(EthtoolPart::coalesce, bytes);
        (void)decode_features(bytes);
        (void)decode_fec(bytes);
    });
}

}  // namespace
}  // namespace rd
