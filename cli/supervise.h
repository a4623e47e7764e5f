// SPDX-License-Identifier: GPL-2.0-or-later
// Runs work that reads a live host in a child process, and ends with the child's exit code as soon as the child has one.
//
// A read of a sick device can sleep in the kernel where no signal reaches it. A process with one such thread cannot be
// reaped: it has called _exit, and still its parent waits for minutes. If that parent were the shell, `check` would hang
// on exactly the hosts it is made for. So the program itself is a parent that never reads the host: it gets the exit code
// through a pipe and leaves; what remains of the child is inherited by init.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace rd::cli {

struct Supervised {
    int code = 0;
    std::string trouble;  // why `code` is not the work's own; empty when it is
};

// To be called while the process has one thread. `work` must have written its output when it returns; the child closes its
// standard streams then, so that a pipe behind it sees the end. After `limit` the work is given up: trouble.
// Signals: the child dies with its parent, and of the terminal's signals both get theirs.
[[nodiscard]] Supervised supervise(const std::function<int()>& work, std::chrono::nanoseconds limit);

}  // namespace rd::cli
