// SPDX-License-Identifier: GPL-2.0-or-later
// The running machine, and bare directories that hold a copy of a part of one.
#pragma once

#include <memory>
#include <string>

#include "core/host/host.h"

namespace rd {

// This machine: files from "/", subjects from the kernel.
[[nodiscard]] std::unique_ptr<Host> live_host();

// A directory with sys/ and/or proc/ below it. Paths resolve beneath `root` (links cannot leave it); subjects are
// gaps "not collected". One moment only: nothing in it moves, so no rate may be made of it.
[[nodiscard]] Result<std::unique_ptr<Host>> tree_host(const std::string& root);

}  // namespace rd
