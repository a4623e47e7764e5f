// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a process that uses RDMA runs in a container, by the name of its control group: its limits come from the runtime then, and not
// from its login or unit.
#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::process, "container", Type::boolean, Nature::config, "",
     "Its control group is one of a container runtime (kubepods, docker, containerd, crio, libpod, lxc): "
     "process.cgroup"},
};
constexpr const FactSpec& kContainer = row(kFacts, Kind::process, "container");

constexpr std::array<std::string_view, 1> kReads{"process.cgroup"};
constexpr std::array<std::string_view, 8> kRuntimes{"kubepods", "docker", "containerd",  "crio-",
                                                    "cri-",     "libpod", "lxc.payload", "nspawn"};

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& process : snapshot.entities(Kind::process)) {
        const auto group = snapshot.text(process, "cgroup");
        if (!group) {
            snapshot.gap(process, kContainer, needs(snapshot, process, "cgroup"));
            continue;
        }
        // The runtime itself runs in system.slice/containerd.service, and is none.
        bool inside = false;
        for (const std::string_view runtime : kRuntimes)
            inside = inside || group->find(runtime) != std::string_view::npos;
        snapshot.put(process, kContainer, inside && !group->ends_with(".service"));
    }
}

}  // namespace

extern const Derivation container;
constinit const Derivation container{"container", kFacts, kReads, derive};

}  // namespace rd::collectors
