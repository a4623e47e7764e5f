// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/ethtool.h"

#include <gmock/gmock.h>

#include "core/host/ethtool_ioctl.h"

namespace rd {
namespace {

TEST(EthtoolReader, LoopbackHasALinkAndNoPause) {
    EthtoolReader link(EthtoolPart::link, "lo", "ethtool.link/lo");
    for (int i = 0; i < 2; ++i) {
        const auto text = link.read();
        ASSERT_TRUE(text) << text.error().what;
        EXPECT_THAT(*text, testing::HasSubstr("link="));
        EXPECT_EQ(text->find('\n'), text->size() - 1) << "one record";
    }
    const auto pause = EthtoolReader(EthtoolPart::pause, "lo", "ethtool.pause/lo").read();
    ASSERT_FALSE(pause);
    EXPECT_EQ(pause.error().code, Errc::not_supported);
}

TEST(EthtoolReader, BothWaysGiveTheSameFeatures) {
    const auto netlink = EthtoolReader(EthtoolPart::features, "lo", "ethtool.features/lo").read();
    ASSERT_TRUE(netlink) << netlink.error().what;
    const auto ioctl = read_by_ioctl(EthtoolPart::features, "lo");
    ASSERT_TRUE(ioctl);
    const auto active = [](const std::string& text) {
        std::map<std::string, std::string> features;
        const auto records = parse_records(text);
        for (const Record& record : *records) features[*record.get("name")] = *record.get("active");
        return features;
    };
    EXPECT_EQ(active(*netlink), active(*ioctl));
    EXPECT_GT(active(*netlink).size(), 10u);
}

TEST(EthtoolReader, AMissingDeviceIsNotFoundEachTime) {
    for (const EthtoolPart part : {EthtoolPart::link, EthtoolPart::pause, EthtoolPart::coalesce, EthtoolPart::rings,
                                   EthtoolPart::channels, EthtoolPart::features, EthtoolPart::fec}) {
        EthtoolReader reader(part, "rdtest-none", "ethtool.x/rdtest-none");
        for (int i = 0; i < 2; ++i) {
            const auto text = reader.read();
            ASSERT_FALSE(text);
            EXPECT_EQ(text.error().code, Errc::not_found);
            EXPECT_THAT(text.error().what, testing::StartsWith("ethtool.x/rdtest-none: "));
        }
        EXPECT_FALSE(read_by_ioctl(part, "rdtest-none"));
    }
}

}  // namespace
}  // namespace rd
