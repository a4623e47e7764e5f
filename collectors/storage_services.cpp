// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of storage systems on this host (collectors/common/services.h): which run, under which unit, whether they really use RDMA, and
// what bounds them. What their configuration files say is for the collector of each system.
#include "collectors/common/services.h"

#include <fmt/format.h>

#include "collectors/common/process_limits.h"
#include "collectors/common/processes.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::service, "name", Type::text, Nature::config, "", "What it is called here (ceph-osd.3)"},
    {Kind::service, "system", Type::text, Nature::config, "", "Storage system it belongs to: ceph, daos, 3fs, spdk …"},
    {Kind::service, "program", Type::text, Nature::config, "",
     "Program that runs: /proc/PID/status Name, /proc/PID/exe"},
    {Kind::service, "unit", Type::text, Nature::config, "", "Unit of systemd it runs under: /proc/PID/cgroup"},
    {Kind::service, "running", Type::boolean, Nature::config, "",
     "A process of it was found among the users of RDMA and in the units; false: a configuration file is all there is"},
    {Kind::service, "pid", Type::integer, Nature::config, "",
     "Number of its process, in the pid namespace of the reader"},
    {Kind::service, "age", Type::integer, Nature::gauge, "seconds",
     "How long the process runs: /proc/PID/stat starttime"},
    {Kind::service, "as_root", Type::boolean, Nature::config, "", "Its effective user is 0: /proc/PID/status Uid"},
    {Kind::service, "uses_rdma", Type::boolean, Nature::config, "",
     "Proof, not wish: its process holds a context of an RDMA device: netlink RES_CTX_GET"},
    {Kind::service, "verbs_visible", Type::boolean, Nature::config, "",
     "Its own /dev has the directory infiniband: /proc/PID/root/dev/infiniband"},
    {Kind::service, "rdma_devices", Type::integer, Nature::gauge, "", "Of how many RDMA devices it holds a context"},
    reference(Kind::service, "device", Kind::device, "First RDMA device, by id, of which it holds a context"),
    reference(Kind::service, "process", Kind::process, "Its process, where that holds a context of an RDMA device"),
    {Kind::service, "memlock_limited", Type::boolean, Nature::config, "",
     "RLIMIT_MEMLOCK bounds what it may register: /proc/PID/limits, soft limit"},
    {Kind::service, "memlock_limit", Type::integer, Nature::config, "bytes",
     "RLIMIT_MEMLOCK, soft limit; a gap when unlimited: /proc/PID/limits"},
    {Kind::service, "ipc_lock", Type::boolean, Nature::config, "",
     "CAP_IPC_LOCK in the initial user namespace, so that RLIMIT_MEMLOCK does not apply: /proc/PID/status, uid_map"},
    {Kind::service, "files_limit", Type::integer, Nature::config, "",
     "RLIMIT_NOFILE, soft limit; a gap when unlimited: /proc/PID/limits"},
    {Kind::service, "files_open", Type::integer, Nature::gauge, "", "Open files: entries of /proc/PID/fd"},
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

constexpr const FactSpec& kUnit = fact("unit");
constexpr const FactSpec& kUsesRdma = fact("uses_rdma");
constexpr const FactSpec& kRdmaDevices = fact("rdma_devices");
constexpr const FactSpec& kDevice = fact("device");
constexpr const FactSpec& kProcess = fact("process");
constexpr const FactSpec& kLimited = fact("memlock_limited");
constexpr const FactSpec& kLimit = fact("memlock_limit");

// What only a process has.
constexpr const FactSpec* kOfProcess[] = {&fact("pid"),        &fact("age"),  &fact("as_root"),  &fact("verbs_visible"),
                                          &kUsesRdma,          &kRdmaDevices, &kDevice,          &kProcess,
                                          &kLimited,           &kLimit,       &fact("ipc_lock"), &fact("files_limit"),
                                          &fact("files_open"), &kUnit};

constexpr std::int64_t kTicks = 100;  // USER_HZ of /proc, the same on every architecture that has RDMA

// Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets.
Result<Value> age_of(const Host& host, std::int64_t pid) {
    const std::string path = fmt::format("/proc/{}/stat", pid);
    const auto text = host.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    const std::size_t close = text->rfind(')');
    const auto fields = words(std::string_view(*text).substr(close == std::string::npos ? text->size() : close + 1));
    const auto start = fields.size() > 19 ? parse_counter(fields[19]) : Result<std::int64_t>(fail(Errc::bad_input, ""));
    if (!start) return fail(Errc::bad_input, path + ": no start time");
    const std::int64_t age = host.now().boot_ns / 1'000'000'000 - *start / kTicks;
    return Value(std::max<std::int64_t>(age, 0));
}

Result<Value> is_root(std::int64_t pid, const std::string& status) {
    const auto field = status_field(status, "Uid");
    const auto ids = field ? words(*field) : std::vector<std::string_view>();
    if (ids.size() < 2 || !parse_counter(ids[1]))
        return fail(Errc::bad_input, fmt::format("/proc/{}/status: no Uid", pid));
    return Value(ids[1] == "0");  // real, effective, saved, of the file system
}

