// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <iostream>

namespace rd::cli {
namespace {

constexpr int kNarrowest = 40;
constexpr int kWidest = 120;  // prose in longer lines is hard to read

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

Terminal this_terminal() {
    Terminal terminal;
    if (std::setlocale(LC_CTYPE, "") != nullptr) terminal.utf8 = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
    if (::isatty(STDOUT_FILENO) == 0) return terminal;
    terminal.colour = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.width = std::clamp(static_cast<int>(size.ws_col), kNarrowest, kWidest);
    }
    return terminal;
}

void Progress::show(std::string_view text) {
    if (!visible_) return;
    std::cerr << "\r\x1b[K" << text << std::flush;
    shown_ = true;
}

void Progress::clear() {
    if (!shown_) return;
    std::cerr << "\r\x1b[K" << std::flush;
    shown_ = false;
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0 && variable("TERM") != "dumb"; }

}  // namespace rd::cli
