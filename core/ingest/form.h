// SPDX-License-Identifier: GPL-2.0-or-later
// Forms: what a pasted command output looks like, and what it says of the host. One file in core/ingest/forms/ per family of
// commands; the name of the file is the registration (cmake/rooms.cmake), as with collectors.
//
// A form only translates. It writes the answer that the live host would have given (core/host/subjects.h, files of /sys and /proc)
// and judges nothing; what the text does not say it leaves out. Every function here must be total: any bytes may come.
//
// How a text is cut into sections: line by line. A prompt with a command, a heading, or the fence of a code block ends what is
// open. A line that the open section's form `continues` belongs to it. Else a form that `prints` the command of the block and
// `continues` an empty section of it opens one, else the form whose `begins` is surest. Empty lines belong to the section when the
// line after them does. What no form takes is looked at as a log line, and else counts as not understood.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace rd::ingest {

class Answers;  // answers.h

// One simple command. What runs another one (sudo, time, watch, timeout, nice, taskset, numactl, env, ip netns exec, ssh HOST,
// kubectl exec … --, docker exec …) is taken off.
struct Command {
    std::string text;                    // as typed, whole
    std::string program;                 // without its folder; empty: the text does not show a command
    std::vector<std::string> arguments;  // words behind the program, unquoted, up to the first | ; & > <
    std::vector<std::string> filters;    // the further members of the pipeline: "grep -E pause"

    [[nodiscard]] explicit operator bool() const { return !program.empty(); }
    [[nodiscard]] bool is(std::string_view name) const { return program == name; }
    [[nodiscard]] bool has(std::string_view argument) const;
    // A one-letter option, alone or among others: 'S' in "-S", "-vS".
    [[nodiscard]] bool has_option(char letter) const;
    // The n-th argument that is no option, from 0; empty when there are fewer.
    [[nodiscard]] std::string_view operand(std::size_t n) const;
    // The argument behind `option`: "-d mlx5_0", "--dev=mlx5_0", "dev eth0"; empty when there is none.
    [[nodiscard]] std::string_view after(std::string_view option) const;
};

struct Section {
    Command command;
    std::string file;            // its name within an archive ("sos_commands/networking/ethtool_-S_eth0"); else empty
    std::size_t first_line = 0;  // number of lines[0], or of the prompt when there are none
    std::vector<std::string>
        lines;          // without colour codes, CR, BOM; non-breaking spaces are spaces; trailing space cut
    bool first = true;  // of its command: nothing stands between the prompt and lines[0]

    [[nodiscard]] bool empty() const { return lines.empty(); }
    [[nodiscard]] std::string_view last() const {
        return lines.empty() ? std::string_view() : std::string_view(lines.back());
    }
};

struct Line {
    std::string_view text;
    bool after_blank = false;  // an empty line stands before it

    [[nodiscard]] std::string_view trimmed() const { return trim(text); }
};

// How sure a form is that this line begins one of its outputs, with no command to say so.
enum class Fit : int {
    none = 0,
    weak = 1,  // it looks like it, and like other things: "name: number"
    fair = 2,  // words that hardly anything else prints
    sure = 3,  // a heading or a key that only this command prints
};

struct Form {
    std::string_view name;  // as the report says it: "ethtool -S"
    // What to paste when it is missing; empty: nothing to recommend. "ethtool -S IF"
    std::string_view paste;
    // Whether this command prints this form. nullptr: no command does.
    bool (*prints)(const Command& command);
    // ahead[0] is the line in question; up to kAhead - 1 lines behind it may help. nullptr: never without its command.
    Fit (*begins)(std::span<const std::string_view> ahead);
    // Whether `line` belongs to the section, which may be empty when its command is known.
    bool (*continues)(const Section& section, const Line& line);
    // With no lines only when `silence` is set.
    void (*parse)(const Section& section, Answers& answers);
    // A command that printed nothing says something ("lsmod | grep peermem").
    bool silence = false;
};

inline constexpr std::size_t kAhead = 12;

// Defined by the generated list: every `extern const std::span<const Form> NAME` of core/ingest/forms/NAME.cpp.
[[nodiscard]] std::span<const std::span<const Form>> all_forms();

}  // namespace rd::ingest
