// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/host/bundle.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::HasSubstr;

class Source : public testing::Test {
protected:
    TempDirectory directory_;
};

TEST_F(Source, LiveIsThisHost) {
    EXPECT_EQ((*open_source(""))->identity().source, "live");
    EXPECT_EQ((*open_source("live"))->identity().source, "live");
}

TEST_F(Source, BundlesAreRecognisedByWhatTheyAre) {
    const FakeHost fake({{"/sys/a", "1"}});
    for (const auto form : {"", ".tar", ".tar.gz", ".tar.zst"}) {
        const std::string saved = directory_ / "saved" + form;
        ASSERT_TRUE(save_bundle(fake.bundle(), saved));
        const std::string renamed = directory_ / "renamed";
        std::filesystem::rename(saved, renamed);
        const auto host = open_source(renamed);
        ASSERT_TRUE(host) << host.error().what;
        EXPECT_EQ((*host)->identity().source, renamed);
        EXPECT_EQ((*host)->read("/sys/a"), "1");
        std::filesystem::remove_all(renamed);
    }
}

TEST_F(Source, ADirectoryWithSysIsATree) {
    directory_.file("sys/a", "1");
    const auto host = open_source(directory_.path());
    ASSERT_TRUE(host);
    EXPECT_EQ((*host)->read("/sys/a"), "1");
}

TEST_F(Source, TheErrorListsWhatIsUnderstood) {
    directory_.file("empty", "");
    directory_.file("report.txt", "CA 'mlx5_0'\n");
    std::filesystem::create_directory(directory_ / "directory");
    ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    for (const auto name : {"empty", "report.txt", "directory", "fifo"}) {
        const auto host = open_source(directory_ / name);
        ASSERT_FALSE(host);
        EXPECT_EQ(host.error().what, directory_ / name + ": not a source that this version understands");
        EXPECT_THAT(host.error().remedy, HasSubstr("\"live\""));
        EXPECT_THAT(host.error().remedy, HasSubstr("manifest.toml"));
        EXPECT_THAT(host.error().remedy, HasSubstr("sys/ or proc/"));
    }
    EXPECT_EQ(open_source(directory_ / "missing").error().code, Errc::not_found);
    EXPECT_THAT(open_source(directory_ / "missing").error().remedy, HasSubstr("understood are"));
}

}  // namespace
}  // namespace rd
