// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/alerts/hook.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/host/clock.h"
#include "daemon/alerts/payload.h"
#include "tests/unit/daemon/alerts/story.h"
#include "tests/unit/support/temp_directory.h"

namespace rd::daemon {
namespace {

using namespace std::chrono_literals;

class HookTest : public ::testing::Test {
protected:
    HookConfig script(const std::string& text) {
        HookConfig config;
        config.path = directory.file("hook", "#!/bin/sh\n" + text);
        ::chmod(config.path.c_str(), 0755);
        config.timeout = 20s;
        return config;
    }
    Hook open(const HookConfig& config) {
        auto hook = Hook::open(config);
        EXPECT_TRUE(hook) << hook.error().what;
        return std::move(hook.value());
    }
    // As an event loop would: waits for the descriptor or the time, then ticks.
    static std::vector<Hook::Ended> finish(Hook& hook, std::size_t count) {
        std::vector<Hook::Ended> out;
        const std::int64_t give_up = steady_ns() + 60'000'000'000;
        while (out.size() < count && steady_ns() < give_up) {
            pollfd ready{hook.fd(), POLLIN, 0};
            const std::int64_t due = hook.due().value_or(give_up);
            ::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>((due - steady_ns()) / 1'000'000 + 1, 0, 1000)));
            for (auto& ended : hook.tick(steady_ns())) out.push_back(std::move(ended));
        }
        return out;
    }
    [[nodiscard]] std::string contents(const std::string& name) const {
        std::ifstream file(directory / name);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

    TempDirectory directory;
};

TEST_F(HookTest, GetsThePayloadWholeAndNothingElse) {
    auto hook = open(script("cat > " + (directory / "got") +
                            "; echo $# args; env | sort | cut -d= -f1 | tr '\\n' ' '; pwd; ls /proc/self/fd | wc -l"));
    const std::string payload(1 << 20, 'x');  // larger than any pipe
    hook.start(payload, steady_ns());
    const auto ended = finish(hook, 1);
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_TRUE(ended[0].ok) << ended[0].how << ended[0].output;
    EXPECT_EQ(contents("got"), payload);
    EXPECT_TRUE(ended[0].output.starts_with("0 args\nLANG PATH PWD ")) << ended[0].output;
    EXPECT_NE(ended[0].output.find("/\n4\n"), std::string::npos) << ended[0].output;  // 0, 1, 2, and that of ls itself
}

TEST_F(HookTest, CannotBeInjectedByNames) {
    auto hook = open(script("cat > " + (directory / "got")));
    Action action;
    action.alert.name = "rdma-link";
    action.alert.subject = {{Kind::netdev, "$(touch " + (directory / "owned") + ")"},
                            "`touch " + (directory / "owned") + "`; touch " + (directory / "owned") + " #\n\"'\\"};
    action.alert.title = "--help; $(touch " + (directory / "owned") + ")";
    const std::string payload = hook_json(action, {});
    hook.start(payload, steady_ns());
    EXPECT_TRUE(finish(hook, 1).at(0).ok);
    EXPECT_EQ(contents("got"), payload);
    EXPECT_FALSE(std::filesystem::exists(directory / "owned"));
}

TEST_F(HookTest, IsEndedWhenItsTimeIsOverAndAllThatItBegan) {
    HookConfig config = script("trap '' TERM; sleep 100 & echo $! > " + (directory / "child") +
                               "; echo begun; while :; do sleep 1; done");
    config.timeout = 300ms;
    auto hook = open(config);
    const std::int64_t begun = steady_ns();
    hook.start("{}", begun);
    const auto ended = finish(hook, 1);
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_FALSE(ended[0].ok);
    EXPECT_EQ(ended[0].how, "not ended within 300ms, ended by signal 9");
    EXPECT_EQ(ended[0].output, "begun\n");
    EXPECT_GE(steady_ns() - begun, 2'300'000'000);  // it was asked first
    const int child = std::stoi(contents("child"));
    bool gone = false;
    for (int i = 0; i < 200 && !gone; ++i) {
        std::ifstream status("/proc/" + std::to_string(child) + "/stat");
        std::string text;
        std::getline(status, text);
        gone = text.empty() || text.find(") Z") != std::string::npos;
        ::usleep(10'000);
    }
    EXPECT_TRUE(gone);
}

TEST_F(HookTest, EndsWhenAskedBeforeItIsKilled) {
    HookConfig config = script("trap 'echo asked; exit 7' TERM; while :; do sleep 0.1; done");
    config.timeout = 300ms;
    auto hook = open(config);
    hook.start("{}", steady_ns());
    const auto ended = finish(hook, 1);
    EXPECT_EQ(ended.at(0).how, "not ended within 300ms, exit status 7");
    EXPECT_TRUE(ended.at(0).output.ends_with("asked\n"))
        << ended.at(0).output;  // the shell tells of what it waited for
}

TEST_F(HookTest, RunsAFewAtATimeAndDropsTheOldestThatWaits) {
    HookConfig config = script("read line; echo \"$line\"; exec sleep 0.2");
    config.at_once = 2;
    config.queue = 3;
    auto hook = open(config);
    for (int i = 0; i < 8; ++i) {
        hook.start(std::to_string(i) + "\n", steady_ns());
        EXPECT_LE(hook.running(), 2U);
    }
    std::string order;
    std::vector<std::string> failed;
    for (const auto& ended : finish(hook, 6)) {
        order += ended.output.substr(0, 1);
        if (!ended.ok) failed.push_back(ended.how);
    }
    EXPECT_EQ(failed, std::vector<std::string>{"not run for the oldest of more than 3 alerts that waited: 3 given up"});
    std::ranges::sort(order);
    EXPECT_EQ(order, "01567");
}

TEST_F(HookTest, KeepsABoundedPartOfWhatItSays) {
    auto hook = open(script("head -c 1000000 /dev/zero | tr '\\0' 'x'; exit 3"));
    hook.start("{}", steady_ns());
    const auto ended = finish(hook, 1);
    EXPECT_EQ(ended.at(0).output.size(), Hook::kMostOutput);
    EXPECT_EQ(ended.at(0).how, "exit status 3");
    EXPECT_FALSE(ended.at(0).ok);
}

TEST_F(HookTest, SaysWhatCannotBeRun) {
    auto hook = open(script(""));
    std::filesystem::remove(directory / "hook");
    hook.start("{}", steady_ns());
    EXPECT_TRUE(hook.due());
    EXPECT_NE(hook.tick(steady_ns()).at(0).how.find("hook"), std::string::npos);
}

TEST_F(HookTest, IsNotRunOnceOthersMayChangeItAndThatIsSaidOnce) {
    const HookConfig config = script("touch " + (directory / "ran"));
    auto hook = open(config);
    ::chmod(directory.path().c_str(), 0777);
    for (int i = 0; i < 3; ++i) hook.start("{}", steady_ns());
    auto ended = hook.tick(steady_ns());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_FALSE(ended[0].ok);
    EXPECT_EQ(ended[0].how, "not run: " + directory.path() + ": others may change it (mode 777) (chmod go-w " +
                                directory.path() + ")");
    EXPECT_EQ(hook.running(), 0U);
    EXPECT_FALSE(std::filesystem::exists(directory / "ran"));
    ::chmod(directory.path().c_str(), 0755);
    hook.start("{}", steady_ns());
    EXPECT_TRUE(finish(hook, 1).at(0).ok);
    EXPECT_TRUE(std::filesystem::exists(directory / "ran"));
    ::chmod(directory.path().c_str(), 0777);
    hook.start("{}", steady_ns());
    EXPECT_EQ(hook.tick(steady_ns()).size(), 1U);
}

TEST_F(HookTest, LeavesNothingBehindWhenItGoes) {
    {
        auto hook = open(script("echo $$ > " + (directory / "pid") + "; exec sleep 100"));
        hook.start("{}", steady_ns());
        for (int i = 0; i < 1000 && contents("pid").empty(); ++i) ::usleep(10'000);
    }
    EXPECT_EQ(::kill(std::stoi(contents("pid")), 0), -1);
}

}  // namespace
}  // namespace rd::daemon
