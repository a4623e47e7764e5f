// SPDX-License-Identifier: GPL-2.0-or-later
// What mail, web pages and Markdown put around a pasted text: marks of quotation ("> "), entities ("&lt;"), code blocks that are set in by four
// spaces. Of lines, clean.h takes off what terminals add.
#pragma once

#include <string>
#include <string_view>

namespace rd::ingest {

[[nodiscard]] std::string unwrapped(std::string_view text);

}  // namespace rd::ingest
