// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/module.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <map>

namespace rd {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The memory of a module by (address, page, offset); the lower half is the same in all pages.
class Memory {
public:
    Memory& byte(unsigned page, unsigned at, unsigned value, unsigned address = 0x50) {
        bytes_[{address, at < 128 ? 0 : page, at}] = value;
        return *this;
    }
    Memory& word(unsigned page, unsigned at, unsigned value, unsigned address = 0x50) {
        return byte(page, at, value >> 8 & 0xff, address).byte(page, at + 1, value & 0xff, address);
    }
    Memory& text(unsigned page, unsigned at, std::string_view text) {
        for (const char c : text) byte(page, at++, static_cast<unsigned char>(c));
        return *this;
    }
    Memory& words(unsigned page, unsigned at, const std::vector<unsigned>& values, unsigned address = 0x50) {
        for (std::size_t i = 0; i < values.size(); ++i)
            word(page, at + 2 * static_cast<unsigned>(i), values[i], address);
        return *this;
    }
    Memory& refuse(unsigned page) {
        refused_ = page;
        return *this;
    }
    std::string describe() {
        const auto text = describe_module([this](const ModulePiece& piece) -> Answer<ModuleBytes> {
            asked.push_back(piece);
            if (piece.page == refused_) return refused(EIO);
            EXPECT_TRUE(piece.offset + piece.length <= (piece.offset < 128 ? 128 : 256)) << "crosses the halves";
            EXPECT_LE(piece.length, 128);
            EXPECT_TRUE(piece.page == 0 || piece.offset >= 128) << "the kernel refuses it";
            ModuleBytes bytes;
            for (unsigned i = 0; i < piece.length; ++i) {
                const unsigned at = piece.offset + i;
                const auto found = bytes_.find({piece.address, at < 128 ? 0u : piece.page, at});
                bytes.push_back(static_cast<std::byte>(found == bytes_.end() ? 0 : found->second));
            }
            return bytes;
        });
        return text ? *text : "refused: " + std::to_string(text.error().errnum);
    }
    std::vector<ModulePiece> asked;

private:
    std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> bytes_;
    unsigned refused_ = 1000;
};

Memory qsfp28() {
    Memory memory;
    memory.byte(0, 0, 0x11)
        .word(0, 22, 41 * 256 + 128)
        .word(0, 26, 33000)
        .words(0, 34, {9000, 10000, 11000, 12000})
        .words(0, 42, {3000, 3000, 3000, 3000})
        .words(0, 50, {8000, 8000, 8000, 8000});
    memory.text(0, 148, "VENDOR          ").text(0, 168, "QSFP28-SR4      ");
    memory.words(3, 128, {75 * 256, static_cast<std::uint16_t>(-5 * 256), 70 * 256, 0})
        .words(3, 176, {34673, 467, 17377, 933});
    return memory;
}

TEST(DescribeModule, Qsfp28) {
    Memory memory = qsfp28();
    EXPECT_EQ(
        memory.describe(),
        "identifier=QSFP28 map=sff8636 vendor=VENDOR part=QSFP28-SR4 copper=0 lanes=4 temperature=41.5 voltage=3.3 "
        "rx_power_1=0.9 rx_power_2=1 rx_power_3=1.1 rx_power_4=1.2 bias_1=6 bias_2=6 bias_3=6 bias_4=6 "
        "tx_power_1=0.8 tx_power_2=0.8 tx_power_3=0.8 tx_power_4=0.8 temperature_high_alarm=75 "
        "temperature_low_alarm=-5 temperature_high_warning=70 temperature_low_warning=0 rx_power_high_alarm=3.4673 "
        "rx_power_low_alarm=0.0467 rx_power_high_warning=1.7377 rx_power_low_warning=0.0933\n");
}

TEST(DescribeModule, TheLatchedFlagsAreNotTouched) {
    Memory qsfp = qsfp28();
    (void)qsfp.describe();
    for (const ModulePiece& piece : qsfp.asked) {
        EXPECT_FALSE(piece.offset < 22 && piece.offset + piece.length > 3) << "SFF-8636 bytes 3 to 21";
    }
    Memory cmis;
    cmis.byte(0, 0, 0x19);
    (void)cmis.describe();
    for (const ModulePiece& piece : cmis.asked) {
        EXPECT_FALSE(piece.offset < 14 && piece.offset + piece.length > 8) << "CMIS bytes 8 to 13";
        EXPECT_FALSE(piece.page == 0x11 && piece.offset < 154) << "CMIS page 11h, bytes 134 to 153";
    }
}

TEST(DescribeModule, ACopperCableMeasuresNothing) {
    Memory memory;
    memory.byte(0, 0, 0x11).byte(0, 2, 4).byte(0, 147, 0xa0).text(0, 148, "VENDOR");
    EXPECT_EQ(memory.describe(), "identifier=QSFP28 map=sff8636 vendor=VENDOR copper=1 lanes=4\n");
    for (const ModulePiece& piece : memory.asked) EXPECT_EQ(piece.page, 0) << "flat memory has no other page";
}

TEST(DescribeModule, NoValuesBeforeTheModuleIsReady) {
    Memory memory = qsfp28();
    memory.byte(0, 2, 1);
    EXPECT_THAT(memory.describe(), Not(HasSubstr("temperature=")));
}

TEST(DescribeModule, AModuleWithoutThresholdsStillHasATemperature) {
    EXPECT_THAT(qsfp28().refuse(3).describe(),
                testing::AllOf(HasSubstr("temperature=41.5"), Not(HasSubstr("temperature_high"))));
}

TEST(DescribeModule, Cmis) {
    Memory memory;
    memory.byte(0, 0, 0x19).word(0, 14, static_cast<std::uint16_t>(-2 * 256)).word(0, 16, 33100).byte(0, 88, 0x84);
    memory.text(0, 129, "VENDOR").text(0, 148, "OSFP-DR4").byte(0, 212, 6).byte(1, 160, 0x08);
    memory.words(0x11, 154, {10000, 10000, 10000, 9000, 1}).words(0x11, 170, {25000, 25000, 25000, 25000});
    memory.words(0x11, 186, {5000, 5000, 5000, 4000}).words(2, 128, {80 * 256, 0, 75 * 256, 0});
    memory.words(2, 184, {1, 1, 1, 1}).words(2, 192, {20000, 1000, 15000, 2000});
    EXPECT_EQ(memory.describe(),
              "identifier=OSFP map=cmis vendor=VENDOR part=OSFP-DR4 copper=0 lanes=4 temperature=-2 voltage=3.31 "
              "tx_power_1=1 tx_power_2=1 tx_power_3=1 tx_power_4=0.9 bias_1=100 bias_2=100 bias_3=100 bias_4=100 "
              "rx_power_1=0.5 rx_power_2=0.5 rx_power_3=0.5 rx_power_4=0.4 temperature_high_alarm=80 "
              "temperature_low_alarm=0 temperature_high_warning=75 temperature_low_warning=0 rx_power_high_alarm=2 "
              "rx_power_low_alarm=0.1 rx_power_high_warning=1.5 rx_power_low_warning=0.2\n");
}

TEST(DescribeModule, APassiveCmisCable) {
    Memory memory;
    memory.byte(0, 0, 0x18).byte(0, 2, 0x80).byte(0, 212, 0xa);
    EXPECT_EQ(memory.describe(), "identifier=QSFP-DD map=cmis copper=1 lanes=8\n");
    for (const ModulePiece& piece : memory.asked) EXPECT_EQ(piece.page, 0);
}

TEST(DescribeModule, Sfp) {
    Memory memory;
    memory.byte(0, 0, 0x03).byte(0, 92, 0x60).text(0, 20, "VENDOR").text(0, 40, "SFP28-SR");
    memory.words(0, 96, {30 * 256, 33000, 3500, 6000, 5000}, 0x51).words(0, 0, {78 * 256, 0, 73 * 256, 0}, 0x51);
    EXPECT_EQ(
        memory.describe(),
        "identifier=SFP map=sff8472 vendor=VENDOR part=SFP28-SR copper=0 lanes=1 temperature=30 voltage=3.3 bias_1=7 "
        "tx_power_1=0.6 rx_power_1=0.5 temperature_high_alarm=78 temperature_low_alarm=0 "
        "temperature_high_warning=73 temperature_low_warning=0\n");
}

TEST(DescribeModule, AnSfpWithoutDiagnostics) {
    Memory memory;
    memory.byte(0, 0, 0x03).byte(0, 8, 4);
    EXPECT_EQ(memory.describe(), "identifier=SFP map=sff8472 copper=1 lanes=1\n");
    for (const ModulePiece& piece : memory.asked) EXPECT_EQ(piece.address, 0x50);
}

TEST(DescribeModule, AnUnknownKindIsNotGuessedAt) {
    EXPECT_EQ(Memory().byte(0, 0, 0x06).describe(), "refused: " + std::to_string(EOPNOTSUPP));
    EXPECT_EQ(Memory().refuse(0).describe(), "refused: " + std::to_string(EIO));
}

TEST(DescribeModule, AShortAnswerIsNoMemory) {
    const auto nothing = describe_module([](const ModulePiece&) { return Answer<ModuleBytes>(ModuleBytes{}); });
    ASSERT_FALSE(nothing);
    const auto little = describe_module([](const ModulePiece&) { return Answer<ModuleBytes>({std::byte{0x11}}); });
    ASSERT_TRUE(little);
    EXPECT_THAT(*little, StartsWith("identifier=QSFP28 map=sff8636 copper=0"));
}

TEST(DescribeModule, TextOfTheModuleIsPrintable) {
    Memory memory;
    memory.byte(0, 0, 0x11).byte(0, 2, 4).text(0, 148, "V\x1b\xff[31m");
    EXPECT_THAT(memory.describe(), HasSubstr("vendor=V[31m "));
}

}  // namespace
}  // namespace rd
