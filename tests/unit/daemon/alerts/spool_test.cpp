// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/spool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

constexpr const char* kA = "aaaaaaaaaaaaaaaa";
constexpr const char* kB = "bbbbbbbbbbbbbbbb";
constexpr const char* kC = "cccccccccccccccc";

class SpoolTest : public ::testing::Test {
protected:
    Spool open(Spool::Limits limits = {}, Spool::Use use = Spool::Use::write) {
        auto spool = Spool::open(directory / "spool", limits, use);
        EXPECT_TRUE(spool) << spool.error().what;
        return std::move(spool.value());
    }
    static std::vector<std::string> texts(const Spool& spool) {
        std::vector<std::string> out;
        const auto entries = spool.entries();
        for (const std::string& entry : entries.value()) out.push_back(spool.read(entry).value());
        return out;
    }
    using Texts = std::vector<std::string>;
    TempDirectory directory;
};

TEST_F(SpoolTest, KeepsTheOrderAcrossRestartsOfBothSides) {
    {
        Spool spool = open();
        ASSERT_TRUE(spool.put(kA, "1"));
        ASSERT_TRUE(spool.put(kB, "2"));
    }
    Spool spool = open();
    ASSERT_TRUE(spool.put(kA, "3"));
    Spool reader = open({}, Spool::Use::read);
    EXPECT_EQ(texts(reader), (Texts{"1", "2", "3"}));
    ASSERT_TRUE(reader.remove(reader.entries()->at(0)));
    ASSERT_TRUE(reader.remove("00000000000000000001-aaaaaaaaaaaaaaaa.json"));  // gone already
    EXPECT_EQ(texts(spool), (Texts{"2", "3"}));
}

TEST_F(SpoolTest, DropsFirstWhatALaterEntryMakesSuperfluous) {
    Spool spool = open({.entries = 3, .bytes = 1000});
    for (const auto& [fingerprint, text] : {std::pair{kA, "A1"}, {kB, "B1"}, {kA, "A2"}, {kC, "C1"}})
        ASSERT_TRUE(spool.put(fingerprint, text));
    EXPECT_EQ(texts(spool), (Texts{"B1", "A2", "C1"}));
    EXPECT_EQ(spool.lost(), 0U);
    ASSERT_TRUE(spool.put(kB, "B2"));
    EXPECT_EQ(texts(spool), (Texts{"A2", "C1", "B2"}));
    EXPECT_EQ(spool.lost(), 0U);  // B2 stands for B1
    ASSERT_TRUE(spool.put("dddddddddddddddd", "D1"));
    EXPECT_EQ(texts(spool), (Texts{"C1", "B2", "D1"}));
    EXPECT_EQ(spool.lost(), 1U);
}

TEST_F(SpoolTest, HoldsItsSize) {
    Spool spool = open({.entries = 100, .bytes = 1000});
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(spool.put(fmt::format("{:016x}", i), std::string(300, 'x')));
    EXPECT_EQ(texts(spool).size(), 3U);
    EXPECT_EQ(spool.lost(), 47U);
    EXPECT_EQ(spool.put(kA, std::string(1001, 'x')).error().code, Errc::limit);
    // What was delivered makes room without a loss.
    const auto entries = spool.entries();
    for (const std::string& entry : entries.value()) ASSERT_TRUE(spool.remove(entry));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(spool.put(kA, std::string(300, 'x')));
    ASSERT_TRUE(spool.put(kB, "x"));
    EXPECT_EQ(spool.lost(), 47U);
}

TEST_F(SpoolTest, AnEntryOfAllStandsForEverythingBefore) {
    Spool spool = open();
    ASSERT_TRUE(spool.put(kA, "1"));
    ASSERT_TRUE(spool.put(Spool::kAll, "all"));
    ASSERT_TRUE(spool.put(kA, "2"));
    EXPECT_EQ(texts(spool), (Texts{"all", "2"}));
}

TEST_F(SpoolTest, LeavesAloneWhatIsNotItsOwn) {
    (void)open();
    for (const char* name : {"spool/README", "spool/1-aaaaaaaaaaaaaaaa.json", "spool/00000000000000000001-../../x.json",
                             "spool/other.new", "spool/-0000000000000000001-aaaaaaaaaaaaaaaa.json", "spool/standing"}) {
        directory.file(name, "x");
    }
    const auto half = directory.file("spool/00000000000000000007-aaaaaaaaaaaaaaaa.json.new", "{\"at");
    Spool reader = open({}, Spool::Use::read);
    EXPECT_TRUE(std::filesystem::exists(half));  // the daemon may be at it
    Spool spool = open({.entries = 1, .bytes = 1000});
    EXPECT_FALSE(std::filesystem::exists(half));
    ASSERT_TRUE(spool.put(kA, "1"));
    ASSERT_TRUE(spool.put(kB, "2"));
    EXPECT_EQ(texts(spool), Texts{"2"});
    EXPECT_TRUE(std::filesystem::exists(directory / "spool/README"));
    EXPECT_FALSE(spool.put("../../etc/passwd", "x"));
}

TEST_F(SpoolTest, SaysWhatIsWrongWithTheDirectory) {
    EXPECT_EQ(Spool::open("/nowhere/spool", {}, Spool::Use::write).error().code, Errc::not_found);
    Spool spool = open();
    std::filesystem::remove_all(directory / "spool");
    EXPECT_EQ(spool.put(kA, "1").error().code, Errc::not_found);
    EXPECT_FALSE(spool.entries());
}

TEST_F(SpoolTest, ReadsNoFileThatIsTooLarge) {
    const auto path = directory.file("large", std::string(200'000, 'x'));
    EXPECT_EQ(read_whole(path, 100'000).error().code, Errc::limit);
    EXPECT_EQ(read_whole(path, 200'000)->size(), 200'000U);
    ASSERT_TRUE(write_whole(path, "short", true));
    EXPECT_EQ(read_whole(path, 5).value(), "short");
}

}  // namespace
}  // namespace rd::daemon
