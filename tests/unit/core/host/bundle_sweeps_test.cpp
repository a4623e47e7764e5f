// SPDX-License-Identifier: GPL-2.0-or-later
// Moments and their folders: which may be missing, and which not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/host/bundle.h"
#include "tests/unit/support/fake_host.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class BundleSweeps : public testing::Test {
protected:
    [[nodiscard]] Error refused() const {
        const auto bundle = load_bundle(directory_.path());
        return bundle ? Error{} : bundle.error();
    }

    TempDirectory directory_;
};

TEST_F(BundleSweeps, ASweepWithoutItsFolderIsNotASweepInWhichNothingChanged) {
    directory_.file("t0/sys/a", "1");
    const auto expect = [&](std::string_view manifest, std::string_view what, std::string_view remedy) {
        directory_.file("manifest.toml", "format = 1\n" + std::string(manifest));
        EXPECT_EQ(refused().what, directory_.path() + ": " + std::string(what));
        EXPECT_THAT(refused().remedy, HasSubstr(remedy));
        EXPECT_EQ(refused().code, Errc::bad_input);
    };
    expect("[[sweep]]\n[[sweep]]\n", "t1/ is missing: the manifest has 2 [[sweep]]", "write `unchanged = true`");
    fs::create_directory(directory_ / "t1");  // one that is empty says as little
    expect("[[sweep]]\n[[sweep]]\n", "t1/ is missing: the manifest has 2 [[sweep]]", "copy the bundle again");
    expect("[[sweep]]\n[[sweep]]\n[[sweep]]\n[[sweep]]\nunchanged = true\n",
           "t1/ and 1 more are missing: the manifest has 4 [[sweep]]", "write `unchanged = true`");
    expect("pieces = 2\n[[sweep]]\n[[sweep]]\n", "t1/ is missing: the manifest has 2 [[sweep]]", "copy the bundle");
    directory_.file("t2/sys/a", "2");
    expect("[[sweep]]\n[[sweep]]\n[[sweep]]\n", "t1/ is missing: the manifest has 3 [[sweep]]", "copy the bundle");
    expect("[[sweep]]\n[[sweep]]\n", "'t2/sys/a': the manifest has 2 [[sweep]], so there are t0/ to t1/",
           "write a [[sweep]] for it");
    expect("", "'t2/sys/a': the manifest has one moment, t0/", "remove the folder");
    expect("[[sweep]]\n[[sweep]]\nunchanged = true\n[[sweep]]\nunchanged = true\n",
           "t2/ is there, and manifest.toml has `unchanged = true` in its [[sweep]]", "remove one of the two");
}

TEST_F(BundleSweeps, ASweepInWhichNothingChangedIsSaidSo) {
    directory_.file("manifest.toml", "format = 1\n[[sweep]]\nboot_ns = 1\n[[sweep]]\nboot_ns = 5\nunchanged = true\n");
    directory_.file("t0/sys/a", "1");
    auto bundle = load_bundle(directory_.path());
    ASSERT_TRUE(bundle) << bundle.error().what;
    const auto host = replay_host(*bundle, directory_.path());
    ASSERT_TRUE(host->advance(0s));
    EXPECT_EQ(host->read("/sys/a"), "1");
    EXPECT_EQ(host->now().boot_ns, 5);
    EXPECT_FALSE(host->advance(0s));
}

TEST_F(BundleSweeps, ARecordingSaysWhereNothingChanged) {
    FakeHost host({{"/sys/a", "1"}});
    host.next_moment(2s).next_moment(2s).file("/sys/a", "2").next_moment(2s);
    const std::string path = directory_ / "saved";
    ASSERT_TRUE(save_bundle(host.bundle(), path));
    EXPECT_FALSE(fs::exists(path + "/t1"));
    EXPECT_TRUE(fs::exists(path + "/t2"));
    EXPECT_FALSE(fs::exists(path + "/t3"));
    std::ifstream file(path + "/manifest.toml");
    const std::string manifest(std::istreambuf_iterator<char>(file), {});
    std::vector<bool> unchanged;
    for (std::size_t at = manifest.find("[[sweep]]"); at != std::string::npos;
         at = manifest.find("[[sweep]]", at + 1)) {
        unchanged.push_back(manifest.substr(at + 9, manifest.find("[[", at + 9) - at - 9).find("unchanged = true") !=
                            std::string::npos);
    }
    EXPECT_THAT(unchanged, ElementsAre(false, true, false, true));
    const auto loaded = load_bundle(path);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->moments.size(), 4U);
    for (std::size_t at = 0; at < 4; ++at) EXPECT_TRUE(loaded->moments[at].reads == host.bundle().moments[at].reads);

    // Recordings of before `unchanged` prove by their count that nothing is missing.
    std::string old = manifest;
    for (std::size_t at = old.find("unchanged = true\n"); at != std::string::npos;
         at = old.find("unchanged = true\n")) {
        old.erase(at, 17);
    }
    std::ofstream(path + "/manifest.toml") << old;
    EXPECT_TRUE(load_bundle(path));
    fs::remove_all(path + "/t2");
    const auto cut = load_bundle(path);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().what, path + ": t1/ and 2 more are missing: the manifest has 4 [[sweep]]");
    std::ofstream(path + "/manifest.toml") << manifest;
    EXPECT_EQ(load_bundle(path).error().what, path + ": t2/ is missing: the manifest has 4 [[sweep]]");
}

}  // namespace
}  // namespace rd
