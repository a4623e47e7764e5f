// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "cli/answer.h"
#include "core/base/text.h"

namespace rd::cli {
namespace {

Supervised trouble(std::string text) { return {kInternal, std::move(text)}; }

std::string reason(int errnum) { return std::generic_category().message(errnum); }

[[noreturn]] void run_child(const std::function<int()>& work, int report, pid_t parent) {
    // Killed, not asked: a thread that waits for a device would not hear a request, and the work only reads.
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kInternal);  // it died before the line above
    const int code = work();
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) (void)::close(stream);
    (void)!::write(report, &code, sizeof code);  // without a reader there is nobody to tell
    ::_exit(code);
}

// How the child ended, given that it said nothing.
Supervised silent_end(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return trouble("the child process was lost: " + reason(errno));
    }
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return trouble("the examination was ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) +
                       ")");
    }
    return trouble("the examination ended without a result (status " + std::to_string(WEXITSTATUS(status)) + ")");
}

enum class Wait { readable, expired, failed };

// Counts the time it really waited: while the program is stopped (Ctrl-Z) its child is too, and no time is lost.
Wait wait_readable(int fd, std::chrono::nanoseconds limit) {
    constexpr std::chrono::milliseconds kSlice{500};
    auto left = std::chrono::ceil<std::chrono::milliseconds>(limit);
    while (left.count() > 0) {
        const std::chrono::milliseconds slice = std::min(left, kSlice);
        pollfd poll{fd, POLLIN, 0};
        const int ready = ::poll(&poll, 1, static_cast<int>(slice.count()));
        if (ready > 0) return Wait::readable;
        if (ready < 0 && errno != EINTR) return Wait::failed;
        if (ready == 0) left -= slice;
    }
    return Wait::expired;
}

}  // namespace

Supervised supervise(const std::function<int()>& work, std::chrono::nanoseconds limit) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return trouble("cannot make a pipe: " + reason(errno));
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        const int failed = errno;
        (void)::close(ends[0]);
        (void)::close(ends[1]);
        return trouble("cannot start a process: " + reason(failed));
    }
    if (child == 0) {
        (void)::close(ends[0]);
        run_child(work, ends[1], parent);
    }
    (void)::close(ends[1]);
    const Wait waited = wait_readable(ends[0], limit);
    int code = 0;
    ssize_t got = 0;
    if (waited == Wait::readable) {
        do {
            got = ::read(ends[0], &code, sizeof code);
        } while (got < 0 && errno == EINTR);
    }
    (void)::close(ends[0]);
    if (got == static_cast<ssize_t>(sizeof code)) {
        (void)::waitpid(child, nullptr, WNOHANG);  // usually gone already; never waited for
        return {code, {}};
    }
    if (waited == Wait::expired) {
        (void)::kill(child, SIGKILL);
        (void)::waitpid(child, nullptr, WNOHANG);
        return trouble("the examination did not end within " + print_duration(limit) +
                       "; it is given up (a read that hangs in the kernel shows in /proc/*/stack as root)");
    }
    return silent_end(child);
}

}  // namespace rd::cli
