// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/supervise.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/answer.h"

namespace rd::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 60s;

// A crash is part of the test: it must neither write a core nor alarm a sanitizer.
[[noreturn]] void die_of(int signal) {
    (void)::prctl(PR_SET_DUMPABLE, 0);
    (void)::signal(signal, SIG_DFL);
    (void)::raise(signal);
    std::abort();
}

TEST(Supervise, GivesTheCodeOfTheWork) {
    for (const int code : {0, 1, 2, 3, 64, 70}) {
        const Supervised got = supervise([&] { return code; }, kLimit);
        EXPECT_EQ(got.code, code);
        EXPECT_EQ(got.trouble, "");
    }
}

TEST(Supervise, SaysThatTheWorkCrashed) {
    const Supervised got = supervise([]() -> int { die_of(SIGSEGV); }, kLimit);
    EXPECT_EQ(got.code, kInternal);
    EXPECT_NE(got.trouble.find("signal 11"), std::string::npos) << got.trouble;
}

TEST(Supervise, SaysThatTheWorkWasKilled) {
    const Supervised got = supervise([]() -> int { die_of(SIGKILL); }, kLimit);
    EXPECT_EQ(got.code, kInternal);
    EXPECT_NE(got.trouble.find("signal 9"), std::string::npos) << got.trouble;
}

TEST(Supervise, SaysThatTheWorkLeftWithoutAWord) {
    const Supervised got = supervise([]() -> int { ::_exit(0); }, kLimit);
    EXPECT_EQ(got.code, kInternal);
    EXPECT_NE(got.trouble, "");
}

TEST(Supervise, GivesUpAfterTheLimit) {
    const Supervised got = supervise([] { return ::pause(); }, 50ms);
    EXPECT_EQ(got.code, kInternal);
    EXPECT_NE(got.trouble.find("50ms"), std::string::npos) << got.trouble;
}

// The child of supervise() is held back between _exit and its end, where a thread stuck in the kernel would hold it. The
// supervising process must be gone with the right code all the same.
TEST(Supervise, DoesNotWaitForAChildThatCannotEnd) {
    int names[2], go[2];
    ASSERT_EQ(::pipe(names), 0);
    ASSERT_EQ(::pipe(go), 0);
    const pid_t supervisor = ::fork();
    ASSERT_GE(supervisor, 0);
    if (supervisor == 0) {
        const auto work = [&] {
            const pid_t self = ::getpid();
            char byte = 0;
            if (::write(names[1], &self, sizeof self) != sizeof self || ::read(go[0], &byte, 1) != 1) return 99;
            return 42;
        };
        ::_exit(supervise(work, kLimit).code);
    }
    pid_t child = 0;
    ASSERT_EQ(::read(names[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    const bool held = ::ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACEEXIT) == 0;
    ASSERT_EQ(::write(go[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(::waitpid(supervisor, &status, 0), supervisor);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 42);
    ASSERT_TRUE(held) << "the child could not be traced: nothing was shown";
    (void)::ptrace(PTRACE_DETACH, child, 0, 0);
    for (const int fd : {names[0], names[1], go[0], go[1]}) (void)::close(fd);
}

}  // namespace
}  // namespace rd::cli
