// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

using testing::HasSubstr;

class Program : public ::testing::Test {
protected:
    std::string make(const std::string& name, mode_t mode = 0755) {
        std::string path = directory.file(name, "#!/bin/sh\n");
        ::chmod(path.c_str(), mode);
        return path;
    }
    TempDirectory directory;
};

TEST_F(Program, MayBeRunWhereOnlyRootAndWeCanHaveChangedIt) {
    EXPECT_TRUE(check_program("/bin/sh")) << check_program("/bin/sh").error().what;
    EXPECT_TRUE(check_program(make("a/b/hook")));
    EXPECT_TRUE(check_program(directory / "a/../a//./b/hook"));
    std::filesystem::create_symlink("b/../b/hook", directory / "a/link");
    std::filesystem::create_symlink(directory / "a", directory / "folder");
    EXPECT_TRUE(check_program(directory / "folder/link"));
}

TEST_F(Program, NamesWhatIsNone) {
    EXPECT_THAT(check_program("hook").error().what, HasSubstr("hook: not an absolute path"));
    EXPECT_EQ(check_program(directory / "none").error().code, Errc::not_found);
    EXPECT_FALSE(check_program(directory / "none").error().remedy.empty());
    EXPECT_THAT(check_program(directory.path()).error().what, HasSubstr("not a program"));
    EXPECT_THAT(check_program("/").error().what, HasSubstr("not a program"));
    EXPECT_THAT(check_program(make("hook") + "/more").error().what, HasSubstr("hook: "));
    EXPECT_EQ(check_program(make("hook", 0644)).error().remedy, "chmod a+x " + (directory / "hook"));
    std::filesystem::create_symlink("loop", directory / "loop");
    EXPECT_THAT(check_program(directory / "loop").error().what, HasSubstr("loop"));
}

TEST_F(Program, MayNotBeWritableForOthersNorAnyFolderOnTheWay) {
    for (const mode_t mode : {0775U, 0757U, 0777U}) {
        EXPECT_EQ(check_program(make("hook", mode)).error().remedy, "chmod go-w " + (directory / "hook"));
    }
    const std::string path = make("open/deep/hook");
    ::chmod((directory / "open").c_str(), 0777);
    EXPECT_THAT(check_program(path).error().what, HasSubstr("/open: others may change it (mode 777)"));
    // Nor where only a link leads through it.
    std::filesystem::create_symlink(directory / "open/deep", directory / "link");
    EXPECT_EQ(check_program(directory / "link/hook").error().remedy, "chmod go-w " + (directory / "open"));
    ::chmod((directory / "open").c_str(), 01777);
    EXPECT_TRUE(check_program(path));
}

TEST_F(Program, MayNotBelongToAnother) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: to give a file to another";
    const std::string path = make("folder/hook");
    for (const std::string& one : {path, directory / "folder"}) {
        ASSERT_EQ(::chown(one.c_str(), 4242, 4242), 0);
        EXPECT_EQ(check_program(path).error().remedy, "chown -h root " + one);
        ASSERT_EQ(::chown(one.c_str(), 0, 0), 0);
    }
    std::filesystem::create_symlink("folder", directory / "link");
    ASSERT_EQ(::lchown((directory / "link").c_str(), 4242, 4242), 0);
    EXPECT_EQ(check_program(directory / "link/hook").error().remedy, "chown -h root " + (directory / "link"));
}

}  // namespace
}  // namespace rd::daemon
