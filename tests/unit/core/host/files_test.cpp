// SPDX-License-Identifier: GPL-2.0-or-later
// Files of the live host: what a sweep meets when a kernel, a driver or a person has left something odd.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <thread>

#include "core/base/text.h"
#include "core/host/live.h"
#include "tests/unit/support/in_child.h"
#include "tests/unit/support/temp_directory.h"

namespace rd {
namespace {

using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

class LiveFiles : public testing::Test {
protected:
    [[nodiscard]] Result<std::string> read(std::string_view name) const { return host_->read(directory_ / name); }
    [[nodiscard]] Errc code(std::string_view name) const {
        const auto answer = read(name);
        return answer ? Errc::io : answer.error().code;
    }
    static std::size_t open_descriptors() {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
    }

    TempDirectory directory_;
    std::unique_ptr<Host> host_ = live_host();
};

TEST_F(LiveFiles, ReadsWholeFiles) {
    directory_.file("mtu", "1500\n");
    directory_.file("empty", "");
    const std::string garbage("\0\xff\xfe%\n\n\0x", 8);
    directory_.file("garbage", garbage);
    for (const std::size_t size : {4095U, 4096U, 4097U, 16384U, 70'000U, 4U << 20}) {
        directory_.file("large", std::string(size, 'x'));
        EXPECT_EQ(read("large")->size(), size);
    }
    EXPECT_EQ(read("mtu"), "1500\n");
    EXPECT_EQ(read("empty"), "");
    EXPECT_EQ(read("garbage"), garbage);
}

TEST_F(LiveFiles, RefusesWhatIsTooLarge) {
    directory_.file("mtu", std::string(10'000'000, '1'));
    EXPECT_EQ(read("mtu").error(), (Error{Errc::limit, directory_ / "mtu" + ": is larger than 8 MiB", ""}));
    directory_.file("just", std::string((8 << 20) + 1, '1'));
    EXPECT_EQ(code("just"), Errc::limit);
}

TEST_F(LiveFiles, SaysWhyAFileCannotBeRead) {
    EXPECT_EQ(code("missing"), Errc::not_found);
    EXPECT_EQ(code("missing/below"), Errc::not_found);
    EXPECT_EQ(code(std::string_view("mtu\0x", 5)), Errc::not_found);
    EXPECT_THAT(host_->read(directory_.path()).error().what, EndsWith(": Is a directory"));
}

TEST_F(LiveFiles, DeniedFilesHaveARemedy) {
    ::chmod(directory_.file("secret", "x").c_str(), 0000);
    EXPECT_TRUE(in_child([&] {
        if (!become_nobody()) return false;
        const auto answer = read("secret");
        return !answer && answer.error().code == Errc::no_privilege && answer.error().remedy == "run as root";
    }));
}

TEST_F(LiveFiles, AHandleFollowsTheName) {
    const auto handle = host_->open(directory_ / "value");
    Buffer buffer;
    EXPECT_EQ(handle->read(buffer).error().code, Errc::not_found);
    EXPECT_EQ(buffer.text(), "");
    directory_.file("value", "1");
    ASSERT_TRUE(handle->read(buffer));
    EXPECT_EQ(buffer.text(), "1");
    directory_.file("other", "replaced");
    std::filesystem::rename(directory_ / "other", directory_ / "value");
    ASSERT_TRUE(handle->read(buffer));
    EXPECT_EQ(buffer.text(), "replaced");
    std::filesystem::remove(directory_ / "value");
    EXPECT_EQ(handle->read(buffer).error().code, Errc::not_found);
}

TEST_F(LiveFiles, KernelFilesStayOpenAndOthersDoNot) {
    directory_.file("plain", "x");
    const auto kernel = host_->open("/proc/sys/kernel/osrelease");
    const auto plain = host_->open(directory_ / "plain");
    const std::size_t before = open_descriptors();
    Buffer buffer;
    ASSERT_TRUE(plain->read(buffer));
    EXPECT_EQ(open_descriptors(), before);
    ASSERT_TRUE(kernel->read(buffer));
    EXPECT_EQ(open_descriptors(), before + 1);
    ASSERT_TRUE(kernel->read(buffer));
    EXPECT_EQ(trim(buffer.text()), host_->identity().kernel);
    EXPECT_EQ(open_descriptors(), before + 1);
}

TEST_F(LiveFiles, ReadsKernelStreamsToTheirEnd) {
    const auto handle = host_->open("/proc/self/smaps");  // many short answers of read()
    Buffer buffer;
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(handle->read(buffer));
        EXPECT_GT(buffer.text().size(), 8192U);
        EXPECT_THAT(std::string(buffer.text()), HasSubstr("VmFlags"));
        EXPECT_EQ(buffer.text().back(), '\n');
    }
}

TEST_F(LiveFiles, TheFileOfAnEndedProcessIsNotFound) {
    int hold[2];
    ASSERT_EQ(::pipe(hold), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char byte = 0;
        ::close(hold[1]);
        ::_exit(::read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    const auto handle = host_->open("/proc/" + std::to_string(child) + "/status");
    Buffer buffer;
    EXPECT_TRUE(handle->read(buffer));
    ::close(hold[1]);
    ::close(hold[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::size_t before = open_descriptors();
    EXPECT_EQ(handle->read(buffer).error().code, Errc::not_found);
    EXPECT_EQ(open_descriptors(), before - 1);  // nothing is kept of what is gone
}

TEST_F(LiveFiles, MoreFilesThanDescriptors) {
    EXPECT_TRUE(in_child([] {
        const rlimit few{100, 100};
        if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
        const auto host = live_host();
        std::vector<std::unique_ptr<Handle>> handles;
        for (int i = 0; i < 500; ++i) handles.push_back(host->open("/proc/sys/kernel/osrelease"));
        Buffer buffer;
        for (int round = 0; round < 2; ++round) {
            for (const auto& handle : handles) {
                if (!handle->read(buffer)) return false;
            }
        }
        return open_descriptors() <= 40;
    }));
}

TEST_F(LiveFiles, AFifoWithoutAWriterTimesOut) {
    ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    const auto begin = steady_clock::now();
    EXPECT_EQ(read("fifo").error(), (Error{Errc::timed_out, directory_ / "fifo" + ": no data within 1 s (FIFO)", ""}));
    EXPECT_LT(steady_clock::now() - begin, 5s);
}

TEST_F(LiveFiles, AFifoWithAWriterIsReadToItsEnd) {
    const std::string path = directory_ / "fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const auto handle = host_->open(path);
    for (int i = 0; i < 2; ++i) {
        std::jthread writer([&] {
            std::ofstream out(path);
            out << "part one," << std::flush;
            std::this_thread::sleep_for(20ms);
            out << "part two" << std::string(10'000, '.');
        });
        Buffer buffer;
        ASSERT_TRUE(handle->read(buffer));
        EXPECT_EQ(buffer.text(), "part one,part two" + std::string(10'000, '.'));
    }
}

TEST_F(LiveFiles, AFifoThatDoesNotEndIsNoAnswer) {
    const std::string path = directory_ / "fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::write(writer, "1", 1), 1);
    EXPECT_EQ(read("fifo").error().what, path + ": no end of data within 1 s (FIFO)");
    ::close(writer);
}

TEST_F(LiveFiles, EndlessDevicesAndSocketsAreErrors) {
    EXPECT_EQ(host_->read("/dev/zero").error().code, Errc::limit);
    EXPECT_EQ(host_->read("/dev/null"), "");
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (directory_ / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_FALSE(read("socket"));
    ::close(socket);
}

TEST_F(LiveFiles, ListsSortedNames) {
    for (const auto name : {"b", "a", ".hidden", "c/d"}) directory_.file(name, "");
    EXPECT_THAT(*host_->list(directory_.path()), ElementsAre(".hidden", "a", "b", "c"));
    std::filesystem::create_directory(directory_ / "empty");
    EXPECT_THAT(*host_->list(directory_ / "empty"), IsEmpty());
    EXPECT_EQ(host_->list(directory_ / "missing").error().code, Errc::not_found);
    EXPECT_EQ(host_->list("rtnl.link").error().code, Errc::bad_input);
}

TEST_F(LiveFiles, WhatIsThereAndIsNoDirectoryIsAFaultAndNotAbsence) {
    directory_.file("file", "");
    ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    for (const auto name : {"file", "fifo"}) {
        EXPECT_EQ(host_->list(directory_ / name).error(),
                  (Error{Errc::io, directory_ / name + ": is not a directory", ""}));
    }
    EXPECT_EQ(host_->list(directory_ / "file/below").error().code, Errc::not_found);
    EXPECT_EQ(host_->list(directory_ / "none").error().code, Errc::not_found);
}

TEST_F(LiveFiles, FollowsLinksToTheirEnd) {
    directory_.file("devices/0000:41:00.0/vendor", "0x15b3");
    std::filesystem::create_symlink("devices/0000:41:00.0", directory_ / "first");
    std::filesystem::create_symlink("first", directory_ / "second");
    std::filesystem::create_symlink("nowhere", directory_ / "dangling");
    EXPECT_EQ(host_->link(directory_ / "second"), directory_ / "devices/0000:41:00.0");
    EXPECT_EQ(host_->link(directory_ / "dangling").error().code, Errc::not_found);
}

TEST_F(LiveFiles, WritesInOneCall) {
    directory_.file("knob", "0000");
    EXPECT_TRUE(host_->write(directory_ / "knob", "9000"));
    EXPECT_EQ(read("knob"), "9000");
    EXPECT_EQ(host_->write(directory_ / "missing", "1").error().code, Errc::not_found);
    EXPECT_THAT(host_->write("/dev/full", "1").error().what, HasSubstr("No space left"));
    EXPECT_EQ(host_->write("dcb.pfc/ens1f0", "1").error().code, Errc::not_supported);
}

TEST_F(LiveFiles, ShortWritesAreErrors) {
    directory_.file("knob", "");
    EXPECT_TRUE(in_child([&] {
        const rlimit small{10, 10};
        if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return false;
        const auto written = host_->write(directory_ / "knob", "0123456789abcdef");
        return !written && written.error().what.ends_with("only 10 of 16 bytes were taken");
    }));
}

TEST_F(LiveFiles, KnowsWhoReads) {
    const HostIdentity& who = host_->identity();
    EXPECT_EQ(who.source, "live");
    EXPECT_EQ(who.uid, ::geteuid());
    EXPECT_FALSE(who.kernel.empty());
    EXPECT_FALSE(who.machine.empty());
    EXPECT_EQ(who.boot_id.size(), 36U);
    EXPECT_EQ(who.capabilities != 0, ::geteuid() == 0);
    EXPECT_TRUE(in_child([] {
        if (!become_nobody()) return false;
        const auto host = live_host();
        return host->identity().uid != 0 && host->identity().capabilities == 0;
    }));
}

TEST_F(LiveFiles, AdvanceWaits) {
    const Stamp before = host_->now();
    EXPECT_TRUE(host_->advance(20ms));
    const Stamp after = host_->now();
    EXPECT_GE(after.boot_ns - before.boot_ns, 20'000'000);
    EXPECT_GT(after.wall_ns, 1'600'000'000'000'000'000);
}

}  // namespace
}  // namespace rd
