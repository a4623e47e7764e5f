// SPDX-License-Identifier: GPL-2.0-or-later
// Where a bundle may be written, and what is said where it may not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/bundle.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/in_child.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class BundleTarget : public testing::Test {
protected:
    // Refused before and at writing with the same words, and nothing is left.
    void expect_refused(const std::string& path, Errc code, std::string_view what, std::string_view remedy) {
        SCOPED_TRACE(path);
        const auto checked = check_bundle_target(path);
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().code, code);
        EXPECT_EQ(checked.error().what, what);
        EXPECT_THAT(checked.error().remedy, HasSubstr(remedy));
        const auto saved = save_bundle(FakeHost({{"/sys/a", "1"}}).bundle(), path);
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error(), checked.error());
    }

    TempDirectory directory_;
};

TEST_F(BundleTarget, AGoodOneIsTriedOutAndLeftAsItWas) {
    for (const auto name :
         {"saved", "saved.tar", "saved.tar.gz", "saved.tar.zst", "saved/", "gpu7.example.org", ".tar"}) {
        EXPECT_TRUE(check_bundle_target(directory_ / name)) << name;
        EXPECT_TRUE(fs::is_empty(directory_.path())) << name;
    }
}

TEST_F(BundleTarget, WhatIsThereIsNotOverwritten) {
    const std::string file = directory_.file("saved.tar", "precious");
    const std::string what = ": exists already, and a bundle never overwrites";
    expect_refused(file, Errc::bad_input, file + what, "new name");
    expect_refused(directory_.path() + "/", Errc::bad_input, directory_.path() + what, "new name");
    fs::create_symlink("nowhere", directory_ / "link");
    expect_refused(directory_ / "link", Errc::bad_input, directory_ / "link" + what, "new name");
}

TEST_F(BundleTarget, ItsFolderMustBeThere) {
    const std::string file = directory_.file("file", "");
    for (const auto form : {"", ".tar", ".tar.gz", ".tar.zst"}) {
        const std::string orphan = directory_ / "none/saved" + form, below = file + "/saved" + form;
        expect_refused(orphan, Errc::not_found,
                       orphan + ": cannot be made in " + directory_ / "none" + ": No such file or directory",
                       "make that directory first");
        expect_refused(below, Errc::not_found, below + ": cannot be made in " + file + ": Not a directory",
                       "make that directory first");
    }
    const std::string name = directory_ / std::string(255, 'x');
    expect_refused(name, Errc::io, name + ": cannot be made in " + directory_.path() + ": File name too long",
                   "shorter name");
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(BundleTarget, ItsFolderMustBeWritable) {
    fs::permissions(directory_.path(), fs::perms(0555));
    for (const auto form : {"", ".tar"}) {
        const std::string path = directory_ / "saved" + form;
        const Error denied{Errc::no_privilege,
                           path + ": cannot be made in " + directory_.path() + ": Permission denied",
                           "give a place where you may write"};
        EXPECT_TRUE(in_child([&] {
            const auto checked = become_nobody() ? check_bundle_target(path) : Result<>();
            return !checked && checked.error() == denied;
        }));
    }
    fs::permissions(directory_.path(), fs::perms(0755));
}

TEST_F(BundleTarget, ABareNameLiesInTheCurrentDirectory) {
    EXPECT_TRUE(in_child([&] {
        fs::create_directory(directory_ / "gone");
        if (::chdir((directory_ / "gone").c_str()) != 0 || ::rmdir((directory_ / "gone").c_str()) != 0) return false;
        const auto checked = check_bundle_target("saved.tar");
        return !checked &&
               checked.error().what == "saved.tar: cannot be made in the current directory: No such file or directory";
    }));
}

TEST_F(BundleTarget, NamesThatPromiseSomethingElse) {
    expect_refused("", Errc::bad_input, "\"\": the name is empty", "new directory");
    expect_refused("-", Errc::bad_input, "-: a bundle is not written to standard output", "NAME.tar.zst");
    for (const auto ending :
         {".zip", ".tgz", ".tar.xz", ".tar.bz2", ".TAR.GZ", ".Tar", ".zst", ".gz", ".7z", ".tar.Z"}) {
        const std::string path = directory_ / "saved" + ending;
        expect_refused(path, Errc::bad_input, path + ": archives of this kind are not written",
                       "ending in .tar.zst, .tar.gz or .tar");
    }
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(BundleTarget, AnErrorSpeaksOfTheNameThatWasGiven) {
    const std::string path = directory_ / "none/saved.tar";
    EXPECT_THAT(check_bundle_target(path).error().what, Not(HasSubstr("XX")));
    EXPECT_THAT(check_bundle_target(path).error().what, Not(HasSubstr("saved.tar.")));
}

}  // namespace
}  // namespace rd
