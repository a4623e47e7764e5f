// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/textfile.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/daemon/scene.h"
#include "tests/unit/support/in_child.h"
#include "tests/unit/support/refused_call.h"
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

TEST(Textfile, SaysWhatTheSandboxOfTheServiceNeeds) {
    const TempDirectory directory;
    EXPECT_TRUE(in_child([&] {
        if (!refuse_call(SYS_openat, EROFS)) return false;
        const auto done = write_textfile(directory / "rdmadoctor.prom", "a 1\n");
        return !done && done.error().remedy.find("ReadWritePaths=") != std::string::npos;
    }));
}

TEST(Textfile, SaysThatThereIsNoRoomAndLeavesNothingHalfWritten) {
    const TempDirectory directory;
    const std::string path = directory / "rdmadoctor.prom";
    ASSERT_TRUE(write_textfile(path, "a 1\n"));
    EXPECT_TRUE(in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);  // as the program does
        const rlimit limit{100, 100};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
        const auto done = write_textfile(path, std::string(1000, 'a'));
        return !done && done.error().remedy.find("make room") != std::string::npos;
    }));
    EXPECT_EQ(read(path), "a 1\n");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Textfile, IsWrittenEveryTenSecondsAndComplainsOncePerCause) {
    const TempDirectory directory;
    const std::string path = directory / "sub/rdmadoctor.prom";
    int asked = 0;
    const auto frame = [&] {
        ++asked;
        return std::make_shared<const Frame>(small_frame());
    };
    Textfile textfile(path);
    const auto swept = [&](double seconds) {
        return textfile.swept(100'000'000'000 + static_cast<std::int64_t>(seconds * 1e9), frame);
    };
    const auto first = swept(0);
    ASSERT_TRUE(first);
    EXPECT_NE(first->find(path), std::string::npos);
    EXPECT_NE(first->find("must be there"), std::string::npos) << "the remedy";
    for (double at = 1; at < 10; ++at) EXPECT_FALSE(swept(at));
    EXPECT_EQ(asked, 1);
    EXPECT_FALSE(swept(10.2)) << "said already";
    EXPECT_EQ(asked, 2);
    std::filesystem::create_directory(directory / "sub");
    EXPECT_FALSE(swept(20));  // in step
    EXPECT_NE(read(path).find("rdmadoctor_port_rx_bytes_total"), std::string::npos);
    std::filesystem::remove_all(directory / "sub");
    EXPECT_TRUE(swept(30)) << "it went well in between";
    EXPECT_EQ(asked, 4);
    EXPECT_FALSE(Textfile("").swept(0, frame));
    EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace rd::daemon
