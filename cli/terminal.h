// SPDX-License-Identifier: GPL-2.0-or-later
// What a person sits in front of. Asked once, then passed on as a value, so that rendering is the same in a test.
#pragma once

#include <string>
#include <string_view>

namespace rd::cli {

struct Terminal {
    int width = 100;      // of a file or pipe too: reports are pasted into tickets
    bool colour = false;  // a terminal, and NO_COLOR is not set
    bool utf8 = false;    // else ASCII only
};

// Of standard output. Reads NO_COLOR, TERM and the locale.
[[nodiscard]] Terminal this_terminal();

// One line on standard error that is overwritten and leaves no trace; nothing where standard error is no terminal.
class Progress {
public:
    explicit Progress(bool visible) : visible_(visible) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::string_view text);
    void clear();

private:
    bool visible_;
    bool shown_ = false;
};

[[nodiscard]] bool stderr_is_terminal();

}  // namespace rd::cli
