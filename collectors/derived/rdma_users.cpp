// SPDX-License-Identifier: GPL-2.0-or-later
// What several users of RDMA on one host come to together: how they mark their traffic, and how much memory they hold.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "collectors/common/mounts.h"
#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::host, "traffic_classes", Type::text, Nature::config, "",
     "Which users of RDMA mark their traffic how, as far as it is known (lustre=106 nccl=0), or none: module options, "
     "variables, configuration files of what runs"},
    {Kind::host, "dscps_in_use", Type::integer, Nature::config, "", "Different DSCPs among traffic_classes"},
    {Kind::host, "pinned_by_processes", Type::integer, Nature::gauge, "bytes",
     "Memory that users of RDMA have pinned, added: process.pinned"},
};
constexpr const FactSpec& kClasses = row(kFacts, Kind::host, "traffic_classes");
constexpr const FactSpec& kDscps = row(kFacts, Kind::host, "dscps_in_use");
constexpr const FactSpec& kPinned = row(kFacts, Kind::host, "pinned_by_processes");

constexpr std::array<std::string_view, 13> kReads{"host.ko2iblnd_tos",
                                                  "host.beegfs_tos",
                                                  "host.beegfs_rdma_connections",
                                                  "process.env_nccl",
                                                  "process.env_nccl_tc",
                                                  "process.env_ucx_traffic_class",
                                                  "process.env_mooncake",
                                                  "process.env_mc_tc",
                                                  "process.qps",
                                                  "process.pinned",
                                                  "service.system",
                                                  "service.uses_rdma",
                                                  "service.declared_ms_async_rdma_dscp"};

const Entity kHost{Kind::host, ""};

using Classes = std::map<std::string, std::int64_t>;  // user → traffic class

bool is_unset(const Snapshot& snapshot, const Entity& entity, std::string_view fact) {
    const Reading& reading = snapshot.get(entity, fact);
    return !reading && reading.error().kind == GapClass::not_offered;
}

// What a library marks: the variable, 0 when it is not set.
void add_library(const Snapshot& snapshot, const Entity& process, const std::string& name, std::string_view uses,
                 std::string_view variable, Classes& classes) {
    if (snapshot.boolean(process, uses) != true) return;
    if (const auto set = snapshot.integer(process, variable)) {
        classes.emplace(name, *set);
    } else if (is_unset(snapshot, process, variable)) {
        classes.emplace(name, 0);
    }
}

Classes classes_of(const Snapshot& snapshot) {
    Classes classes;
    if (const auto tos = snapshot.integer(kHost, "ko2iblnd_tos"); tos && *tos >= 0) classes.emplace("lustre", *tos);
    const auto beegfs = snapshot.integer(kHost, "beegfs_tos");
    if (beegfs && snapshot.integer(kHost, "beegfs_rdma_connections").value_or(0) > 0)
        classes.emplace("beegfs", *beegfs);
    for (const Entity& process : snapshot.entities(Kind::process)) {
        if (snapshot.integer(process, "qps").value_or(0) == 0) continue;
        add_library(snapshot, process, "nccl", "env_nccl", "env_nccl_tc", classes);
        add_library(snapshot, process, "mooncake", "env_mooncake", "env_mc_tc", classes);
        if (const auto ucx = snapshot.integer(process, "env_ucx_traffic_class")) classes.emplace("ucx", *ucx);
    }
    for (const Entity& service : snapshot.entities(Kind::service)) {
        const auto ceph = snapshot.integer(service, "declared_ms_async_rdma_dscp");
        if (ceph && snapshot.boolean(service, "uses_rdma") == true) classes.emplace("ceph", *ceph);
    }
    return classes;
}

void derive(const Site&, Snapshot& snapshot) {
    const Classes classes = classes_of(snapshot);
    std::vector<std::string> words;
    std::set<std::int64_t> dscps;
    for (const auto& [user, traffic_class] : classes) {
        words.push_back(fmt::format("{}={}", user, traffic_class));
        dscps.insert(traffic_class / 4);
    }
    snapshot.put(kHost, kClasses, listed(std::move(words)));
    snapshot.put(kHost, kDscps, static_cast<std::int64_t>(dscps.size()));

    if (const Gap* gap = snapshot.kind_gap(Kind::process)) return snapshot.gap(kHost, kPinned, *gap);
    std::int64_t pinned = 0;
    for (const Entity& process : snapshot.entities(Kind::process)) {
        const auto bytes = snapshot.integer(process, "pinned");
        if (!bytes) return snapshot.gap(kHost, kPinned, needs(snapshot, process, "pinned"));
        if (__builtin_add_overflow(pinned, *bytes, &pinned)) {
            return snapshot.gap(kHost, kPinned, {GapClass::error, "process.pinned: beyond 2^63 together", {}});
        }
    }
    snapshot.put(kHost, kPinned, pinned);
}

}  // namespace

extern const Derivation rdma_users;
constinit const Derivation rdma_users{"rdma_users", kFacts, kReads, derive};

}  // namespace rd::collectors
