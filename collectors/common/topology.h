// SPDX-License-Identifier: GPL-2.0-or-later
// Relations between entities of a snapshot that several derivations follow.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/snapshot.h"

namespace rd::collectors {

template <class T>
using Known = tl::expected<T, Gap>;

// The reason why a fact has no value, for a fact that needs it: same class, and says what it was needed for by naming it.
[[nodiscard]] Gap needs(const Snapshot& snapshot, const Entity& entity, std::string_view fact);

// From a PCI function up to what has nothing above it, the function included: the root port, where all can be seen.
[[nodiscard]] Known<std::vector<Entity>> path_to_root(const Snapshot& snapshot, const Entity& pci);

// The interfaces whose wires a port uses: its netdev, below VLANs, and every member of a bond. Who belongs to which bond is looked up
// once a derivation. `snapshot` must outlive it.
class Wires {
public:
    explicit Wires(const Snapshot& snapshot);
    [[nodiscard]] Known<std::vector<Entity>> of(const Entity& port) const;
    [[nodiscard]] std::vector<Entity> below(Entity netdev) const;  // never empty: of a physical interface itself

private:
    const Snapshot& snapshot_;
    std::map<Entity, std::vector<Entity>> members_;
};

// The ports of every device, looked up once a derivation.
class Ports {
public:
    explicit Ports(const Snapshot& snapshot);
    [[nodiscard]] const std::vector<Entity>& of(const Entity& device) const;

private:
    std::map<Entity, std::vector<Entity>> of_;
};

// The value all of `netdevs` agree on.
template <class T, class Ask>
[[nodiscard]] Known<T> agreed(const Snapshot& snapshot, const std::vector<Entity>& netdevs, Ask ask) {
    Known<T> result = ask(netdevs.front());
    for (const Entity& netdev : netdevs) {
        Known<T> other = ask(netdev);
        if (!other) return other;
        if (result && *other != *result) {
            return tl::unexpected<Gap>(Gap{GapClass::error,
                                           snapshot.label(netdevs.front()) + " and " + snapshot.label(netdev) +
                                               " carry the same port and are set up differently",
                                           "set up all members of the bond alike"});
        }
    }
    return result;
}

}  // namespace rd::collectors
