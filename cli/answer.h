// SPDX-License-Identifier: GPL-2.0-or-later
// What a command says, and how the program ends. Commands return it; answer.cpp alone writes to the standard streams.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rd::cli {

// Besides these, `check` has 0 to 3 (core/diagnosis/report.h), and `rules test` and `rules lint` have 1 for "no, because …".
inline constexpr int kUsage =
    64;  // the caller can mend it: arguments, names, configuration, rules, a source that cannot be read
inline constexpr int kInternal = 70;  // we cannot do our work

struct Answer {
    int code = 0;
    std::string out;
    std::string
        err;  // errors only, with their line ends; names of files in them are made fit to be shown when it is written
};

struct Failure {
    int code = kInternal;
    std::string text;    // one line, without "rdmadoctor:"; a line end in it came with a name
    std::string more{};  // further lines, each with its end
};

template <class T>
using OrFailure = tl::expected<T, Failure>;

[[nodiscard]] tl::unexpected<Failure> usage_failure(std::string text);
[[nodiscard]] tl::unexpected<Failure> internal_failure(std::string text);

[[nodiscard]] Answer answer_from(const Failure& failure);

// Writes both streams whole and returns the exit code: the answer's own, or 70 when the output could not be written. A report
// that was cut off by a full disk or a closed pipe must not look like a success.
[[nodiscard]] int deliver(const Answer& answer);

}  // namespace rd::cli
