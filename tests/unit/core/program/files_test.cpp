// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/program/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rd {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "rdmadoctor-files-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string put(const std::string& name, const std::string& text) {
        const fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path;
    }

    fs::path folder_;
};

TEST_F(Files, ReadsAFile) { EXPECT_EQ(read_own_file(put("a", "text\n")), "text\n"); }

TEST_F(Files, NamesAMissingFile) {
    const auto got = read_own_file(folder_ / "none");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::not_found);
    EXPECT_NE(got.error().what.find("none"), std::string::npos);
}

TEST_F(Files, RefusesWhatIsTooLarge) {
    const auto got = read_own_file(put("a", std::string(kMaxOwnFile + 1, 'x')));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Errc::limit);
}

TEST_F(Files, RefusesWhatIsNoFile) {
    const std::string fifo = folder_ / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    for (const std::string& path : {fifo, folder_.string(), std::string("/dev/zero")}) {
        const auto got = read_own_file(path);
        ASSERT_FALSE(got) << path;
        EXPECT_EQ(got.error().code, Errc::bad_input) << path;
    }
}

TEST_F(Files, FindsRulesInOrder) {
    put("b/two.toml", "2");
    put("a/one.toml", "1");
    put("a/README", "no rule");
    const auto got = read_rule_files(folder_);
    ASSERT_TRUE(got);
    ASSERT_EQ(got->size(), 2u);
    EXPECT_EQ((*got)[0].name, folder_ / "a/one.toml");
    EXPECT_EQ((*got)[1].text, "2");
}

TEST_F(Files, AFileThatIsMeantAsARuleButIsNotReadIsAnError) {
    for (const char* const name :
         {".one.toml.swp", "one.toml~", "README.md", "notes.txt", "one.toml.rpmsave", "one.toml.disabled"})
        put(name, "x");
    EXPECT_TRUE(read_rule_files(folder_));
    for (const char* const name : {"one.tml", "one", "one.conf"}) {
        put(name, "x");
        const auto got = read_rule_files(folder_);
        ASSERT_FALSE(got) << name;
        EXPECT_EQ(got.error().what,
                  (folder_ / name).string() + ": no rule is read from it, for its name does not end in .toml");
        EXPECT_EQ(got.error().remedy, "rename it, or begin its name with a dot");
        fs::remove(folder_ / name);
    }
}

TEST_F(Files, TheIndexIsNoRule) {
    put("index.toml", "open = []\n[[group]]\nname = 'G'\n");
    EXPECT_TRUE(read_rule_files(folder_)->empty());
    put("index.toml", "id = 'index'\nwhen = 'x'\n");
    EXPECT_EQ(read_rule_files(folder_)->size(), 1u) << "a rule of a site that happens to be called so";
}

TEST_F(Files, AMissingRuleDirectoryIsAnError) { EXPECT_FALSE(read_rule_files(folder_ / "none")); }

TEST_F(Files, AFileIsNoRuleDirectory) {
    put("a/one.toml", "1");
    const std::string file = folder_ / "a/one.toml";
    const auto got = read_rule_files(file);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().what, file + ": is a file, and rules are read from a directory");
    EXPECT_EQ(got.error().remedy, "name the one that it lies in: " + (folder_ / "a").string());
}

TEST_F(Files, ARuleThatCannotBeReadIsAnError) {
    fs::create_symlink("nowhere", folder_ / "broken.toml");
    EXPECT_FALSE(read_rule_files(folder_));
}

}  // namespace
}  // namespace rd
