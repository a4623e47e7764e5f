// SPDX-License-Identifier: GPL-2.0-or-later
// Which type of GID the environments of processes choose on each port: an index that somebody wrote down once holds for the table of that
// day, and one below the right one mostly is the same address as RoCE v1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::port, "gid_type_chosen", Type::text, Nature::config, "",
     "Type of the GID that UCX_IB_GID_INDEX, NCCL_IB_GID_INDEX or MC_GID_INDEX of a process that may use the port "
     "chooses: IB/RoCE v1 where one of them does, else RoCE v2"},
};
constexpr const FactSpec& kChosen = row(kFacts, Kind::port, "gid_type_chosen");

constexpr std::array<std::string_view, 7> kReads{
    "process.device", "process.env_ucx_gid_index", "process.env_nccl_gid_index", "process.env_mc_gid_index",
    "port.device",    "port.gid_indices_v1",       "port.gid_indices_v2"};
constexpr std::array<std::string_view, 3> kVariables{"env_ucx_gid_index", "env_nccl_gid_index", "env_mc_gid_index"};

using Indices = std::set<std::int64_t>;

// By device; those of processes without one, which may use any, below an empty entity.
std::map<Entity, Indices> wanted(const Snapshot& snapshot) {
    std::map<Entity, Indices> found;
    for (const Entity& process : snapshot.entities(Kind::process)) {
        for (const std::string_view variable : kVariables) {
            const auto index = snapshot.integer(process, variable);
            if (index) found[snapshot.reference(process, "device").value_or(Entity{})].insert(*index);
        }
    }
    return found;
}

bool has_any(const std::string& list, const Indices& indices) {
    const auto names = split(list, ',');
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        const auto number = parse_counter(name);
        return number && indices.contains(*number);
    });
}

void derive(const Site&, Snapshot& snapshot) {
    const auto by_device = wanted(snapshot);
    for (const Entity& port : snapshot.entities(Kind::port)) {
        Indices indices;
        for (const Entity& device : {Entity{}, snapshot.reference(port, "device").value_or(Entity{})}) {
            if (const auto found = by_device.find(device); found != by_device.end())
                indices.insert(found->second.begin(), found->second.end());
        }
        if (indices.empty()) {
            snapshot.gap(port, kChosen, not_offered("no process is known to be told a GID index"));
            continue;
        }
        const auto v1 = snapshot.text(port, "gid_indices_v1"), v2 = snapshot.text(port, "gid_indices_v2");
        if (!v1 || !v2) {
            snapshot.gap(port, kChosen, needs(snapshot, port, v1 ? "gid_indices_v2" : "gid_indices_v1"));
        } else if (has_any(*v1, indices)) {
            snapshot.put(port, kChosen, std::string("IB/RoCE v1"));
        } else if (has_any(*v2, indices)) {
            snapshot.put(port, kChosen, std::string("RoCE v2"));
        } else {
            snapshot.gap(port, kChosen, not_offered("its table has nothing at the index that is wanted"));
        }
    }
}

}  // namespace

extern const Derivation gid_choice;
constinit const Derivation gid_choice{"gid_choice", kFacts, kReads, derive};

}  // namespace rd::collectors
