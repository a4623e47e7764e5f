// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/pci.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "socket_bytes.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using test::ByteVector;
using test::operator+;

constexpr std::size_t kExpress = 0x60;
constexpr std::size_t kAcs = 0x150;

template <class T>
void put(ByteVector& config, std::size_t at, T value) {
    std::memcpy(config.data() + at, &value, sizeof(value));
}

// A ConnectX-7 at 16 GT/s x8 in a slot of 32 GT/s x16.
ByteVector endpoint() {
    ByteVector config(4096);
    put(config, 0x00, std::uint16_t{0x15b3});
    put(config, 0x02, std::uint16_t{0x1021});
    put(config, 0x06, std::uint16_t{0x0010});
    put(config, 0x08, std::uint32_t{0x02000001});
    put(config, 0x34, std::uint8_t{0x40});
    put(config, 0x40, std::uint16_t{kExpress << 8 | 0x05});
    put(config, kExpress, std::uint16_t{0x0010});
    put(config, kExpress + 0x02, std::uint16_t{0x0002});      // version 2, endpoint
    put(config, kExpress + 0x04, std::uint32_t{0x10008022});  // payload up to 512 bytes
    put(config, kExpress + 0x08, std::uint16_t{0x5130});      // MRRS 4096, MPS 256, extended tag, relaxed ordering
    put(config, kExpress + 0x0c, std::uint32_t{0x00000105});  // 32 GT/s x16
    put(config, kExpress + 0x12, std::uint16_t{0x1084});      // 16 GT/s x8
    put(config, kExpress + 0x30, std::uint16_t{0x0005});
    put(config, 0x100, std::uint32_t{kAcs << 20 | 0x10000 | 0x0001});
    put(config, kAcs, std::uint32_t{0x0001000d});
    put(config, kAcs + 6, std::uint16_t{0x001d});
    return config;
}

Result<std::string> decode(const ByteVector& config) { return decode_pci_config(config, "pci.config/x"); }

TEST(DecodePciConfig, Endpoint) {
    EXPECT_EQ(decode(endpoint()),
              "vendor=0x15b3 device=0x1021 class=0x020000 pcie=1 type=endpoint mps=256 mps_max=512 mrrs=4096 "
              "relaxed_ordering=1 extended_tag=1 link_speed=160 link_speed_max=320 link_width=8 link_width_max=16 "
              "target_speed=320 acs_control=29\n");
}

TEST(DecodePciConfig, TypesWithAndWithoutALink) {
    for (const auto& [type, name] :
         {std::pair{4, "root-port"}, {5, "upstream"}, {6, "downstream"}, {7, "pcie-to-pci-bridge"}}) {
        ByteVector config = endpoint();
        put(config, kExpress + 0x02, static_cast<std::uint16_t>(type << 4 | 2));
        EXPECT_THAT(*decode(config), testing::HasSubstr(std::string("type=") + name + " "));
    }
    ByteVector config = endpoint();
    put(config, kExpress + 0x02, std::uint16_t{0x0092});
    EXPECT_THAT(*decode(config), testing::AllOf(testing::HasSubstr("type=integrated-endpoint"),
                                                testing::Not(testing::HasSubstr("link_"))));
}

TEST(DecodePciConfig, AVirtualFunctionHasNoLinkOfItsOwn) {
    ByteVector config = endpoint();
    put(config, kExpress + 0x12, std::uint16_t{0});
    EXPECT_THAT(*decode(config), testing::Not(testing::HasSubstr("link_speed=")));
}

TEST(DecodePciConfig, VersionOneHasNoTargetSpeed) {
    ByteVector config = endpoint();
    put(config, kExpress + 0x02, std::uint16_t{0x0001});
    EXPECT_THAT(*decode(config), testing::Not(testing::HasSubstr("target_speed")));
}

TEST(DecodePciConfig, ConventionalDevice) {
    ByteVector config(256);
    put(config, 0x00, std::uint32_t{0x12378086});
    EXPECT_EQ(decode(config), "vendor=0x8086 device=0x1237 class=0x000000 pcie=0\n");
    config.resize(64);
    EXPECT_EQ(decode(config), "vendor=0x8086 device=0x1237 class=0x000000 pcie=0\n") << "no list: 64 bytes say it all";
}

TEST(DecodePciConfig, SixtyFourBytesOfADeviceWithCapabilitiesNeedPrivilege) {
    ByteVector config = endpoint();
    config.resize(64);
    const auto text = decode(config);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::no_privilege);
    EXPECT_THAT(text.error().remedy, testing::HasSubstr("CAP_SYS_ADMIN"));
}

TEST(DecodePciConfig, ADeviceThatIsGoneReadsAllOnes) {
    const auto text = decode(ByteVector(4096, std::byte{0xff}));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::io);
    EXPECT_FALSE(text.error().remedy.empty());
}

TEST(DecodePciConfig, CircularListsEnd) {
    ByteVector config = endpoint();
    put(config, 0x40, std::uint16_t{0x4005});  // points at itself
    put(config, 0x100, std::uint32_t{0x10010001});
    EXPECT_THAT(*decode(config), testing::EndsWith(" pcie=0\n"));
}

TEST(DecodePciConfig, ACapabilityAtTheVeryEndIsCutOff) {
    ByteVector config = endpoint();
    config.resize(256);
    put(config, 0x40, std::uint16_t{0xfc05});
    put(config, 0xfc, std::uint32_t{0x00020010});
    const auto text = decode(config);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::bad_input);
}

TEST(DecodePciConfig, SurvivesAnyDamage) {
    ByteVector config = endpoint();
    config.resize(0x160);
    test::for_each_damage(config, [](Bytes bytes) { (void)decode_pci_config(bytes, "x"); });
}

class PciReaderTest : public testing::Test {
protected:
    void write(const ByteVector& config) const {
        const std::filesystem::path device = directory_ / "devices/0000:41:00.0";
        std::filesystem::create_directories(device);
        std::ofstream(device / "config", std::ios::binary)
            .write(reinterpret_cast<const char*>(config.data()), static_cast<std::streamsize>(config.size()));
    }
    TempDirectory directory_;
};

TEST_F(PciReaderTest, ReadsAsMuchAsThereIsAndAgainAfterAChange) {
    PciReader reader("0000:41:00.0", "pci.config/0000:41:00.0", directory_ / "");
    const auto missing = reader.read();
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);

    ByteVector config = endpoint();
    write(config);
    EXPECT_THAT(reader.read().value(), testing::HasSubstr("acs_control=29"));
    config.resize(256);
    write(config);
    EXPECT_THAT(reader.read().value(), testing::HasSubstr("target_speed=320\n"));
    config.resize(64);
    write(config);
    EXPECT_EQ(reader.read().error().code, Errc::no_privilege);
    config.resize(10);
    write(config);
    EXPECT_EQ(reader.read().error().code, Errc::io);
}

}  // namespace
}  // namespace rd
