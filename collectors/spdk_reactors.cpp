// SPDX-License-Identifier: GPL-2.0-or-later
// Reactors of SPDK: threads that poll, each on a CPU of its own. One that polls far from the adapter, shares its CPU, or is a sibling of another
// costs every queue pair it serves. Where a thread may run is what the kernel says, not the mask on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectors/common/files.h"
#include "collectors/common/processes.h"
#include "collectors/common/services.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec number(std::string_view name, std::string_view doc) {
    return {Kind::service, name, Type::integer, Nature::gauge, "", doc};
}

constexpr FactSpec kFacts[] = {
    number("reactors", "Threads reactor_N that are bound to one CPU: /proc/PID/task/TID/status"),
    number("reactors_remote", "Of these, how many run on no NUMA node of the RDMA devices it has open"),
    number("reactors_shared", "Of these, how many share their CPU with a reactor of another program"),
    number("reactors_siblings", "Of these, how many have a sibling thread of the core that is a reactor too"),
};

consteval const FactSpec& fact(std::string_view name) { return row(kFacts, Kind::service, name); }

constexpr std::size_t kMostThreads = 1024;

struct Reactors {
    const Service* service;
    Result<std::vector<int>> cpus;
};

// The CPU of each thread that polls.
Result<std::vector<int>> cpus_of(const Host& host, std::int64_t pid) {
    const std::string folder = fmt::format("/proc/{}/task", pid);
    const auto threads = host.list(folder);
    if (!threads) return tl::unexpected<Error>(threads.error());
    if (threads->size() > kMostThreads) return fail(Errc::limit, folder + ": more than 1,024 threads");
    std::vector<int> cpus;
    for (const std::string& thread : *threads) {
        const std::string path = fmt::format("{}/{}/status", folder, thread);
        const auto status = host.read(path);
        if (!status && status.error().code == Errc::not_found) continue;  // threads come and go
        if (!status) return tl::unexpected<Error>(status.error());
        const auto name = status_field(*status, "Name");
        if (!name) return fail(Errc::bad_input, path + ": no line Name");
        if (!name->starts_with("reactor_")) continue;
        const auto allowed = status_field(*status, "Cpus_allowed_list");
        if (!allowed) return fail(Errc::bad_input, path + ": no line Cpus_allowed_list");
        const auto list = parse_cpulist(*allowed);
        if (!list) return tl::unexpected<Error>(named(path, list.error()));
        if (list->size() == 1) cpus.push_back(list->front());
    }
    return cpus;
}

// CPUs of the nodes of the devices; an Error where a node is not known.
Result<std::set<int>> near_cpus(const Host& host, const Service& service) {
    std::set<int> near;
    for (const RdmaDevice& device : service.devices) {
        if (!device.pci) return tl::unexpected<Error>(device.pci.error());
        const std::string path = fmt::format("/sys/bus/pci/devices/{}/numa_node", *device.pci);
        const auto node = read_number(host, path);
        if (!node) return tl::unexpected<Error>(node.error());
        if (*node < 0) return fail(Errc::not_supported, path + ": the firmware does not say");
        const auto cpus = read_cpulist(host, fmt::format("/sys/devices/system/node/node{}/cpulist", *node));
        if (!cpus) return tl::unexpected<Error>(cpus.error());
        near.insert(cpus->begin(), cpus->end());
    }
    return near;
}

Result<Value> remote(const Host& host, const Reactors& own) {
    if (own.service->devices.empty()) return fail(Errc::not_supported, "no RDMA device that it has open is known");
    const auto near = near_cpus(host, *own.service);
    if (!near) return tl::unexpected<Error>(near.error());
    return Value(static_cast<std::int64_t>(
        std::count_if(own.cpus->begin(), own.cpus->end(), [&](int cpu) { return !near->contains(cpu); })));
}

Result<Value> siblings(const Host& host, const std::vector<int>& cpus) {
    const std::set<int> all(cpus.begin(), cpus.end());
    std::int64_t count = 0;
    for (const int cpu : all) {
        const auto list =
            read_cpulist(host, fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
        if (!list) return tl::unexpected<Error>(list.error());
        count +=
            std::any_of(list->begin(), list->end(), [&](int other) { return other != cpu && all.contains(other); });
    }
    return Value(count);
}

std::int64_t shared(const Reactors& own, const std::vector<Reactors>& all) {
    std::set<int> theirs;
    for (const Reactors& other : all) {
        if (other.service != own.service && other.cpus) theirs.insert(other.cpus->begin(), other.cpus->end());
    }
    return std::count_if(own.cpus->begin(), own.cpus->end(), [&](int cpu) { return theirs.contains(cpu); });
}

void discover(const Host& host, Plan& plan) {
    const auto found = services_of(host, "spdk");
    std::vector<Reactors> all;
    for (const Service& service : found) {
        all.push_back(
            {&service, service.pid == 0 ? fail(Errc::not_supported, "it does not run") : cpus_of(host, service.pid)});
    }
    for (const Reactors& own : all) {
        const Entity& entity = own.service->entity;
        if (!own.cpus) {
            for (const FactSpec& spec : kFacts) plan.gap(entity, spec, gap_from(own.cpus.error()));
            continue;
        }
        plan.put(entity, fact("reactors"), static_cast<std::int64_t>(own.cpus->size()));
        plan.set(entity, fact("reactors_remote"), remote(host, own));
        plan.put(entity, fact("reactors_shared"), shared(own, all));
        plan.set(entity, fact("reactors_siblings"), siblings(host, *own.cpus));
    }
}

}  // namespace

extern const Collector spdk_reactors;
constinit const Collector spdk_reactors{"spdk_reactors", kFacts, {}, Seconds(60), Rediscover::always, discover};

}  // namespace rd::collectors
