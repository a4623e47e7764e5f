// SPDX-License-Identifier: GPL-2.0-or-later
// Foreign text made fit to be shown. A name, a file in sysfs or a log line may hold any byte: those that would steer a terminal,
// forge a line of a report, or are not allowed in XML are shown as \xNN instead. Everything that is printed for people passes
// through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rd {

// Length of the well-formed UTF-8 sequence at the front of `text`, which is not empty; 0 when there is none. Surrogates, overlong
// forms and what lies beyond U+10FFFF are not well-formed.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// Text of several lines: line ends stay, tabs become spaces.
[[nodiscard]] std::string harmless(std::string_view text);
// A name, a value, a title: a line end in it is shown as well.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace rd
