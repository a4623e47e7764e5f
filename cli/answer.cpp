// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/answer.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/escape.h"

namespace rd::cli {
namespace {

// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

tl::unexpected<Failure> usage_failure(std::string text) {
    return tl::unexpected<Failure>(Failure{kUsage, std::move(text), {}});
}

tl::unexpected<Failure> internal_failure(std::string text) {
    return tl::unexpected<Failure>(Failure{kInternal, std::move(text), {}});
}

Answer answer_from(const Failure& failure) {
    return {failure.code, {}, "rdmadoctor: " + on_one_line(failure.text) + "\n" + failure.more};
}

int deliver(const Answer& answer) {
    // Standard error first: where both go to one place, a complaint belongs before the report it is about.
    (void)write_all(STDERR_FILENO, harmless(answer.err));  // there is no other place to say that this failed
    if (const int failed = write_all(STDOUT_FILENO, answer.out); failed != 0) {
        (void)write_all(STDERR_FILENO,
                        "rdmadoctor: cannot write the output: " + std::generic_category().message(failed) + "\n");
        return kInternal;
    }
    return answer.code;
}

}  // namespace rd::cli
