// SPDX-License-Identifier: GPL-2.0-or-later
// NUMA nodes, and where the processes that use RDMA may run: far from the adapter every access crosses the link between sockets.
//
// Processes come and go, so they are looked for in each sweep, and what /proc says of them is read at once: a process that ended
// meanwhile is no entity and no error.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectors/common/processes.h"
#include "collectors/common/table.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::numa, "name", Type::text, Nature::config, "", "Name of the node (node0)"},
    {Kind::numa, "cpus", Type::text, Nature::config, "",
     "Its CPUs (0-15,64-79): /sys/devices/system/node/nodeN/cpulist"},
    {Kind::numa, "cpu_count", Type::integer, Nature::config, "", "How many CPUs it has; memory-only nodes have none"},
    {Kind::process, "name", Type::text, Nature::config, "", "Command and pid (rcpair (4242)): /proc/PID/status"},
    {Kind::process, "pid", Type::integer, Nature::config, "", "Process id, in the pid namespace of the reader"},
    reference(Kind::process, "device", Kind::device, "The RDMA device it uses, the first by id: netlink RES_CTX_GET"),
    {Kind::process, "devices", Type::integer, Nature::gauge, "", "How many RDMA devices it has open"},
    {Kind::process, "cpus_allowed", Type::text, Nature::config, "",
     "CPUs it may run on: /proc/PID/status Cpus_allowed_list"},
    {Kind::process, "cpus_local", Type::boolean, Nature::config, "",
     "Some CPU it may run on lies on the NUMA node of one of its devices; true where there is one node only"},
    reference(Kind::process, "nic_node", Kind::numa, "NUMA node of the first of its devices whose node is known"),
};

constexpr std::string_view kNodes = "/sys/devices/system/node";

constexpr const FactSpec& kAllowed = row(kFacts, Kind::process, "cpus_allowed");
constexpr const FactSpec& kLocal = row(kFacts, Kind::process, "cpus_local");
constexpr const FactSpec& kNicNode = row(kFacts, Kind::process, "nic_node");

using Cpus = Result<std::vector<int>>;

struct Nodes {
    std::map<std::int64_t, Cpus> cpus;
    std::optional<Error> error;  // they could not be listed
};

Result<std::vector<int>> cpus_of(const std::string& path, const Result<std::string>& text) {
    if (!text) return tl::unexpected<Error>(text.error());
    auto cpus = parse_cpulist(*text);
    if (!cpus) cpus.error().what = path + ": " + cpus.error().what;
    return cpus;
}

Nodes plan_nodes(const Host& host, Plan& plan) {
    Nodes nodes;
    const auto names = list_subsystem(host, kNodes, "/sys/devices/system");  // without NUMA none, and all is near
    if (!names) {
        plan.kind_gap(Kind::numa, gap_from(names.error()));
        nodes.error = names.error();
        return nodes;
    }
    for (const std::string& name : *names) {
        const auto number =
            name.starts_with("node") ? parse_counter(std::string_view(name).substr(4)) : Result<std::int64_t>(-1);
        if (!number || *number < 0) continue;  // "online", "possible" …
        const std::string path = fmt::format("{}/{}/cpulist", kNodes, name);
        const auto text = host.read(path);
        const Cpus cpus = cpus_of(path, text);
        const Entity node = numa_entity(*number);
        plan.put(node, row(kFacts, Kind::numa, "name"), name);
        plan.set(node, row(kFacts, Kind::numa, "cpu_count"),
                 cpus.map([](const auto& list) { return Value(static_cast<std::int64_t>(list.size())); }));
        const FactSpec& list = row(kFacts, Kind::numa, "cpus");
        if (cpus && cpus->empty()) {
            plan.gap(node, list, not_offered(path + ": a node without CPUs"));
        } else {
            plan.set(node, list, cpus.map([&](const auto&) { return Value(std::string(trim(*text))); }));
        }
        nodes.cpus.emplace(*number, cpus);
    }
    return nodes;
}

