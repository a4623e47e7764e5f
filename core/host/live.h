// SPDX-License-Identifier: GPL-2.0-or-later
// The running machine, and bare directories that hold a copy of a part of one.
#pragma once

#include <memory>
#include <string>

#include "core/host/host.h"

namespace rd {

// This machine: files from "/", subjects from the kernel.
[[nodiscard]] std::unique_ptr<Host> live_host();

// The same machine, seen from a container that has its files mounted below `root`. Subjects are asked where they are those of
// the host (namespaces.h), else they are gaps "not collected" that say what the container lacks. Cannot be written.
[[nodiscard]] Result<std::unique_ptr<Host>> rooted_host(const std::string& root);

// A directory with sys/ and/or proc/ below it. Paths resolve beneath `root` (links cannot leave it); subjects are
// gaps "not collected". One moment only: nothing in it moves, so no rate may be made of it.
[[nodiscard]] Result<std::unique_ptr<Host>> tree_host(const std::string& root);

// The same for somebody who keeps watching a directory whose files change: time goes on.
[[nodiscard]] Result<std::unique_ptr<Host>> watched_tree(const std::string& root);

}  // namespace rd
