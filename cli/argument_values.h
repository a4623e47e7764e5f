// SPDX-License-Identifier: GPL-2.0-or-later
// Values as they are typed on the command line. Parsed by the same functions as configuration and rules, so that "10s" means one thing
// everywhere. Apart from arguments.cpp, which is slow to compile.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace rd::cli {

// Stores the value; gives what is wrong with it, else nothing.
using ParseValue = std::function<std::string(const std::string&)>;

[[nodiscard]] ParseValue duration_into(std::chrono::nanoseconds& target, std::chrono::nanoseconds least,
                                       bool zero_allowed);
[[nodiscard]] std::string not_empty(const std::string& text);
// "no such style 'xml'; did you mean …?", or all there are.
[[nodiscard]] std::string no_such(std::string_view what, std::string_view typed,
                                  const std::vector<std::string_view>& known);
[[nodiscard]] std::string take_kind(const std::string& text, Kind& into);
[[nodiscard]] std::string take_style(const std::string& text, Style& into);
[[nodiscard]] std::string take_likeness(const std::string& text, Likeness& into);
[[nodiscard]] std::string take_severity(const std::string& text, Severity& into);
// A time, or how long ago it is: "2h", "now".
[[nodiscard]] std::string take_moment(const std::string& text, Moment& into);

}  // namespace rd::cli
