// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/textfile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Textfile, TakesThePlaceOfTheOldOneWhole) {
    const TempDirectory directory;
    const std::string path = directory / "rdmadoctor.prom";
    const mode_t before = ::umask(0077);
    ASSERT_TRUE(write_textfile(path, "a 1\n"));
    ASSERT_TRUE(write_textfile(path, "a 2\n"));
    ::umask(before);
    EXPECT_EQ(read(path), "a 2\n");
    struct stat what {};
    ASSERT_EQ(::stat(path.c_str(), &what), 0);
    EXPECT_EQ(what.st_mode & 0777u, 0644u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Textfile, DoesNotFollowWhatLiesInItsWay) {
    const TempDirectory directory;
    const std::string path = directory / "rdmadoctor.prom", victim = directory.file("victim", "mine");
    std::filesystem::create_symlink(victim, path + ".new");
    ASSERT_TRUE(write_textfile(path, "a 1\n"));
    EXPECT_EQ(read(victim), "mine");
    EXPECT_EQ(read(path), "a 1\n");
}

TEST(Textfile, SaysWhereItCouldNotWrite) {
    const TempDirectory directory;
    const auto done = write_textfile(directory / "none/rdmadoctor.prom", "a 1\n");
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().what.find("none/rdmadoctor.prom"), std::string::npos);
    EXPECT_FALSE(done.error().remedy.empty());
}

}  // namespace
}  // namespace rd::daemon
