// SPDX-License-Identifier: GPL-2.0-or-later
// Listening sockets for who is not started by a socket unit.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/host/descriptor.h"

namespace rd::daemon {

// Mode 0660; `group` owns it, or whoever the process belongs to where it is empty. A socket that nobody listens on any more is replaced,
// one that somebody listens on is an Error, and so is a file that is no socket.
[[nodiscard]] Result<Descriptor> listen_unix(const std::string& path, const std::string& group);
// The same with mode 0600: for the user the process belongs to, and for root.
[[nodiscard]] Result<Descriptor> listen_private(const std::string& path);
// 127.0.0.1 only.
[[nodiscard]] Result<Descriptor> listen_loopback(std::uint16_t port);

}  // namespace rd::daemon
