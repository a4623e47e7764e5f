// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/ethtool_ioctl.h"

#include <gmock/gmock.h>
#include <linux/ethtool.h>

#include "socket_bytes.h"

namespace rd {
namespace {

using test::ByteVector;
using test::operator+;
using test::raw;

std::string text(const Answer<std::string>& answer) {
    return answer ? *answer : "refused: " + std::to_string(answer.error().errnum);
}

ByteVector words(std::initializer_list<std::uint32_t> values) {
    ByteVector bytes;
    for (const std::uint32_t value : values) bytes = bytes + raw(value);
    return bytes;
}

ByteVector padded_string(std::string_view value) {
    ByteVector bytes(ETH_GSTRING_LEN);
    std::memcpy(bytes.data(), value.data(), std::min(value.size(), bytes.size()));
    return bytes;
}

TEST(DecodeDriver, EmptyFieldsAreAbsent) {
    ethtool_drvinfo info{};
    std::strcpy(info.driver, "mlx5_core");
    std::strcpy(info.fw_version, "28.39.1002 (MT_0000000838)");
    std::strcpy(info.bus_info, "0000:41:00.0");
    EXPECT_EQ(decode_driver(raw(info), "x"),
              "driver=mlx5_core firmware=28.39.1002%20(MT_0000000838) bus=0000:41:00.0\n");
    std::memset(info.version, 'v', sizeof(info.version));
    EXPECT_THAT(*decode_driver(raw(info), "x"), testing::HasSubstr(" version=" + std::string(32, 'v') + " "));
    EXPECT_EQ(decode_driver(ByteVector(sizeof(info) - 1), "x").error().code, Errc::bad_input);
}

TEST(DecodeWords, PauseAndCoalesce) {
    EXPECT_EQ(text(decode_words(EthtoolPart::pause, words({0x12, 1, 0, 1}))), "autoneg=1 rx=0 tx=1\n");
    EXPECT_EQ(text(decode_words(EthtoolPart::pause, words({0x12, 1, 0}))), "refused: " + std::to_string(EBADMSG));
    ethtool_coalesce coalesce{};
    coalesce.rx_coalesce_usecs = 8;
    coalesce.use_adaptive_rx_coalesce = 1;
    coalesce.rate_sample_interval = 5;
    coalesce.tx_max_coalesced_frames_high = 6;
    const std::string line = text(decode_words(EthtoolPart::coalesce, raw(coalesce)));
    EXPECT_THAT(line, testing::StartsWith("rx_usecs=8 rx_max_frames=0 "));
    EXPECT_THAT(line, testing::HasSubstr(" use_adaptive_rx=1 "));
    EXPECT_THAT(line, testing::EndsWith(" tx_max_frames_high=6 rate_sample_interval=5\n"));
}

TEST(DecodeWords, RingsAndChannelsThatDoNotExistAreAbsent) {
    ethtool_ringparam rings{};
    rings.rx_max_pending = 8192;
    rings.tx_max_pending = 4096;
    rings.rx_pending = 1024;
    rings.tx_pending = 512;
    EXPECT_EQ(text(decode_words(EthtoolPart::rings, raw(rings))), "rx_max=8192 tx_max=4096 rx=1024 tx=512\n");
    ethtool_channels channels{};
    channels.max_combined = 63;
    channels.combined_count = 0;
    EXPECT_EQ(text(decode_words(EthtoolPart::channels, raw(channels))), "combined_max=63 combined_count=0\n");
}

TEST(DecodeLinkSettings, SpeedDuplexAndLink) {
    ByteVector settings(sizeof(ethtool_link_settings));
    const auto put = [&settings](std::size_t at, auto value) {
        std::memcpy(settings.data() + at, &value, sizeof(value));
    };
    put(offsetof(ethtool_link_settings, speed), std::uint32_t{25'000});
    put(offsetof(ethtool_link_settings, duplex), std::uint8_t{DUPLEX_FULL});
    EXPECT_EQ(text(decode_link_settings(settings, 1)), "speed=25000 duplex=full autoneg=0 link=1\n");
    put(offsetof(ethtool_link_settings, speed), std::uint32_t{0xffffffff});
    put(offsetof(ethtool_link_settings, duplex), std::uint8_t{DUPLEX_UNKNOWN});
    EXPECT_EQ(text(decode_link_settings(settings, 0)), "autoneg=0 link=0\n");
    EXPECT_EQ(text(decode_link_settings({}, 1)), "link=1\n") << "no settings, but a link";
    EXPECT_FALSE(decode_link_settings(ByteVector(5), 1));
}

TEST(DecodeFecParameters, ListsModes) {
    ethtool_fecparam fec{};
    fec.fec = ETHTOOL_FEC_AUTO | ETHTOOL_FEC_RS | ETHTOOL_FEC_BASER;
    fec.active_fec = ETHTOOL_FEC_RS;
    EXPECT_EQ(text(decode_fec_parameters(raw(fec))), "modes=rs,baser auto=1 active=rs\n");
    fec.fec = fec.active_fec = ETHTOOL_FEC_NONE;
    EXPECT_EQ(text(decode_fec_parameters(raw(fec))), "auto=0\n");
    EXPECT_FALSE(decode_fec_parameters(ByteVector(3)));
}

TEST(DecodeFeatureBlocks, OneBitAFeature) {
    ByteVector names;
    for (int i = 0; i < 33; ++i) names = names + padded_string("f" + std::to_string(i));
    ethtool_get_features_block first{};
    first.active = first.available = 1;
    ethtool_get_features_block second{};
    second.requested = second.never_changed = 1;
    const auto lines = text(decode_feature_blocks(names, raw(first) + raw(second)));
    EXPECT_THAT(lines, testing::StartsWith("name=f0 active=1 wanted=0 hw=1 nochange=0\nname=f1 active=0 "));
    EXPECT_THAT(lines, testing::EndsWith("name=f32 active=0 wanted=1 hw=0 nochange=1\n"));
    EXPECT_FALSE(decode_feature_blocks(names, raw(first)));
}

TEST(DecodeStrings, NeedNoTerminatorAndAreTrimmed) {
    const std::string full(ETH_GSTRING_LEN, 'n');
    EXPECT_THAT(decode_strings(padded_string(full) + padded_string("  rx_bytes ") + ByteVector(31)),
                testing::ElementsAre(full, "rx_bytes"));
}

TEST(DecodeStatistics, PairsNamesAndValues) {
    EXPECT_EQ(decode_statistics({"rx_prio3_pause", "", "a b=c"}, words({1, 0, 2, 0, 0xffffffff, 0xffffffff}), "x"),
              "rx_prio3_pause=1 a%20b%3Dc=18446744073709551615\n");
    const auto short_of = decode_statistics({"a", "b"}, ByteVector(15), "ethtool.stats/x");
    ASSERT_FALSE(short_of);
    EXPECT_EQ(short_of.error().code, Errc::bad_input);
}

TEST(StatisticsReader, LoopbackHasNoneAndAMissingDeviceIsMissing) {
    const auto lo = StatisticsReader("lo", "ethtool.stats/lo").read();
    EXPECT_TRUE(lo ? lo->empty() : lo.error().code == Errc::not_supported);
    StatisticsReader missing("rdtest-none", "ethtool.stats/rdtest-none");
    for (int i = 0; i < 2; ++i) {
        const auto text = missing.read();
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().code, Errc::not_found);
    }
    EXPECT_FALSE(read_driver("rdtest-none", "ethtool.driver/rdtest-none"));
}

}  // namespace
}  // namespace rd
