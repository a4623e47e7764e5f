// SPDX-License-Identifier: GPL-2.0-or-later
// How much memory the processes that use RDMA may register, and how much they have: registered memory is pinned, and counts against
// RLIMIT_MEMLOCK unless the process has CAP_IPC_LOCK.
#include <fmt/format.h>

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
    {Kind::process, "pinned", Type::integer, Nature::gauge, "bytes",
     "Memory pinned, nearly all by RDMA registration: /proc/PID/status VmPin"},
};

constexpr const FactSpec& kLimited = row(kFacts, Kind::process, "memlock_limited");
constexpr const FactSpec& kLimit = row(kFacts, Kind::process, "memlock_limit");

constexpr unsigned kIpcLock = 14;  // CAP_IPC_LOCK

Error named(const std::string& path, Error error) {
    error.what = path + ": " + error.what;
    return error;
}

// "Max locked memory         8388608              8388608              bytes"; the soft limit is what counts.
Result<std::string> soft_limit(std::string_view text) {
    constexpr std::string_view kLine = "Max locked memory";
    for (const std::string_view line : lines(text)) {
        if (!line.starts_with(kLine)) continue;
        const auto fields = words(line.substr(kLine.size()));
        if (fields.size() != 3) return fail(Errc::bad_input, "not a limit: '" + printable(line) + "'");
        return std::string(fields[0]);
    }
    return fail(Errc::bad_input, "no line \"Max locked memory\"");
}

void plan_limit(const Host& host, const RdmaProcess& process, Plan& plan) {
    const std::string path = fmt::format("/proc/{}/limits", process.pid);
    const auto both = [&](const Error& error) {
        plan.gap(process.entity, kLimited, gap_from(error));
        plan.gap(process.entity, kLimit, gap_from(error));
    };
    const auto text = host.read(path);
    if (!text) return both(text.error());
    const auto soft = soft_limit(*text);
    if (!soft) return both(named(path, soft.error()));
    if (*soft == "unlimited") {
        plan.put(process.entity, kLimited, false);
        return plan.gap(process.entity, kLimit, not_offered(path + ": unlimited"));
    }
    const auto bytes = parse_counter(*soft);
    if (!bytes) return both(named(path, bytes.error()));
    plan.put(process.entity, kLimited, true);
    plan.put(process.entity, kLimit, *bytes);
}

// Root of a container has the capability in its own user namespace only, and the kernel asks for it in the initial one.
Result<Value> has_ipc_lock(const Host& host, const RdmaProcess& process) {
    if (!process.status) return tl::unexpected<Error>(process.status.error());
    const std::string path = fmt::format("/proc/{}/status", process.pid);
    const auto field = status_field(*process.status, "CapEff");
    if (!field) return tl::unexpected<Error>(named(path, field.error()));
    const auto capabilities = parse_hex(*field);
    if (!capabilities) return tl::unexpected<Error>(named(path, capabilities.error()));
    if ((*capabilities >> kIpcLock & 1u) == 0) return Value(false);
    const std::string map_path = fmt::format("/proc/{}/uid_map", process.pid);
    const auto map = host.read(map_path);
    if (!map) return tl::unexpected<Error>(map.error());
    const auto fields = words(*map);
    if (fields.size() < 3) return fail(Errc::bad_input, map_path + ": not a map: '" + printable(*map) + "'");
    return Value(fields.size() == 3 && fields[0] == "0" && fields[1] == "0" && fields[2] == "4294967295");
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
    const RdmaProcesses processes = rdma_processes(host);
    if (processes.gap) plan.kind_gap(Kind::process, *processes.gap);
    for (const RdmaProcess& process : processes.found) {
        plan_limit(host, process, plan);
        plan.set(process.entity, row(kFacts, Kind::process, "ipc_lock"), has_ipc_lock(host, process));
        plan.set(process.entity, row(kFacts, Kind::process, "pinned"), pinned_bytes(process));
    }
}

}  // namespace

extern const Collector limits;
constinit const Collector limits{"limits", kFacts, {}, Seconds(1), Rediscover::always, discover};

}  // namespace rd::collectors
