// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a program may be run with the daemon's rights: nobody but root and the user of this process can have put it there or changed it.
#pragma once

#include <string>

#include "core/base/result.h"

namespace rd::daemon {

// It is a file that this process may execute, absolute, and from "/" on every directory, symbolic link and the file itself belong to root
// or to the user of this process and are writable for nobody else. A sticky directory (/tmp) may be: in it others can add names, but not
// replace one that is not theirs. The Error names what stands in the way, and the command that mends it.
[[nodiscard]] Result<> check_program(const std::string& path);

}  // namespace rd::daemon
