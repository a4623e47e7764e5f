// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a part of a test in a forked process, for what cannot be taken back in this one: rights, limits.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace rd {

// True when `part` returned true. It must not use EXPECT_…: its process has no report.
inline bool in_child(const std::function<bool()>& part) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(part() ? 0 : 1);
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Gives up root for good, for use in a child. Without root there is nothing to give up.
inline bool become_nobody() {
    constexpr uid_t kNobody = 65534;
    return ::geteuid() != 0 ||
           (::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0);
}

}  // namespace rd
