// SPDX-License-Identifier: GPL-2.0-or-later
// How much memory the processes that use RDMA may register, and how much they have: registered memory is pinned, and counts against
// RLIMIT_MEMLOCK unless the process has CAP_IPC_LOCK. And how many files they may open: each event channel is one.
#include <fmt/format.h>

#include "collectors/common/files.h"
#include "collectors/common/process_limits.h"
#include "collectors/common/processes.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::process, "memlock_limited", Type::boolean, Nature::config, "",
     "RLIMIT_MEMLOCK bounds what it may register: /proc/PID/limits, soft limit"},
    {Kind::process, "memlock_limit", Type::integer, Nature::config, "bytes",
     "RLIMIT_MEMLOCK, soft limit; a gap when unlimited: /proc/PID/limits"},
    {Kind::process, "ipc_lock", Type::boolean, Nature::config, "",
     "CAP_IPC_LOCK in the initial user namespace, so that RLIMIT_MEMLOCK does not apply: /proc/PID/status, uid_map"},
    {Kind::process, "ipc_lock_inert", Type::boolean, Nature::config, "",
     "It was allowed to have CAP_IPC_LOCK, and has it not: in the bounding set of /proc/PID/status, not the effective "
     "one"},
    {Kind::process, "root", Type::boolean, Nature::config, "",
     "It runs as user 0: /proc/PID/status Uid, the effective one"},
    {Kind::process, "fds", Type::integer, Nature::gauge, "files", "Files it has open: /proc/PID/fd"},
    {Kind::process, "fd_limit", Type::integer, Nature::config, "files",
     "Files it may open, soft limit; a gap when unlimited: /proc/PID/limits"},
    {Kind::process, "pinned", Type::integer, Nature::gauge, "bytes",
     "Memory pinned, nearly all by RDMA registration: /proc/PID/status VmPin"},
    {Kind::host, "shell_memlock_limited", Type::boolean, Nature::config, "",
     "RLIMIT_MEMLOCK bounds what programs started from where this was asked may register: /proc/self/limits, ulimit "
     "-l"},
    {Kind::host, "shell_memlock_limit", Type::integer, Nature::config, "bytes",
     "That limit; a gap when unlimited: /proc/self/limits, ulimit -l"},
    {Kind::host, "shell_open_files", Type::integer, Nature::config, "files",
     "Files that programs started from where this was asked may open: /proc/self/limits, ulimit -n"},
};

struct Limit {
    const FactSpec* limited;  // nullptr: only the number is told
    const FactSpec& limit;
    std::string_view which;
};
constexpr Limit kOfProcess[] = {
    {&row(kFacts, Kind::process, "memlock_limited"), row(kFacts, Kind::process, "memlock_limit"), kLockedMemory},
    {nullptr, row(kFacts, Kind::process, "fd_limit"), kOpenFiles},
};
constexpr Limit kOfShell[] = {
    {&row(kFacts, Kind::host, "shell_memlock_limited"), row(kFacts, Kind::host, "shell_memlock_limit"), kLockedMemory},
    {nullptr, row(kFacts, Kind::host, "shell_open_files"), kOpenFiles},
};

void plan_limits(const Host& host, const std::string& path, const Entity& entity, std::span<const Limit> limits,
                 Plan& plan) {
    for (const Limit& one : limits) {
        const auto soft = soft_limit(host, path, one.which);
        if (!soft) {
            if (one.limited != nullptr) plan.gap(entity, *one.limited, gap_from(soft.error()));
            plan.gap(entity, one.limit, gap_from(soft.error()));
            continue;
        }
        if (one.limited != nullptr) plan.put(entity, *one.limited, soft->has_value());
        if (*soft) {
            plan.put(entity, one.limit, **soft);
        } else {
            plan.gap(entity, one.limit, not_offered(path + ": unlimited"));
        }
    }
}

Result<Value> ipc_lock_inert(const RdmaProcess& process) {
    const auto effective = lists_ipc_lock(process.pid, process.status, "CapEff"),
               allowed = lists_ipc_lock(process.pid, process.status, "CapBnd");
    if (!effective) return tl::unexpected<Error>(effective.error());
    if (!allowed) return tl::unexpected<Error>(allowed.error());
    return Value(*allowed && !*effective);
}

// "Uid:	1000	1000	1000	1000": real, effective, saved, of files.
Result<Value> is_root(const RdmaProcess& process) {
    if (!process.status) return tl::unexpected<Error>(process.status.error());
    const std::string path = fmt::format("/proc/{}/status", process.pid);
    const auto field = status_field(*process.status, "Uid");
    if (!field) return tl::unexpected<Error>(named(path, field.error()));
    const auto users = words(*field);
    if (users.size() != 4) return fail(Errc::bad_input, path + ": not four users: '" + printable(*field) + "'");
    return Value(users[1] == "0");
}

Result<Value> pinned_bytes(const RdmaProcess& process) {
    if (!process.status) return tl::unexpected<Error>(process.status.error());
    const std::string path = fmt::format("/proc/{}/status", process.pid);
    const auto field = status_field(*process.status, "VmPin");
    if (!field) return tl::unexpected<Error>(named(path, field.error()));
    const auto bytes = parse_size(*field);
    if (!bytes) return tl::unexpected<Error>(named(path, bytes.error()));
    return Value(*bytes);
}

void discover(const Host& host, Plan& plan) {
    plan_limits(host, "/proc/self/limits", {Kind::host, ""}, kOfShell, plan);
    const RdmaProcesses processes = rdma_processes(host);
    if (processes.gap) plan.kind_gap(Kind::process, *processes.gap);
    for (const RdmaProcess& process : processes.found) {
        plan_limits(host, fmt::format("/proc/{}/limits", process.pid), process.entity, kOfProcess, plan);
        plan.set(process.entity, row(kFacts, Kind::process, "ipc_lock"),
                 has_ipc_lock(host, process.pid, process.status));
        plan.set(process.entity, row(kFacts, Kind::process, "ipc_lock_inert"), ipc_lock_inert(process));
        plan.set(process.entity, row(kFacts, Kind::process, "root"), is_root(process));
        plan.set(process.entity, row(kFacts, Kind::process, "fds"),
                 host.list(fmt::format("/proc/{}/fd", process.pid)).map([](const std::vector<std::string>& files) {
                     return Value(static_cast<std::int64_t>(files.size()));
                 }));
        plan.set(process.entity, row(kFacts, Kind::process, "pinned"), pinned_bytes(process));
    }
}

}  // namespace

extern const Collector limits;
constinit const Collector limits{"limits", kFacts, {}, Seconds(1), Rediscover::always, discover};

}  // namespace rd::collectors
