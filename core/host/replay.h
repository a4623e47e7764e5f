// SPDX-License-Identifier: GPL-2.0-or-later
// How a recorded moment answers. A replayed bundle and the in-memory host of the unit tests use the same functions, so
// that a test sees what a user's bundle would give.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/host/bundle.h"

namespace rd {

// A name that was never asked when the bundle was made is not_collected: nobody knows whether the host had it.
[[nodiscard]] Result<> answer_read(const Moment& moment, std::string_view name, Buffer& into);
// A directory that was not listed holds what lies below it in the moment, links and directories too.
[[nodiscard]] Result<std::vector<std::string>> answer_list(const Moment& moment, std::string_view path);
[[nodiscard]] Result<std::string> answer_link(const Moment& moment, std::string_view path);

}  // namespace rd
