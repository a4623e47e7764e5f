// SPDX-License-Identifier: GPL-2.0-or-later
#include "collectors/common/process_limits.h"

#include <fmt/format.h>

#include "collectors/common/files.h"
#include "collectors/common/processes.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr unsigned kIpcLock = 14;  // CAP_IPC_LOCK

// "Max locked memory         8388608              8388608              bytes"; the soft limit is what counts.
Result<std::string> soft_limit_in(std::string_view text, std::string_view which) {
    for (const std::string_view line : lines(text)) {
        if (!line.starts_with(which)) continue;
        const auto fields = words(line.substr(which.size()));
        if (fields.size() != 3) return fail(Errc::bad_input, "not a limit: '" + printable(line) + "'");
        return std::string(fields[0]);
    }
    return fail(Errc::bad_input, fmt::format("no line \"{}\"", which));
}

}  // namespace

Result<std::optional<std::int64_t>> soft_limit(const Host& host, std::int64_t pid, std::string_view which) {
    return soft_limit(host, fmt::format("/proc/{}/limits", pid), which);
}

Result<std::optional<std::int64_t>> soft_limit(const Host& host, const std::string& path, std::string_view which) {
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto soft = soft_limit_in(*text, which);
    if (!soft) return tl::unexpected<Error>(named(path, soft.error()));
    if (*soft == "unlimited") return std::optional<std::int64_t>();
    const auto number = parse_counter(*soft);
    if (!number) return tl::unexpected<Error>(named(path, number.error()));
    return std::optional<std::int64_t>(*number);
}

Result<bool> lists_ipc_lock(std::int64_t pid, const Result<std::string>& status, std::string_view set) {
    if (!status) return tl::unexpected<Error>(status.error());
    const std::string path = fmt::format("/proc/{}/status", pid);
    const auto field = status_field(*status, set);
    if (!field) return tl::unexpected<Error>(named(path, field.error()));
    const auto capabilities = parse_hex(*field);
    if (!capabilities) return tl::unexpected<Error>(named(path, capabilities.error()));
    return (*capabilities >> kIpcLock & 1u) != 0;
}

// Root of a container has the capability in its own user namespace only, and the kernel asks for it in the initial one.
Result<Value> has_ipc_lock(const Host& host, std::int64_t pid, const Result<std::string>& status) {
    const auto effective = lists_ipc_lock(pid, status, "CapEff");
    if (!effective) return tl::unexpected<Error>(effective.error());
    if (!*effective) return Value(false);
    const std::string map_path = fmt::format("/proc/{}/uid_map", pid);
    const auto map = host.read(map_path);
    if (!map) return tl::unexpected<Error>(map.error());
    const auto fields = words(*map);
    if (fields.size() < 3) return fail(Errc::bad_input, map_path + ": not a map: '" + printable(*map) + "'");
    return Value(fields.size() == 3 && fields[0] == "0" && fields[1] == "0" && fields[2] == "4294967295");
}

}  // namespace rd::collectors
