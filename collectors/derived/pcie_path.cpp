// SPDX-License-Identifier: GPL-2.0-or-later
// What the whole way of a function up to its root port allows.
#include <algorithm>
#include <array>

#include "collectors/common/table.h"
#include "collectors/common/topology.h"
#include "core/base/text.h"

namespace rd::collectors {
namespace {

constexpr FactSpec kFacts[] = {
    {Kind::pci, "mps_path_max", Type::integer, Nature::config, "bytes",
     "Largest payload that the function and everything above it can do: the smallest mps_max on the way"},
    {Kind::pci, "relaxed_ordering_unsafe", Type::boolean, Nature::config, "",
     "The root port is one of those below which Linux switches relaxed ordering off (Haswell, Broadwell)"},
};
constexpr const FactSpec& kPayload = row(kFacts, Kind::pci, "mps_path_max");
constexpr const FactSpec& kUnsafe = row(kFacts, Kind::pci, "relaxed_ordering_unsafe");

constexpr std::array<std::string_view, 4> kReads{"pci.parent", "pci.mps_max", "pci.vendor", "pci.device_id"};

Known<std::int64_t> payload_of(const Snapshot& snapshot, const std::vector<Entity>& hops) {
    std::int64_t least = 0;
    for (const Entity& hop : hops) {
        const auto most = snapshot.integer(hop, "mps_max");
        if (!most) return tl::unexpected<Gap>(needs(snapshot, hop, "mps_max"));
        least = least == 0 ? *most : std::min(least, *most);
    }
    return least;
}

// quirk_relaxedordering_disable in drivers/pci/quirks.c.
bool is_unsafe(std::string_view vendor, std::uint64_t device) {
    const auto between = [device](std::uint64_t low, std::uint64_t high) { return device >= low && device <= high; };
    return vendor == "0x8086" && (between(0x6f01, 0x6f0e) || between(0x2f01, 0x2f0e));
}

Known<bool> unsafe_root(const Snapshot& snapshot, const Entity& root) {
    const auto vendor = snapshot.text(root, "vendor");
    if (!vendor) return tl::unexpected<Gap>(needs(snapshot, root, "vendor"));
    const auto device = snapshot.text(root, "device_id");
    const auto number = device ? parse_hex(*device) : Result<std::uint64_t>(fail(Errc::not_found, {}));
    if (!number) return tl::unexpected<Gap>(needs(snapshot, root, "device_id"));
    return is_unsafe(*vendor, *number);
}

template <class T>
void put(Snapshot& snapshot, const Entity& pci, const FactSpec& spec, const Known<T>& value) {
    if (value) {
        snapshot.put(pci, spec, *value);
    } else {
        snapshot.gap(pci, spec, value.error());
    }
}

void derive(const Site&, Snapshot& snapshot) {
    for (const Entity& pci : snapshot.entities(Kind::pci)) {
        const auto hops = path_to_root(snapshot, pci);
        if (!hops) {
            snapshot.gap(pci, kPayload, hops.error());
            snapshot.gap(pci, kUnsafe, hops.error());
            continue;
        }
        put(snapshot, pci, kPayload, payload_of(snapshot, *hops));
        put(snapshot, pci, kUnsafe, unsafe_root(snapshot, hops->back()));
    }
}

}  // namespace

extern const Derivation pcie_path;
constinit const Derivation pcie_path{"pcie_path", kFacts, kReads, derive};

}  // namespace rd::collectors
