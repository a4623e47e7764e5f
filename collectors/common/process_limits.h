// SPDX-License-Identifier: GPL-2.0-or-later
// What bounds the memory and the files of a process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/facts/value.h"
#include "core/host/host.h"

namespace rd::collectors {

inline constexpr std::string_view kLockedMemory = "Max locked memory";
inline constexpr std::string_view kOpenFiles = "Max open files";

// The soft limit, which is what the kernel compares with; nullopt: unlimited. /proc/PID/limits.
[[nodiscard]] Result<std::optional<std::int64_t>> soft_limit(const Host& host, std::int64_t pid,
                                                             std::string_view which);
// The same of a file: /proc/self/limits is what a program gets that is started from here.
[[nodiscard]] Result<std::optional<std::int64_t>> soft_limit(const Host& host, const std::string& path,
                                                             std::string_view which);

// CAP_IPC_LOCK in one of the sets ("CapEff", "CapBnd") of the text of /proc/PID/status.
[[nodiscard]] Result<bool> lists_ipc_lock(std::int64_t pid, const Result<std::string>& status, std::string_view set);

// CAP_IPC_LOCK in the initial user namespace, so that RLIMIT_MEMLOCK does not apply. `status`: the text of /proc/PID/status.
[[nodiscard]] Result<Value> has_ipc_lock(const Host& host, std::int64_t pid, const Result<std::string>& status);

}  // namespace rd::collectors