// NUMA node of the function of each device that says one. A text may show the node and not the address.
std::vector<std::int64_t> nodes_of(const Host& host, const RdmaProcess& process) {
    std::vector<std::int64_t> nodes;
    for (const RdmaDevice& device : process.devices) {
        const auto text = host.read(device.pci ? fmt::format("/sys/bus/pci/devices/{}/numa_node", *device.pci)
                                               : device.path + "/device/numa_node");
        const auto node = text ? parse_integer(*text) : Result<std::int64_t>(-1);
        if (node && *node >= 0) nodes.push_back(*node);
    }
    return nodes;
}

Result<Value> is_local(const Nodes& nodes, const std::vector<std::int64_t>& near, const Cpus& allowed) {
    if (nodes.error) return tl::unexpected<Error>(*nodes.error);
    if (nodes.cpus.size() < 2) return Value(true);
    if (near.empty()) return fail(Errc::not_supported, "the NUMA node of none of its devices is known");
    if (!allowed) return tl::unexpected<Error>(allowed.error());
    for (const std::int64_t node : near) {
        const auto found = nodes.cpus.find(node);
        if (found == nodes.cpus.end()) return fail(Errc::not_supported, fmt::format("{}: no node{}", kNodes, node));
        if (!found->second) return tl::unexpected<Error>(found->second.error());
        const std::vector<int>& cpus = *found->second;
        const bool any = std::any_of(allowed->begin(), allowed->end(),
                                     [&](int cpu) { return std::binary_search(cpus.begin(), cpus.end(), cpu); });
        if (any) return Value(true);
    }
    return Value(false);
}

Result<std::string> field_of(const RdmaProcess& process, std::string_view key) {
    if (!process.status) return tl::unexpected<Error>(process.status.error());
    auto field = status_field(*process.status, key);
    if (!field) return fail(field.error().code, fmt::format("/proc/{}/status: {}", process.pid, field.error().what));
    return std::string(*field);
}

void plan_process(const Host& host, const RdmaProcess& process, const Nodes& nodes, Plan& plan) {
    const Entity& entity = process.entity;
    const auto command = field_of(process, "Name");
    const auto label = command ? as_label(*command) : Result<Value>(tl::unexpected<Error>(command.error()));
    plan.put(entity, row(kFacts, Kind::process, "name"),
             fmt::format("{} ({})", label ? std::get<std::string>(*label) : "process", process.pid));
    plan.put(entity, row(kFacts, Kind::process, "pid"), process.pid);
    plan.put(entity, row(kFacts, Kind::process, "device"), process.devices.front().entity);
    plan.put(entity, row(kFacts, Kind::process, "devices"), static_cast<std::int64_t>(process.devices.size()));

    const auto allowed = field_of(process, "Cpus_allowed_list");
    const Cpus cpus = cpus_of(fmt::format("/proc/{}/status", process.pid), allowed);
    plan.set(entity, kAllowed, cpus.map([&](const auto&) { return Value(*allowed); }));
    const auto near = nodes_of(host, process);
    plan.set(entity, kLocal, is_local(nodes, near, cpus));
    if (near.empty()) {
        plan.gap(entity, kNicNode, not_offered("the NUMA node of none of its devices is known"));
    } else {
        plan.put(entity, kNicNode, numa_entity(near.front()));
    }
}

void discover(const Host& host, Plan& plan) {
    const Nodes nodes = plan_nodes(host, plan);
    const RdmaProcesses processes = rdma_processes(host);
    if (processes.gap) plan.kind_gap(Kind::process, *processes.gap);
    for (const RdmaProcess& process : processes.found) plan_process(host, process, nodes, plan);
}

}  // namespace

extern const Collector numa;
constinit const Collector numa{"numa", kFacts, {}, Seconds(1), Rediscover::always, discover};

}  // namespace rd::collectors
