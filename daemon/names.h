// SPDX-License-Identifier: GPL-2.0-or-later
// From what the kernel calls things in its events to entities: "mlx5_0/1", "ens1f0", "0000:41:00.0", "nvme3". As of one sweep.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/facts/snapshot.h"
#include "core/host/events/source.h"
#include "daemon/alerts/alert.h"

namespace rd::daemon {

class Names {
public:
    Names() = default;
    explicit Names(const Snapshot& snapshot);

    // `subject` of an event of `source`.
    [[nodiscard]] std::optional<Entity> find(std::string_view source, std::string_view subject) const;
    // The RDMA port whose interface this is.
    [[nodiscard]] std::optional<Entity> port_of(const Entity& netdev) const;
    // A device, a port, the interface of one, or a member of the bond that is its interface.
    [[nodiscard]] bool carries_rdma(const Entity& entity) const;
    [[nodiscard]] std::string label(const Entity& entity) const;
    // An event with what it is about. One of a device that nobody has seen yet is about nobody.
    [[nodiscard]] Happening happening(const HostEvent& event) const;

private:
    std::map<std::pair<Kind, std::string>, Entity> by_name_;
    std::map<Entity, std::string> labels_;
    std::map<Entity, Entity> port_of_;
    std::set<Entity> members_;
};

}  // namespace rd::daemon
