// SPDX-License-Identifier: GPL-2.0-or-later
// The name of a device or an interface of a text that shows one and does not name it. No name of the kernel's is like it.
#pragma once

#include <string_view>

namespace rd {

inline constexpr std::string_view kUnnamed = "unnamed";

}  // namespace rd