void plan_use(const Service& service, const std::optional<Gap>& contexts, Plan& plan) {
    const Entity& entity = service.entity;
    if (service.devices.empty() && contexts) {
        for (const FactSpec* spec : {&kUsesRdma, &kRdmaDevices, &kDevice, &kProcess})
            plan.gap(entity, *spec, *contexts);
        return;
    }
    plan.put(entity, kUsesRdma, !service.devices.empty());
    plan.put(entity, kRdmaDevices, static_cast<std::int64_t>(service.devices.size()));
    if (service.devices.empty()) {
        const Gap gap = not_offered(fmt::format("process {} holds no context of an RDMA device", service.pid));
        plan.gap(entity, kDevice, gap);
        return plan.gap(entity, kProcess, gap);
    }
    plan.put(entity, kDevice, service.devices.front().entity);
    plan.put(entity, kProcess, Entity{Kind::process, std::to_string(service.pid)});
}

void plan_limits(const Host& host, const Service& service, Plan& plan) {
    const Entity& entity = service.entity;
    const auto unlimited = [&] { return not_offered(fmt::format("/proc/{}/limits: unlimited", service.pid)); };
    if (const auto limit = soft_limit(host, service.pid, kLockedMemory)) {
        plan.put(entity, kLimited, limit->has_value());
        *limit ? plan.put(entity, kLimit, **limit) : plan.gap(entity, kLimit, unlimited());
    } else {
        plan.gap(entity, kLimited, gap_from(limit.error()));
        plan.gap(entity, kLimit, gap_from(limit.error()));
    }
    if (const auto limit = soft_limit(host, service.pid, kOpenFiles)) {
        *limit ? plan.put(entity, fact("files_limit"), **limit) : plan.gap(entity, fact("files_limit"), unlimited());
    } else {
        plan.gap(entity, fact("files_limit"), gap_from(limit.error()));
    }
    const auto open = host.list(fmt::format("/proc/{}/fd", service.pid));
    plan.set(entity, fact("files_open"),
             open.map([](const auto& names) { return Value(static_cast<std::int64_t>(names.size())); }));
}

// A unit with PrivateDevices= and a container have a /dev of their own.
Result<Value> sees_verbs(const Host& host, std::int64_t pid) {
    const auto names = host.list(fmt::format("/proc/{}/root/dev/infiniband", pid));
    if (names) return Value(!names->empty());
    if (names.error().code == Errc::not_found) return Value(false);
    return tl::unexpected<Error>(names.error());
}

void plan_process(const Host& host, const Service& service, const std::optional<Gap>& contexts, Plan& plan) {
    const Entity& entity = service.entity;
    plan.put(entity, fact("pid"), service.pid);
    plan.set(entity, fact("age"), age_of(host, service.pid));
    plan.set(entity, fact("as_root"), is_root(service.pid, *service.status));
    plan.set(entity, fact("ipc_lock"), has_ipc_lock(host, service.pid, service.status));
    plan.set(entity, fact("verbs_visible"), sees_verbs(host, service.pid));
    plan_use(service, contexts, plan);
    plan_limits(host, service, plan);
    if (service.unit && service.unit->empty()) {
        plan.gap(entity, kUnit, not_offered(fmt::format("/proc/{}/cgroup: no unit of systemd", service.pid)));
    } else {
        plan.set(entity, kUnit, service.unit.map([](const std::string& unit) { return Value(unit); }));
    }
}

void discover(const Host& host, Plan& plan) {
    const Services all = services(host);
    // Without either way a service that runs cannot be told from one that is not there.
    if (all.contexts && all.units) plan.kind_gap(Kind::service, *all.contexts);
    for (const Service& service : all.found) {
        const Entity& entity = service.entity;
        plan.put(entity, fact("name"), entity.id);
        plan.put(entity, fact("system"), std::string(service.system->name));
        if (service.program.empty()) {
            plan.gap(entity, fact("program"), not_offered("nothing of it runs, as far as was looked"));
        } else {
            plan.put(entity, fact("program"), service.program);
        }
        if (service.pid != 0) {
            plan.put(entity, fact("running"), true);
            plan_process(host, service, all.contexts, plan);
            continue;
        }
        const std::optional<Gap>& blind = all.contexts ? all.contexts : all.units;
        blind ? plan.gap(entity, fact("running"), *blind) : plan.put(entity, fact("running"), false);
        const Gap gap = blind.value_or(not_offered("it does not run, as far as was looked"));
        for (const FactSpec* spec : kOfProcess) {
            if (spec != &kUsesRdma || blind) plan.gap(entity, *spec, gap);
        }
        if (!blind) plan.put(entity, kUsesRdma, false);  // what does not run uses nothing
    }
}

}  // namespace

extern const Collector storage_services;
constinit const Collector storage_services{"storage_services", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
