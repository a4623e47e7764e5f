// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/ingest/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/host/bundle.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::ingest {
namespace {

using testing::HasSubstr;

class Source : public testing::Test {
protected:
    TempDirectory directory_;
};

TEST_F(Source, LiveIsThisHost) {
    EXPECT_EQ(open_source("")->host->identity().source, "live");
    EXPECT_EQ(open_source("live")->host->identity().source, "live");
    EXPECT_EQ(kind_of_source("live"), SourceKind::live);
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
        EXPECT_EQ(host->host->identity().source, renamed);
        EXPECT_EQ(host->host->read("/sys/a"), "1");
        EXPECT_EQ(kind_of_source(renamed), SourceKind::recorded);
        std::filesystem::remove_all(renamed);
    }
}

TEST_F(Source, ADirectoryWithSysIsATree) {
    directory_.file("sys/a", "1");
    const auto host = open_source(directory_.path());
    ASSERT_TRUE(host);
    EXPECT_EQ(host->host->read("/sys/a"), "1");
}

TEST_F(Source, ATextIsWhatIsRecognisedInIt) {
    directory_.file("report.txt", "/sys/class/net/eth2/mtu:9000\n");
    const auto opened = open_source(directory_ / "report.txt");
    ASSERT_TRUE(opened) << opened.error().what;
    ASSERT_TRUE(opened->ingested);
    EXPECT_EQ(opened->ingested->hosts.at(0).bundle.identity.source, directory_ / "report.txt");
    EXPECT_EQ(kind_of_source(directory_ / "report.txt"), SourceKind::text);
}

TEST_F(Source, TheErrorListsWhatIsUnderstood) {
    directory_.file("empty", "");
    directory_.file("report.txt", "nothing here\n");
    std::string noise(100'000, '\0');
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>((i * 2654435761U) >> 13U);
    directory_.file("noise", noise);
    ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    for (const auto& [name, what] : {std::pair{"empty", "it is empty"},
                                     {"report.txt", "nothing in it was recognised"},
                                     {"noise", "nothing in it was recognised"},
                                     {"fifo", "it is empty"}}) {
        const auto host = open_source(directory_ / name);
        ASSERT_FALSE(host) << name;
        EXPECT_EQ(host.error().what, directory_ / name + ": " + what);
        EXPECT_THAT(host.error().remedy, HasSubstr("\"live\""));
        EXPECT_THAT(host.error().remedy, HasSubstr("manifest.toml"));
        EXPECT_THAT(host.error().remedy, HasSubstr("ibv_devinfo"));
    }
    EXPECT_EQ(open_source(directory_ / "missing").error().code, Errc::not_found);
}

TEST_F(Source, ADirectoryIsSomethingOnlyByWhatItHolds) {
    directory_.file("files/sys", "no directory");
    std::filesystem::create_directory(directory_ / "empty");
    for (const auto name : {"empty", "files"}) {
        const auto host = open_source(directory_ / name);
        ASSERT_FALSE(host);
        EXPECT_EQ(host.error().what, directory_ / name +
                                         ": neither a bundle (no manifest.toml) nor a copy of a host "
                                         "(no sys/ or proc/)");
    }
}

}  // namespace
}  // namespace rd::ingest
